"""Missing files, and atomic replacement."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

TEMPORARY: Final = ".palimp-"
"""Prefix of unfinished writes."""


def is_gone(path: str) -> bool:
    """Tell whether nothing is at *path*; inaccessible is not gone."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def size_of(path: Path) -> int:
    """Return the bytes of a file; 0 if missing or inaccessible."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):  # the latter for a path with NUL in it
        return 0


def replace_file(path: Path, data: bytes | Iterable[bytes], mode: int | None = None) -> None:
    """Write *data* to *path*, with *mode*, so that a crash leaves the old or the new file.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    temporary = path.parent / f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
    try:
        with temporary.open("xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make additions and removals in the folder *path* durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
