"""Notes of Claude Code's own memory, found and shown: those of the project, as their files are now."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from claude_notes import ClaudeHome, ReadNotes, caller_in, set_changed
from lanes import ENGINES
from msgspec import UNSET
from request_contexts import NOON_MS

from palimp_neighbours.client_memories.daemon import project_notes
from palimp_neighbours.client_memories.daemon.note_rows import id_of_note
from palimp_neighbours.client_memories.daemon.project_notes import (
    ABSENT_S,
    KEPT_MAX,
    LOOKS_MAX,
    NO_SUCH_NOTE,
    NOT_YET,
    OFF,
    WAIT_S,
)
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall
from palimp_protocol.text import quote_text

HOLIDAYS = "Never deploy before holidays: the kangaroo of support is away."


@pytest.fixture
def noted(claude: ClaudeHome, root: Path) -> Path:
    """Two notes on the project; the one on deploys is returned."""
    claude.note(root, "queue", "The queue of the importer is in Redis.", kind="reference")
    return claude.note(root, "deploys", HOLIDAYS, "when to deploy", "feedback")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots of the projects whose files were looked at."""
    done: list[str] = []
    whole = project_notes.look
    monkeypatch.setattr(
        project_notes,
        "look",
        lambda project, *more, **named: done.append(project.root) or whole(project, *more, **named),
    )
    return done


# --- found ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("query", ["deploy holidays", "kangroo", "what do we do before holidays?"])
async def test_a_note_is_found_by_words_and_misspelled_ones_with_its_path(
    claude: ClaudeHome, root: Path, noted: Path, engine: str, query: str
):
    found = await ReadNotes(claude.home, engine).found(root, query)
    assert [(memory.kind, memory.title, memory.path) for memory in found] == [
        ("claude-memory", "deploys: when to deploy", str(noted))
    ]
    assert "holidays" in found[0].snippet.replace("*", "")
    assert found[0].tags == ["feedback"]
    assert found[0].project == "my.shop"


async def test_a_note_of_another_client_is_found_and_names_it(claude: ClaudeHome, root: Path, notes: ReadNotes):
    file = claude.home / ".codex" / "memories_v2" / "MEMORY.md"
    file.parent.mkdir(parents=True)
    file.write_text(HOLIDAYS)
    (found,) = await notes.found(root, "kangaroo")
    assert (found.title.partition(":")[0], found.path) == ("codex", str(file))
    assert f"1 file of {quote_text(str(file))}" in await notes.service.describe(caller_in(root))


async def test_what_no_note_says_is_not_answered(root: Path, noted: Path, notes: ReadNotes):
    assert await notes.found(root, "the weather in Paris") == []


async def test_all_notes_are_listed_by_the_time_of_their_change(root: Path, noted: Path, notes: ReadNotes):
    set_changed(noted, 3_600)
    set_changed(noted.with_name("queue.md"), 3 * 86_400)
    assert [memory.title for memory in await notes.found(root)] == ["deploys: when to deploy", "queue: queue"]
    recent = await notes.recall(root, kind="claude-memory", since="2d")
    assert [memory.title for memory in recent.memories] == ["deploys: when to deploy"]


async def test_a_note_of_the_future_is_of_now(root: Path, noted: Path, notes: ReadNotes):
    set_changed(noted, -(10**9) * 5)
    assert [note.created_at for note in await notes.found(root)] == [NOON_MS] * 2


async def test_a_note_is_shown_whole_by_its_id_or_the_beginning_of_it(root: Path, noted: Path, notes: ReadNotes):
    (found,) = await notes.found(root, "kangaroo")
    assert found.content is UNSET
    for name in (found.id, id_of_note(str(noted)), found.id.upper()):
        (whole,) = await notes.found(root, ids=[name])
        assert (whole.content, whole.path) == (HOLIDAYS, str(noted))
    reply = await notes.recall(root, ids=["nzzzzzzz"])
    assert (reply.memories, reply.unknown) == ([], [f"nzzzzzzz: {NO_SUCH_NOTE}"])


async def test_the_id_stays_when_the_note_is_changed(claude, root: Path, noted: Path, notes: ReadNotes):
    (before,) = await notes.found(root, "kangaroo")
    claude.note(root, "deploys", "Deploys wait for the kangaroo to return.", "later")
    (after,) = await notes.found(root, "kangaroo")
    assert before.id == after.id
    assert after.title == "deploys: later"


# --- whose ---------------------------------------------------------------------------------------


async def test_another_project_finds_none_of_it(claude: ClaudeHome, root: Path, noted: Path, notes: ReadNotes):
    other = claude.home / "other"
    claude.was_in(other)
    claude.note(other, "theirs", "Their kangaroo sleeps.")
    (ours,) = await notes.found(root, "kangaroo")
    (theirs,) = await notes.found(other, "kangaroo")
    assert (ours.path, theirs.title) == (str(noted), "theirs: theirs")
    assert (await notes.recall(other, ids=[ours.id])).memories == []


