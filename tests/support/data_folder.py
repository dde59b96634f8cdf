"""What stands in the files of palimp's data folder."""

from contextlib import suppress
from pathlib import Path

from palimp_protocol.env.paths import state_directory


def files_with(env: dict[str, str], *pieces: str | bytes) -> list[str]:
    """Return the files of the data folder in which one of *pieces* stands."""
    wanted = [piece.encode() if isinstance(piece, str) else piece for piece in pieces]
    while True:
        files = [path for path in Path(state_directory(env)).rglob("*") if path.is_file()]
        with suppress(FileNotFoundError):  # the daemon gave one its name meanwhile: all are listed anew
            return [str(path) for path in files for data in [path.read_bytes()] if any(map(data.__contains__, wanted))]
