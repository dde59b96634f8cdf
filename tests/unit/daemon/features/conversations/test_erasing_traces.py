"""What sessions left of what is erased outside of the conversations: summaries, reasons, commands that failed."""

from pathlib import Path

import pytest
from conversation_services import KeptConversations, transcript
from request_contexts import RequestContexts

from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.erasures import pending_erasures
from palimp_daemon.store.tables.removed_code.change_rows import Change, insert_change
from palimp_daemon.store.tables.sessions.failed_commands import FailedCommand, keep_failure
from palimp_daemon.store.tables.sessions.transcript_rows import Transcript, keep_transcript, transcript_of
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.last_words import LastWords
from palimp_daemon.text.session_summary import Digest
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

OTHER = "/work/other"
SESSIONS = {"a": "", "b": "", "c": OTHER}
"""Sessions and their projects."""

WOMBAT = "The wombat endpoint answers twice."
PAUSE = "There must be a pause between two calls."


@pytest.fixture
async def traces(kept: KeptConversations) -> KeptConversations:
    """Of each session a summary of two sentences, code that was removed because of one, and a command that failed."""

    def work(store: Store) -> None:
        for number, (session, root) in enumerate(SESSIONS.items()):
            caller = kept.caller(root, session)
            project = ensure_project(store, caller, 0)
            own = ensure_session(store, caller, project, 0)
            digest = Digest(first=[f"{WOMBAT} Mend it."], last=[PAUSE], requests=2, statement=f"Done: {WOMBAT}")
            keep_transcript(store, own, Transcript(f"/t/{session}", Place(9, ""), digest))
            change = Change(LastWords(WOMBAT, "").reason, 0, "Edit", session_id=own)
            insert_change(store, project, change, [Hunk("a.py", number, (f"retry({number})",), (), (False,))])
            failed = FailedCommand(0, "dvc push", f"dvc push {session}", "no wombat", "kinit && dvc push", 0, own)
            keep_failure(store, project, failed)

    await kept.memories.ask(Job(work, is_write=True))
    return kept


async def erase(kept: KeptConversations, project: str = "", **request) -> Erased:
    return await kept.erasures.erase(Erase(**request), kept.caller(project), b"")


async def left(kept: KeptConversations) -> dict[str, tuple[list[str], str, bool]]:
    """Return of each session its summary's sentences, its first reason, and whether its command is kept."""

    def work(store: Store) -> dict[str, tuple[list[str], str, bool]]:
        found = {}
        for session, key in rows(store.connection, "SELECT id, key FROM sessions WHERE key IN ('a', 'b', 'c')"):
            kept = transcript_of(store, session)
            assert kept
            digest = kept.digest
            reason, *_ = store.column("SELECT reason FROM changes WHERE session_id = ? ORDER BY id", (session,))
            failed = store.column("SELECT id FROM failed_commands WHERE session_id = ?", (session,))
            found[key] = ([*digest.first, *digest.last, digest.statement], reason, bool(failed))
        return found

    return await kept.memories.ask(Job(work, is_write=False))


WHOLE = ([f"{WOMBAT} Mend it.", PAUSE, f"Done: {WOMBAT}"], f"asked: {WOMBAT}", True)
EMPTY = ([""], "", False)
FAILED_1 = "1 command that had failed, too."
FAILED_2 = "2 commands that had failed, too."


async def bytes_of_memories(kept: KeptConversations) -> bytes:
    return b"".join(part.read_bytes() for part in kept.folder.glob("palimp.db*") if part.is_file())


async def test_with_a_session_all_of_its_traces_go_and_no_others(traces: KeptConversations):
    """No turn of it is stored, so that its commands are all that is counted, and nothing is said to be unknown."""
    erased = await erase(traces, session="a")

    assert await left(traces) == {"a": EMPTY, "b": WHOLE, "c": WHOLE}
    assert (erased.turns, erased.memories, erased.unknown, erased.notes[0]) == (0, [], [], FAILED_1)
    assert b"dvc push a" not in await bytes_of_memories(traces)
    assert await traces.memories.ask(Job(pending_erasures, is_write=False)) == 0


async def test_with_all_of_a_project_its_traces_go_and_no_others(traces: KeptConversations):
    erased = await erase(traces, all_turns=True)

    assert await left(traces) == {"a": EMPTY, "b": EMPTY, "c": WHOLE}
    assert (erased.turns, erased.notes[0]) == (0, FAILED_2)
    assert b"dvc push b" not in await bytes_of_memories(traces)


