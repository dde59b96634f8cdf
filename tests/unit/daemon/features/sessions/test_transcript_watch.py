"""Sessions whose clients write late, tell no end, or do not say where their transcripts are."""

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from palimp_daemon.features.sessions import transcript_watch as module
from palimp_daemon.features.sessions.transcript_watch import (
    AGAIN_S,
    LEFT_S,
    MISSED_S,
    QUIET_S,
    SESSIONS_MAX,
    TranscriptWatch,
)
from palimp_daemon.runtime.log import Log
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

PROJECT = ProjectRef("/home/ann/店", "店")
CALLER = Caller(PROJECT, SessionRef("s1", "codex"))


class Asked:
    """What is asked of those who read, and when."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float]] = []

    def note(self, what: str) -> None:
        self.asked.append((what, trio.current_time()))


class Captures:
    """Stands in for the one who looks sessions through."""

    def __init__(self, looked: Asked) -> None:
        self._looked = looked
        self._paths: dict[str, str] = {}
        self.due: list[tuple[Caller, str]] = []
        self.is_costly = False

    def remember_path(self, caller: Caller, path: str) -> None:
        if path:
            self._paths[caller.session.key] = path

    def path_of(self, caller: Caller) -> str:
        return self._paths.get(caller.session.key, "")

    async def left_over(self) -> list[tuple[Caller, str]]:
        return self.due

    def look_through(self, _: Caller, path: str) -> None:
        self._looked.note(f"through {path}")

    async def pass_over(self, _: Caller, path: str) -> None:
        self._looked.note(f"over {path}")


class Transcripts:
    """Stands in for the one who reads conversations on."""

    def __init__(self, looked: Asked) -> None:
        self._looked = looked
        self.problem: Exception | None = None

    def queue_reading(self, _: Caller, path: str, *, was_off: bool = False) -> None:
        if self.problem:
            raise self.problem
        self._looked.note(f"on {path}{' off' if was_off else ''}")


class Given:
    """Running sessions, with what stands in for those who read, and a project that may be off."""

    def __init__(self, home: Path) -> None:
        self.looked = Asked()
        self.captures: Any = Captures(self.looked)
        self.transcripts: Any = Transcripts(self.looked)
        self.off = False
        self.bugs: list[Exception] = []
        log = Log("critical")
        log.bug = self.bugs.append
        env = {"HOME": str(home)}
        self.watch = TranscriptWatch(self.captures, self.transcripts, env, lambda _: self.off, log)


@pytest.fixture
async def given(tmp_path, nursery):
    started = Given(tmp_path)
    nursery.start_soon(started.watch.run)
    await trio.testing.wait_all_tasks_blocked()
    return started


async def test_a_session_whose_last_hook_was_a_turns_end_is_read_on_and_looked_through(autojump_clock, given):
    """A client wrote late, or was gone a moment later."""
    began = trio.current_time()
    await given.watch.path_of(CALLER, "/t")
    given.watch.watch(CALLER, is_turn_over=True)
    await trio.sleep(LEFT_S + 1)
    asked = [(what, at - began) for what, at in given.looked.asked]
    assert asked == [*(("on /t", each) for each in (*AGAIN_S, QUIET_S)), ("through /t", QUIET_S)]
    await trio.sleep(10 * LEFT_S)
    assert len(given.looked.asked) == len(asked)


async def test_a_session_that_goes_on_is_not_looked_through(autojump_clock, given):
    await given.watch.path_of(CALLER, "/t")
    for _ in range(5):
        given.watch.watch(CALLER, is_turn_over=False)
        await trio.sleep(QUIET_S - 1)
    assert given.looked.asked == []
    await trio.sleep(2)
    assert [what for what, _ in given.looked.asked] == ["on /t", "through /t"]


async def test_what_costs_something_is_done_less_often(autojump_clock, given):
    given.captures.is_costly = True
    await given.watch.path_of(CALLER, "/t")
    given.watch.watch(CALLER, is_turn_over=True)
    await trio.sleep(LEFT_S - 1)
    assert "through /t" not in [what for what, _ in given.looked.asked]
    await trio.sleep(2)
    assert "through /t" in [what for what, _ in given.looked.asked]


async def test_what_was_said_while_a_project_was_off_is_passed_over_later_too(autojump_clock, given):
    """Also when it is on again by the time at which the client has written it."""
    await given.watch.path_of(CALLER, "/t")
    given.off = True
    given.watch.watch(CALLER, is_turn_over=True)
    given.off = False
    await trio.sleep(LEFT_S + 1)
    assert [what for what, _ in given.looked.asked] == ["on /t off", "over /t"] * (len(AGAIN_S) + 1)


async def test_a_transcript_that_is_not_there_yet_is_found_once_it_is(autojump_clock, given, tmp_path):
    path = tmp_path / ".copilot/session-state/s1/events.jsonl"
    caller = Caller(PROJECT, SessionRef("s1", "copilot"))
    assert await given.watch.path_of(caller) == ""
    given.watch.watch(caller, is_turn_over=True)
    await trio.sleep(AGAIN_S[0] + 1)
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    await trio.sleep(AGAIN_S[1])
    while not given.looked.asked:  # the clock does not wait for the thread that looks
        await trio.lowlevel.checkpoint()
    assert [what for what, _ in given.looked.asked] == [f"on {path}"]
    path.unlink()
    assert await given.watch.path_of(caller) == str(path)  # known, and not looked for again


async def test_what_was_not_found_is_not_looked_for_at_each_hook(autojump_clock, given, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(module, "transcript_of", lambda client, session, folder, env: asked.append(session) or "")
    for _ in range(3):
        await given.watch.path_of(CALLER)
    assert asked == ["s1"]
    await trio.sleep(MISSED_S)
    await given.watch.path_of(CALLER)
    await given.watch.path_of(Caller(PROJECT, SessionRef("s2", "cursor")))  # a client that is not read
    assert asked == ["s1", "s1"]


async def test_only_so_many_sessions_are_watched(autojump_clock, given):
    for number in range(SESSIONS_MAX + 1):
        caller = Caller(PROJECT, SessionRef(f"s{number}", "codex"))
        await given.watch.path_of(caller, f"/t{number}")
        given.watch.watch(caller, is_turn_over=False)
    await trio.sleep(LEFT_S + 1)
    seen = [what for what, _ in given.looked.asked if what.startswith("through")]
    assert (len(seen), seen[0]) == (SESSIONS_MAX, "through /t1")


@pytest.mark.parametrize("problem", [PalimpError(ErrorCode.BUSY, "Busy."), ValueError("a bug")])
async def test_what_goes_wrong_with_one_session_is_not_the_others_affair(autojump_clock, given, problem):
    await given.watch.path_of(CALLER, "/t")
    given.watch.watch(CALLER, is_turn_over=True)
    given.transcripts.problem = problem
    await trio.sleep(AGAIN_S[0] + 1)
    given.transcripts.problem = None
    await trio.sleep(LEFT_S)
    assert [what for what, _ in given.looked.asked] == ["on /t"] * len(AGAIN_S) + ["through /t"]
    assert given.bugs == ([problem] if isinstance(problem, ValueError) else [])


async def test_what_the_last_daemon_left_is_read_on_and_looked_through(tmp_path, autojump_clock, nursery):
    given = Given(tmp_path)
    given.captures.due = [(CALLER, "/old")]
    nursery.start_soon(given.watch.run)
    await trio.testing.wait_all_tasks_blocked()
    assert [what for what, _ in given.looked.asked] == ["on /old", "through /old"]


async def test_a_session_that_is_due_sooner_than_another_is_not_late(autojump_clock, given):
    given.captures.is_costly = True
    await given.watch.path_of(CALLER, "/t")
    given.watch.watch(CALLER, is_turn_over=False)
    await trio.testing.wait_all_tasks_blocked()
    given.captures.is_costly = False
    other = Caller(PROJECT, SessionRef("s2", "qwen"))
    await given.watch.path_of(other, "/u")
    given.watch.watch(other, is_turn_over=False)
    await trio.sleep(QUIET_S + 1)
    assert [what for what, _ in given.looked.asked] == ["on /u", "through /u"]
