"""Recall with what became of what the memories name: which rows are looked up, and where it is said."""

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from request_contexts import NOON_MS, RequestContexts

from palimp_daemon.features.handler import Invocation, StoreJobs
from palimp_daemon.features.memories import find
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.features.memories.recall_service import RecallService
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.staleness import Written
from palimp_daemon.features.recall.recall_in_tree import RecallInTree
from palimp_daemon.render.answers import recalled_text
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import Recall, Recalled, SaveMemory
from palimp_protocol.operations import OPERATIONS

CALLER = Caller(ProjectRef("/work/one", "one", "/work/one"), SessionRef("s1", "test"))
SAID = "`a.py` is gone since 3 Nov"


class FakeStaleness:
    """Says the same of the first memory of each answer, and notes of which it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[Written]] = []

    async def remarks(self, _: Caller, memories: Sequence[Written], __: float = 0.0) -> dict[str, str]:
        self.asked.append(list(memories))
        return {memories[0].id: SAID} if memories else {}


@pytest.fixture
async def recall(tmp_path: Path, nursery: trio.Nursery):
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    bits = itertools.count(1)

    async def nothing(*_: Any) -> Any:
        return Recalled()

    staleness = FakeStaleness()
    inner = RecallService(StoreJobs(actor, lambda: NOON_MS, lambda: next(bits)), RecallCounts(), None, nothing)
    handler = RecallInTree(inner, staleness)  # pyright: ignore[reportArgumentType]

    async def ask(caller: Caller = CALLER, **request: Any) -> Recalled:
        call = Invocation(OPERATIONS["recall"], Recall(**request), caller)
        job = handler.job(call)
        return await (actor.ask(job) if job else handler(call))

    def save(store: Store) -> None:
        contexts = RequestContexts(store)
        save_memory(contexts("/work/one"), SaveMemory(text="a.py rounds seconds down.", title="Rounding"))
        save_memory(contexts(None), SaveMemory(text="b.py of seconds is everywhere."))

    with trio.fail_after(60):
        await nursery.start(actor.run)
        await actor.ask(Job(save, is_write=True))
        yield ask, staleness
        nursery.cancel_scope.cancel()


async def test_memories_of_the_project_are_looked_up_with_title_text_and_time(recall):
    ask, staleness = recall
    reply = await ask(query="seconds", scope="all")
    assert len(reply.memories) == 2
    (asked,) = staleness.asked
    assert [(each.text, each.at) for each in asked] == [("Rounding\na.py rounds seconds down.", NOON_MS)]
    assert {memory.title: memory.stale for memory in reply.memories}["Rounding"] == SAID


@pytest.mark.parametrize("detail", ["compact", "full", "timeline"])
@pytest.mark.parametrize("answer_format", ["toon", "text", "json"])
async def test_it_is_said_at_the_end_of_the_row_in_every_form(recall, detail: str, answer_format: str):
    ask, _ = recall
    reply = await ask(query="rounds", detail=detail)
    text = recalled_text(reply, answer_format)
    assert text.count(SAID) == 1
    line = next(line for line in text.splitlines() if SAID in line)
    assert line.rstrip('"}],').endswith(SAID)


async def test_it_is_said_of_what_perhaps_answers_too(recall, monkeypatch):
    ask, _ = recall
    monkeypatch.setattr(find, "answers", lambda *_, **__: False)
    monkeypatch.setattr(find, "may_answer", lambda *_, **__: True)
    reply = await ask(query="rounds seconds", scope="project")
    assert [memory.stale for memory in reply.unrelated] == [SAID]
    assert SAID in recalled_text(reply, "toon")


async def test_what_is_not_of_the_tree_is_answered_as_before(recall):
    ask, staleness = recall
    found = await ask(query="seconds")
    name = found.memories[0].id
    staleness.asked.clear()
    assert all(not memory.stale for memory in (await ask(Caller(), query="seconds", scope="global")).memories)
    await ask(id=name, action="purge")
    await ask(kind="doc", query="seconds")
    assert staleness.asked == []
    assert (await ask(id=name, include_purged=True)).memories[0].stale == ""
    assert staleness.asked == [[]]
