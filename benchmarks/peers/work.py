"""The work that every peer is given, and what is measured of it."""

import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import NamedTuple

from facts import Fact, facts
from install import put_model
from measuring import CallFailedError, StdioServer
from peers import Peer

MARK = "PEERS_BENCH_RUN"
"""A variable by which every process of a run is known, whoever started it."""

STARTS = 5
SESSIONS = 8
CODES = 30
KILL_AFTER_SAVES = (10, 40)


class Size(NamedTuple):
    """How much work one round is."""

    saves: int = 500
    recalls: int = 100
    each: int = 50
    """Saves, and recalls, of each of the sessions that work at once."""
    kills: int = 3


@dataclass
class Figures:
    """What was measured in one round with one peer. Times are in seconds, memory is in bytes."""

    starts: list[float] = field(default_factory=list[float])
    tools: int = 0
    tool_characters: int = 0
    memory_one: tuple[int, int] = (0, 0)
    """Proportional and resident memory of every process with one session."""
    memory_all: tuple[int, int] = (0, 0)
    saves: list[float] = field(default_factory=list[float])
    syncs: float = nan
    """Fsyncs of one save; not a number where they were not counted."""
    recalls: list[float] = field(default_factory=list[float])
    characters: list[int] = field(default_factory=list[int])
    questions_found: int = 0
    codes_found: int = 0
    operations: int = 0
    """Answered ones, of sessions that work at once."""
    operations_s: float = 0.0
    errors: int = 0
    own_found: int = 0
    lost: int = 0
    """Acknowledged saves of sessions that work at once, which are in no file afterwards."""
    killed_lost: int = 0
    """The same of saves in the middle of which everything was killed."""


class Run:
    """One peer in a home of its own."""

    def __init__(self, peer: Peer, install: Path, folder: Path, home: Path, watch: Sequence[str] = ()) -> None:
        """*watch* stands before the command of everything that is started."""
        self._peer, self._install, self._home, self._watch = peer, install, home, watch
        self._project = home / "project"
        self._project.mkdir()
        put_model(peer, folder, home)
        self._environment = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(home),
            MARK: uuid.uuid4().hex,
        }
        known = {"home": home, "install": install, "PATH": os.environ["PATH"]}
        self._environment |= {name: value.format(**known) for name, value in peer.environment.items()}

    def begin(self) -> None:
        """Start what runs beside the sessions."""
        if self._peer.service:
            command = [*self._watch, *self._peer.service(self._install, self._home)]
            subprocess.run(
                command,
                env=self._environment,
                cwd=self._project,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=60,
            )

    @contextmanager
    def session(self) -> Iterator[StdioServer]:
        """Yield a session after its handshake."""
        session = self.opened()
        try:
            session.initialize()
            yield session
        finally:
            session.close()

    def opened(self) -> StdioServer:
        """Return a session before its handshake."""
        command = [*self._watch, *self._peer.command(self._install, self._home)]
        return StdioServer(command, self._environment, self._project)

    def processes(self) -> list[int]:
        """Return every process of this run."""
        mark = f"{MARK}={self._environment[MARK]}".encode()
        found: list[int] = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found

    def memory(self) -> tuple[int, int]:
        """Return proportional and resident memory of every process, in bytes."""
        proportional = resident = 0
        for process in self.processes():
            with suppress(OSError):
                lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
                sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
                proportional, resident = proportional + sizes["Pss"], resident + sizes["Rss"]
        return proportional, resident

    def kill(self) -> None:
        """Kill every process at once, until none is left."""
        while processes := self.processes():
            for process in processes:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            for process in processes:
                with suppress(ChildProcessError):
                    os.waitpid(process, os.WNOHANG)
            time.sleep(0.02)  # they are not ours to wait for: daemons and workers of theirs

    def missing(self, codes: list[str]) -> int:
        """Return how many of *codes* stand in no file of the home: saves that nothing could bring back."""
        left = {code.encode() for code in codes}
        for path in self._home.rglob("*"):
            if left and path.is_file() and not path.is_symlink():
                content = path.read_bytes()
                left = {code for code in left if code not in content}
        return len(left)


def measured(peer: Peer, install: Path, folder: Path, size: Size, seed: int) -> Figures:
    """Return what one round with *peer* gave."""
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="peers-", dir="/tmp", ignore_cleanup_errors=True) as home:
        run = Run(peer, install, folder, Path(home))
        try:
            run.begin()
            with run.session() as warm:
                peer.save(warm, facts(1, seed + 90)[0])
            _starts(run, figures)
            _memory(run, peer, figures, seed)
            _one_session(run, peer, figures, size, seed)
            _many_sessions(run, peer, figures, size, seed)
            _kills(run, peer, figures, size, seed)
        finally:
            run.kill()
    return figures


def _starts(run: Run, figures: Figures) -> None:
    for _ in range(STARTS):
        session = run.opened()
        figures.starts.append(session.initialize())
        tools = session.request("tools/list", {})["tools"]
        session.close()
        figures.tools, figures.tool_characters = len(tools), len(as_sent(tools))


