"""Open plain files only, without waiting; read within a bound; replace as a whole or not at all.

Opening a named pipe waits for a writer, for ever, and a device may do anything. A file that somebody else can write may
be of any size, even without taking room on the disk.
"""

import errno
import os
import secrets
import stat
from pathlib import Path
from typing import IO, Final

TEMPORARY: Final = ".palimp-"
"""Prefix of unfinished writes."""


def is_gone(path: str) -> bool:
    """Tell whether there is nothing at *path*; an inaccessible path is not gone."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


NOT_PLAIN: Final = frozenset({errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EFBIG})
"""Errors of `read_bounded` by which a retry fails, too."""


def open_plain(path: Path, *, follows_links: bool = True, buffer_bytes: int = -1) -> IO[bytes]:
    """Open the plain file at *path* for reading. Its last part may be a link if *follows_links*.

    *buffer_bytes* is the size of the buffer; -1: Python's default.

    Raises:
        OSError: it cannot be opened, or is no plain file.
        ValueError: the path has a NUL in it.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        descriptor = os.open(path, flags if follows_links else flags | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP and not follows_links:
            raise OSError(errno.ELOOP, "it is a symbolic link") from None
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb", buffer_bytes)
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is no plain file")


def read_bounded(path: Path, bytes_max: int, *, follows_links: bool = True) -> bytes:
    """Read the plain file at *path*, of at most *bytes_max* bytes; never read more than one beyond.

    Raises:
        OSError: as `open_plain`, or it has more: EFBIG.
        ValueError: the path has a NUL in it.
    """
    with open_plain(path, follows_links=follows_links) as stream:
        # The size is asked for first: a file that is too large by far costs nothing then.
        is_longer = os.fstat(stream.fileno()).st_size > bytes_max
        data = b"" if is_longer else stream.read(bytes_max + 1)
    if is_longer or len(data) > bytes_max:
        raise OSError(errno.EFBIG, f"it has more than {bytes_max:,} bytes")
    return data


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write *data* to *path* so that a crash leaves the old file or the new one; *mode* is that of the new one.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    temporary = path.parent / f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
    try:
        with temporary.open("xb") as file:
            file.write(data)
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
    """Make additions to and removals from the folder *path* durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
