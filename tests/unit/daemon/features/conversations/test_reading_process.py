"""Transcripts are read in a process of their own as they are in this one, and no file ends more than its process."""

import sys
from pathlib import Path

import pytest
import trio
from conversation_services import transcript

from palimp_clients.claude_code import transcript as claude_code
from palimp_clients.transcripts.folders import session_file
from palimp_clients.transcripts.turn import SessionFile
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.features.conversations.reading_process import ReaderFailedError, ReadingProcess, read_in_thread
from palimp_daemon.features.conversations.reading_worker import with_words
from palimp_daemon.runtime.child_process import ChildProcess
from palimp_daemon.runtime.log import Log
from palimp_daemon.text.redact import Redactor

DEADLINE_S = 60
"""Seconds that a test may take on a loaded machine."""

SAID = ("Grüße, 日本語, \ud83d half", "The token is tok-12345.", "\u202e 👩‍💻 \x00")


@pytest.fixture
def file(tmp_path: Path) -> SessionFile:
    path = tmp_path / "a.jsonl"
    path.write_text(transcript(*SAID, folder=str(tmp_path), session="s1"))
    found = session_file(claude_code.CLIENT, str(path))
    assert found is not None
    return found


@pytest.fixture
async def reader():
    with trio.fail_after(DEADLINE_S):
        async with ReadingProcess(Redactor(["tok-[0-9]+"]), Log("critical")) as process:
            yield process


async def test_it_says_what_is_said_in_this_process(reader: ReadingProcess, file: SessionFile):
    """Also where a text is no text, and with what the user's own patterns redact."""
    news = await reader.news_of(file, Place())
    here = await read_in_thread(file, Place(), Redactor(["tok-[0-9]+"]))
    assert news == here._replace(turns=[with_words(turn) for turn in here.turns])
    assert len(news.turns) == len(SAID)
    assert "tok-12345" not in str(news.turns)
    assert (await reader.news_of(file, news.place)).turns == []


async def test_a_process_that_was_killed_is_replaced(reader: ReadingProcess, file: SessionFile):
    first = await reader.news_of(file, Place())
    assert reader._child is not None
    reader._child.process.kill()
    await reader._child.process.wait()
    assert await reader.news_of(file, Place()) == first


async def test_a_file_that_ends_every_process_is_said_to_be_unreadable(
    reader: ReadingProcess, file: SessionFile, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        receive = ChildProcess.receive

        async def killed(self: ChildProcess, lane: int, bytes_max: int) -> object:
            self.process.kill()
            await self.process.wait()
            return await receive(self, lane, 0)

        patched.setattr(ChildProcess, "receive", killed)
        news = await reader.news_of(file, Place(3, "x"))
    assert (news.turns, news.place, news.is_end) == ([], Place(3, "x"), True)
    assert file.path in news.why
    assert (await reader.news_of(file, Place())).turns


async def test_a_bug_in_reading_is_told_with_where_it_was(reader: ReadingProcess, file: SessionFile):
    """The process goes on."""
    with pytest.raises(ReaderFailedError, match="KeyError: 'nobody'") as caught:
        await reader.news_of(file._replace(client="nobody"), Place())
    assert "reading_worker" in caught.value.__notes__[0]
    assert (await reader.news_of(file, Place())).turns


async def test_without_a_process_it_is_read_in_this_one(
    reader: ReadingProcess, file: SessionFile, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert len((await reader.news_of(file, Place())).turns) == len(SAID)


async def test_who_gives_up_waiting_takes_no_other_file_its_answer(
    reader: ReadingProcess, file: SessionFile, tmp_path: Path
):
    other = tmp_path / "b.jsonl"
    other.write_text(transcript("other", folder=str(tmp_path), session="s2"))
    found = session_file(claude_code.CLIENT, str(other))
    assert found is not None
    await reader.news_of(file, Place())
    with trio.CancelScope() as scope:
        scope.cancel()
        await reader.news_of(file, Place())
    assert [turn.text for turn in (await reader.news_of(found, Place())).turns] == ["other"]
