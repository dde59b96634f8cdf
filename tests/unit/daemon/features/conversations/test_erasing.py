"""Erasing what was said: by id, session, text or project; no byte of it is left, and it is not read again."""

from pathlib import Path

import pytest
import trio
from conversation_services import KeptConversations, transcript
from new_stores import put_new_conversations
from request_contexts import RequestContexts

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.conversations.erasing import CLIENTS_FILES
from palimp_daemon.features.conversations.recall_turns import NO_SUCH_TURN
from palimp_daemon.features.memories.memory_names import NO_SUCH_MEMORY
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.erasures import has_pending_erasures, note_erasure, pending_erasures
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.store.tables.sessions.conversation_rows import StoredCommit, keep_commits
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.last_words import LastWords
from palimp_daemon.text.messages import short
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

SENTENCE = "We always say wolverine before a launch."


async def erase(kept: KeptConversations, project: str = "", **request) -> Erased:
    return await kept.erasures.erase(Erase(**request), kept.caller(project), b"")


async def ids(kept: KeptConversations, project: str = "") -> dict[str, str]:
    """Return the ids of the turns of a project by their texts."""
    found = await kept.conversations.recall(Recall(kind="conversation", limit=50), kept.caller(project))
    return {memory.title: memory.id for memory in found.memories}


def bytes_of(kept: KeptConversations) -> bytes:
    return b"".join(part.read_bytes() for part in kept.folder.glob("conversations*") if part.is_file())


def prepend(file: Path, data: bytes) -> None:
    file.write_bytes(data + file.read_bytes())


def append(file: Path, data: bytes) -> None:
    file.write_bytes(file.read_bytes() + data)


@pytest.fixture
async def files(kept: KeptConversations, tmp_path: Path) -> dict[str, Path]:
    """Two sessions of the project, and one of another, read."""
    made: dict[str, Path] = {}
    for name, project, texts in (
        ("a", "", ("alpha zebrafish", "alpha answer")),
        ("b", "", ("beta zebrafish",)),
        ("other", "/work/other", ("elsewhere zebrafish",)),
    ):
        made[name] = tmp_path / f"{name}.jsonl"
        made[name].write_bytes(transcript(*texts, session=name).encode())
        await kept.read(made[name], kept.caller(project))
    return made


async def read_anew(kept: KeptConversations, file: Path, project: str = "") -> int:
    """Have *file* read from its beginning, as one that begins otherwise is."""
    prepend(file, b"{}\n")
    return await kept.read(file, kept.caller(project))


async def test_a_turn_is_erased_by_its_id_and_does_not_come_back(kept: KeptConversations, files: dict[str, Path]):
    turn = (await ids(kept))["alpha zebrafish"]
    erased = await erase(kept, ids=[turn])
    assert erased.memories == [(turn, "alpha zebrafish")]
    assert CLIENTS_FILES in erased.notes
    assert (erased.unknown, erased.is_pending) == ([], False)
    assert await read_anew(kept, files["a"]) == 0
    assert set(await ids(kept)) == {"alpha answer", "beta zebrafish"}


async def test_a_session_is_erased_and_no_byte_of_it_is_left(kept: KeptConversations, files: dict[str, Path]):
    assert b"alpha answer" in bytes_of(kept)
    erased = await erase(kept, session="a")
    assert (erased.turns, erased.is_pending) == (2, False)
    assert b"alpha" not in bytes_of(kept)
    assert await read_anew(kept, files["a"]) == 0
    assert set(await ids(kept)) == {"beta zebrafish"}


async def test_all_that_contains_a_text_is_erased_of_this_project_only(kept: KeptConversations, files: dict[str, Path]):
    erased = await erase(kept, containing="zebrafish")
    assert erased.turns == 2
    assert set(await ids(kept)) == {"alpha answer"}
    assert set(await ids(kept, "/work/other")) == {"elsewhere zebrafish"}


