"""The password file of a team's database, for libpq."""

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

FILE: Final = "team.pgpass"

_TRIED: Final = "team-tried.pgpass"
"""For a password on trial; the other file stays valid until this one works."""

_MODE: Final = 0o600
"""libpq ignores a file that others can read."""

_PARAMETER: Final = "passfile="


def with_password(address: str, password: str, folder: Path) -> str:
    """Write *password* to a trial file in *folder*; return *address* with its name."""
    path = folder / _TRIED
    path.unlink(missing_ok=True)
    line = "*:*:*:*:" + password.replace("\\", "\\\\").replace(":", "\\:") + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _MODE)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)
    return _with_file(address, path)


def keep_password(address: str, folder: Path) -> str:
    """Keep the tried password instead of the former; return *address* with the file."""
    (folder / _TRIED).replace(folder / FILE)
    return _with_file(address, folder / FILE)


def _with_file(address: str, path: Path) -> str:
    return f"{address}{'&' if '?' in address else '?'}{_PARAMETER}{quote(str(path), safe='')}"


def without_password(address: str) -> str:
    """Return *address* as it was before `with_password`."""
    rest, _, name = address.rpartition(_PARAMETER)
    return rest[:-1] if unquote(name).endswith((f"/{FILE}", f"/{_TRIED}")) else address


def forget_tried(folder: Path) -> None:
    """Remove the tried password, if any."""
    (folder / _TRIED).unlink(missing_ok=True)


def remove_password(folder: Path) -> None:
    """Remove the password's file, if any."""
    (folder / FILE).unlink(missing_ok=True)
    forget_tried(folder)
