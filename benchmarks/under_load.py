"""Promise: a recall stays quick while others save and ask, and while memories get their vectors.

    python benchmarks/under_load.py [--memories 100000]

Needs palimp[semantic]; ranks semantically. *Alone* is one session that asks without a pause, and nothing to embed. Then
eight sessions, each of which saves or asks every PAUSE_S in turn, which is more than agents do; at last the same while
the embedder works through a backlog of half of all memories. The vectors that are there are random: what they cost
does not depend on what they say. Sessions begin one after the other, spread over the time of one turn: agents are
not in step, and eight questions in the same millisecond, just after a start, would be the p99 otherwise.
"""

import argparse
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path

from measuring import percentile, print_table, running_daemon
from scale import fill, give_vectors
from synthetic import Session, Words

from palimp_daemon.store.opening import open_store
from palimp_protocol.env.paths import socket_path

SESSIONS = 8
PAUSE_S = 0.25
RECALLS = 100
"""Of each session."""
AIM = 3.0
"""Times its p99 alone that a recall may take."""


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    memories: int = parser.parse_args().memories
    os.environ |= {"PALIMP_SEARCH_ENGINE": "auto", "PALIMP_SEARCH_SEMANTIC": "on"}
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        full, half = Path(temporary) / "full.db", Path(temporary) / "half.db"
        fill(full, memories, Words(1))
        give_vectors(full, memories)
        shutil.copy(full, half)
        _take_vectors(half, memories // 2)
        with running_daemon(full) as env:
            path = Path(socket_path(env, user_id=os.getuid()))
            alone = _asked(Session(path), Words(2), RECALLS * 2, pause_s=0.0)
            together, _ = _together(path)
        with running_daemon(half) as env:
            beside, embedded = _together(Path(socket_path(env, user_id=os.getuid())))
    rows = [("alone", alone, 0), (f"{SESSIONS} sessions", together, 0), ("and a backlog to embed", beside, embedded)]
    p99 = percentile(alone, 0.99)
    print_table(
        f"recall by words and meaning, {memories:,} memories",
        ["while", "recalls", "p50", "p99", "times alone", "embedded meanwhile"],
        [
            (
                name,
                f"{len(took)}",
                f"{percentile(took, 0.5) * 1000:.1f} ms",
                f"{percentile(took, 0.99) * 1000:.1f} ms",
                f"{percentile(took, 0.99) / p99:.2f}",
                f"{count:,}" if count else "",
            )
            for name, took, count in rows
        ],
        [f"aim: p99 at most {AIM:.0f} times what it is alone"],
    )


def _take_vectors(path: Path, count: int) -> None:
    """Take the vectors of the first *count* memories away."""
    store = open_store(path, "auto")
    store.connection.execute("DELETE FROM vectors WHERE seq <= ?", (count,))
    store.connection.close()


def _together(path: Path) -> tuple[list[float], int]:
    """Return the seconds of every recall of all sessions, and how many memories were embedded meanwhile."""
    took: list[float] = []
    before = Session(path).call("embedding")["embedded"]
    threads = [
        threading.Thread(
            target=lambda number=number: took.extend(
                _asked(Session(path), Words(10 + number), RECALLS, PAUSE_S, begins_s=2 * PAUSE_S * number / SESSIONS)
            )
        )
        for number in range(SESSIONS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took, Session(path).call("embedding")["embedded"] - before


def _asked(session: Session, words: Words, recalls: int, pause_s: float, begins_s: float = 0.0) -> list[float]:
    """Return the seconds of *recalls* recalls, the first after *begins_s*; with a pause, a save is between two."""
    took: list[float] = []
    session.call("recall", query=words.query())
    time.sleep(begins_s)
    for _ in range(recalls):
        started = time.perf_counter()
        session.call("recall", query=words.query())
        took.append(time.perf_counter() - started)
        if pause_s:
            time.sleep(pause_s)
            session.call("save_memory", text=words.text())
            time.sleep(pause_s)
    return took


if __name__ == "__main__":
    main()
