"""Files: opened only if they are plain ones, without waiting; read within a bound; replaced as a whole or not at all.

Opening a named pipe waits for somebody to write to it, for ever, and a device may do anything. A file that somebody
else can write may be of any size, also where it takes no room on the disk.
"""

import errno
import os
import secrets
import stat
from pathlib import Path
from typing import IO, Final

TEMPORARY: Final = ".palimp-"
"""What the names of unfinished writes begin with."""


def is_gone(path: str) -> bool:
    """Tell whether there is nothing at *path*; what cannot be looked at is not gone."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


NOT_PLAIN: Final = frozenset({errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EFBIG})
"""Why `read_bounded` refuses what is there: another try would be refused, too."""


def open_plain(path: Path, *, follows_links: bool = True, buffer_bytes: int = -1) -> IO[bytes]:
    """Return the plain file at *path*, opened for reading. Its last part may be a link if *follows_links*.

    *buffer_bytes* are read at once; -1: as many as Python thinks right.

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
    """Return the bytes of the plain file at *path*, if it has *bytes_max* at most; never more is read than one beyond.

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
    """Make what was added to and taken out of the folder *path* durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
