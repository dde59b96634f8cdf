"""Promise: what was said in a user's sessions is read at about the speed of reading the files.

    python benchmarks/read_transcripts.py FOLDER [--client claude-code|codex]

FOLDER is what `make_transcripts.py` made (CLAUDE_CONFIG_DIR, CODEX_HOME), or a user's own. Prints what reading the
files alone takes, then with what was said taken out of them, then with secrets taken out of that; nothing is stored.
"""

import argparse
import time
from pathlib import Path

from measuring import print_table

from palimp_clients.transcript_readers import CLIENTS, Reader
from palimp_clients.transcripts.turn import SessionFile
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

VARIABLES = {"claude-code": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}
CHUNK_BYTES = 1 << 20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--client", choices=VARIABLES, default="claude-code")
    options = parser.parse_args()
    reader = CLIENTS[options.client]
    files = list(reader.session_files(Path.home(), {VARIABLES[options.client]: str(options.folder)}))
    megabytes = sum(file.size for file in files) / 1e6
    rows = [("reading alone", "", "", "", *_speed(megabytes, _reading_s(files)))]
    for name, redact in (("and taking apart", Unredacted()), ("and redacting", Redactor())):
        began = time.perf_counter()
        counts = [turns_of_session(reader, file, redact) for file in files]
        seconds = time.perf_counter() - began
        turns, characters, skipped = (sum(column) for column in zip(*counts, strict=True))
        rows.append((name, f"{turns:,}", f"{characters:,}", str(skipped), *_speed(megabytes, seconds)))
    print_table(
        f"{len(files):,} sessions of {options.client}, {megabytes:,.0f} MB",
        ["", "turns", "characters", "skipped lines", "seconds", "MB/s"],
        rows,
        ["nothing is stored; the files are in the system's cache"],
    )


class Unredacted(Redactor):
    """Leaves a text as it is: only to tell what redacting costs."""

    def __call__(self, text: str) -> str:
        """Return *text*."""
        return text


def _speed(megabytes: float, seconds: float) -> tuple[str, str]:
    return f"{seconds:.2f}", f"{megabytes / seconds:,.0f}"


def turns_of_session(reader: Reader, file: SessionFile, redact: Redactor) -> tuple[int, int, int]:
    """Return how many turns a session has, how many characters those have, and how many lines were skipped."""
    place, turns, characters, skipped = Place(), 0, 0, 0
    while True:
        news = reader.news_of(file.path, place, redact)
        turns += len(news.turns)
        characters += sum(len(turn.text) for turn in news.turns)
        skipped += news.skipped
        if news.is_end:
            return turns, characters, skipped
        place = news.place


def _reading_s(files: list[SessionFile]) -> float:
    """Return the seconds that reading takes, the second time."""
    for _ in range(2):
        began = time.perf_counter()
        for file in files:
            with Path(file.path).open("rb", buffering=0) as stream:
                while stream.read(CHUNK_BYTES):
                    pass
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
