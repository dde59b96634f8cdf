"""What capture reads of a session: what was said since it was looked at last, whichever client it ran in."""

import json
import os
from pathlib import Path

import apsw
import pytest
from recorded_sessions import WRITTEN

from palimp_clients.transcripts.turn import MESSAGE_CHARACTERS_MAX
from palimp_clients.transcripts.whole_lines import HEAD_BYTES, MESSAGE_LINE_BYTES_MAX, READ_BYTES_MAX, Place
from palimp_daemon.features.capture import session_reading
from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.features.capture.session_reading import BEFORE_BYTES, News, news_since, said_in, said_in_file
from palimp_daemon.store.tables.sessions.transcript_rows import Transcript
from palimp_daemon.text.messages import Message
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.session_summary import Digest


def news_of(path: str, place: Place, _: Redactor) -> News:
    return news_since(Transcript(path, place, Digest()), "claude-code", Redactor())


def looks(path: str, *, client: str = "", news: News | None = None) -> News:
    """Return what is new since *news*, as a daemon remembers it."""
    known = Transcript(path, news.place, news.digest) if news else Transcript(path, Place(), Digest())
    return news_since(known, client, Redactor())


def written(tmp_path, *entries) -> str:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" if isinstance(entry, dict) else entry for entry in entries))
    return str(path)


def said(kind: str, content, **more) -> dict:
    return {"type": kind, "message": {"role": kind, "content": content}, **more}


PADDING = {"type": "padding", "text": "x" * HEAD_BYTES}


def texts(news) -> list[str]:
    return [message.text for message in news.messages]


