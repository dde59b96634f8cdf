"""Promise: a save stays fast as memories grow, though its answer names older ones on the same subject.

    python benchmarks/save_among_many.py [--largest 1000000]

Stores synthetic memories through the product's own handler, then saves more over the socket, one after the other, each
durable before the next. Compare two versions on the same machine, in turns: what a disk takes for an fsync varies more
than what they take. Aim: 1.3 times as long as before there were links between memories.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from measuring import percentile, print_table, running_daemon
from scale import fill
from synthetic import Session, Words

from palimp_protocol.env.paths import socket_path

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WARM = 30
SAVES = 400


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=100_000, help="number of memories to go up to")
    largest: int = parser.parse_args().largest
    print_table(
        "one save after the other, over the socket",
        ["memories", "p50", "p95", "name older ones"],
        [_row(size) for size in SIZES if size <= largest],
        ["aim: 1.3 times of before there were links"],
    )


def _row(size: int) -> tuple[str, ...]:
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        fill(database, size, words)
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            for _ in range(WARM):
                session.call("save_memory", text=words.text())
            times: list[float] = []
            naming = 0
            for _ in range(SAVES):
                text = words.text()
                started = time.perf_counter()
                reply = session.call("save_memory", text=text)
                times.append(time.perf_counter() - started)
                naming += bool(reply["same_subject"] or reply["similar"])
    p50, p95 = (percentile(times, part) * 1000 for part in (0.5, 0.95))
    return (f"{size:,}", f"{p50:.2f} ms", f"{p95:.2f} ms", f"{naming / SAVES:.0%}")


if __name__ == "__main__":
    main()
