"""How many fsyncs a save makes: what tells whether it outlives a power cut.

Nobody's word is taken for it. In a run of its own, in which nothing is timed, strace looks on from the first process,
and those calls are counted that wait for a file in which something that was saved stands. A program that only syncs
other files (a state of its own, say) has lost the memory after a power cut.
"""

import re
import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from math import nan
from pathlib import Path
from typing import Final

from facts import Fact, facts
from measuring import CallFailedError, StdioServer
from peers import Peer
from work import Run

WATCH: Final = ("strace", "-D", "-f", "-q", "-A", "-y", "-e", "trace=fsync,fdatasync,msync")
"""Beside the program, so that it is the child of whoever starts it, as without."""

WAITS_FOR: Final = re.compile(r"sync\(\d+<(.+?)>")
"""A call that began, and its file; one that another process interrupts has a second line, without."""

WARMING_SAVES: Final = 5
"""What a new database is made with is not counted."""

COUNTED_SAVES: Final = 20


def syncs_per_save(peer: Peer, install: Path, folder: Path, seed: int) -> float:
    """Return how many fsyncs *peer* makes for a save; not a number without strace or saves."""
    if shutil.which(WATCH[0]) is None:
        return nan
    known = facts(WARMING_SAVES + COUNTED_SAVES, seed)
    with (
        tempfile.TemporaryDirectory(prefix="peers-", dir="/tmp", ignore_cleanup_errors=True) as home,
        tempfile.NamedTemporaryFile(prefix="peers-", suffix=".trace", dir="/tmp") as file,
    ):
        trace = Path(file.name)
        run = Run(peer, install, folder, Path(home), watch=(*WATCH, "-o", file.name))
        try:
            run.begin()
            with run.session() as session:
                _saved(peer, session, known[:WARMING_SAVES])
                before = _syncs(trace)
                saved = _saved(peer, session, known[WARMING_SAVES:])
                synced = _syncs(trace) - before
                waited = sum(count for path, count in synced.items() if _holds(Path(path), saved))
                return waited / len(saved) if saved else nan
        finally:
            run.kill()


def _saved(peer: Peer, session: StdioServer, to_save: list[Fact]) -> list[bytes]:
    """Save, and return the codes of what was; some refuse what is like something else."""
    saved: list[bytes] = []
    for fact in to_save:
        with suppress(CallFailedError):
            peer.save(session, fact)
            saved.append(fact.code.encode())
    return saved


def _syncs(trace: Path) -> Counter[str]:
    """Return how often each file was waited for."""
    return Counter(WAITS_FOR.findall(trace.read_text(encoding="utf-8", errors="replace")))


def _holds(path: Path, saved: list[bytes]) -> bool:
    content = path.read_bytes() if path.is_file() else b""
    return any(code in content for code in saved)
