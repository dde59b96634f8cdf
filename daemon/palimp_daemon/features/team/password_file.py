"""The password of a team's database, in a file of palimp's own that libpq reads."""

import contextlib
import os
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

FILE: Final = "team.pgpass"

_MODE: Final = 0o600
"""libpq reads no file that others could read."""

_PARAMETER: Final = "passfile="


def with_password(address: str, password: str, folder: Path) -> str:
    """Write *password* into a file in *folder*; return *address* with its name."""
    path = folder / FILE
    path.unlink(missing_ok=True)
    line = "*:*:*:*:" + password.replace("\\", "\\\\").replace(":", "\\:") + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _MODE)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)
    return f"{address}{'&' if '?' in address else '?'}{_PARAMETER}{quote(str(path), safe='')}"


def without_password(address: str) -> str:
    """Return *address* as it was before `with_password`."""
    rest, _, name = address.rpartition(_PARAMETER)
    return rest[:-1] if unquote(name).endswith(f"/{FILE}") else address


def remove_password(folder: Path) -> None:
    """Remove the file, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        (folder / FILE).unlink()