def as_sent(tools: object) -> str:
    """Return the JSON of *tools* without the spaces that nobody sends."""
    return json.dumps(tools, ensure_ascii=False, separators=(",", ":"))


def _memory(run: Run, peer: Peer, figures: Figures, seed: int) -> None:
    """Measure sessions that have listed tools, saved one memory and asked for one."""
    sessions: list[StdioServer] = []
    try:
        for fact in facts(SESSIONS, seed + 91):
            session = run.opened()
            sessions.append(session)
            session.initialize()
            session.request("tools/list", {})
            with suppress(CallFailedError):  # some let one session write only
                peer.save(session, fact)
                peer.recall(session, fact.question)
            if len(sessions) == 1:
                figures.memory_one = run.memory()
        figures.memory_all = run.memory()
    finally:
        for session in sessions:
            session.close()


def _one_session(run: Run, peer: Peer, figures: Figures, size: Size, seed: int) -> None:
    """Save, then ask questions and codes, one after the other."""
    known = facts(size.saves, seed)
    chance = random.Random(seed)
    with run.session() as session:
        for fact in known:
            _, took_s = _timed(lambda fact=fact: peer.save(session, fact))
            figures.saves.append(took_s)
        for fact in chance.sample(known, min(size.recalls, len(known))):
            answer, took_s = _timed(lambda fact=fact: peer.recall(session, fact.question))
            figures.recalls.append(took_s)
            figures.characters.append(len(answer))
            figures.questions_found += fact.code in answer
        for fact in chance.sample(known, min(CODES, len(known))):
            with suppress(CallFailedError):
                figures.codes_found += fact.code in peer.recall(session, fact.code)


def _timed(act: Callable[[], str]) -> tuple[str, float]:
    """Return what *act* answered, nothing if it failed, and the seconds it took."""
    started = time.perf_counter()
    try:
        answer = act()
    except CallFailedError:
        answer = ""
    return answer, time.perf_counter() - started


class _Done(NamedTuple):
    """What one of several sessions did."""

    saved: list[str]
    own_found: list[str]
    errors: list[str]


def _many_sessions(run: Run, peer: Peer, figures: Figures, size: Size, seed: int) -> None:
    """Have sessions save and ask for what they saved, all at once."""
    parts = [facts(size.each, seed + 10 + number) for number in range(SESSIONS)]
    barrier = threading.Barrier(SESSIONS + 1)
    done = [_Done([], [], []) for _ in parts]
    sessions = [run.opened() for _ in parts]
    try:
        for session in sessions:
            session.initialize()
        workers = [
            threading.Thread(target=_save_and_ask, args=(peer, *each, barrier))
            for each in zip(sessions, parts, done, strict=True)
        ]
        for worker in workers:
            worker.start()
        barrier.wait()
        started = time.perf_counter()
        for worker in workers:
            worker.join()
        figures.operations_s = time.perf_counter() - started
    finally:
        for session in sessions:
            session.close()
    saved = [code for each in done for code in each.saved]
    figures.errors = sum(len(each.errors) for each in done)
    figures.own_found = sum(len(each.own_found) for each in done)
    figures.operations = 2 * SESSIONS * size.each - figures.errors
    figures.lost = run.missing(saved)


def _save_and_ask(peer: Peer, session: StdioServer, part: list[Fact], done: _Done, barrier: threading.Barrier) -> None:
    barrier.wait()
    for fact in part:
        try:
            peer.save(session, fact)
            done.saved.append(fact.code)
        except CallFailedError:
            done.errors.append(fact.code)
        try:
            if fact.code in peer.recall(session, fact.question):
                done.own_found.append(fact.code)
        except CallFailedError:
            done.errors.append(fact.code)


def _kills(run: Run, peer: Peer, figures: Figures, size: Size, seed: int) -> None:
    """Kill everything in the middle of saves, and count what was acknowledged and is nowhere."""
    chance = random.Random(seed)
    for number in range(size.kills):
        run.begin()
        session = run.opened()
        session.initialize()
        saved: list[str] = []
        enough = threading.Event()
        to_save, after = facts(2_000, seed + 30 + number), chance.randrange(*KILL_AFTER_SAVES)
        worker = threading.Thread(target=_save_until_killed, args=(peer, session, to_save, saved, after, enough))
        worker.start()
        enough.wait()
        run.kill()
        worker.join()
        session.close()
        figures.killed_lost += run.missing(saved)


def _save_until_killed(
    peer: Peer, session: StdioServer, to_save: list[Fact], saved: list[str], after: int, enough: threading.Event
) -> None:
    """Save until the server is gone; say when *after* saves are acknowledged."""
    with suppress(CallFailedError):
        for fact in to_save:
            peer.save(session, fact)
            saved.append(fact.code)
            if len(saved) == after:
                enough.set()
    enough.set()
