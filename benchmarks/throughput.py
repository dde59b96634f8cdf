"""Promise: durable saves are fast together, and recall stays near the bare query. Each beside its floor.

    python benchmarks/throughput.py [SECONDS]

Saves: typed requests over the socket from 1, 8 and 32 sessions in processes of their own. Two floors, with
the same rows on the same disk: *raw server*, a bare loop of a ROUTER socket and one transaction for
whatever is waiting, asked by the same 32 processes, without validation, titles, ids, duplicates or other
tasks; and *bare SQL*, the same statements in one process that nobody asks. Each begins with an empty
database; they take turns, ROUNDS times, and the medians are shown.

Recall: over the socket at 1,000, 10,000 and 100,000 memories, beside the bare ranking query on the same
database. Everything in one run. Aims: 3,000 saves/s at 32 sessions and 40 % of the grouped floor; recall
p50 at most 2 ms above the bare query.
"""

import contextlib
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
import zmq
from measuring import percentile, print_table, running_daemon
from scale import fill
from synthetic import Session, Words

from palimp_daemon.search.terms import match_expression, parse_query
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_protocol.env.paths import socket_path
from palimp_protocol.wire.frames import Kind

SESSIONS = (1, 8, 32)
ROUNDS = 3
SIZES = (1_000, 10_000, 100_000)
QUERIES = 200


def main() -> None:
    """Print two tables."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    print_table(
        f"durable saves, {ROUNDS} rounds in turns",
        ["sessions", "palimp", "p50", "p99", "raw server", "share", "bare SQL", "share"],
        [_save_row(count, seconds) for count in SESSIONS],
        ["aims at 32 sessions: 3,000/s and 40 %"],
    )
    print_table(
        "recall over the socket, beside the bare ranking query on the same database",
        ["memories", "p50", "p99", "bare p50", "bare p99", "above p50"],
        [_recall_row(size) for size in SIZES],
        ["aim: p50 at most 2 ms above the bare query"],
    )


def _save_row(sessions: int, seconds: float) -> tuple[str, ...]:
    rounds = [
        (
            *_palimp_saves_per_s(sessions, seconds),
            _raw_saves_per_s(sessions, seconds),
            _bare_saves_per_s(sessions, seconds),
        )
        for _ in range(ROUNDS)
    ]
    rate, p50, p99, raw, bare = map(statistics.median, zip(*rounds, strict=True))
    cells = [f"{sessions}", f"{rate:,.0f}/s", f"{p50:.2f} ms", f"{p99:.2f} ms"]
    return (*cells, f"{raw:,.0f}/s", f"{rate / raw:.0%}", f"{bare:,.0f}/s", f"{rate / bare:.0%}")


def _palimp_saves_per_s(sessions: int, seconds: float) -> tuple[float, float, float]:
    """Return what *sessions* processes reach with a new daemon; see `_saves_per_s`."""
    with running_daemon() as env:
        return _saves_per_s(Path(socket_path(env, user_id=os.getuid())), sessions, seconds)


def _saves_per_s(path: Path, sessions: int, seconds: float) -> tuple[float, float, float]:
    """Return saves per second and the p50 and p99 latency in ms of *sessions* processes."""
    barrier = multiprocessing.Barrier(sessions)
    results: Any = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=_save_for, args=(path, number, seconds, barrier, results))
        for number in range(sessions)
    ]
    for worker in workers:
        worker.start()
    latencies = [each for _ in workers for each in results.get()]
    for worker in workers:
        worker.join()
    return len(latencies) / seconds, percentile(latencies, 0.5) * 1000, percentile(latencies, 0.99) * 1000


def _save_for(path: Path, number: int, seconds: float, barrier: Any, results: Any) -> None:
    session, words = Session(path), Words(number)
    texts = [words.text() for _ in range(500)]
    barrier.wait()
    latencies: list[float] = []
    ends_at = time.perf_counter() + seconds
    while (started := time.perf_counter()) < ends_at:
        session.call("save_memory", text=f"{texts[len(latencies) % 500]} {number} {len(latencies)}")
        latencies.append(time.perf_counter() - started)
    results.put(latencies)


def _raw_saves_per_s(sessions: int, seconds: float) -> float:
    """Return what the same clients reach with the raw server."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        path = Path(folder) / "raw.sock"
        server = multiprocessing.Process(target=_serve_raw, args=(Path(folder) / "palimp.db", path), daemon=True)
        server.start()
        while not path.exists():
            time.sleep(0.01)
        rate, _, _ = _saves_per_s(path, sessions, seconds)
        server.kill()
        server.join()
        return rate