def test_a_transcript_is_read_on_from_where_it_was_read_last(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"))
    first = news_of(path, Place(), Redactor())
    with Path(path).open("a") as file:
        file.write(json.dumps(said("user", "two")) + "\n")
    second = news_of(path, first.place, Redactor())
    assert (texts(first), texts(second)) == (["one"], ["two"])
    assert news_of(path, second.place, Redactor()).messages == []


def test_half_a_line_is_left_for_the_next_time(tmp_path):
    whole = json.dumps(said("user", "two")) + "\n"
    path = written(tmp_path, PADDING, said("user", "one"), whole[:20])
    first = news_of(path, Place(), Redactor())
    with Path(path).open("a") as file:
        file.write(whole[20:])
    assert (texts(first), texts(news_of(path, first.place, Redactor()))) == (["one"], ["two"])


def test_another_file_in_its_place_is_read_from_its_beginning(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"))
    place = news_of(path, Place(), Redactor()).place
    written(tmp_path, {"type": "other"}, PADDING, said("user", "new"), said("user", "newer"))
    assert texts(news_of(path, place, Redactor())) == ["new", "newer"]


def test_a_file_that_was_cut_is_read_from_its_beginning(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one"), said("user", "two"))
    place = news_of(path, Place(), Redactor()).place
    written(tmp_path, PADDING, said("user", "one"))
    assert texts(news_of(path, place, Redactor())) == ["one"]


def test_a_line_that_is_too_long_for_a_message_is_passed_over_and_counted(tmp_path):
    path = written(tmp_path, PADDING, said("user", "x" * MESSAGE_LINE_BYTES_MAX), said("user", "one"))
    news = news_of(path, Place(), Redactor())
    assert (texts(news), news.too_long, news.is_end) == (["one"], 1, True)
    assert news_of(path, news.place, Redactor()).too_long == 0


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 150_000}}


def test_the_words_beside_a_picture_of_megabytes_are_read(tmp_path):
    """In the message and behind it; and for the last words, too."""
    path = written(
        tmp_path,
        PADDING,
        said("user", [PICTURE, {"type": "text", "text": "make it look like this"}]),
        said("user", [{"type": "tool_result", "content": [PICTURE]}], toolUseResult={"file": PICTURE}),
        said("assistant", "Done."),
    )
    assert texts(news_of(path, Place(), Redactor())) == ["make it look like this", "Done."]


def test_of_a_pasted_log_beginning_and_end_are_kept(tmp_path):
    log = "2026-01-01T00:00:00 INFO nothing\n" * 20_000
    path = written(tmp_path, said("user", f"Never log at level debug.\n{log}\nFix that."))
    [text] = texts(news_of(path, Place(), Redactor()))
    assert text.startswith("Never log at level debug.")
    assert text.endswith("Fix that.")
    assert len(text) <= MESSAGE_CHARACTERS_MAX
    assert [extract.quote for extract in extracts_of([Message("user", text)])] == ["Never log at level debug."]


def test_a_transcript_longer_than_a_slice_is_read_in_slices(tmp_path):
    """No line is lost or read twice where one ends and the next begins."""
    line = json.dumps(said("user", [PICTURE, {"type": "text", "text": "once"}])) + "\n"
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(PADDING) + "\n" + line * (READ_BYTES_MAX // len(line) + 3))
    place, counts = Place(), []
    while True:
        news = news_of(str(path), place, Redactor())
        place = news.place
        counts.append(len(news.messages))
        if news.is_end:
            break
    assert len(counts) > 1
    assert sum(counts) == READ_BYTES_MAX // len(line) + 3


def test_a_transcript_that_cannot_be_read_has_no_news(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    place = Place(5, "x")
    for path in ("missing", "pipe", ""):
        assert news_of(str(tmp_path / path), place, Redactor()) == News([], place, [], Digest(), is_whole=False)


def test_of_a_file_that_took_the_place_of_another_nothing_else_is_told(tmp_path):
    first = looks(written(tmp_path, PADDING, said("user", "eins zwei drei"), said("user", "four five six")))
    path = written(tmp_path, {"type": "other"}, PADDING, said("user", "sieben acht neun"))
    second = looks(path, client="claude-code", news=first)
    assert (second.digest.requests, second.digest.first, second.before) == (1, ["sieben acht neun"], [])


# --- every client ---------------------------------------------------------------------------------

FIRST, SECOND = "drop the retry helper.", "And now a second question?"
REMOVED = "The retry helper hides outages: I removed it."
LOOKING = "I look at the folder first."

SESSIONS = {
    "codex": ("rollout-x.jsonl", "codex.jsonl"),
    "copilot": ("events.jsonl", "copilot.jsonl"),
    "gemini": ("session-x.jsonl", "gemini.jsonl"),
    "qwen": ("q.jsonl", "qwen.jsonl"),
}


@pytest.fixture
def session(tmp_path):
    """Returns the path of a session as a client wrote it: a request, a tool's call, an answer, a second request."""

    def put(client: str) -> str:
        if client == "opencode":
            connection = apsw.Connection(str(tmp_path / "opencode.db"))
            connection.execute(WRITTEN["opencode.sql"].read_text())
            connection.close()
            return f"{tmp_path}/opencode.db#ses_de528d76effefIeq5gKMX7mhWW"
        name, source = SESSIONS[client]
        (tmp_path / name).write_bytes(WRITTEN[source].read_bytes())
        return str(tmp_path / name)

    return put


@pytest.mark.parametrize("client", [*SESSIONS, "opencode"])
def test_a_session_of_every_client_is_looked_at(session, client):
    """What a person typed and what the agent said, and nothing of a tool's output; in the end there is nothing new."""
    path = session(client)
    news = looks(path, client=client)
    said = [(each.role, each.text) for each in news.messages]
    assert [(role, text.endswith((FIRST, SECOND))) for role, text in said if role == "user"] == [("user", True)] * 2
    assert {text for role, text in said if role == "assistant"} == {LOOKING, REMOVED}
    assert (news.digest.requests, news.digest.statement) == (2, REMOVED)
    again = looks(path, client=client, news=news)
    assert (again.messages, again.place, again.digest) == ([], news.place, news.digest)


@pytest.mark.parametrize("client", SESSIONS)
def test_a_session_cut_at_every_line_is_looked_at_in_two_parts_as_in_one(session, client):
    """Nothing is lost and nothing counts twice, and what was said before the cut is known in full."""
    path = Path(session(client))
    whole = looks(str(path), client=client)
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(len(lines)):
        path.write_bytes(b"".join(lines[:count]))
        first = looks(str(path), client=client)
        path.write_bytes(b"".join(lines))
        second = looks(str(path), client=client, news=first)
        assert [*first.messages, *second.messages] == whole.messages
        assert second.digest == whole.digest


@pytest.mark.parametrize("client", SESSIONS)
def test_a_session_torn_anywhere_is_survived(session, client):
    path = Path(session(client))
    data = path.read_bytes()
    whole = looks(str(path), client=client).messages
    for end in range(0, len(data), 997):
        path.write_bytes(data[:end])
        found = looks(str(path), client=client).messages
        assert found == whole[: len(found)]


def test_a_file_of_nobody_says_nothing(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"type": "note", "text": "We decided to use floats from now on."}\n')
    news = looks(str(tmp_path / "x.jsonl"), client="cursor")
    assert (news.messages, news.place) == ([], Place())


# --- what was said before -------------------------------------------------------------------------

QUESTION = f"Il y a deux voies. {'Voici le détail de la première. ' * 40}Faut-il garder les entiers, ou les flottants ?"


def test_what_was_said_before_is_known_in_full(tmp_path):
    """What a person chose is told by how the question ended, and only its beginning is remembered."""
    path = written(tmp_path, PADDING, said("user", "最初の依頼 です お願い"), said("assistant", QUESTION))
    first = looks(path)
    with Path(path).open("a") as file:
        file.write(json.dumps(said("user", "Les entiers, parce que les flottants perdent un centime.")) + "\n")
    second = looks(path, news=first)
    assert second.before == [Message("user", "最初の依頼 です お願い"), Message("assistant", QUESTION)]


def test_what_was_erased_does_not_come_back(tmp_path):
    path = written(tmp_path, PADDING, said("user", "one two three"), said("assistant", QUESTION))
    first = looks(path)
    with Path(path).open("a") as file:
        file.write(json.dumps(said("user", "Les entiers.")) + "\n")
    erased = first._replace(digest=first.digest.without(lambda text: text.startswith("Il y a")))
    assert looks(path, news=erased).before == [Message("user", "one two three")]


def test_what_was_said_too_far_before_is_known_as_it_is_remembered(tmp_path):
    output = said("user", [{"type": "tool_result", "content": "x" * BEFORE_BYTES}])
    path = written(tmp_path, PADDING, said("user", "one two three"), said("assistant", QUESTION), output)
    first = looks(path)
    with Path(path).open("a") as file:
        file.write(json.dumps(said("user", "Les entiers.")) + "\n")
    [_, statement] = looks(path, news=first).before
    assert (statement.text[-1], QUESTION.startswith(statement.text[:-1])) == ("…", True)


# --- a text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", SESSIONS)
def test_a_clients_transcript_given_as_text_is_read_as_one(session, client):
    text = Path(session(client)).read_text()
    assert said_in(f"\n{text}", Redactor()).messages == looks(session(client), client=client).messages


def test_a_session_that_is_one_document_is_read_as_one():
    messages = [
        {"id": "1", "type": "user", "content": "Храним деньги в копейках."},
        {
            "id": "2",
            "type": "gemini",
            "content": "",
            "toolCalls": [{"name": "replace", "args": {"file_path": "/p/a.py"}}],
        },
        {"id": "3", "type": "gemini", "content": [{"text": "Готово."}, {"functionResponse": {"output": "We decided"}}]},
    ]
    document = {"sessionId": "s", "projectHash": "p", "messages": messages}
    expected = [
        Message("user", "Храним деньги в копейках."),
        Message("assistant", "", ("/p/a.py",)),
        Message("assistant", "Готово."),
    ]
    assert said_in(json.dumps(document, indent=2), Redactor()).messages == expected
    assert said_in(json.dumps({**document, "kind": "subagent"}), Redactor()).messages == []


def test_lines_of_json_that_no_client_writes_are_not_what_a_person_said():
    assert said_in('{"level": "info", "msg": "We decided to use floats from now on."}\n', Redactor()).messages == []
    assert said_in("{not json}\nUser: one", Redactor()).messages == [
        Message("user", "{not json}"),
        Message("user", "one"),
    ]


# --- a file ---------------------------------------------------------------------------------------

GIGABYTES = 64 * 1024**3
"""A file that is read whole does not come back, and one that is kept whole has no room."""


def test_of_a_file_of_many_gigabytes_the_end_is_read(tmp_path):
    path = tmp_path / "talk.txt"
    with path.open("wb") as file:
        file.seek(GIGABYTES)  # a hole, which takes no room on the disk
        file.write("\nUser: we keep money in cents\nAssistant: d'accord, zapisano 了\n".encode())
    said = said_in_file(str(path), Redactor())
    assert said.messages == [
        Message("user", "we keep money in cents"),
        Message("assistant", "d'accord, zapisano 了"),
    ]
    assert len(said.notes) == 1


def test_of_a_long_transcript_the_last_that_was_said_is_looked_at_whatever_tools_printed(tmp_path, monkeypatch):
    monkeypatch.setattr(session_reading, "CAPTURE_CHARACTERS_MAX", 5_000)
    output = said("user", [{"type": "tool_result", "content": "a line of a log\n" * 5_000}])
    requests = [said("user", f"request {number:04}: {'Größe ' * 10}") for number in range(200)]
    path = written(tmp_path, *(each for request in requests for each in (request, output)))
    found = said_in_file(path, Redactor())
    characters = sum(len(message.text) for message in found.messages)
    assert found.messages[-1].text.startswith("request 0199")
    assert 4_900 < characters <= 5_000
    assert f"{characters:,} characters" in found.notes[0]


def test_of_a_transcript_that_fits_nothing_is_left_out(tmp_path):
    path = written(tmp_path, *(said("user", f"request {number}") for number in range(50)))
    found = said_in_file(path, Redactor())
    assert (len(found.messages), found.notes) == (50, [])


def test_of_one_very_long_line_the_end_is_looked_at(tmp_path, monkeypatch):
    """And the note says how much that was."""
    monkeypatch.setattr(session_reading, "CAPTURE_CHARACTERS_MAX", 60)
    path = tmp_path / "said.txt"
    path.write_text("word " * 100 + "We use uv.", encoding="utf-8")
    said = said_in_file(str(path), Redactor())
    assert "We use uv." in "".join(message.text for message in said.messages)
    assert "last 60 characters" in "".join(said.notes)
