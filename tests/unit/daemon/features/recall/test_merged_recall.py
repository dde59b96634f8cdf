"""One answer of memories and of other sources: who is asked, what is cancelled, and in which order rows stand."""

from collections.abc import Sequence

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.recall.merged_recall import MergedRecall
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.operations import OPERATIONS

CALLER = Caller(ProjectRef("/work/größe 🐨", "größe"), SessionRef("s1", "test"))
JOB = Job(lambda _: None, is_write=False)


def row(name: str) -> Memory:
    return Memory(id=name, title=f"שורה {name}", kind="note", created_at=1)


class Memories:
    """Answers with one memory, or with each that is named; counts recalls."""

    def __init__(self) -> None:
        self.asked: list[Recall] = []
        self.counted = 0
        self.is_certain = False
        self.error: PalimpError | None = None

    def job(self, call: Invocation) -> Job | None:
        return JOB if call else None

    def count(self, caller: Caller) -> None:
        assert caller == CALLER
        self.counted += 1

    async def __call__(self, call: Invocation) -> Recalled:
        await trio.lowlevel.checkpoint()
        self.asked.append(call.request)
        if self.error:
            raise self.error
        names = call.request.ids or ["m1"]
        return Recalled(memories=[row(name) for name in names], total=len(names), is_certain=self.is_certain)


class Search:
    """Waits until *goes_on*, and notes whether it came to an end."""

    def __init__(self, goes_on: trio.Event, *, is_for_doubt: bool) -> None:
        self.is_for_doubt = is_for_doubt
        self.goes_on = goes_on
        self.has_found = False

    async def find(self) -> None:
        await self.goes_on.wait()
        self.has_found = True

    async def added_to(self, reply: Recalled) -> Recalled:
        return replace(reply, notes=[*reply.notes, f"found: {self.has_found}"])


class Beside:
    """A source whose ids begin with *letter*."""

    def __init__(self, letter: str, *, is_for_doubt: bool = False) -> None:
        self.letter = letter
        self.may = True
        self.error: PalimpError | None = None
        self.search = Search(trio.Event(), is_for_doubt=is_for_doubt)

    def is_asked(self, request: Recall) -> bool:
        return request.kind == {"t": "conversation", "n": "claude-memory"}[self.letter]

    def ids_in(self, request: Recall) -> Sequence[str]:
        return [name for name in request.ids or [] if name.startswith(self.letter)]

    def may_answer(self, request: Recall, caller: Caller) -> bool:
        return self.may and bool(request.query) and caller.project is not None

    def begin_search(self, call: Invocation) -> Search:
        assert call.request.query
        return self.search

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        await trio.lowlevel.checkpoint()
        assert caller == CALLER
        if self.error:
            raise self.error
        names = request.ids or [f"{self.letter}1"]
        return Recalled(memories=[row(name) for name in names], total=len(names))


class Documents:
    """Answers only where documents are asked for."""

    def is_asked(self, request: Recall) -> bool:
        return request.kind == "doc"

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        await trio.lowlevel.checkpoint()
        assert (request.kind, caller) == ("doc", CALLER)
        return Recalled(memories=[row("d1")], total=1)


@pytest.fixture
def memories() -> Memories:
    return Memories()


@pytest.fixture
def turns() -> Beside:
    return Beside("t", is_for_doubt=True)


@pytest.fixture
def notes() -> Beside:
    return Beside("n")


@pytest.fixture
def merged(memories: Memories, turns: Beside, notes: Beside) -> MergedRecall:
    return MergedRecall(memories, [notes, turns], [Documents()])


def call(**request: object) -> Invocation:
    return Invocation(OPERATIONS["recall"], Recall(**request), CALLER)  # pyright: ignore[reportArgumentType]


def ids(reply: Recalled) -> list[str]:
    return [memory.id for memory in reply.memories]


async def test_rows_named_by_ids_of_all_sources_stand_in_the_order_of_the_names(merged: MergedRecall):
    names = ["t2", "m2", "n1", "m1", "t1"]
    reply = await merged(call(ids=names))
    assert ids(reply) == names
    assert reply.total == len(names)


async def test_a_source_that_cannot_be_read_takes_no_other_row(merged: MergedRecall, turns: Beside):
    turns.error = PalimpError(ErrorCode.BAD_REQUEST, "Not kept here.")
    reply = await merged(call(ids=["t1", "n1"]))
    assert (ids(reply), reply.unknown) == (["n1"], ["t1: Not kept here."])


async def test_memories_are_not_asked_for_ids_of_others_alone(merged: MergedRecall, memories: Memories):
    assert ids(await merged(call(ids=["n1", "t1"]))) == ["n1", "t1"]
    assert memories.asked == []


async def test_a_certain_answer_waits_for_no_search_that_is_for_doubt(
    merged: MergedRecall, memories: Memories, turns: Beside, notes: Beside
):
    memories.is_certain = True
    notes.search.goes_on.set()
    with trio.fail_after(60):
        reply = await merged(call(query="größe 🐨"))
    assert reply.notes == ["found: True", "found: False"]
    assert not turns.search.has_found


async def test_an_uncertain_answer_waits_for_every_search(
    merged: MergedRecall, turns: Beside, notes: Beside, nursery: trio.Nursery
):
    replies: list[Recalled] = []

    async def ask() -> None:
        replies.append(await merged(call(query="x")))

    nursery.start_soon(ask)
    notes.search.goes_on.set()
    await trio.testing.wait_all_tasks_blocked()
    assert replies == []
    turns.search.goes_on.set()
    with trio.fail_after(60):
        while not replies:
            await trio.lowlevel.checkpoint()
    assert replies[0].notes == ["found: True", "found: True"]


async def test_an_error_of_the_memories_waits_for_no_search(merged: MergedRecall, memories: Memories):
    memories.error = PalimpError(ErrorCode.STORE_UNAVAILABLE, "It cannot be opened.")
    with trio.fail_after(60), pytest.raises(PalimpError, match="cannot be opened"):
        await merged(call(query="x"))


async def test_what_is_asked_of_one_source_is_counted_where_no_search_of_everything_asks_it(
    merged: MergedRecall, memories: Memories
):
    assert ids(await merged(call(kind="doc", query="x"))) == ["d1"]
    assert memories.counted == 0
    assert ids(await merged(call(kind="conversation", query="x"))) == ["t1"]
    assert memories.counted == 1
    assert memories.asked == []


def test_only_a_call_that_concerns_no_other_source_is_one_job(merged: MergedRecall, turns: Beside, notes: Beside):
    assert merged.job(call()) is JOB
    assert merged.job(call(ids=["m1"])) is JOB
    for concerning in ({"query": "x"}, {"ids": ["t1"]}, {"kind": "doc", "query": "x"}):
        assert merged.job(call(**concerning)) is None
    turns.may = notes.may = False
    assert merged.job(call(query="x")) is JOB
