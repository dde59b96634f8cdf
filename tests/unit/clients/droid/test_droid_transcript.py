"""Factory droid's sessions: what a person typed and what the agent said, in a file as droid 0.215 writes it."""

import json
from pathlib import Path

import pytest

from palimp_clients.transcript_readers import CLIENTS, client_of, said_in_text, transcript_of
from palimp_clients.transcripts.turn import DONE, SAID
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

news_of = CLIENTS["droid"].news_of

WRITTEN = Path(__file__).with_name("written") / "session.jsonl"
KEY = "edf7e453-0bfa-4285-9bd2-ff8c3d7f39c2"


@pytest.fixture
def session(tmp_path) -> Path:
    path = tmp_path / f".factory/sessions/-work-p/{KEY}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(WRITTEN.read_bytes())
    return path


def read(path: Path, wanted=SAID):
    return news_of(str(path), Place(), Redactor(), wanted)


def test_a_session_is_what_was_typed_and_said_without_reminders_and_hooks(session):
    news = read(session)
    assert [(turn.role, turn.text) for turn in news.turns] == [("user", "Hello do it"), ("assistant", "All is done.")]
    assert (news.key, news.folder, news.is_end, news.why) == (KEY, "/work/p", True, "")


def test_a_message_that_is_one_text_is_read(session):
    with session.open("a") as stream:
        stream.write(
            json.dumps({"type": "message", "id": "m9", "message": {"role": "user", "content": "One more"}}) + "\n"
        )
    assert [turn.text for turn in read(session).turns] == ["Hello do it", "All is done.", "One more"]


def test_only_edits_that_succeeded_are_told(session):
    call = {"type": "tool_use", "id": "c", "name": "Edit", "input": {"file_path": "/work/p/c.py"}}
    result = {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": "no such text"}
    with session.open("a") as stream:
        for role, part in (("assistant", call), ("user", result)):
            stream.write(
                json.dumps({"type": "message", "id": role, "message": {"role": role, "content": [part]}}) + "\n"
            )
    assert [file for turn in read(session, DONE).turns for file in turn.files] == ["/work/p/b.md"]


def test_a_session_is_found_by_its_id_and_known_by_its_place_or_its_lines(session, tmp_path):
    assert [found.path for found in CLIENTS["droid"].session_files(tmp_path, {})] == [str(session)]
    assert transcript_of("droid", KEY, "/work/p", {"HOME": str(tmp_path)}) == str(session)
    assert client_of(str(session)) == "droid"
    given = said_in_text(WRITTEN.read_text(), Redactor())
    assert given is not None
    assert (given.client, given.key, len(given.turns)) == ("droid", KEY, 2)
