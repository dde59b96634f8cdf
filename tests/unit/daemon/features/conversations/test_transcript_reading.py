"""Reading sessions: once, from where it was read to, without what is private or switched off, and torn files, too."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
import trio
from conversation_services import KeptConversations, entry, pause, transcript, write
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import examples
from msgspec.structs import replace
from request_contexts import NOON_MS

from palimp_clients.transcripts.slices import FOREIGN_LINES_MIN
from palimp_clients.transcripts.turn import Turn
from palimp_daemon.features.conversations import transcript_reading
from palimp_daemon.features.conversations.transcript_reading import in_folders
from palimp_daemon.store.tables.sessions.conversation_rows import files_unread
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.memory_messages import Recall

SECRET = "AKIA" + "IOSFODNN7ABCDEFG"
DAY_MS = 86_400_000


async def test_a_transcript_that_grows_is_read_on(kept: KeptConversations, file: Path):
    write(file, transcript("one", "two"))
    assert await kept.read(file, kept.caller()) == 2
    assert await kept.read(file, kept.caller()) == 0
    write(file, transcript("one", "two", "three"))
    assert await kept.read(file, kept.caller()) == 1
    assert await kept.texts() == ["one", "two", "three"]


async def test_a_session_is_stored_in_parts_that_are_bounded_by_their_length_and_number(
    kept: KeptConversations, file: Path, monkeypatch: pytest.MonkeyPatch
):
    parts: list[list[str]] = []
    keep_turns = transcript_reading.table.keep_turns

    def noted(store, project, session, key, turns, undated_ms):
        parts.append([turn.text for turn in turns])
        return keep_turns(store, project, session, key, turns, undated_ms)

    monkeypatch.setattr(transcript_reading.table, "keep_turns", noted)
    monkeypatch.setattr(transcript_reading, "KEPT_AT_ONCE", 3)
    monkeypatch.setattr(transcript_reading, "CHARACTERS_AT_ONCE", 10)
    write(file, transcript("größer als alles", "店", "b", "c", "d", "12345678", "123"))
    assert await kept.read(file, kept.caller()) == 7
    assert parts == [["größer als alles"], ["店", "b", "c"], ["d", "12345678"], ["123"]]


async def test_half_a_line_waits_until_it_is_whole(kept: KeptConversations, file: Path):
    text = transcript("one", "two")
    write(file, text[:-20])
    assert await kept.read(file, kept.caller()) == 1
    write(file, text)
    assert await kept.read(file, kept.caller()) == 1
    assert await kept.texts() == ["one", "two"]


async def test_a_file_that_begins_anew_is_read_from_its_beginning_and_doubles_nothing(
    kept: KeptConversations, file: Path
):
    write(file, transcript("one", "two"))
    await kept.read(file, kept.caller())
    write(file, "{}\n" + transcript("one", "two", "three"))
    assert await kept.read(file, kept.caller()) == 1
    assert await kept.texts() == ["one", "two", "three"]


async def test_turns_without_a_time_have_that_of_the_file_and_are_stored_once_whatever_it_is(
    kept: KeptConversations, file: Path
):
    """A file that grows has another time each time; read anew, its turns are known all the same."""
    write(file, entry("user", "one", None))
    os.utime(file, ns=(NOON_MS * 1_000_000,) * 2)
    await kept.read(file, kept.caller())
    write(file, "{}\n" + entry("user", "one", None))
    os.utime(file, ns=((NOON_MS + DAY_MS) * 1_000_000,) * 2)
    assert await kept.read(file, kept.caller()) == 0
    assert await kept.rows("SELECT content, created_at FROM memories") == [("one", NOON_MS)]


async def test_the_session_the_client_and_the_project_are_known(kept: KeptConversations, file: Path):
    write(file, transcript("one", session="abc"))
    await kept.read(file, kept.caller("/work/one"))
    assert await kept.rows("SELECT key, client FROM sessions") == [("abc", "claude-code")]
    assert await kept.folders() == ["/work/one"]


async def test_without_a_caller_it_goes_to_the_project_of_the_session_s_folder(kept: KeptConversations, file: Path):
    folder = kept.folder / "code"
    (folder / ".git").mkdir(parents=True)
    write(file, transcript("one", folder=str(folder)))
    assert await kept.read(file) == 1
    assert await kept.folders() == [str(folder)]


async def test_secrets_and_what_is_private_are_not_kept(kept: KeptConversations, file: Path):
    write(file, transcript(f"the key is {SECRET}", "before <private>my diary</private> after"))
    await kept.read(file, kept.caller())
    said = "\n".join(await kept.texts())
    assert SECRET not in said
    assert "diary" not in said
    assert "before" in said
    for part in kept.folder.glob("conversations*"):
        data = part.read_bytes()
        assert SECRET.encode() not in data
        assert b"diary" not in data


# --- switched off --------------------------------------------------------------------------------


async def test_what_is_said_while_a_project_is_off_stays_out_for_good(kept: KeptConversations, file: Path):
    caller = kept.caller()
    write(file, transcript("before"))
    await kept.read(file, caller)
    kept.off.add(caller.project.root)
    write(file, transcript("before", "during"))
    assert await kept.read(file, caller) == 0
    kept.off.clear()
    write(file, transcript("before", "during", "after"))
    assert await kept.read(file, caller) == 1
    assert await kept.texts() == ["before", "after"]


async def test_what_is_heard_of_while_a_project_is_off_stays_out_although_it_is_read_later(
    kept: KeptConversations, file: Path
):
    """The store may still have to be opened when the project is on again."""
    caller = kept.caller()
    write(file, transcript("during"))
    kept.off.add(caller.project.root)
    kept.transcripts.queue_reading(caller, str(file))
    kept.off.clear()
    while not await kept.rows("SELECT 1 FROM conversation_files"):
        await pause()
    write(file, transcript("during", "after"))
    kept.transcripts.queue_reading(caller, str(file))
    await until(kept, ["after"])


async def test_with_keep_off_no_turn_is_kept(tmp_path: Path, nursery: trio.Nursery):
    """Neither of a session, nor of a text, nor of what a person has read: only how far a session was passed over."""
    kept = KeptConversations(tmp_path, PALIMP_CONVERSATIONS_KEEP="off")
    file = tmp_path / "session.jsonl"
    write(file, transcript("one"))
    with trio.fail_after(60):
        await kept.start(nursery)
        kept.transcripts.queue_reading(kept.caller(), str(file))
        assert await kept.transcripts.read_text(transcript("one"), kept.caller()) == 0
        with pytest.raises(PalimpError, match="keep is off"):
            await kept.conversations.recall(Recall(query="one", kind="conversation"), kept.caller())
        assert not kept.conversations.may_answer(Recall(query="one"), kept.caller())
        await kept.transcripts.wait_settled()
        assert await kept.rows("SELECT 1 FROM memories") == []
        assert await kept.rows("SELECT read_to FROM conversation_files") == [(file.stat().st_size,)]
        nursery.cancel_scope.cancel()


# --- in the background ---------------------------------------------------------------------------


async def until(kept: KeptConversations, texts: list[str]) -> None:
    while await kept.texts() != texts:
        await pause()


async def test_what_is_heard_of_is_read_in_the_background(kept: KeptConversations, file: Path):
    write(file, transcript("one"))
    kept.transcripts.queue_reading(kept.caller(), str(file))
    kept.transcripts.queue_reading(kept.caller(), str(file))
    await until(kept, ["one"])
    write(file, transcript("one", "two"))
    kept.transcripts.queue_reading(kept.caller(), str(file))
    await until(kept, ["one", "two"])


async def test_what_is_no_transcript_ends_nothing(kept: KeptConversations, file: Path, tmp_path: Path):
    """Neither a file that is not there, nor a folder, nor bytes."""
    (tmp_path / "bytes").write_bytes(bytes(range(256)) * 100)
    for path in ("/nowhere/at/all.jsonl", str(tmp_path), str(tmp_path / "bytes"), "", "\0"):
        kept.transcripts.queue_reading(kept.caller(), path)
    write(file, transcript("one"))
    kept.transcripts.queue_reading(kept.caller(), str(file))
    await until(kept, ["one"])


async def test_a_transcript_of_an_unknown_client_is_told_and_read_once_it_is_known(kept: KeptConversations, file: Path):
    stranger = replace(kept.caller(), session=SessionRef("s1", "another-client"))
    write(file, '{"speaker": "me", "words": "one"}\n')
    kept.transcripts.queue_reading(stranger, str(file))
    while not await kept.rows("SELECT 1 FROM conversation_files"):
        await pause()
    assert await kept.rows("SELECT path, client, why FROM conversation_files") == [
        (str(file), "", transcript_reading.UNKNOWN_CLIENT)
    ]
    write(file, '{"speaker": "me", "words": "one"}\n' + transcript("two"))
    kept.transcripts.queue_reading(stranger, str(file))
    await until(kept, ["two"])
    assert await kept.rows("SELECT client, why FROM conversation_files") == [("claude-code", "")]


async def test_a_transcript_that_nobody_understands_is_told_although_its_client_is_known(kept, file: Path):
    """A client that writes otherwise than it did, somewhere else than it did: a hook named the file."""
    strange = '{"speaker": "я", "words": "one"}\n' * FOREIGN_LINES_MIN
    caller = replace(kept.caller(), session=SessionRef("s1", "qwen"))
    for text in (strange, strange * 2):  # which is still so when it has gone on
        write(file, text)
        kept.transcripts.queue_reading(caller, str(file))
        await kept.transcripts.wait_settled()
        [(path, client, why)] = await kept.rows("SELECT path, client, why FROM conversation_files")
        assert (path, client) == (str(file), "qwen")
        assert str(file) in why
    [unread] = await kept.conversations.ask(lambda store: files_unread(store, 2))
    assert unread.path == str(file)
    write(file, strange + transcript("two"))
    kept.transcripts.queue_reading(caller, str(file))
    await until(kept, ["two"])
    assert await kept.rows("SELECT client, why FROM conversation_files") == [("claude-code", "")]


async def test_more_transcripts_than_may_wait_are_read_when_they_go_on(
    kept: KeptConversations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for number in range(transcript_reading.WAITING_MAX + 5):
        kept.transcripts.queue_reading(kept.caller(), str(tmp_path / f"{number}.jsonl"))
    last = tmp_path / "last.jsonl"
    write(last, transcript("one"))
    while not await kept.texts():
        kept.transcripts.queue_reading(kept.caller(), str(last))


# --- damaged files -------------------------------------------------------------------------------


async def test_of_a_torn_transcript_what_can_be_read_is_and_the_rest_is_counted(kept: KeptConversations, file: Path):
    write(
        file,
        transcript("one").encode()
        + b'{"type":"user","mess\n'
        + b"\0" * 50
        + b"\n"
        + transcript("two", first=1).encode(),
    )
    await kept.read(file, kept.caller())
    assert await kept.texts() == ["one", "two"]
    [(path, skipped)] = await kept.rows("SELECT path, skipped FROM conversation_files")
    assert path == str(file)
    assert skipped >= 1


async def test_a_file_that_cannot_be_read_is_told_with_its_name(kept: KeptConversations, tmp_path: Path):
    path = tmp_path / "session-state" / "gone.jsonl"
    file = transcript_reading.SessionFile("copilot", str(path), 10, NOON_MS)
    assert await kept.transcripts.read(file, kept.caller()) == 0
    [(why,)] = await kept.rows("SELECT why FROM conversation_files")
    assert str(path) in why


async def test_a_file_that_was_unreadable_once_is_read_later(kept: KeptConversations, file: Path):
    write(file, transcript("one"))
    await kept.read(file, kept.caller())
    write(file, None)
    unread = transcript_reading.SessionFile("claude-code", str(file), 10, NOON_MS)
    assert await kept.transcripts.read(unread, kept.caller()) == 0
    write(file, transcript("one", "two"))
    assert await kept.read(file, kept.caller()) == 1
    assert await kept.rows("SELECT why FROM conversation_files") == [("",)]


ANY_TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from('\0\ud800\udfff\ud83d\u202e\x1b<>&"\\\n')), min_size=1, max_size=30
)
"""All scripts, halves of characters, NULs and what programs act on."""


@settings(max_examples=examples(25))
@given(st.lists(ANY_TEXT, min_size=1, max_size=6), st.data())
def test_a_transcript_of_any_texts_that_grows_at_any_byte_is_stored_as_if_it_was_read_at_once(
    texts: list[str], data: st.DataObject
):
    whole = transcript(*texts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=3)))

    async def stored(parts: list[bytes]) -> list[str]:
        folder = Path(tempfile.mkdtemp(prefix="palimp-"))
        try:
            async with trio.open_nursery() as nursery:
                kept = KeptConversations(folder)
                await kept.start(nursery)
                file = folder / "s1.jsonl"
                for part in parts:
                    write(file, part)
                    await kept.read(file, kept.caller())
                    await kept.read(file, kept.caller())
                found = await kept.texts()
                nursery.cancel_scope.cancel()
            assert kept.bugs == []
            return found
        finally:
            shutil.rmtree(folder)

    at_once = trio.run(stored, [whole])
    assert trio.run(stored, [*(whole[:cut] for cut in cuts), whole]) == at_once
    assert all("\0" not in text for text in at_once)


# --- taken back ------------------------------------------------------------------------------------


def lines(*entries: dict) -> str:
    """As clients write them, without blanks."""
    return "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries)


def gemini(key: str, role: str, text: str) -> dict:
    at = f"2026-11-20T10:00:{int(key):02}.000Z"
    return {"id": key, "timestamp": at, "type": role, "content": text}


def codex(second: int, role: str, text: str) -> dict:
    content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
    payload = {"type": "message", "role": role, "content": content}
    return {"timestamp": f"2026-11-20T10:00:{second:02}Z", "type": "response_item", "payload": payload}


GEMINI = (
    {"sessionId": "k", "projectHash": "h", "startTime": "2026-11-20T09:00:00.000Z", "kind": "main"},
    gemini("1", "user", "Which queue?"),
    gemini("2", "gemini", "The outbox."),
    gemini("3", "user", "Drop the outbox table."),
    gemini("4", "gemini", "Dropped."),
)
CODEX = (
    {
        "timestamp": "2026-11-20T09:00:00Z",
        "type": "session_meta",
        "payload": {"id": "k", "cwd": "/p", "source": "cli"},
    },
    codex(1, "user", "Which queue?"),
    codex(2, "assistant", "The outbox."),
    codex(3, "user", "Drop the outbox table."),
    codex(4, "assistant", "Dropped."),
)
ROLLED_BACK = {
    "timestamp": "2026-11-20T10:00:05Z",
    "type": "event_msg",
    "payload": {"type": "thread_rolled_back", "num_turns": 1},
}


@pytest.mark.parametrize(
    ("name", "said", "back", "more"),
    [
        ("session-x.jsonl", GEMINI, {"$rewindTo": "3"}, gemini("5", "user", "Keep the outbox table.")),
        ("rollout-x.jsonl", CODEX, ROLLED_BACK, codex(6, "user", "Keep the outbox table.")),
    ],
    ids=["gemini", "codex"],
)
async def test_turns_that_their_user_takes_back_leave_the_store(
    kept: KeptConversations, tmp_path: Path, name: str, said: tuple[dict, ...], back: dict, more: dict
):
    file = tmp_path / name
    write(file, lines(*said))
    await kept.read(file, kept.caller())
    assert await kept.texts() == ["Which queue?", "The outbox.", "Drop the outbox table.", "Dropped."]

    write(file, lines(*said, back, more))
    await kept.read(file, kept.caller())

    assert await kept.texts() == ["Which queue?", "The outbox.", "Keep the outbox table."]
    found = await kept.conversations.recall(Recall(query="outbox", kind="conversation"), kept.caller())
    assert "Drop the outbox table." not in [each.content or each.title for each in found.memories]


# --- given as text -------------------------------------------------------------------------------


async def test_a_transcript_that_is_given_as_text_is_kept_once(kept: KeptConversations):
    text = transcript("one", "two", session="abc").rstrip("\n")
    assert await kept.transcripts.read_text(text, kept.caller()) == 2
    assert await kept.transcripts.read_text(text, kept.caller()) == 0
    assert await kept.rows("SELECT key, client FROM sessions") == [("abc", "claude-code")]


@pytest.mark.parametrize("session", ["", "abc"])
async def test_a_text_without_times_or_the_session_s_id_is_kept_once(kept: KeptConversations, session: str):
    text = entry("user", "one", None, session=session) + entry("assistant", "two", None, session=session)
    assert await kept.transcripts.read_text(text, kept.caller()) == 2
    kept.now_ms += DAY_MS
    assert await kept.transcripts.read_text(text, kept.caller()) == 0
    assert await kept.transcripts.read_text(text + transcript("three", session=session), kept.caller()) == 1
    assert len(await kept.rows("SELECT key FROM sessions")) == 1


@pytest.mark.parametrize("text", ["", "User: hello", "{", "{}", '{"a": 1}\n{"b": 2}', "[1]", "{" + "x" * 1000])
async def test_of_a_text_that_is_no_transcript_nothing_is_kept(kept: KeptConversations, text: str):
    assert await kept.transcripts.read_text(text, kept.caller()) == 0
    assert await kept.texts() == []


async def test_a_text_of_a_project_that_is_off_is_not_kept(kept: KeptConversations):
    kept.off.add(kept.caller().project.root)
    assert await kept.transcripts.read_text(transcript("one"), kept.caller()) == 0


def turn(role: str, folder: str) -> Turn:
    return Turn(role, "x", 1, folder=folder)  # pyright: ignore[reportArgumentType]  one of two


@pytest.mark.parametrize(
    ("before", "said", "expected"),
    [
        ("", [("user", "/a"), ("assistant", "/a")], ["/a"]),
        ("", [("user", "/a"), ("user", "/b"), ("assistant", "/b")], ["/a", "/b"]),
        ("/a", [("assistant", "/tmp/x"), ("user", "/a")], ["/a"]),
        ("/a", [("user", "/a/sub"), ("user", "/ab")], ["/a", "/ab"]),
        ("/a", [("user", ""), ("assistant", "")], ["/a"]),
        ("", [("user", "")], [""]),
    ],
)
def test_a_session_moves_with_what_its_user_says_elsewhere(
    before: str, said: list[tuple[str, str]], expected: list[str]
):
    assert [each.folder for each in in_folders([turn(*each) for each in said], before)] == expected