async def test_without_a_project_there_is_none(root: Path, noted: Path, notes: ReadNotes):
    request = Recall(query="kangaroo")
    assert not notes.service.may_answer(request, Caller())
    assert (await notes.service.recall(request, Caller())).memories == []
    assert await notes.service.describe(Caller()) == ""


# --- in step -------------------------------------------------------------------------------------


async def test_what_is_written_changed_or_deleted_meanwhile_is_known(claude, root: Path, noted: Path, notes: ReadNotes):
    assert await notes.titles(root) == ["deploys: when to deploy", "queue: queue"]
    claude.note(root, "new", "The wombat reviews.")
    claude.forget(root, "deploys")
    claude.note(root, "queue", "The queue is a table now.")
    assert await notes.titles(root) == ["new: new", "queue: queue"]
    assert await notes.found(root, "kangaroo") == []
    assert await notes.titles(root, "wombat") == ["new: new"]
    assert await notes.titles(root, "redis") == []
    claude.forget(root, "queue")
    claude.note(root, "new", "", " ")
    assert await notes.titles(root) == []


async def test_a_word_that_is_gone_is_one_that_nobody_wrote(claude: ClaudeHome, root: Path, notes: ReadNotes):
    """How often words stand somewhere is remembered, as long as there are about as many notes."""
    for number in range(40):
        claude.note(root, f"n{number}", "The wombt sleeps." if number == 7 else f"Note {number}.")
    assert await notes.titles(root, "wombt") == ["n7: n7"]
    claude.note(root, "n7", "The wombat sleeps.")
    assert await notes.titles(root, "wombt") == ["n7: n7"]


async def test_notes_that_become_doubtful_are_not_told_any_more(claude, root: Path, noted: Path, notes: ReadNotes):
    """A session in another folder with the same slug may have written what is there now."""
    assert len(await notes.found(root)) == 2
    claude.was_in(claude.home / "my-shop", "s9")
    assert await notes.found(root) == []


async def test_unchanged_notes_are_neither_read_nor_stored_again(
    root: Path, noted: Path, notes: ReadNotes, monkeypatch
):
    assert len(await notes.found(root)) == 2
    monkeypatch.setattr(project_notes, "put_notes", lambda *_: pytest.fail("stored again"))
    assert len(await notes.found(root)) == 2
    assert len(notes.opened) == 1


async def test_many_who_ask_at_once_are_all_answered(claude, root: Path, noted: Path, notes: ReadNotes, nursery):
    await nursery.start(notes.service.run)
    counts: list[int] = []

    async def ask(number: int) -> None:
        if number % 5 == 0:
            claude.note(root, "deploys", f"The kangaroo is away {number}.")
        counts.append(len(await notes.found(root, "kangaroo")))

    async with trio.open_nursery() as all_of_them:
        for number in range(25):
            all_of_them.start_soon(ask, number)
    assert counts == [1] * 25
    nursery.cancel_scope.cancel()


async def test_a_failure_ends_nothing_and_is_logged(claude: ClaudeHome, root: Path, noted: Path, monkeypatch):
    notes = ReadNotes(claude.home)
    monkeypatch.setattr(project_notes, "look", lambda *_, **named: 1 / 0)
    assert await notes.found(root) == []
    assert [type(bug) for bug in notes.bugs] == [ZeroDivisionError]
    monkeypatch.undo()
    assert len(await notes.found(root)) == 2


# --- no cost -------------------------------------------------------------------------------------


async def test_a_project_without_notes_is_looked_at_once_in_a_while_and_has_no_store(
    claude: ClaudeHome, root: Path, notes: ReadNotes, looks: list[str], mock_clock
):
    request = Recall(query="kangaroo")
    assert notes.service.may_answer(request, caller_in(root))
    for _ in range(3):
        await notes.found(root, "kangaroo")
        assert not notes.service.may_answer(request, caller_in(root))
    assert looks == [str(root)]
    assert notes.opened == []
    claude.note(root, "new", "The kangaroo is new.")
    mock_clock.jump(ABSENT_S)
    assert notes.service.may_answer(request, caller_in(root))
    assert len(await notes.found(root, "kangaroo")) == 1


async def test_who_asks_for_notes_alone_has_it_looked_again(claude: ClaudeHome, root: Path, notes: ReadNotes):
    assert await notes.found(root) == []
    claude.note(root, "new", "The kangaroo is new.")
    assert len(await notes.found(root)) == 1
    assert len(await notes.found(root, "kangaroo")) == 1


