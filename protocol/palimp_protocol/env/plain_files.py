"""Open plain files only, without waiting (as a named pipe would), and read within a bound."""

import errno
import os
import stat
from pathlib import Path
from typing import IO, Final

NOT_PLAIN: Final = frozenset({errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EFBIG})
"""Errors of `read_bounded` that a retry will not change."""


def open_plain(path: Path, *, follows_links: bool = True, buffer_bytes: int = -1) -> IO[bytes]:
    """Open the plain file *path*; its last part may be a link if *follows_links*.

    Raises:
        OSError: it cannot be opened, or is no plain file.
        ValueError: the path has a NUL.
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
    """Read a plain file of at most *bytes_max* bytes.

    Raises:
        OSError: as `open_plain`, or it has more: EFBIG.
        ValueError: the path has a NUL.
    """
    with open_plain(path, follows_links=follows_links) as stream:
        # The size is asked for first: a file that is too large by far costs nothing then.
        is_longer = os.fstat(stream.fileno()).st_size > bytes_max
        data = b"" if is_longer else stream.read(bytes_max + 1)
    if is_longer or len(data) > bytes_max:
        raise OSError(errno.EFBIG, f"it has more than {bytes_max:,} bytes")
    return data
