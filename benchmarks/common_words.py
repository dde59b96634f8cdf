"""Promise: words that stand in every memory hold nobody up.

    python benchmarks/common_words.py [--memories 100000] [--sessions 20] [--baseline TREE] [--engine fts4]

All memories hold all the words that are asked for, two to four of them in each query. One session asks alone, then all
sessions ask at the same moment, ROUNDS times. With --baseline the same is done by the code of another tree, in turns
with this one, and the table has both and their ratio.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from measuring import percentile, print_table, running_daemon
from synthetic import CALLER, Session

from palimp_daemon.features.memories.save import draft, store_drafts
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.caller import Caller, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

HERE = Path(__file__).resolve().parents[1]
WORDS = ("deploy", "service", "staging", "cluster", "payment", "gateway")
OTHER_WORDS = 20_000
BATCH = 500
MEMORIES_PER_SESSION = 50
ALONE = 30
"""Recalls of the one session."""
ROUNDS = 3
AIM = 0.1
"""What p95 with all sessions may be of the baseline's."""


def main() -> None:
    """Print one table, or as a child process the seconds of every recall."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--engine", default="auto", choices=("auto", "fts5", "fts4"))
    parser.add_argument("--baseline", type=Path, help="a checkout of another commit")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.memories, options.sessions, options.engine)))
        return
    trees = {"this tree": HERE} | ({"baseline": options.baseline.resolve()} if options.baseline else {})
    results = {name: _in_tree(tree, options) for name, tree in trees.items()}
    rows = [
        (name, who, f"{len(took)}", f"{percentile(took, 0.5) * 1000:.0f} ms", f"{percentile(took, 0.95) * 1000:.0f} ms")
        for name, (alone, together) in results.items()
        for who, took in (("1 session", alone), (f"{options.sessions} sessions", together))
    ]
    notes: list[str] = []
    if options.baseline:
        ratio = percentile(results["this tree"][1], 0.95) / percentile(results["baseline"][1], 0.95)
        notes = [f"p95 of {options.sessions} sessions: {ratio:.3f} of the baseline's; aim: at most {AIM}"]
    title = f"recall of words that all of {options.memories:,} memories hold ({options.engine})"
    print_table(title, ["tree", "while asking", "recalls", "p50", "p95"], rows, notes)


def _in_tree(tree: Path, options: argparse.Namespace) -> tuple[list[float], list[float]]:
    """Return what `measured` gives with the code of *tree*."""
    path = os.pathsep.join(str(tree / part) for part in ("clients", "daemon", "protocol", "shim"))
    asked = ["--memories", str(options.memories), "--sessions", str(options.sessions), "--engine", options.engine]
    command = [sys.executable, str(HERE / "benchmarks" / "common_words.py"), "--measure", *asked]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE, check=True)
    alone, together = json.loads(done.stdout)
    return alone, together


def measured(memories: int, sessions: int, engine: str) -> tuple[list[float], list[float]]:
    """Return the seconds of every recall: of one session, and of all *sessions* at once."""
    os.environ["PALIMP_SEARCH_ENGINE"] = engine
    queries = [" ".join(words) for count in (2, 3, 4) for words in itertools.permutations(WORDS, count)]
    random.Random(3).shuffle(queries)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as temporary:
        database = Path(temporary) / "palimp.db"
        _fill(database, memories, engine)
        with running_daemon(database) as env:
            path = Path(socket_path(env, user_id=os.getuid()))
            asked = iter(queries)
            first = Session(path)
            _timed(first, next(asked))
            alone = [_timed(first, next(asked)) for _ in range(ALONE)]
            together: list[float] = []
            for _ in range(ROUNDS):
                together += _asked_at_once(path, [next(asked) for _ in range(sessions)])
    return alone, together


def _asked_at_once(path: Path, queries: list[str]) -> list[float]:
    """Return the seconds of *queries*, each asked by a session of its own at the same moment."""
    start, took = threading.Barrier(len(queries)), list[float]()

    def ask(query: str) -> None:
        session = Session(path)
        start.wait()
        took.append(_timed(session, query))

    threads = [threading.Thread(target=ask, args=(query,)) for query in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(took) == len(queries), "a session had no answer"
    return took


def _timed(session: Session, query: str) -> float:
    started = time.perf_counter()
    assert session.call("recall", query=query)["memories"]
    return time.perf_counter() - started


def _fill(path: Path, memories: int, engine: str) -> None:
    """Store *memories* that hold all of WORDS, among words of their own."""
    chance, store = random.Random(1), open_store(path, engine)
    others = [f"q{number:x}z" for number in range(OTHER_WORDS)]
    for first in range(0, memories, BATCH):
        store.connection.execute("BEGIN")
        store_drafts(
            [
                (
                    RequestContext(
                        store,
                        Caller(CALLER.project, SessionRef(f"s{number // MEMORIES_PER_SESSION}", "benchmark")),
                        1_763_726_400_000 + number * 1_000,
                        lambda: chance.getrandbits(25),
                    ),
                    draft(Redactor(), SaveMemory(text=_text(chance, others))),
                )
                for number in range(first, min(first + BATCH, memories))
            ]
        )
        store.connection.execute("COMMIT")
    store.connection.close()


def _text(chance: random.Random, others: list[str]) -> str:
    words = [*WORDS, *chance.choices(others, k=20)]
    chance.shuffle(words)
    return " ".join(words)


if __name__ == "__main__":
    main()