async def test_of_a_text_what_has_it_goes_in_this_project_alone(traces: KeptConversations):
    """Sentences one by one, reasons and commands whole."""
    erased = await erase(traces, containing="wombat endpoint")

    assert await left(traces) == {"a": ([PAUSE, ""], "", True), "b": ([PAUSE, ""], "", True), "c": WHOLE}
    assert not any("command" in note for note in erased.notes)

    erased = await erase(traces, containing="no wombat")
    assert await left(traces) == {"a": ([PAUSE, ""], "", False), "b": ([PAUSE, ""], "", False), "c": WHOLE}
    assert erased.notes[0] == FAILED_2


async def test_a_text_that_only_a_reason_or_a_summary_has_goes_too(traces: KeptConversations):
    await erase(traces, containing=PAUSE)
    assert await left(traces) == {
        "a": ([WHOLE[0][0], WHOLE[0][2]], *WHOLE[1:]),
        "b": ([WHOLE[0][0], WHOLE[0][2]], *WHOLE[1:]),
        "c": WHOLE,
    }
    assert PAUSE.encode() in await bytes_of_memories(traces)  # of the other project

    await erase(traces, OTHER, containing=PAUSE)
    assert PAUSE.encode() not in await bytes_of_memories(traces)


@pytest.mark.parametrize("request_", [{"session": "nobody"}, {"containing": "nothing says this"}])
async def test_what_no_trace_has_is_said_to_be_unknown(traces: KeptConversations, request_: dict[str, str]):
    erased = await erase(traces, **request_)

    assert await left(traces) == {"a": WHOLE, "b": WHOLE, "c": WHOLE}
    assert (erased.notes, erased.unknown) == ([], ["No turn or commit of this project matches."])


async def test_from_a_project_that_nobody_knows_nothing_is_erased(traces: KeptConversations):
    """But a session, wherever it was: its folder may be gone."""
    for request in ({"all_turns": True}, {"containing": "wombat"}):
        erased = await erase(traces, "/work/new", **request)
        assert (erased.turns, erased.notes) == (0, [])
    assert await left(traces) == {"a": WHOLE, "b": WHOLE, "c": WHOLE}

    assert (await erase(traces, "/work/new", session="a")).notes[0] == FAILED_1
    assert await left(traces) == {"a": EMPTY, "b": WHOLE, "c": WHOLE}


async def test_with_a_memory_its_sentence_goes_from_the_summaries_of_its_project(traces: KeptConversations):
    def save(store: Store) -> str:
        return save_memory(RequestContexts(store)(traces.caller().project.root), SaveMemory(text=PAUSE)).id

    await erase(traces, ids=[await traces.memories.ask(Job(save, is_write=True))])

    said = {session: sentences for session, (sentences, *_) in (await left(traces)).items()}
    assert said == {"a": [WHOLE[0][0], WHOLE[0][2]], "b": [WHOLE[0][0], WHOLE[0][2]], "c": WHOLE[0]}


async def test_turns_alone_are_known_without_a_command_that_failed(kept: KeptConversations, tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_bytes(transcript("alpha zebrafish", session="z").encode())
    await kept.read(file, kept.caller())

    erased = await erase(kept, "/work/new", session="z")

    assert (erased.turns, erased.unknown) == (1, [])
    assert not any("command" in note for note in erased.notes)


async def test_the_traces_of_several_erased_turns_go_each_by_its_session(traces: KeptConversations, tmp_path: Path):
    """Of its own session a reason goes that quotes a word of it; elsewhere one that quotes a sentence."""
    file = tmp_path / "a.jsonl"
    file.write_bytes(transcript("Go on.", PAUSE, "Stay here", session="a").encode())
    await traces.read(file, traces.caller(session="a"))

    def work(store: Store) -> None:
        for session in ("a", "b"):
            caller = traces.caller(session=session)
            project = ensure_project(store, caller, 0)
            own = ensure_session(store, caller, project, 0)
            for number, reason in enumerate(("asked: Go on.", f"said: {PAUSE}"), 10):
                hunk = Hunk(f"{session}.py", number, (f"call({number})",), (), (False,))
                insert_change(store, project, Change(reason, 0, "Edit", session_id=own), [hunk])

    await traces.memories.ask(Job(work, is_write=True))
    found = await traces.conversations.recall(Recall(kind="conversation", limit=50), traces.caller())
    erased = await erase(traces, ids=[memory.id for memory in found.memories if memory.title != "Stay here"])

    kept = await traces.memories.ask(
        Job(lambda store: store.column("SELECT reason FROM changes ORDER BY id"), is_write=False)
    )
    assert kept == [*[f"asked: {WOMBAT}"] * 3, "", "", "asked: Go on.", ""]
    assert len(erased.memories) == 2
    assert (await left(traces))["b"][0] == [WHOLE[0][0], WHOLE[0][2]]
