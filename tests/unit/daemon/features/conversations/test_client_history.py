"""What clients wrote before: all of it once, the newest first, whatever one of the files is, and taken up again."""

import os
from pathlib import Path

import pytest
import trio
from conversation_services import KeptConversations, pause, transcript
from request_contexts import NOON_MS

from palimp_clients.claude_code import transcript as claude_code
from palimp_clients.transcripts.turn import SessionFile
from palimp_daemon.features.conversations import client_history as history_module
from palimp_daemon.features.conversations.client_history import counted_by_client, session_files
from palimp_daemon.features.conversations.transcript_reading import Transcripts
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memory_messages import Recall


def session(home: Path, name: str, *texts: str, minutes: int = 0, folder: str = "") -> Path:
    """Write a session of Claude Code's in *home*, in a project of its own; it was changed *minutes* after noon."""
    project = Path(folder) if folder else home / "code" / "one"
    if not folder:
        (project / ".git").mkdir(parents=True, exist_ok=True)
    path = home / ".claude" / "projects" / "-code-one" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(transcript(*texts, folder=str(project), session=name))
    os.utime(path, ns=((NOON_MS + minutes * 60_000) * 1_000_000,) * 2)
    return path


@pytest.fixture
def reading(kept: KeptConversations, nursery: trio.Nursery):
    """Reads everything that clients have."""

    async def read() -> None:
        await kept.history.read()
        while (await kept.history.status()).is_reading:
            await pause()

    nursery.start_soon(kept.history.run)
    return read


async def test_nothing_is_read_before_somebody_asks_for_it(kept: KeptConversations, nursery: trio.Nursery):
    session(kept.folder, "a", "one")
    nursery.start_soon(kept.history.run)
    await trio.testing.wait_all_tasks_blocked()
    status = await kept.history.status()
    assert (status.turns, status.is_reading) == (0, False)
    assert [(each.client, each.sessions) for each in status.found] == [("claude-code", 1)]
    assert not kept.path.exists()