def _serve_raw(database: Path, path: Path) -> None:
    """Store whatever is waiting in one transaction, then answer it, for ever."""
    store = open_store(database, "auto")
    socket = zmq.Context().socket(zmq.ROUTER)
    socket.bind(f"ipc://{path}")
    count = 0
    while True:
        group = [socket.recv_multipart()]
        with contextlib.suppress(zmq.Again):
            while True:
                group.append(socket.recv_multipart(zmq.NOBLOCK))
        store.connection.execute("BEGIN IMMEDIATE")
        for _, _, frame_id, body in group:
            count += 1
            _insert(store, count, frame_id, msgspec.json.decode(body)["arguments"]["text"])
        store.connection.execute("COMMIT")
        for identity, head, frame_id, _ in group:
            socket.send_multipart([identity, head[:1] + bytes((Kind.REPLY,)), frame_id, b"{}"])


def _bare_saves_per_s(group: int, seconds: float) -> float:
    """Return how many saves per second the statements alone reach in transactions of *group*."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        store, words = open_store(Path(folder) / "palimp.db", "auto"), Words(0)
        texts = [words.text() for _ in range(500)]
        count, started = 0, time.perf_counter()
        while time.perf_counter() < started + seconds:
            store.connection.execute("BEGIN IMMEDIATE")
            for _ in range(group):
                count += 1
                _insert(store, count, os.urandom(24), texts[count % 500])
            store.connection.execute("COMMIT")
        took_s = time.perf_counter() - started
        store.connection.close()
        return count / took_s


def _insert(store: Store, number: int, frame_id: bytes, text: str) -> None:
    """Insert the rows of one save: the memory (and by trigger its index), its MinHash signature, its request."""
    db = store.connection
    db.execute(
        "INSERT INTO memories (id, project_id, title, content, tags, kind, source, created_at)"
        " VALUES (?, 0, ?, ?, '', 'note', 'manual', 1)",
        (f"m{number}", text[:80], text),
    )
    hashes = [value for each in range(4) for value in (number * 2_654_435_761 * (each + 1) & 0xFFFFFFFF, number)]
    db.execute("INSERT OR IGNORE INTO sketches (hash, seq) VALUES (?, ?), (?, ?), (?, ?), (?, ?)", hashes)
    db.execute("INSERT INTO requests (id, reply, created_at) VALUES (?, ?, 1)", (frame_id, b"{}" * 30))


def _recall_row(size: int) -> tuple[str, ...]:
    words = Words(1)
    queries = [words.query() for _ in range(QUERIES)]
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        fill(database, size, words)
        bare = _bare_latencies(database, queries)
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            latencies: list[float] = []
            for query in queries:
                started = time.perf_counter()
                session.call("recall", query=query)
                latencies.append(time.perf_counter() - started)
    p50, p99 = percentile(latencies, 0.5) * 1000, percentile(latencies, 0.99) * 1000
    bare_p50, bare_p99 = percentile(bare, 0.5) * 1000, percentile(bare, 0.99) * 1000
    above = f"{p50 - bare_p50:+.2f} ms"
    return (f"{size:,}", f"{p50:.2f} ms", f"{p99:.2f} ms", f"{bare_p50:.2f} ms", f"{bare_p99:.2f} ms", above)


def _bare_latencies(path: Path, queries: list[str]) -> list[float]:
    """Return the seconds of the ranking query alone: no filter but the project, no snippets, no text."""
    store: Store = open_store(path, "auto")
    latencies = []
    for query in queries:
        expression = match_expression(parse_query(query).terms)
        started = time.perf_counter()
        store.connection.execute(
            "SELECT m.seq, bm25(memories_fts, 2.0, 1.0, 1.0, 0.8, 0.3) AS score FROM memories_fts"
            " JOIN memories m ON m.seq = memories_fts.rowid"
            " WHERE memories_fts MATCH ? AND m.project_id = 1 AND m.deleted_at IS NULL ORDER BY score LIMIT 10",
            (expression,),
        ).fetchall()
        latencies.append(time.perf_counter() - started)
    store.connection.close()
    return latencies


if __name__ == "__main__":
    main()
