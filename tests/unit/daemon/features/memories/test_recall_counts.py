"""How often sessions recalled."""

from functools import partial
from pathlib import Path

import pytest
import trio

from palimp_daemon.features.memories import recall_counts
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.session_history import list_sessions
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.session_messages import Sessions

PROJECT = ProjectRef("/work/größe", "größe")


def caller(session: str = "s1") -> Caller:
    return Caller(project=PROJECT, session=SessionRef(session, "test"))


async def test_counts_that_cannot_be_stored_stay(tmp_path: Path, nursery: trio.Nursery):
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)

    def save(store: Store) -> None:
        save_memory(RequestContext(store, caller(), 1, lambda: 7), SaveMemory(text="Retries are capped."))

    def recalled(store: Store) -> list[int]:
        context = RequestContext(store, caller(), 9, lambda: 7)
        return [each.recalls for each in list_sessions(context, Sessions()).sessions]

    await actor.ask(Job(save, is_write=True))
    counts = RecallCounts()
    counts.note(caller(), 2)
    actor.refuse(PalimpError(ErrorCode.DISK_FULL, "The disk is full."))
    with pytest.raises(PalimpError):
        await counts.store(actor)
    actor.problem = None
    counts.note(caller(), 3)
    await counts.store(actor)
    assert await actor.ask(Job(recalled, is_write=False)) == [2]


def test_a_session_that_is_counted_goes_on_being_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recall_counts, "SESSIONS_MAX", 1)
    counts = RecallCounts()
    for session in ("s1", "s2", "s1"):
        counts.note(caller(session), 2)
    assert [count for _, count, _ in counts._counts.values()] == [2]
