"""Hermes' sessions: what a person typed and what the agent said, of a database as Hermes 0.19 makes it."""

import json
from pathlib import Path

import apsw
import pytest

from palimp_clients.hermes.transcript import news_of, session_files
from palimp_clients.transcript_readers import client_of, transcript_of
from palimp_clients.transcripts.turn import DONE, SAID
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

WRITTEN = Path(__file__).with_name("written")
KEY = "20261129_231552_b0bef3"


@pytest.fixture
def database(tmp_path) -> Path:
    path = tmp_path / ".hermes/state.db"
    path.parent.mkdir()
    connection = apsw.Connection(str(path))
    connection.execute((WRITTEN / "state.sql").read_text())
    connection.close()
    return path


def read(database: Path, place: Place = Place(), key: str = KEY, wanted=SAID):  # noqa: B008  a value
    return news_of(f"{database}#{key}", place, Redactor(), wanted)


def write(database: Path, statement: str, *values: object) -> None:
    connection = apsw.Connection(str(database))
    connection.execute(statement, values)
    connection.close()


def say(database: Path, role: str, content: str) -> None:
    row = "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, 1795994200.5)"
    write(database, row, KEY, role, content)


def test_a_session_is_what_was_typed_and_said_without_what_hooks_added(database):
    news = read(database)
    assert [(turn.role, turn.text) for turn in news.turns] == [("user", "Hello do it"), ("assistant", "All is done.")]
    assert (news.key, news.folder, news.is_end, news.why) == (KEY, "/work/p", True, "")
    assert news.turns[0].at_ms == 1_795_994_153_394


def test_edits_that_succeeded_are_told_with_their_files(database):
    assert [file for turn in read(database, wanted=DONE).turns for file in turn.files] == ["a.py", "b.md"]


def test_only_what_is_new_is_read_the_next_time(database):
    first = read(database)
    assert read(database, first.place).turns == []
    say(database, "user", '\0json:[{"type": "text", "text": "And a picture"}, {"type": "image_url"}]')
    say(database, "assistant", "Seen.")
    assert [turn.text for turn in read(database, first.place).turns] == ["And a picture", "Seen."]


@pytest.mark.parametrize("change", ["active = 0", "observed = 1"])
def test_what_was_taken_back_or_only_overheard_is_not_read(database, change: str):
    say(database, "user", "Not this")
    write(database, f"UPDATE messages SET {change} WHERE content = 'Not this'")
    assert "Not this" not in [turn.text for turn in read(database).turns]


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ("SQLite, it is one file", ["Which database?\nSQLite, it is one file"]),
        (["SQLite", "Redis"], ["Which database?\nSQLite, Redis"]),
        ("The user did not provide a response within the time limit. Use your best judgement.", []),
        ("", []),
    ],
)
def test_an_answer_to_the_agents_question_is_the_users(database, response, told: list[str]):
    call = {"id": "c9", "function": {"name": "clarify", "arguments": '{"question": "Which database?"}'}}
    row = "INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES (?, 'assistant', ?, 1795994200.5)"
    write(database, row, KEY, json.dumps([call]))
    result = {"question": "Which database?", "choices_offered": ["SQLite"], "user_response": response}
    row = "INSERT INTO messages (session_id, role, content, tool_call_id, timestamp) VALUES (?, 'tool', ?, 'c9', 1)"
    write(database, row, KEY, json.dumps(result))
    assert [turn.text for turn in read(database).turns if turn.role == "user"] == ["Hello do it", *told]


def test_a_summary_of_turns_is_no_turn(database):
    say(database, "user", "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted")
    assert len(read(database).turns) == 2


def test_sessions_of_subagents_and_of_the_scheduler_are_not_a_persons(database, tmp_path):
    [found] = session_files(tmp_path, {})
    assert found.path == f"{database}#{KEY}"
    assert client_of(found.path) == "hermes"
    assert transcript_of("hermes", KEY, "/work/p", {"HOME": str(tmp_path)}) == found.path
    write(database, "UPDATE sessions SET source = 'subagent'")
    assert list(session_files(tmp_path, {})) == []
    assert read(database).turns == []


def test_a_session_that_is_gone_and_a_file_that_is_no_database_are_said(database):
    assert "no session 'x'" in read(database, key="x").why
    database.write_bytes(b"no database at all")
    assert str(database) in read(database).why
