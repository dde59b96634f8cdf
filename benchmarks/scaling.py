"""Promise: it stays fast as memories and sessions grow. What a save and a recall cost against both.

    python benchmarks/scaling.py [--largest 1000000]

Typed requests over the socket. By memories: one session, a store filled through the product's own handler, saves and
recalls (words from the middle, as people ask) in turn. By sessions: 10,000 memories, and 1 to 200 sessions that each
save, ask, save, ask without a pause, for a few seconds; all in one process of their own.

`python benchmarks/draw_scaling.py` makes a picture of what this printed.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import msgspec
import zmq
from measuring import percentile, print_table, progress, running_daemon
from scale import fill
from synthetic import CALLER, Session, Words

from palimp_protocol.env.paths import socket_path
from palimp_protocol.wire.frames import Frame, Kind, decode, encode, frame_ids

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SESSIONS = (1, 2, 8, 32, 64, 128, 200)
MEMORIES = 10_000
PAIRS = 150
SECONDS = 4.0
BY_MEMORIES = "cost by memories, one session"
BY_SESSIONS = f"cost by sessions, {MEMORIES:,} memories, each saves and asks in turn"


def main() -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="number of memories to go up to")
    arguments = parser.parse_args()
    sizes = [size for size in SIZES if size <= arguments.largest]
    print_table(
        BY_MEMORIES,
        ["memories", "save p50", "save p95", "recall p50", "recall p95"],
        [_by_memories(size) for size in sizes],
        [],
    )
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        fill(database, MEMORIES, Words(1))
        with running_daemon(database) as env:
            path = Path(socket_path(env, user_id=os.getuid()))
            rows = [_by_sessions(path, count) for count in progress(SESSIONS, "sessions")]
    print_table(
        BY_SESSIONS,
        ["sessions", "together", "save p50", "save p95", "recall p50", "recall p95"],
        rows,
        [],
    )


def _by_memories(size: int) -> tuple[str, ...]:
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database = Path(folder) / "palimp.db"
        fill(database, size, words)
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            session.call("recall", query="warm up")
            saves: list[float] = []
            recalls: list[float] = []
            for _ in range(PAIRS):
                saves.append(_timed(session, "save_memory", text=words.text()))
                recalls.append(_timed(session, "recall", query=words.query()))
    return (f"{size:,}", *_ms(saves), *_ms(recalls))


def _timed(session: Session, operation: str, **arguments: str) -> float:
    started = time.perf_counter()
    session.call(operation, **arguments)
    return time.perf_counter() - started


def _ms(seconds: list[float]) -> tuple[str, str]:
    return f"{percentile(seconds, 0.5) * 1000:.2f} ms", f"{percentile(seconds, 0.95) * 1000:.2f} ms"


class _Asking:
    """One of many sessions: its socket, what it asked last, and when."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], path: Path, words: Words, number: int) -> None:
        self.socket = context.socket(zmq.DEALER)
        self.socket.connect(f"ipc://{path}")
        self._ids = frame_ids(os.urandom(16))
        self._words, self._number, self._asked = words, number, 0
        self._at = 0.0

    def ask(self) -> None:
        """Send a save, or a recall after a save."""
        self._asked += 1
        operation, arguments = "recall", {"query": self._words.query()}
        if self._asked % 2:
            text = f"{self._words.text()} {self._number} {self._asked}"
            operation, arguments = "save_memory", {"text": text}
        body = {"operation": operation, "arguments": arguments, "caller": msgspec.to_builtins(CALLER)}
        self._at = time.perf_counter()
        self.socket.send_multipart(encode(Frame(Kind.REQUEST, next(self._ids), msgspec.json.encode(body))))

    def answered(self, saves: list[float], recalls: list[float]) -> None:
        """Take the answer, and note how long it took."""
        answer = decode(self.socket.recv_multipart())
        assert answer.kind is Kind.REPLY, answer.body
        (saves if self._asked % 2 else recalls).append(time.perf_counter() - self._at)


def _by_sessions(path: Path, count: int) -> tuple[str, ...]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    words = Words(count)
    sessions = {each.socket: each for each in (_Asking(context, path, words, number) for number in range(count))}
    poller = zmq.Poller()
    saves: list[float] = []
    recalls: list[float] = []
    for socket, session in sessions.items():
        poller.register(socket, zmq.POLLIN)
        session.ask()
    started = time.perf_counter()
    while time.perf_counter() < started + SECONDS:
        for socket, _ in poller.poll():
            session = sessions[socket]
            session.answered(saves, recalls)
            session.ask()
    took_s = time.perf_counter() - started
    context.destroy(linger=0)
    return (f"{count}", f"{(len(saves) + len(recalls)) / took_s:,.0f}/s", *_ms(saves), *_ms(recalls))


if __name__ == "__main__":
    main()