async def test_all_of_a_project_is_erased_and_of_others_nothing(kept: KeptConversations, files: dict[str, Path]):
    assert (await erase(kept, all_turns=True)).turns == 3
    assert await ids(kept) == {}
    assert set(await ids(kept, "/work/other")) == {"elsewhere zebrafish"}
    for name in ("a", "b"):
        assert await read_anew(kept, files[name]) == 0


async def test_what_is_said_afterwards_is_kept(kept: KeptConversations, files: dict[str, Path]):
    await erase(kept, all_turns=True)
    append(files["a"], transcript("afterwards", first=8, session="a").encode())
    assert await kept.read(files["a"], kept.caller()) == 1


@pytest.mark.parametrize("request_", [{"session": "nobody"}, {"containing": "nothing says this"}])
async def test_what_means_nothing_is_said(kept: KeptConversations, files: dict[str, Path], request_: dict[str, str]):
    erased = await erase(kept, **request_)
    assert erased.turns == 0
    assert erased.unknown == ["No turn or commit of this project matches."]
    assert len(await ids(kept)) == 3


async def test_naming_nothing_is_refused(kept: KeptConversations, files: dict[str, Path]):
    with pytest.raises(PalimpError, match="Nothing was erased"):
        await erase(kept)
    assert len(await kept.texts()) == 4


async def test_a_turn_of_another_project_is_not_erased(kept: KeptConversations, files: dict[str, Path]):
    other = (await ids(kept, "/work/other"))["elsewhere zebrafish"]
    erased = await erase(kept, ids=[other])
    assert erased.memories == []
    assert len(erased.unknown) == 1
    assert len(await kept.texts()) == 4


async def test_memories_and_turns_are_erased_by_one_request(kept: KeptConversations, files: dict[str, Path]):
    def save(store: Store):
        return save_memory(RequestContexts(store)(kept.caller().project.root), SaveMemory(text="A memory."))

    memory = (await kept.memories.ask(Job(save, is_write=True))).id
    turn = (await ids(kept))["alpha answer"]
    erased = await erase(kept, ids=[turn, memory, "m0000000", "t0000000"])
    assert {each for each, _ in erased.memories} == {memory, turn}
    assert erased.unknown == [f"m0000000: {NO_SUCH_MEMORY}", f"t0000000: {NO_SUCH_TURN}"]


@pytest.mark.parametrize("more", [{"containing": "beta"}, {"session": "a"}, {"all_turns": True}])
async def test_ids_and_much_besides_are_not_erased_by_one_request(
    kept: KeptConversations, files: dict[str, Path], more
):
    """Who names one turn means that one."""
    with pytest.raises(PalimpError, match="one of these"):
        await erase(kept, ids=[(await ids(kept))["alpha answer"]], **more)
    assert len(await kept.texts()) == 4


async def test_where_nothing_was_erased_nothing_is_said_of_clients_files(
    kept: KeptConversations, files: dict[str, Path]
):
    assert (await erase(kept, ids=["t0000000"])).notes == []


async def test_with_a_memory_the_turns_go_in_which_it_was_said(kept: KeptConversations, tmp_path: Path):
    """Also those that are still to be read; not those that have a short word of it."""
    file = tmp_path / "c.jsonl"
    file.write_bytes(transcript(f"Please note: {SENTENCE}", "Use tabs. I have understood.", session="c").encode())
    kept.transcripts.queue_reading(kept.caller(), str(file))

    def save(store: Store):
        context = RequestContexts(store)(kept.caller().project.root)
        return [save_memory(context, SaveMemory(text=text)).id for text in (SENTENCE, "Use tabs.")]

    erased = await erase(kept, ids=await kept.memories.ask(Job(save, is_write=True)))
    assert (len(erased.memories), erased.turns) == (2, 1)
    assert await kept.texts() == ["Use tabs. I have understood."]


