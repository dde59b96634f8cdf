"""Kimi Code's sessions: what a person typed and what the agent said, in a file as Kimi Code 2.1 writes it."""

import json
from pathlib import Path

import pytest

from palimp_clients.transcript_readers import CLIENTS, client_of, transcript_of
from palimp_clients.transcripts.turn import DONE, SAID
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

news_of = CLIENTS["kimi"].news_of

WRITTEN = Path(__file__).with_name("written") / "wire.jsonl"
KEY = "session_34740218-52a8-46f7-ab7b-8da35a6a8f3f"


@pytest.fixture
def session(tmp_path) -> Path:
    folder = tmp_path / ".kimi-code/sessions/wd_p_23bfd440a02a" / KEY
    (folder / "agents/main").mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps({"id": KEY, "cwd": "/work/p"}))
    path = folder / "agents/main/wire.jsonl"
    path.write_bytes(WRITTEN.read_bytes())
    return path


def read(path: Path, wanted=SAID):
    return news_of(str(path), Place(), Redactor(), wanted)


def test_a_prompt_counts_once_and_what_hooks_and_reminders_say_is_nobodys(session):
    news = read(session)
    assert [(turn.role, turn.text) for turn in news.turns] == [("user", "Hello do it"), ("assistant", "All is done.")]
    assert (news.key, news.folder, news.is_end, news.why) == (KEY, "/work/p", True, "")


def test_edits_that_succeeded_are_told_with_their_files(session):
    assert [file for turn in read(session, DONE).turns for file in turn.files] == ["a.py"]


def test_a_session_whose_state_is_gone_is_read_without_its_folder(session):
    (session.parents[2] / "state.json").write_text("{")
    news = read(session)
    assert (news.folder, len(news.turns)) == ("", 2)


def test_only_the_main_agents_session_is_found_by_its_id_and_place(session, tmp_path):
    other = session.parents[1] / "agent-1/wire.jsonl"
    other.parent.mkdir()
    other.write_bytes(WRITTEN.read_bytes())
    assert [found.path for found in CLIENTS["kimi"].session_files(tmp_path, {})] == [str(session)]
    elsewhere = {"KIMI_CODE_HOME": str(tmp_path / ".kimi-code")}
    assert [found.path for found in CLIENTS["kimi"].session_files(Path("/nowhere"), elsewhere)] == [str(session)]
    assert transcript_of("kimi", KEY, "/work/p", {"HOME": str(tmp_path)}) == str(session)
    assert client_of(str(session)) == "kimi"
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(WRITTEN.read_bytes())
    assert client_of(str(copy)) == "kimi"
