"""Who is asked for what: memories first, and what was said in sessions where no memory certainly answers."""

import itertools
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from request_contexts import NOON_MS, RequestContexts

from palimp_daemon.features.conversations.turn_search import TURNS_MAX, TurnSearch
from palimp_daemon.features.handler import Handler, Invocation, StoreJobs
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.features.memories.recall_service import RecallService
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.recall.merged_recall import MergedRecall
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import FEWER_WORDS, Job
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled, SaveMemory
from palimp_protocol.operations import OPERATIONS

CALLER = Caller(ProjectRef("/work/one", "one"), SessionRef("s1", "test"))


def turn(number: int = 0) -> Memory:
    return Memory(id=f"t000000{number}", title=f"Turn {number}", kind="conversation", created_at=NOON_MS)


class FakeTurns:
    """Answers with turns and notes what it was asked; fails with *error* where there is one."""

    def __init__(self) -> None:
        self.asked: list[Recall] = []
        self.may = True
        self.found = [turn()]
        self.unheard: list[Memory] = []
        self.error: PalimpError | None = None

    def is_asked(self, request: Recall) -> bool:
        return request.kind in ("conversation", "commit")

    def ids_in(self, request: Recall) -> Sequence[str]:
        return [name for name in request.ids or [] if name.startswith("t")]

    def may_answer(self, request: Recall, caller: Caller) -> bool:  # noqa: ARG002  a source's interface
        return self.may and bool(request.query)

    def begin_search(self, call: Invocation) -> TurnSearch:
        async def canonical() -> Caller:
            return call.caller

        return TurnSearch(self.recall, call.request, canonical)

    async def recall(self, request: Recall, caller: Caller) -> Recalled:  # noqa: ARG002  a source's interface
        self.asked.append(request)
        if self.error:
            raise self.error
        if request.ids:
            known = [each for each in self.found if each.id in request.ids]
            unknown = [f"{name}: no such turn" for name in request.ids if name not in {each.id for each in known}]
            return Recalled(memories=known, total=len(known), unknown=unknown)
        return Recalled(memories=self.found, total=len(self.found), unrelated=self.unheard)


class Asked:
    """A recall service on a store with two memories."""

    def __init__(self, folder: Path) -> None:
        self.actor = Actor(partial(open_store, folder / "palimp.db", "auto"), lambda error: None)
        bits = itertools.count(1)
        self.turns = FakeTurns()
        self.counts = RecallCounts()
        jobs = StoreJobs(self.actor, lambda: NOON_MS, lambda: next(bits))

        async def nothing(*_: Any) -> Any:
            return ""

        self.without = RecallService(jobs, self.counts, None, nothing)
        self.service = MergedRecall(self.without, [self.turns])
        self.ids: list[str] = []

    async def fill(self) -> None:
        def save(store: Store) -> list[str]:
            contexts = RequestContexts(store)
            texts = ("We store money in integer cents.", "Retries stop at three attempts.")
            return [save_memory(contexts("/work/one"), SaveMemory(text=text)).id for text in texts]

        self.ids = await self.actor.ask(Job(save, is_write=True))

    async def __call__(self, service: Handler | None = None, **request: Any) -> Recalled:
        call = Invocation(OPERATIONS["recall"], Recall(**request), CALLER)
        return await (service or self.service)(call)


@pytest.fixture
async def asked(tmp_path: Path, nursery: trio.Nursery):
    made = Asked(tmp_path)
    with trio.fail_after(60):
        await nursery.start(made.actor.run)
        await made.fill()
        yield made
        nursery.cancel_scope.cancel()


async def test_only_who_searches_is_told_to_use_fewer_words(asked: Asked):
    """A view of ids that takes too long is not mended by other words."""

    def hint(**request: Any) -> str:
        job = asked.without.job(Invocation(OPERATIONS["recall"], Recall(**request), CALLER))
        assert job is not None
        return job.late_hint

    assert hint(query="money") == FEWER_WORDS
    assert not hint(ids=asked.ids)


async def test_where_no_memory_answers_turns_do(asked: Asked):
    reply = await asked(query="which colour has the header")
    assert (reply.memories, reply.conversations) == ([], [turn()])
    assert [(request.limit, request.detail) for request in asked.turns.asked] == [(TURNS_MAX, "compact")]


async def test_turns_that_hardly_answer_stand_with_what_is_unrelated(asked: Asked):
    query = "money of the header"
    assert (await asked(asked.without, query=query)).is_near
    asked.turns.found, asked.turns.unheard = [], [turn()]
    reply = await asked(query=query)
    assert (reply.memories, reply.conversations, reply.is_near) == ([], [], False)
    assert [each.id for each in reply.unrelated] == [asked.ids[0], turn().id]


async def test_where_a_memory_certainly_answers_no_turn_is_told(asked: Asked):
    reply = await asked(query="store money in integer cents")
    assert reply.is_certain
    assert [memory.id for memory in reply.memories] == asked.ids[:1]
    assert reply.conversations == []


async def test_where_turns_may_not_answer_none_is_asked_for(asked: Asked):
    asked.turns.may = False
    assert (await asked(query="which colour has the header")).conversations == []
    assert asked.turns.asked == []


async def test_turns_that_cannot_be_asked_take_nothing_from_memories(asked: Asked):
    asked.turns.error = PalimpError(ErrorCode.BUSY, "The disk is gone.")
    reply = await asked(query="retries of the header")
    assert reply.conversations == []
    assert reply == await asked(asked.without, query="retries of the header")


async def test_without_turns_the_answer_is_that_of_memories(asked: Asked):
    for query in ("which colour has the header", "integer cents"):
        asked.turns.found = []
        assert await asked(query=query) == await asked(asked.without, query=query)


async def test_a_kind_of_turns_is_theirs_alone(asked: Asked):
    assert (await asked(kind="conversation")).memories == [turn()]
    asked.turns.error = PalimpError(ErrorCode.BAD_REQUEST, "Conversations are not kept here.")
    with pytest.raises(PalimpError, match="not kept"):
        await asked(kind="conversation", query="x")


async def test_what_contradicts_itself_is_refused_before_turns_are_asked(asked: Asked):
    with pytest.raises(PalimpError, match="offset"):
        await asked(kind="conversation", query="x", offset=3)
    assert asked.turns.asked == []


async def test_lists_of_memories_and_purging_ask_for_no_turns(asked: Asked):
    assert (await asked()).total == 2
    await asked(ids=asked.ids[:1], action="purge")
    assert (await asked()).total == 1
    assert asked.turns.asked == []


async def test_ids_of_both_are_shown_in_the_order_of_the_names(asked: Asked):
    first, second = asked.ids
    asked.turns.found = [turn(1), turn(2)]
    names = [turn(2).id, second, turn(1).id, first]
    reply = await asked(ids=names)
    assert [memory.id for memory in reply.memories] == names
    assert reply.total == 4


async def test_unknown_ids_of_both_are_said(asked: Asked):
    reply = await asked(ids=["m0000000", "t9999999", asked.ids[0]])
    assert [memory.id for memory in reply.memories] == asked.ids[:1]
    assert sorted(each.partition(":")[0] for each in reply.unknown) == ["m0000000", "t9999999"]


async def test_memories_are_shown_where_turns_beside_them_cannot_be(asked: Asked):
    """And why these are not."""
    asked.turns.error = PalimpError(ErrorCode.BAD_REQUEST, "Conversations are not kept here.")
    reply = await asked(ids=[turn().id, asked.ids[0]])
    assert [memory.id for memory in reply.memories] == asked.ids[:1]
    assert reply.unknown == [f"{turn().id}: Conversations are not kept here."]