async def test_notes_of_few_projects_are_kept(claude: ClaudeHome, notes: ReadNotes, looks: list[str]):
    roots = [claude.home / f"p{number:02}" for number in range(KEPT_MAX + 2)]
    for folder in roots:
        claude.was_in(folder)
        claude.note(folder, "a", f"The kangaroo of {folder.name}.")
        assert len(await notes.found(folder)) == 1
    assert len(notes.service._kept) == KEPT_MAX
    (again,) = await notes.found(roots[0], "kangaroo")
    assert roots[0].name in again.snippet
    assert len(notes.opened) == KEPT_MAX + 3


# --- a home that does not answer -----------------------------------------------------------------


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch):
    """Lets looks hang until it is called."""
    goes_on = threading.Event()
    whole = project_notes.look

    def look(*arguments, **more):
        goes_on.wait()
        return whole(*arguments, **more)

    monkeypatch.setattr(project_notes, "look", look)
    yield goes_on.set
    goes_on.set()


async def test_nobody_waits_long_and_the_next_one_not_at_all(
    root: Path, noted: Path, notes: ReadNotes, hanging: Callable[[], None], nursery: trio.Nursery, autojump_clock
):
    await nursery.start(notes.service.run)
    for waits_s in (WAIT_S, 0, 0):
        began = trio.current_time()
        reply = await notes.recall(root, query="kangaroo")
        assert (reply.memories, reply.notes) == ([], [NOT_YET])
        assert trio.current_time() - began == pytest.approx(waits_s, abs=0.1)
    nursery.cancel_scope.cancel()


async def test_what_was_read_in_the_end_is_found(
    root: Path, noted: Path, notes: ReadNotes, hanging: Callable[[], None], nursery: trio.Nursery, monkeypatch
):
    monkeypatch.setattr(project_notes, "WAIT_S", 0.01)
    await nursery.start(notes.service.run)
    assert await notes.found(root, "kangaroo") == []
    hanging()
    monkeypatch.setattr(project_notes, "WAIT_S", 60)
    while (reply := await notes.recall(root, query="kangaroo")).notes == [NOT_YET]:
        await trio.lowlevel.checkpoint()  # it does not wait for what hung before
    assert len(reply.memories) == 1
    nursery.cancel_scope.cancel()


async def test_a_few_looks_hang_at_most(
    claude: ClaudeHome, notes: ReadNotes, hanging: Callable[[], None], nursery: trio.Nursery, autojump_clock
):
    await nursery.start(notes.service.run)
    for number in range(LOOKS_MAX + 2):
        await notes.found(claude.home / f"p{number}", "kangaroo")
    assert notes.service._looks == LOOKS_MAX
    nursery.cancel_scope.cancel()


# --- the setting, and what is said ---------------------------------------------------------------


async def test_switched_off_nothing_is_read_or_told(claude: ClaudeHome, root: Path, noted: Path, looks: list[str]):
    notes = ReadNotes(claude.home, PALIMP_RECALL_CLAUDE_MEMORY="off")
    assert not notes.service.may_answer(Recall(query="kangaroo"), caller_in(root))
    assert notes.service.ids_in(Recall(ids=["nabc"])) == []
    with pytest.raises(PalimpError) as refused:
        await notes.found(root)
    assert refused.value.text == OFF
    assert "off" in await notes.service.describe(caller_in(root))
    assert looks == []


async def test_it_is_said_what_is_read_from_where_and_what_is_not(
    claude: ClaudeHome, root: Path, noted: Path, notes: ReadNotes
):
    folder = noted.parent
    assert await notes.service.describe(caller_in(root)) == f"2 files of {quote_text(folder)}"
    (folder / "link.md").symlink_to("nowhere")
    assert "link.md': it is no plain file" in await notes.service.describe(caller_in(root))
    claude.was_in(claude.home / "my-shop", "s9")
    assert "is not read: it may be another project's" in await notes.service.describe(caller_in(root))


@pytest.mark.parametrize(
    ("asked", "may"),
    [
        ({"query": "a"}, True),
        ({"query": "a", "scope": "all"}, True),
        ({"query": "a", "scope": "global"}, False),
        ({"query": "a", "kind": "decision"}, False),
        ({"query": "a", "tags": ["x"]}, False),
        ({"query": "a", "title": "x"}, False),
        ({"query": "a", "detail": "full"}, False),
        ({}, False),
        ({"ids": ["nabc"]}, False),
    ],
)
def test_notes_may_answer_a_search_of_no_kind_in_particular(
    root: Path, notes: ReadNotes, monkeypatch, asked, may: bool
):
    monkeypatch.setattr(trio, "current_time", lambda: 0.0)
    assert notes.service.may_answer(Recall(**asked), caller_in(root)) is may


def test_ids_of_notes_are_known_by_their_letter(notes: ReadNotes):
    assert notes.service.ids_in(Recall(ids=["nabc", "mabc", " N12", "t1"])) == ["nabc", " N12"]
    assert notes.service.ids_in(Recall(id="nabc")) == ["nabc"]
    assert notes.service.ids_in(Recall(ids=["nabc"], action="purge")) == []
