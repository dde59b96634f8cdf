"""pi's sessions: what a person typed and what the agent said, in a file as pi 1.6 writes it."""

import json
from pathlib import Path

import pytest

from palimp_clients.transcript_readers import CLIENTS, client_of, said_in_text, transcript_of
from palimp_clients.transcripts.turn import DONE, SAID
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

news_of = CLIENTS["pi"].news_of

WRITTEN = Path(__file__).with_name("written") / "session.jsonl"
KEY = "01a229ad-828c-70b8-9f04-f9d3a816d433"
SAID_THERE = [("user", "Hello do it"), ("assistant", "All is done.")]


@pytest.fixture
def session(tmp_path) -> Path:
    path = tmp_path / f".pi/agent/sessions/--work-p--/2026-11-29T23-39-26-733Z_{KEY}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(WRITTEN.read_bytes())
    return path


def read(path: Path, place: Place = Place(), wanted=SAID):  # noqa: B008  a value
    return news_of(str(path), place, Redactor(), wanted)


def test_a_session_is_what_was_typed_and_said_without_what_extensions_added(session):
    news = read(session)
    assert [(turn.role, turn.text) for turn in news.turns] == SAID_THERE
    assert (news.key, news.folder, news.is_end, news.why) == (KEY, "/work/p", True, "")


def test_edits_that_succeeded_are_told_with_their_files(session):
    assert [file for turn in read(session, wanted=DONE).turns for file in turn.files] == ["a.py", "b.md"]


def test_a_result_counts_for_a_call_that_was_read_before(session):
    lines = WRITTEN.read_bytes().splitlines(keepends=True)
    calling = next(number for number, line in enumerate(lines) if b'"name":"write"' in line)
    session.write_bytes(b"".join(lines[: calling + 1]))
    place = read(session, wanted=DONE).place
    session.write_bytes(WRITTEN.read_bytes())
    assert [file for turn in read(session, place, DONE).turns for file in turn.files] == ["b.md"]


def test_a_failed_edit_and_a_text_that_is_no_list_of_parts_are_understood(session):
    with session.open("a") as stream:
        for message in (
            {
                "role": "assistant",
                "content": [{"type": "toolCall", "id": "c", "name": "write", "arguments": {"path": "c"}}],
            },
            {"role": "toolResult", "toolCallId": "c", "isError": True, "content": []},
            {"role": "user", "content": "And in one text"},
        ):
            stream.write(
                json.dumps({"type": "message", "parentId": "x", "message": {**message, "timestamp": 1}}) + "\n"
            )
    turns = read(session, wanted=DONE).turns
    assert [file for turn in turns for file in turn.files] == ["a.py", "b.md"]
    assert turns[-1].text == "And in one text"


def test_a_session_is_found_by_its_id_and_known_by_its_place_or_its_lines(session, tmp_path):
    assert [found.path for found in CLIENTS["pi"].session_files(tmp_path, {})] == [str(session)]
    assert transcript_of("pi", KEY, "/work/p", {"HOME": str(tmp_path)}) == str(session)
    assert client_of(str(session)) == "pi"
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(WRITTEN.read_bytes())
    assert client_of(str(copy)) == "pi"
    given = said_in_text(WRITTEN.read_text(), Redactor())
    assert given is not None
    assert (given.client, given.key, len(given.turns)) == ("pi", KEY, 2)
