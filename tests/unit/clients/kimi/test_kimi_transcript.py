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


def add(session: Path, *records: dict) -> None:
    with session.open("a") as stream:
        stream.writelines(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def typed(text: str, record: str = "turn.prompt", **origin: str) -> dict:
    return {"type": record, "input": [{"type": "text", "text": text}], "origin": {"kind": "user", **origin}, "time": 1}


def users(session: Path) -> list[str]:
    return [turn.text for turn in read(session).turns if turn.role == "user"]


def test_what_is_typed_while_the_agent_works_is_the_users_and_a_notification_is_not(session):
    add(session, typed("No, with pnpm", "turn.steer"), typed("Task b1 ended", "turn.steer", kind="background_task"))
    assert users(session) == ["Hello do it", "No, with pnpm"]


def test_of_a_slash_command_what_stands_behind_it_is_the_users(session):
    skill = {"kind": "skill_activation", "trigger": "user-slash", "skillName": "pdf", "skillArgs": "one for each month"}
    plugin = {**skill, "kind": "plugin_command", "commandName": "x", "commandArgs": "never log card numbers"}
    add(session, typed("# PDF\nNever crop", **skill), typed("# X", **plugin))
    add(session, typed("# PDF\nNever crop", **{**skill, "trigger": "model-tool"}))
    assert users(session) == ["Hello do it", "one for each month", "never log card numbers"]


def test_requests_that_are_undone_are_taken_back_with_what_followed(session):
    add(session, typed("Second"), typed("more of it", "turn.steer"), typed("Third"))
    add(session, {"type": "context.undo", "count": 2}, typed("Instead"))
    assert users(session) == ["Hello do it", "Instead"]


def test_a_request_that_is_undone_after_a_look_is_taken_back_then(session):
    add(session, typed("Second"))
    first = read(session)
    add(session, {"type": "context.undo", "count": 1}, typed("Instead"))
    then = news_of(str(session), first.place, Redactor())
    assert [turn.text for turn in then.turns] == ["Instead"]
    assert [turn.text for turn in then.taken_back] == ["Second"]


def test_an_undo_of_more_than_there_is_takes_all_back(session):
    add(session, {"type": "context.undo", "count": 9_000_000_000_000_000})
    assert read(session).turns == []


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
