"""Promises: what is merged says the same, and merging holds nobody up.

    python benchmarks/compact.py [--memories 100000]

First the labelled pairs of benchmarks/compact/pairs.jsonl, 129 of them written before the rules were: each is saved
in a project of its own, and `compact` is asked what it would merge. *Precision* is the share of its merges that are
right, *recall* the share of the right ones that it makes. Then one `compact --apply` in a project of many memories,
every hundredth said twice, while another session recalls: its p50 and p99 beside those of the same queries when
nothing else runs. Aim: p99 below 3 times its idle value.
"""

import argparse
import json
import os
import random
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from measuring import percentile, print_table, progress, running_daemon
from synthetic import CALLER, Session, Words

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.merge_messages import Compact
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

PAIRS = Path(__file__).with_name("compact") / "pairs.jsonl"
COMPACT_S = 3_600.0
IDLE_QUERIES = 400
BATCH = 5_000
TWICE_EVERY = 100


def main() -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    arguments = parser.parse_args()
    _pairs()
    _load(arguments.memories)


def _pairs() -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    right = wrong = missed = 0
    with running_daemon() as env:
        client = Client(env)
        for number, pair in enumerate(progress(pairs, "pairs")):
            caller = Caller(ProjectRef(f"/pairs/{number}", str(number)))
            for text in (pair["older"], pair["newer"]):
                client.call(OPERATIONS["save_memory"], SaveMemory(text=text), caller)
            is_merged = client.call(OPERATIONS["compact"], Compact(), caller).total > 0
            right += is_merged and pair["same"]
            wrong += is_merged and not pair["same"]
            missed += pair["same"] and not is_merged
    print_table(
        "what is merged",
        ["pairs", "same", "merged", "wrongly", "precision", "recall"],
        [
            (
                str(len(pairs)),
                str(right + missed),
                str(right + wrong),
                str(wrong),
                f"{right / max(1, right + wrong):.2f}",
                f"{right / (right + missed):.2f}",
            )
        ],
        ["one author wrote pairs and rules; 129 of the pairs before the rules"],
    )


def _load(count: int) -> None:
    words = Words(2)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        _fill(database, count, words)
        with running_daemon(database) as env:
            queries = [words.question() for _ in range(IDLE_QUERIES)]
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            _seconds(session, queries[:20])
            idle = _seconds(session, queries)
            done: list[Any] = []
            work = threading.Thread(target=lambda: done.append(_compact(env)))
            work.start()
            busy: list[float] = []
            while work.is_alive():
                busy += _seconds(session, queries[:20])
            (merged, seconds) = done[0]
    print_table(
        f"recall while {count:,} memories are compacted",
        ["", "p50", "p99", "recalls"],
        [
            (name, f"{percentile(each, 0.5) * 1e3:.1f} ms", f"{percentile(each, 0.99) * 1e3:.1f} ms", str(len(each)))
            for name, each in (("idle", idle), ("meanwhile", busy))
        ],
        [
            f"merged {merged:,} of {count // TWICE_EVERY:,} that were said twice, in {seconds:.1f} s;"
            f" p99 ratio {percentile(busy, 0.99) / percentile(idle, 0.99):.2f} (aim: below 3)"
        ],
    )


def _compact(env: dict[str, str]) -> tuple[int, float]:
    began = time.perf_counter()
    reply = Client(env, deadline_s=COMPACT_S).call(OPERATIONS["compact"], Compact(apply=True), CALLER)
    return reply.total, time.perf_counter() - began


def _seconds(session: Session, queries: list[str]) -> list[float]:
    taken: list[float] = []
    for query in queries:
        began = time.perf_counter()
        session.call("recall", query=query)
        taken.append(time.perf_counter() - began)
    return taken


def _fill(database: Path, count: int, words: Words) -> None:
    chance = random.Random(3)
    store = open_store(database, "auto")
    text = ""
    for first in progress(range(0, count, BATCH), f"{count:,} memories"):
        store.connection.execute("BEGIN")
        for number in range(first, min(count, first + BATCH)):
            text = f"{text}!" if number % TWICE_EVERY == TWICE_EVERY - 1 else words.text()
            context = RequestContext(store, CALLER, 1_763_726_400_000 + number * 60_000, lambda: chance.getrandbits(25))
            save_memory(context, SaveMemory(text=text))
        store.connection.execute("COMMIT")
    store.connection.close()


if __name__ == "__main__":
    main()