async def test_a_memory_is_erased_where_the_turns_cannot_be_and_that_is_said(
    kept: KeptConversations, files: dict[str, Path]
):
    kept.conversations.actor.refuse(PalimpError(ErrorCode.STORE_UNAVAILABLE, "The disk is gone."))

    def save(store: Store):
        return save_memory(RequestContexts(store)(kept.caller().project.root), SaveMemory(text=SENTENCE))

    memory = (await kept.memories.ask(Job(save, is_write=True))).id
    erased = await erase(kept, ids=[memory])
    assert ([each for each, _ in erased.memories], erased.turns, erased.is_pending) == ([memory], 0, True)
    [why] = [note for note in erased.notes if "The disk is gone." in note]
    assert why.endswith(" When that is mended, erase them with `palimp delete --hard --containing TEXT`.")


async def test_a_memory_is_erased_by_a_repeated_request_once_and_makes_no_store_of_turns(kept: KeptConversations):
    """The second answer is the first one, without its title."""

    def save(store: Store):
        return save_memory(RequestContexts(store)(kept.caller().project.root), SaveMemory(text=SENTENCE))

    memory = (await kept.memories.ask(Job(save, is_write=True))).id
    first, second = [await kept.erasures.erase(Erase(ids=[memory]), kept.caller(), b"r" * 24) for _ in range(2)]

    assert first.memories == [(memory, SENTENCE.rstrip("."))]
    assert (second.memories, second.unknown) == ([(memory, "")], [])
    assert not kept.path.exists()


async def test_an_erasure_that_was_interrupted_is_finished_when_the_daemon_starts(tmp_path: Path):
    """Nobody asks for a turn meanwhile."""
    first = KeptConversations(tmp_path)
    async with trio.open_nursery() as nursery:
        await first.start(nursery)
        file = tmp_path / "a.jsonl"
        file.write_bytes(transcript("alpha zebrafish").encode())
        await first.read(file, first.caller())
        # What the transaction that deletes leaves to be done.
        await first.conversations.ask(lambda store: note_erasure(store, 0), is_write=True)
        nursery.cancel_scope.cancel()
    assert has_pending_erasures(first.path)

    second = KeptConversations(tmp_path)
    async with trio.open_nursery() as nursery:
        await second.start(nursery)
        with trio.fail_after(60):
            await second.conversations.is_open.wait()
            while await second.conversations.ask(pending_erasures):
                await second.conversations.actor.next_answer()
        nursery.cancel_scope.cancel()
    assert not has_pending_erasures(second.path)


@pytest.mark.parametrize("content", [None, b"", b"no database"])
def test_a_file_that_is_no_database_has_no_erasures_and_stays_as_it_is(tmp_path: Path, content: bytes | None):
    path = tmp_path / "conversations.db"
    if content is not None:
        path.write_bytes(content)
    assert not has_pending_erasures(path)
    assert (path.read_bytes() if path.exists() else None) == content


def test_a_database_without_erasures_has_none(tmp_path: Path):
    put_new_conversations(tmp_path / "conversations.db")
    assert not has_pending_erasures(tmp_path / "conversations.db")