async def test_everything_is_read_once_the_newest_first(
    kept: KeptConversations, reading, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(history_module, "AT_ONCE", 1)
    session(kept.folder, "old", "old one", minutes=1)
    session(kept.folder, "new", "new one", "new two", minutes=2)
    await reading()
    assert await kept.texts() == ["new one", "new two", "old one"]
    first = await kept.history.status()
    assert (first.turns, first.sessions, first.files, first.new_turns, first.read_files) == (3, 2, 2, 3, 2)
    assert first.read_bytes == first.bytes_to_read > 0
    await reading()
    again = await kept.history.status()
    assert (again.turns, again.to_read, again.new_turns) == (3, 0, 0)


async def test_each_session_goes_to_its_own_project(kept: KeptConversations, reading):
    session(kept.folder, "a", "alpha said")
    await reading()
    found = await kept.conversations.recall(
        Recall(kind="conversation"), kept.caller(str(kept.folder / "code" / "one"), "other")
    )
    assert [memory.title for memory in found.memories] == ["alpha said"]
    assert (await kept.conversations.recall(Recall(kind="conversation"), kept.caller("/work/other"))).total == 0


async def test_a_session_of_no_project_is_not_kept(kept: KeptConversations, reading, monkeypatch: pytest.MonkeyPatch):
    """One that ran in the home folder: nobody could ask for it."""
    monkeypatch.setenv("HOME", str(kept.folder))
    session(kept.folder, "a", "one", folder=str(kept.folder))
    await reading()
    assert await kept.texts() == []


async def test_a_session_whose_folder_is_gone_is_kept(kept: KeptConversations, reading):
    """It is found from the folder once it is there again, and erased with its project."""
    gone = kept.folder / "gone"
    session(kept.folder, "a", "one", folder=str(gone))
    await reading()
    assert await kept.texts() == ["one"]


async def test_what_a_session_of_a_hook_has_read_is_not_read_again(kept: KeptConversations, reading):
    path = session(kept.folder, "a", "one")
    await kept.read(path, kept.caller(str(kept.folder / "code" / "one")))
    await reading()
    assert await kept.texts() == ["one"]


async def test_a_project_that_is_off_is_left_out(kept: KeptConversations, reading):
    session(kept.folder, "a", "one")
    kept.off.add(str(kept.folder / "code" / "one"))
    await reading()
    assert await kept.texts() == []


async def test_one_file_that_cannot_be_read_is_told_and_the_others_are_read(kept: KeptConversations, reading):
    torn = session(kept.folder, "torn", "x", minutes=9)
    torn.write_bytes(b'{"type":"user","message":{"role"\n' + b"\xff\xfe\0" * 100)
    folder = session(kept.folder, "folder", "x", minutes=8)
    folder.unlink()
    folder.mkdir()
    (folder.parent / "link.jsonl").symlink_to("/nowhere")
    os.mkfifo(folder.parent / "pipe.jsonl")
    session(kept.folder, "good", "one")
    await reading()
    assert await kept.texts() == ["one"]
    assert str(torn) in {file.path for file in (await kept.history.status()).unread}
    torn.unlink()
    assert str(torn) not in {file.path for file in (await kept.history.status()).unread}


async def test_a_bug_in_reading_one_file_leaves_the_others_to_be_read(
    kept: KeptConversations, reading, monkeypatch: pytest.MonkeyPatch
):
    """And is told with the file's name."""
    bad = session(kept.folder, "bad", "x", minutes=9)
    session(kept.folder, "good", "one")
    original = Transcripts.read

    async def read(self: Transcripts, file: SessionFile, **given) -> int:
        if file.path == str(bad):
            raise ZeroDivisionError("of ours")
        return await original(self, file, **given)

    monkeypatch.setattr(Transcripts, "read", read)
    await reading()
    assert await kept.texts() == ["one"]
    assert [type(bug) for bug in kept.bugs] == [ZeroDivisionError]
    kept.bugs.clear()
    assert [file.path for file in (await kept.history.status()).unread] == [str(bad)]


async def test_what_the_last_daemon_did_not_finish_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for number in range(5):
        session(tmp_path, f"s{number}", f"one {number}", f"two {number}", minutes=number)
    first = KeptConversations(tmp_path)
    original, done = Transcripts.read, trio.Event()

    async def read(self: Transcripts, file: SessionFile, **given) -> int:
        if file.path.endswith("s2.jsonl"):
            done.set()
            await trio.sleep_forever()
        return await original(self, file, **given)

    with trio.fail_after(60):
        with monkeypatch.context() as patched:
            patched.setattr(Transcripts, "read", read)
            async with trio.open_nursery() as nursery:
                await first.start(nursery)
                nursery.start_soon(first.history.run)
                await first.history.read()
                await done.wait()
                nursery.cancel_scope.cancel()
        second = KeptConversations(tmp_path)
        async with trio.open_nursery() as nursery:
            await second.start(nursery)
            nursery.start_soon(second.history.run)
            while len(await second.texts()) < 10:
                await pause()
            while await second.rows("SELECT 1 FROM conversation_facts WHERE fact != ''"):
                pass
            assert sorted(await second.texts()) == sorted(f"{word} {n}" for n in range(5) for word in ("one", "two"))
            nursery.cancel_scope.cancel()
    assert first.bugs == second.bugs == []


async def test_with_keep_off_nothing_is_read_and_it_is_said(tmp_path: Path, nursery: trio.Nursery):
    session(tmp_path, "a", "one")
    kept = KeptConversations(tmp_path, PALIMP_CONVERSATIONS_KEEP="off")
    with trio.fail_after(60):
        await kept.start(nursery)
        nursery.start_soon(kept.history.run)
        with pytest.raises(PalimpError, match="keep is off") as refused:
            await kept.history.read()
        assert refused.value.code == ErrorCode.BAD_REQUEST
        with pytest.raises(PalimpError) as again:
            await kept.history.read()
        assert len(again.traceback) == len(refused.traceback)  # it keeps nothing of the time before
        assert not kept.path.exists()
        assert (await kept.history.status()).is_on is False
        nursery.cancel_scope.cancel()


async def test_what_is_too_much_goes_when_all_is_read(kept: KeptConversations, reading):
    """Not only hours later: what clients have may be many times as much as is to be kept."""
    session(kept.folder, "a", "one")
    await kept.texts()  # what is too old is looked for when it is opened, and then not for hours
    await trio.testing.wait_all_tasks_blocked()
    kept.now_ms += 800 * 86_400_000
    await reading()
    assert await kept.texts() == []


async def test_a_store_that_cannot_be_used_is_said_in_the_status(kept: KeptConversations):
    kept.path.mkdir()
    assert (await kept.history.status()).problem


def test_sessions_are_the_newest_first_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for number in (2, 1, 3):
        session(tmp_path, f"s{number}", "one", minutes=number)
    names = [Path(file.path).stem for file in session_files({"HOME": str(tmp_path)})]
    assert names == ["s3", "s2", "s1"]
    monkeypatch.setattr(history_module, "FILES_MAX", 2)
    assert [Path(file.path).stem for file in session_files({"HOME": str(tmp_path)})] == ["s3", "s2"]


def test_sessions_are_counted_by_client():
    files = [
        SessionFile("codex", "/a", 10, 5),
        SessionFile(claude_code.CLIENT, "/b", 1, 7),
        SessionFile("codex", "/c", 30, 3),
    ]
    assert [(each.client, each.sessions, each.size, each.oldest_at) for each in counted_by_client(files)] == [
        ("claude-code", 1, 1, 7),
        ("codex", 2, 40, 3),
    ]
    assert counted_by_client([]) == []


async def test_who_asks_while_it_is_read_sees_how_far_it_is(
    kept: KeptConversations, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch
):
    session(kept.folder, "a", "one")
    read, may_end = Transcripts.read, trio.Event()

    async def slowly(self: Transcripts, file: SessionFile, **given) -> int:
        await may_end.wait()
        return await read(self, file, **given)

    monkeypatch.setattr(Transcripts, "read", slowly)
    nursery.start_soon(kept.history.run)
    await kept.history.read()
    with trio.fail_after(60):
        while not (await kept.history.status()).to_read:
            await pause()
        await kept.history.read()
        status = await kept.history.status()
        assert (status.is_reading, status.to_read) == (True, 1)
        may_end.set()
        while (await kept.history.status()).is_reading:
            await pause()
    assert await kept.texts() == ["one"]
