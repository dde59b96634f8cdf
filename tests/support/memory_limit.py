"""A bound on what a running process takes from now on, as systemd's MemoryMax sets one: a control group of its own.

Needs root, and the kernel's memory controller, of the first or the second version.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

FIRST = Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"
SECOND = Path("/sys/fs/cgroup"), "memory.max", "memory.swap.max"
"""Where groups are made, and the files of the bound without and with what is swapped."""


def why_not() -> str:
    """Return why no process can be bounded here; empty: it can be."""
    folder, name, _ = _controller()
    group = folder / f"palimp-try-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        return f"mkdir {group}: {error.strerror}"
    has_limit = (group / name).exists()
    group.rmdir()
    return "" if has_limit else f"ls {folder}/*/{name}: the kernel's memory controller is not there"


@contextlib.contextmanager
def bounded(pid: int, limit_bytes: int) -> Iterator[None]:
    """Bound what the process *pid* takes from now on to *limit_bytes*; the kernel ends it when it needs more."""
    folder, name, with_swap = _controller()
    group = folder / f"palimp-{pid}"
    group.mkdir()
    try:
        (group / name).write_text(str(limit_bytes))
        if (group / with_swap).exists():  # not where the kernel does not count it
            (group / with_swap).write_text(str(limit_bytes if folder == FIRST[0] else 0))
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        for survivor in (group / "cgroup.procs").read_text().split():
            (folder / "cgroup.procs").write_text(survivor)
        group.rmdir()


def _controller() -> tuple[Path, str, str]:
    return FIRST if FIRST[0].is_dir() else SECOND