async def test_much_is_erased_in_parts(
    kept: KeptConversations, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("palimp_daemon.features.conversations.erasing.ROWS_READ_AT_ONCE", 1)
    assert (await erase(kept, all_turns=True)).turns == 3


async def test_what_was_put_aside_as_damaged_has_no_word_of_it_either(kept: KeptConversations, tmp_path: Path):
    """Nobody reads it, and it would keep what was erased."""
    aside = kept.path.with_suffix(".damaged")
    aside.write_bytes(b"alpha zebrafish")
    file = tmp_path / "a.jsonl"
    file.write_bytes(transcript("alpha zebrafish").encode())
    await kept.read(file, kept.caller())
    await erase(kept, containing="zebrafish")
    assert b"zebrafish" not in bytes_of(kept)


async def remove_code(kept: KeptConversations, *because: tuple[str, str | LastWords]) -> None:
    """Take code out, each time in a session because of its last words, or in a commit with a message."""

    def work(store: Store) -> None:
        for number, (where, why) in enumerate(because):
            caller = kept.caller(session=where)
            project = ensure_project(store, caller, 0)
            change = Change(why, 0, commit=where) if isinstance(why, str) else Change(why.reason, 0, "Edit")
            if not change.commit:
                change = change._replace(session_id=ensure_session(store, caller, project, 0))
            insert_change(store, project, change, [Hunk("a.py", number, (f"retry({number})",), (), (False,))])

    await kept.memories.ask(Job(work, is_write=True))


async def reasons(kept: KeptConversations) -> list[str]:
    found = await kept.memories.ask(
        Job(lambda store: rows(store.connection, "SELECT reason FROM changes ORDER BY id"), is_write=False)
    )
    return [reason for (reason,) in found]


async def test_the_reasons_that_quote_an_erased_turn_go_with_it(kept: KeptConversations, tmp_path: Path):
    """In its session also of a word; elsewhere where a sentence of it was copied; whole, or how it begins."""
    asked = "Das Passwort ist  wombat 🐨;\nruf nie zweimal an 日本. " + "Und so weiter. " * 30
    said = "I see.\n\nThe cause was the second call, made without a pause."
    file = tmp_path / "a.jsonl"
    file.write_bytes(transcript(asked, said, "ok", session="a").encode())
    await kept.read(file, kept.caller(session="a"))
    statement = "The cause was the second call, made without a pause."
    other = LastWords("wombat", "Nothing of it.")
    await remove_code(
        kept,
        ("a", LastWords(short(asked, 300), statement)),
        ("a", LastWords("ok", statement)),
        ("fork", LastWords("go on", statement)),
        ("fork", other),
        ("a", LastWords("okay then", "I see no reason.")),
    )
    assert all(await reasons(kept))

    turns = {title.split()[0]: id_ for title, id_ in (await ids(kept)).items()}
    await erase(kept, ids=[turns["I"]])
    assert await reasons(kept) == ["", "", "", other.reason, "asked: okay then · said: I see no reason."]
    memories = b"".join(part.read_bytes() for part in kept.folder.glob("palimp.db*") if part.is_file())
    assert b"second call" not in memories

    await erase(kept, ids=[turns["Das"]])
    assert (await reasons(kept))[3:] == [other.reason, "asked: okay then · said: I see no reason."]


async def test_the_beginning_of_a_long_turn_is_a_quote_of_it(kept: KeptConversations, tmp_path: Path):
    asked = "Ruf  nie zweimal an 日本. " + "Und so weiter. " * 30
    file = tmp_path / "a.jsonl"
    file.write_bytes(transcript(asked, session="a").encode())
    await kept.read(file, kept.caller(session="a"))
    await remove_code(kept, ("a", LastWords(short(asked, 300), "")), ("b", LastWords(short(asked, 300), "")))
    await erase(kept, ids=[*(await ids(kept)).values()])
    assert await reasons(kept) == ["", ""]


async def test_the_reasons_of_an_erased_commit_go_with_it(kept: KeptConversations):
    message = "Drop the wombat endpoint\n\nNobody calls it."

    owner = await kept.conversations.owner_of(kept.caller())

    def keep(store: Store) -> None:
        project = ensure_project(store, owner, 0)
        keep_commits(store, project, [StoredCommit(hash_, 0, message, "Ann") for hash_ in ("a" * 40, "b" * 40)])

    await kept.conversations.ask(keep, is_write=True)
    await remove_code(kept, ("a" * 40, "Drop the wombat endpoint. Nobody calls it."), ("b" * 40, "The other one."))
    [commit] = [id_ for id_, tag in await kept.rows("SELECT id, tags FROM memories") if tag == "a" * 10]
    await erase(kept, ids=[commit])
    assert await reasons(kept) == ["", "The other one."]
