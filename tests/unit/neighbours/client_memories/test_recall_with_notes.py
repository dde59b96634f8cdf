"""`recall` with notes of Claude Code's own memory: below the memories, and never in their way."""

from pathlib import Path
from typing import Any

import pytest
import trio
from claude_notes import ClaudeHome, ReadNotes, caller_in
from request_contexts import NOON_MS

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.recall.merged_recall import MergedRecall
from palimp_daemon.search.spelling import Neighbour
from palimp_daemon.store.tables.words.unknown_words import Tried
from palimp_daemon.store.worker.group_commit import Job
from palimp_neighbours.client_memories.daemon.note_search import NOT_YET, NOTES_MAX
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.operations import OPERATIONS

MEMORY = Memory(id="m1rv7je2", title="Deploys are on Mondays", kind="decision", created_at=NOON_MS)
JOB = Job(lambda _: None, is_write=False)


class Memories:
    """Answers as the memories do: what was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[Recall] = []
        self.error: PalimpError | None = None
        self.is_certain = False
        self.remark = "a remark"

    def job(self, call: Invocation) -> Job | None:
        return JOB if call else None

    def count(self, caller: Caller) -> None:
        assert caller.project

    async def __call__(self, call: Invocation) -> Any:
        await trio.lowlevel.checkpoint()
        self.asked.append(call.request)
        if self.error:
            raise self.error
        return Recalled(memories=[MEMORY], total=1, notes=[self.remark], is_certain=self.is_certain)


@pytest.fixture
def memories() -> Memories:
    return Memories()


@pytest.fixture
def recall(notes: ReadNotes, memories: Memories, root: Path):
    """Asks for something in the project, or for another caller."""
    handler = MergedRecall(memories, [notes.service])

    async def ask(caller: Caller | None = None, **request) -> Recalled:
        return await handler(Invocation(OPERATIONS["recall"], Recall(**request), caller or caller_in(root)))

    return ask


async def test_notes_stand_below_the_memories_in_a_field_of_their_own(recall, claude: ClaudeHome, root: Path):
    for number in range(NOTES_MAX + 2):
        claude.note(root, f"deploys-{number}", f"Deploys of service {number} are on Fridays.")
    reply = await recall(query="when are deploys?", limit=1)
    assert reply.memories == [MEMORY]
    assert (reply.total, reply.notes) == (1, ["a remark"])
    assert [note.kind for note in reply.claude_memory] == ["claude-memory"] * NOTES_MAX


async def test_what_notes_say_too_little_of_is_not_told(recall, claude: ClaudeHome, root: Path):
    claude.note(root, "queue", "The queue of the importer is in Redis.")
    assert (await recall(query="when are deploys on Fridays?")).claude_memory == []


async def test_misspelled_words_are_looked_for_only_where_nothing_else_answers(
    recall, memories: Memories, claude: ClaudeHome, root: Path
):
    """It takes ten times as long as the search."""
    claude.note(root, "queue", "The queue of the importer is in a wombat.")
    assert [note.title for note in (await recall(query="wombt")).claude_memory] == ["queue: queue"]
    memories.is_certain = True
    assert (await recall(query="wombt")).claude_memory == []
    assert [note.title for note in (await recall(query="wombat")).claude_memory] == ["queue: queue"]
    memories.remark = Tried("wombt", [Neighbour("wombat", 0.8)], "wombt").sentence()
    assert [note.title for note in (await recall(query="wombt")).claude_memory] == ["queue: queue"]


async def test_notes_alone_are_asked_for_by_their_kind(recall, memories: Memories, claude: ClaudeHome, root: Path):
    claude.note(root, "queue", "The queue of the importer is in Redis.")
    reply = await recall(kind="claude-memory", query="redis")
    assert [memory.title for memory in reply.memories] == ["queue: queue"]
    assert reply.claude_memory == []
    assert memories.asked == []


async def test_ids_of_both_are_answered_in_their_order(recall, memories: Memories, claude: ClaudeHome, root: Path):
    claude.note(root, "queue", "The queue of the importer is in Redis.")
    (note,) = (await recall(kind="claude-memory")).memories
    for names in ([note.id, MEMORY.id], [MEMORY.id, note.id]):
        assert [memory.id for memory in (await recall(ids=names)).memories] == names
        assert memories.asked[-1].ids == [MEMORY.id]
    asked = len(memories.asked)
    assert [memory.id for memory in (await recall(id=note.id)).memories] == [note.id]
    assert len(memories.asked) == asked


async def test_what_contradicts_itself_is_refused(recall):
    with pytest.raises(PalimpError):
        await recall(kind="claude-memory", ids=["nabc"])
    with pytest.raises(PalimpError):
        await recall(kind="claude-memory", query="a", offset=1)


async def test_an_error_of_the_memories_is_the_answer(recall, memories: Memories, claude: ClaudeHome, root: Path):
    claude.note(root, "queue", "The queue of the importer is in Redis.")
    memories.error = PalimpError(ErrorCode.STORE_UNAVAILABLE, "It cannot be opened.")
    with pytest.raises(PalimpError, match="It cannot be opened"):
        await recall(query="redis")


async def test_a_bug_in_reading_notes_leaves_the_memories(memories: Memories, claude: ClaudeHome, root: Path):
    notes = ReadNotes(claude.home)
    claude.note(root, "queue", "The queue of the importer is in Redis.")

    async def fail(*_: Any, **__: Any) -> Recalled:
        await trio.lowlevel.checkpoint()
        raise ZeroDivisionError

    notes.service.recall = fail
    handler = MergedRecall(memories, [notes.service])
    reply = await handler(Invocation(OPERATIONS["recall"], Recall(query="redis"), caller_in(root)))
    assert reply.memories == [MEMORY]
    assert {type(bug) for bug in notes.bugs} == {ZeroDivisionError}


async def test_that_they_are_still_being_read_is_said(memories: Memories, claude: ClaudeHome, root: Path):
    notes = ReadNotes(claude.home)

    async def begin(*_: Any, **__: Any) -> Recalled:
        await trio.lowlevel.checkpoint()
        return Recalled(notes=["something else", NOT_YET])

    notes.service.recall = begin
    handler = MergedRecall(memories, [notes.service])
    reply = await handler(Invocation(OPERATIONS["recall"], Recall(query="redis"), caller_in(root)))
    assert reply.notes == ["a remark", NOT_YET]


async def test_what_notes_cannot_answer_is_one_job_as_before(notes: ReadNotes, memories: Memories, root: Path):
    handler = MergedRecall(memories, [notes.service])

    def job(caller: Caller, **request: Any) -> Job | None:
        return handler.job(Invocation(OPERATIONS["recall"], Recall(**request), caller))

    assert job(Caller(), query="redis") is JOB
    assert job(caller_in(root)) is JOB
    assert job(caller_in(root), query="redis", kind="decision") is JOB
    assert job(caller_in(root), ids=["m1rv7je2"]) is JOB
    assert job(caller_in(root), query="redis") is None
    assert job(caller_in(root), ids=["nabc"]) is None
    await notes.found(root, "redis")
    assert job(caller_in(root), query="redis") is JOB, "a project without notes costs nothing"
