"""Records of edits, one file each, until a daemon takes them."""

import os
from collections.abc import Mapping
from contextlib import suppress

from palimp_protocol.env import clock, paths
from palimp_protocol.limits import HOOK_SPOOL_BYTES_MAX


def keep(env: Mapping[str, str], request_id: bytes, body: bytes) -> bool:
    """Leave a request for the daemon; False: no room. Files are whole or missing."""
    folder = paths.spool_directory(env)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if _bytes_in(folder) + len(body) > HOOK_SPOOL_BYTES_MAX:
        return False
    name = f"{clock.now_ns():020d}-{request_id.hex()}"
    partial = os.path.join(folder, f"{name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(body)
    os.rename(partial, os.path.join(folder, f"{name}.json"))
    return True


def _bytes_in(folder: str) -> int:
    used = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                used += entry.stat(follow_symlinks=False).st_size
    return used
