"""Promise: who has conversations kept waits hardly longer for memories, and a turn is found as fast as a memory.

    python benchmarks/beside_conversations.py [--count 100000] [--database FILE]

Stores as many synthetic memories and, in the other database, turns of the same kind of text. Two daemons have the same
memories, one of them the turns, too; both are asked by turns over their sockets: starts, recalls and saves. Then turns
alone are asked for, as memories are. Aims: 1.2 times at p50 and 1.5 times at p95; among turns 1.5 times as long as
among as many memories. With --database the memories are those of FILE, which another benchmark made.
"""

import argparse
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from measuring import percentile, print_table, progress, running_daemon
from scale import fill
from synthetic import CALLER, Session, Words

from palimp_clients.transcripts.turn import Turn
from palimp_daemon.store.opening import open_conversations
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.sessions.conversation_rows import keep_turns, name_project
from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.caller import Caller, SessionRef

STARTS = 10
CALLS = 300
WARM = 20
BATCH = 5_000
TURNS_PER_SESSION = 50
BEGUN_MS = 1_763_726_400_000
NUMBER_AIMS = ((0.5, 1.2), (0.95, 1.5))
TURNS_AIM = 1.5


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--database", type=Path, help="memories that were stored before, as many")
    options = parser.parse_args()
    count: int = options.count
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder, ExitStack() as stack:
        memories, turns = Path(folder) / "palimp.db", Path(folder) / "conversations.db"
        if options.database:
            shutil.copy(options.database, memories)
        else:
            fill(memories, count, words)
        fill_turns(turns, count, words)
        alone, beside = (Path(folder) / name for name in ("alone", "beside"))
        for copy in (alone, beside):
            copy.mkdir()
            shutil.copy(memories, copy)
        shutil.copy(turns, beside)
        starts = [[_start(folder, names) for _ in range(STARTS)] for folder, names in _both(alone, beside)]
        os.environ["PALIMP_CONVERSATIONS_KEEP"] = "off"
        alone_at = _socket(stack.enter_context(running_daemon(alone / memories.name)))
        os.environ["PALIMP_CONVERSATIONS_KEEP"] = "on"
        beside_at = _socket(stack.enter_context(running_daemon(beside / memories.name, beside / turns.name)))
        sessions = (Session(alone_at), Session(beside_at))
        recalls = _by_turns(sessions, lambda session, text: session.call("recall", query=text), _queries(words))
        of_turns = [
            _timed(lambda query=query: sessions[1].call("recall", query=query, kind="conversation"))
            for query in _queries(words)
        ][WARM:]
        saves = _by_turns(
            (Session(alone_at), Session(beside_at)),  # one that said nothing for long is cut off
            lambda session, text: session.call("save_memory", text=text),
            [words.text() for _ in range(CALLS + WARM)],
        )
    rows = [
        _row(name, part, aim, before, after)
        for name, (before, after) in (("start", starts), ("recall", recalls), ("save", saves))
        for part, aim in NUMBER_AIMS
    ]
    rows += [
        _row("recall among turns, beside among memories", part, TURNS_AIM, recalls[0], of_turns) for part in (0.5, 0.95)
    ]
    print_table(
        f"{count:,} memories, and {count:,} turns beside them",
        ["", "", "without turns", "with turns", "times", "aim"],
        rows,
        ["asked by turns; each save is on the disk before the next"],
    )


def fill_turns(path: Path, count: int, words: Words, in_session: int = TURNS_PER_SESSION) -> None:
    """Store *count* turns of the benchmark's project, as a daemon that knows it by its number does."""
    store, chance = open_conversations(path, "auto"), random.Random(4)
    assert CALLER.project is not None
    for first in progress(range(0, count, BATCH), f"{count:,} turns"):
        store.connection.execute("BEGIN")
        for start in range(first, min(first + BATCH, count), TURNS_PER_SESSION):
            key = f"s{start - start % in_session}"
            caller = Caller(CALLER.project, SessionRef(key, "benchmark"))
            project = ensure_project(store, caller, BEGUN_MS)
            session = ensure_session(store, caller, project, BEGUN_MS)
            assert session is not None
            said = [
                Turn(chance.choice(("user", "assistant")), words.text(), BEGUN_MS + number * 1_000)
                for number in range(start, min(start + TURNS_PER_SESSION, count))
            ]
            keep_turns(store, project, session, key, said)
        store.connection.execute("COMMIT")
    name_project(store, CALLER.project.root, "project 1")
    store.connection.close()


def _both(alone: Path, beside: Path) -> list[tuple[Path, tuple[str, ...]]]:
    return [(alone, ("palimp.db",)), (beside, ("palimp.db", "conversations.db"))]


def _start(folder: Path, names: Sequence[str]) -> float:
    """Return the seconds from a daemon's exec to its first answer, with copies of the databases in *folder*."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as copies:
        for name in names:
            shutil.copy(folder / name, copies)
        os.sync()  # else the daemon waits until gigabytes are on the disk
        began = time.perf_counter()
        with running_daemon(*(Path(copies) / name for name in names)) as env:
            Session(_socket(env)).call("recall", limit=1)  # not "health", which counts the turns
            return time.perf_counter() - began


def _queries(words: Words) -> list[str]:
    """Return questions of each kind, in turns."""
    makers = (words.common_words, words.query, words.rare_words, words.one_identifier, words.question)
    return [makers[number % len(makers)]() for number in range(CALLS + WARM)]


def _by_turns(
    sessions: Sequence[Session], ask: Callable[[Session, str], object], texts: Sequence[str]
) -> list[list[float]]:
    """Return the seconds that each of *sessions* took for each of *texts* but the first."""
    times: list[list[float]] = [[] for _ in sessions]
    for number, text in enumerate(texts):
        for place, session in list(enumerate(sessions))[:: 1 if number % 2 else -1]:
            times[place].append(_timed(lambda session=session, text=text: ask(session, text)))
    return [each[WARM:] for each in times]


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _row(name: str, part: float, aim: float, before: Sequence[float], after: Sequence[float]) -> tuple[str, ...]:
    first, second = percentile(before, part), percentile(after, part)
    times = f"{second / first:.2f}"
    return (name, f"p{part * 100:.0f}", f"{first * 1000:.2f} ms", f"{second * 1000:.2f} ms", times, f"{aim}")


def _socket(env: dict[str, str]) -> Path:
    return Path(socket_path(env, user_id=os.getuid()))


if __name__ == "__main__":
    main()
