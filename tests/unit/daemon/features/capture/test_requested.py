"""Captures that are asked for: short ones are answered, long ones begun; none is lost, none counts twice."""

import json
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
from new_stores import put_new_store
from request_contexts import NOON_MS

from palimp_daemon.features.capture import requested as module
from palimp_daemon.features.capture.capture_service import Captures
from palimp_daemon.features.capture.requested import KeepTurns, RequestedCaptures
from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.sql import rows
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.session_messages import Capture, CaptureFile

CALLER = Caller(ProjectRef("/work/one", "one"), SessionRef("s1", "claude-code"))
ELSEWHERE = Caller(ProjectRef("/work/two", "two"))
DECIDED = "User: We decided to keep money in integer cents, because floats lost a cent in March.\n"
SECRET = "AKIA" + "IOSFODNN7ABCDEFG"
AT_ONCE_CHARACTERS = 1_000
"""Less than a daemon has: what is long is looked through in each of these tests."""
LONG = f"{DECIDED}Assistant: Understood. My key is {SECRET}.\n" + "User: go on please\n" * (AT_ONCE_CHARACTERS // 10)
ID = b"1" * 16

IDLE_S = 0.01
"""Seconds in which nothing happens before it is looked whether all is over: a loop that only turns takes the processor
from the thread that reads."""


class HeldCaptures(Captures):
    """The real ones, which look through nothing before they may."""

    def __init__(self, *args) -> None:
        super().__init__(*args)
        self.may_go_on = trio.Event()
        self.fails = False
        self.begun = 0

    async def keep_said(self, *args):
        self.begun += 1
        await self.may_go_on.wait()
        if self.fails:
            raise PalimpError(ErrorCode.BUSY, "Many requests are waiting.")
        return await super().keep_said(*args)


class Daemon:
    """What one daemon has of captures: *turns* are the files whose turns were kept."""

    def __init__(self, folder: Path, actor: Actor) -> None:
        jobs = StoreJobs(actor, lambda: NOON_MS, iter(range(1, 1_000)).__next__)
        self.captures = HeldCaptures(
            jobs, Settings({"HOME": str(folder)}), Log("critical"), lambda _: False, Redactor()
        )
        self.turns: list[str] = []
        keep = KeepTurns(self.keep, self.keep)
        self.requested = RequestedCaptures(self.captures, keep, folder / "captures", lambda: NOON_MS, Log("critical"))
        self.scope = trio.CancelScope()

    async def keep(self, text: str, _: Caller) -> int:
        self.turns.append(text)
        return 0

    async def run(self, *, task_status=trio.TASK_STATUS_IGNORED) -> None:
        with self.scope:
            await self.requested.run(task_status=task_status)

    async def is_over(self) -> None:
        with trio.fail_after(60):
            while not all(run.is_over for run in self.requested.runs(CALLER)):
                await trio.testing.wait_all_tasks_blocked(IDLE_S)


@pytest.fixture(autouse=True)
def few_characters(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "AT_ONCE_CHARACTERS", AT_ONCE_CHARACTERS)


@pytest.fixture
async def actor(tmp_path: Path, nursery):
    put_new_store(tmp_path / "palimp.db")
    started = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(started.run)
    return started


@pytest.fixture
def start(tmp_path: Path, actor, nursery):
    """Starts a daemon."""

    async def started(*, may_go_on: bool = True) -> Daemon:
        daemon = Daemon(tmp_path, actor)
        if may_go_on:
            daemon.captures.may_go_on.set()
        await nursery.start(daemon.run)
        return daemon

    return started


async def memories(actor: Actor) -> list[str]:
    job = Job(lambda store: rows(store.connection, "SELECT content FROM memories ORDER BY seq"), is_write=False)
    return [content for (content,) in await actor.ask(job)]


async def test_a_short_conversation_is_answered_with_what_it_gave(start, tmp_path):
    daemon = await start()

    captured = await daemon.requested.capture(Capture(text=DECIDED), CALLER, ID)

    assert (len(captured.memories), captured.is_started) == (1, False)
    assert daemon.requested.runs(CALLER) == []
    assert not (tmp_path / "captures").exists()


async def test_a_long_conversation_is_begun_and_it_is_said_what_came_of_it(start, actor):
    daemon = await start(may_go_on=False)

    captured = await daemon.requested.capture(Capture(text=LONG), CALLER, ID)
    assert (captured.memories, captured.is_started) == ([], True)
    [run] = daemon.requested.runs(CALLER)
    assert (run.is_over, run.messages) == (False, captured.messages)
    assert daemon.requested.runs(ELSEWHERE) == []

    daemon.captures.may_go_on.set()
    await daemon.is_over()
    [run] = daemon.requested.runs(CALLER)
    assert (run.at, run.memories, run.known, run.why) == (NOON_MS, 1, 0, "")
    assert len(await memories(actor)) == 1


async def test_who_waits_for_a_long_file_gets_what_it_gave(start, tmp_path):
    daemon = await start()
    (tmp_path / "talk.txt").write_text(LONG)

    captured = await daemon.requested.capture_file(CaptureFile(path=str(tmp_path / "talk.txt"), waits=True), CALLER, ID)

    assert (len(captured.memories), captured.is_started) == (1, False)
    assert daemon.turns == [str(tmp_path / "talk.txt")]


async def test_the_turns_of_a_long_file_are_kept_behind_it(start, tmp_path):
    daemon = await start()
    (tmp_path / "talk.txt").write_text(LONG)
    await daemon.requested.capture_file(CaptureFile(path=str(tmp_path / "talk.txt")), CALLER, ID)

    await daemon.is_over()

    assert [run.file for run in daemon.requested.runs(CALLER)] == ["talk.txt"]
    assert daemon.turns == [str(tmp_path / "talk.txt")]


async def test_nobody_waits_for_the_turns_of_a_long_text(start):
    daemon = await start(may_go_on=False)
    await daemon.requested.capture(Capture(text=LONG), CALLER, ID)
    assert daemon.turns == []

    daemon.captures.may_go_on.set()
    await daemon.is_over()

    assert daemon.turns == [LONG]
    await daemon.requested.capture(Capture(text=LONG), CALLER, ID)  # sent again: it is over, and nothing is held for it
    assert daemon.requested._texts == {}


async def test_each_request_without_an_id_is_one_of_its_own(start):
    """As over HTTP."""
    daemon = await start()
    for _ in range(2):
        await daemon.requested.capture(Capture(text=LONG), CALLER, b"")
    await daemon.is_over()

    assert [run.memories for run in daemon.requested.runs(CALLER)] == [1, 0]
    assert daemon.captures.begun == 2


async def test_a_file_that_cannot_be_read_is_refused_at_once(start, tmp_path):
    daemon = await start()

    with pytest.raises(PalimpError):
        await daemon.requested.capture_file(CaptureFile(path=str(tmp_path / "none.txt")), CALLER, ID)

    assert daemon.requested.runs(CALLER) == []


async def test_a_long_transcript_of_the_session_is_begun(start, actor, tmp_path):
    daemon = await start()
    said = [DECIDED.removeprefix("User: "), *(f"please do step {number}" for number in range(100))]
    lines = (json.dumps({"type": "user", "message": {"role": "user", "content": each}}) for each in said)
    (tmp_path / "s1.jsonl").write_text("\n".join(lines) + "\n")
    daemon.captures.remember_path(CALLER, str(tmp_path / "s1.jsonl"))

    assert (await daemon.requested.capture(Capture(), CALLER, ID)).is_started
    await daemon.is_over()

    [run] = daemon.requested.runs(CALLER)
    assert (run.memories, run.messages) == (2, len(said))  # a decision, and the summary
    assert (await daemon.requested.capture(Capture(), CALLER, b"2" * 16)).is_started is False


async def test_what_waits_is_written_without_secrets_and_taken_up_by_the_next_daemon(start, actor, tmp_path):
    killed = await start(may_go_on=False)
    await killed.requested.capture(Capture(text=LONG), CALLER, ID)
    [file] = (tmp_path / "captures").iterdir()
    assert b"integer cents" in file.read_bytes()
    assert SECRET.encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    killed.scope.cancel()

    following = await start()
    await following.is_over()

    [run] = following.requested.runs(CALLER)
    assert (run.is_over, run.memories) == (True, 1)
    assert len(await memories(actor)) == 1
    assert b"integer cents" not in file.read_bytes()


async def test_what_was_stored_before_a_kill_counts_once(start, actor, monkeypatch):
    """It is killed after the memories are stored, and before it is written down that they are."""
    killed = await start(may_go_on=False)
    await killed.requested.capture(Capture(text=LONG), CALLER, ID)
    monkeypatch.setattr(killed.requested._files, "put", lambda _: None)
    killed.captures.may_go_on.set()
    await killed.is_over()
    killed.scope.cancel()
    assert len(await memories(actor)) == 1

    following = await start()
    await following.is_over()

    [run] = following.requested.runs(CALLER)
    assert (run.memories, run.known) == (1, 0)
    assert len(await memories(actor)) == 1


async def test_a_request_that_is_sent_again_is_looked_through_once(start):
    daemon = await start(may_go_on=False)
    for _ in range(2):
        assert (await daemon.requested.capture(Capture(text=LONG), CALLER, ID)).is_started
    daemon.captures.may_go_on.set()
    await daemon.is_over()
    assert daemon.captures.begun == 1


async def test_why_it_failed_is_said(start, monkeypatch):
    monkeypatch.setattr(module, "AGAIN_S", ())
    daemon = await start()
    daemon.captures.fails = True
    await daemon.requested.capture(Capture(text=LONG), CALLER, ID)

    await daemon.is_over()

    assert [run.why for run in daemon.requested.runs(CALLER)] == ["Many requests are waiting."]


async def test_only_so_many_wait_and_so_many_outcomes_are_kept(start, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "REQUESTS_MAX", 3)
    monkeypatch.setattr(module, "OUTCOMES_MAX", 2)
    daemon = await start(may_go_on=False)
    for number in range(3):
        await daemon.requested.capture(Capture(text=LONG), CALLER, bytes([number] * 16))
    with pytest.raises(PalimpError) as refused:
        await daemon.requested.capture(Capture(text=LONG), CALLER, b"9" * 16)
    assert refused.value.code == ErrorCode.BUSY

    daemon.captures.may_go_on.set()
    await daemon.requested.wait_settled()
    with trio.fail_after(60):
        while len([*(tmp_path / "captures").iterdir()]) > 2:
            await trio.testing.wait_all_tasks_blocked(IDLE_S)
    assert len(daemon.requested.runs(CALLER)) == 2


async def test_erasures_wait_for_what_is_looked_through(start, monkeypatch):
    monkeypatch.setattr(module, "SETTLED_S", 1_000.0)
    daemon = await start(may_go_on=False)
    await daemon.requested.capture(Capture(text=LONG), CALLER, ID)

    with trio.fail_after(60):
        async with trio.open_nursery() as erasures:
            for _ in range(2):
                erasures.start_soon(daemon.requested.wait_settled)
            await trio.testing.wait_all_tasks_blocked()
            assert len(erasures.child_tasks) == 2
            daemon.captures.may_go_on.set()
    assert all(run.is_over for run in daemon.requested.runs(CALLER))


async def test_a_file_that_is_none_of_ours_is_passed_over(start, tmp_path):
    (tmp_path / "captures").mkdir()
    (tmp_path / "captures" / "notes.json").write_text("{}")
    (tmp_path / "captures" / "odd.json").write_bytes(b"\xff")
    daemon = await start()
    assert daemon.requested.runs(CALLER) == []
