"""Captures: what cannot be stored now is stored later, and nothing counts twice."""

import json
import os
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
from request_contexts import NOON_MS

from palimp_clients.transcripts import whole_lines as lines
from palimp_daemon.features.capture import capture_service as module
from palimp_daemon.features.capture.capture_service import Captures
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
from palimp_protocol.messages.session_messages import Captured

CALLER = Caller(ProjectRef("/work/one", "one"), SessionRef("s1", "claude-code"))


class BusyActor(Actor):
    """The real one, which refuses its *refused*-th job as a full mailbox does."""

    refused = 0

    async def ask(self, job: Job):
        self.refused -= 1
        if self.refused == 0:
            raise PalimpError(ErrorCode.BUSY, "Many requests are waiting.")
        return await super().ask(job)

    async def memories(self) -> list[str]:
        job = Job(lambda store: rows(store.connection, "SELECT content FROM memories ORDER BY seq"), is_write=False)
        return [content for (content,) in await super().ask(job)]

    async def turns_captured(self) -> int:
        job = Job(lambda store: rows(store.connection, "SELECT sum(turns_captured) FROM sessions"), is_write=False)
        return (await super().ask(job))[0][0]

    async def waits_for(self, count: int) -> list[str]:
        with trio.fail_after(60):
            while len(found := await self.memories()) < count:
                await trio.lowlevel.checkpoint()
        return found


@pytest.fixture
async def actor(tmp_path: Path, nursery):
    started = BusyActor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(started.run)
    return started


@pytest.fixture
async def captures(actor, tmp_path: Path, nursery):
    settings = Settings({"HOME": str(tmp_path)})
    jobs = StoreJobs(actor, lambda: NOON_MS, iter(range(1, 1_000)).__next__)
    started = Captures(jobs, settings, Log("error"), lambda _: False, Redactor())
    await nursery.start(started.run)
    await trio.testing.wait_all_tasks_blocked()
    return started


@pytest.fixture
def transcript(tmp_path: Path):
    """Adds requests to a transcript; returns its path."""
    path = tmp_path / "s1.jsonl"

    def says(*requests: str) -> str:
        with path.open("a") as file:
            for text in requests:
                file.write(json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n")
        return str(path)

    return says


async def looked_through(captures: Captures, caller: Caller) -> Captured:
    return await captures.read_on(caller, await captures.transcript_of(caller))


@pytest.mark.parametrize("refused", [2, 3])
async def test_a_store_that_is_busy_is_asked_again(captures, actor, transcript, monkeypatch, refused: int):
    """Whichever step it refuses after the session was noted: asking what is known, or storing what was found."""
    monkeypatch.setattr(module, "AGAIN_S", (0.001,) * 4)
    path = transcript("We decided to keep money in integer cents, because floats lost a cent.")
    actor.refused = refused
    await captures.capture_before_pause(CALLER, path, is_over=False)
    assert len(await actor.waits_for(1)) == 1


async def test_a_short_transcript_that_is_read_again_counts_once(captures, actor, transcript):
    """It is too short to be known again, so that it is read from its beginning."""
    captures.remember_path(CALLER, transcript("please count the red apples"))
    await looked_through(captures, CALLER)
    transcript("and please count all of the yellow plums on the table in the kitchen " * 3)
    await looked_through(captures, CALLER)
    [summary] = await actor.memories()
    assert summary.count("red apples") == 1


async def test_a_session_that_goes_on_stays_known_while_many_others_come(captures, actor, transcript):
    """Only the sessions that were heard of longest ago are forgotten."""
    path = transcript("We decided to keep money in integer cents, because floats lost a cent.")
    captures.remember_path(CALLER, path)
    for number in range(module.SESSIONS_KNOWN_MAX):
        if number == 1:
            captures.remember_path(CALLER, path)
        captures.remember_path(Caller(CALLER.project, SessionRef(f"other{number}")), path)
    assert (await looked_through(captures, CALLER)).memories
    forgotten = Caller(CALLER.project, SessionRef("other0"))
    with pytest.raises(PalimpError, match="No transcript"):
        await looked_through(captures, forgotten)


async def test_what_is_not_read_to_its_end_stays_due(captures, actor, transcript, monkeypatch):
    """A daemon that ends meanwhile leaves it to the next."""
    monkeypatch.setattr(module, "SLICES_MAX", 1)
    monkeypatch.setattr(lines, "READ_BYTES_MAX", 10)
    path = transcript(
        "We decided to keep money in integer cents, because floats lost a cent.",
        "We decided to use Größen everywhere, because sizes were confused 😀.",
    )
    await captures.turn_ended(CALLER, path)
    for count in (1, 3):  # a decision; another one, and the summary
        captures.look_through(CALLER, path)
        await actor.waits_for(count)
        assert await captures.left_over() == [(CALLER, path)]
    captures.look_through(CALLER, path)
    with trio.fail_after(60):
        while await captures.left_over():
            await trio.lowlevel.checkpoint()


async def test_what_cannot_be_read_stays_due(captures, actor, tmp_path: Path):
    """A disk may fail, and a client may be writing its database."""
    os.mkfifo(tmp_path / "s1.jsonl")
    path = str(tmp_path / "s1.jsonl")
    await captures.turn_ended(CALLER, path)
    captures.look_through(CALLER, path)
    with trio.fail_after(60):
        while not await actor.turns_captured():
            await trio.lowlevel.checkpoint()
    assert await captures.left_over() == [(CALLER, path)]
