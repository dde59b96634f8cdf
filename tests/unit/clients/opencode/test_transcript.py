"""OpenCode's sessions: what a person typed and what the agent said, of a database as OpenCode makes it."""

import json
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from palimp_clients.opencode import transcript as opencode
from palimp_clients.opencode.transcript import news_of, session_files
from palimp_clients.transcripts import foreign_database
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

WRITTEN = Path(__file__).with_name("written")
KEY = "ses_de528d76effefIeq5gKMX7mhWW"


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / ".local/share/opencode"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def database(folder) -> Path:
    """The database of two sessions and a subagent's, closed, without a log."""
    path = folder / "opencode.db"
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute((WRITTEN / "opencode.sql").read_text())
    connection.close()
    return path


@pytest.fixture
def writer(database) -> Iterator[apsw.Connection]:
    """OpenCode, with the database open: through the same library, which knows of both that they are in one process."""
    connection = apsw.Connection(str(database))
    yield connection
    connection.close()


def read(database: Path, place: Place = Place(), key: str = KEY):  # noqa: B008  a value
    return news_of(f"{database}#{key}", place, Redactor())


def texts(news) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in news.turns]


def say(writer: apsw.Connection, number: int, role: str, *parts: dict, **more) -> None:
    at = 1_795_746_700_000 + number
    data = {"role": role, "time": {"created": at, **({"completed": at} if role == "assistant" else {})}, **more}
    writer.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (f"msg_{number}", KEY, at, at, json.dumps(data)))
    for index, part in enumerate(parts):
        row = (f"prt_{number}_{index}", f"msg_{number}", KEY, at, at, json.dumps(part))
        writer.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)


def text(said: str, **more) -> dict:
    return {"type": "text", "text": said, **more}


def test_a_session_as_opencode_keeps_it_is_read(database):
    news = read(database)
    assert texts(news) == [
        ("user", "Please look at @AGENTS.md and drop the retry helper."),
        ("assistant", "I look at the folder first."),
        ("assistant", "The retry helper hides outages: I removed it."),
        ("user", "And now a second question?"),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]
    assert (news.key, news.folder, news.is_end, news.why) == (KEY, "/home/user/project", True, "")
    assert news.turns[0].at_ms == 1_795_746_638_151
    assert texts(read(database, news.place)) == []


def test_a_database_that_nobody_has_open_is_read_without_leaving_anything(database):
    before = (database.read_bytes(), sorted(database.parent.iterdir()))
    list(session_files(database.parents[3], {}))
    read(database)
    assert (database.read_bytes(), sorted(database.parent.iterdir())) == before


def test_what_opencode_just_wrote_is_read_from_its_log(writer, database):
    place = read(database).place
    say(writer, 1, "user", text("one more"))
    say(writer, 2, "assistant", text("Done."))
    assert texts(read(database, place)) == [("user", "one more"), ("assistant", "Done.")]


def test_a_message_that_is_being_written_waits(writer, database):
    """A message is there before its parts are."""
    place = read(database).place
    say(writer, 1, "user")
    assert read(database, place).place == place
    writer.execute("INSERT INTO part VALUES ('p', 'msg_1', ?, 0, 0, ?)", (KEY, json.dumps(text("slow"))))
    say(writer, 2, "assistant", text("I beg"), time={"created": 1})
    news = read(database, place)
    assert texts(news) == [("user", "slow")]
    writer.execute("UPDATE part SET data = ? WHERE id = 'prt_2_0'", (json.dumps(text("I begin.")),))
    writer.execute("UPDATE message SET data = json_set(data, '$.time.completed', 7) WHERE id = 'msg_2'")
    assert texts(read(database, news.place)) == [("assistant", "I begin.")]


def test_an_answer_that_failed_is_read(writer, database):
    place = read(database).place
    say(writer, 1, "assistant", text("I got so far."), time={"created": 1}, error={"name": "MessageAbortedError"})
    assert texts(read(database, place)) == [("assistant", "I got so far.")]


def test_what_the_client_says_and_thinks_is_left_out(writer, database):
    place = read(database).place
    say(writer, 1, "user", text("typed"), text("by the client", synthetic=True), text("unseen", ignored=True))
    say(writer, 2, "user", text("<system-reminder>x</system-reminder>"), {"type": "compaction", "auto": True})
    say(writer, 3, "assistant", text("a summary of all that was said"), summary=True)
    say(writer, 4, "assistant", {"type": "reasoning", "text": "hm"}, text("One."), {"type": "tool"}, text("Two."))
    say(writer, 5, "assistant", {"type": "tool", "state": {"output": "x"}})
    assert texts(read(database, place)) == [("user", "typed"), ("assistant", "One.\n\nTwo.")]


def test_a_subagents_session_is_not_listed_and_says_nothing(database):
    child = "ses_de527bfa6ffeSRLZmV92PDrL4r"
    assert child not in {file.path.partition("#")[2] for file in session_files(database.parents[3], {})}
    assert read(database, key=child).turns == []


def test_a_long_session_is_read_in_parts(writer, database, monkeypatch):
    monkeypatch.setattr(opencode, "MESSAGES_MAX", 3)
    place, found, rounds = read(database).place, [], 0
    place = Place()
    for number in range(1, 8):
        say(writer, number, "assistant", text(f"turn {number}"))
    while True:
        news = read(database, place)
        found += [turn.text for turn in news.turns]
        place, rounds = news.place, rounds + 1
        if news.is_end:
            break
    assert found[-7:] == [f"turn {number}" for number in range(1, 8)]
    assert (len(found), rounds) == (12, 4)


def test_large_parts_end_a_round_early(writer, database, monkeypatch):
    monkeypatch.setattr(opencode, "READ_BYTES_MAX", 1000)
    place = read(database).place
    for number in range(1, 5):
        say(writer, number, "assistant", text("x" * 800))
    assert not read(database, place).is_end


def test_messages_of_one_moment_are_all_read(writer, database):
    place = read(database).place
    for number in (1, 2, 3):
        say(writer, number, "assistant", text(f"turn {number}"))
    writer.execute("UPDATE message SET time_created = 1795746700009 WHERE id IN ('msg_1', 'msg_2')")
    writer.execute("DELETE FROM message WHERE id = 'msg_3'")
    first = read(database, place)
    say(writer, 9, "assistant", text("turn 9"))
    assert [turn.text for news in (first, read(database, first.place)) for turn in news.turns] == [
        "turn 1",
        "turn 2",
        "turn 9",
    ]


@pytest.mark.parametrize("spaces", [None, (",", ":")])
def test_what_tools_gave_is_not_even_loaded(writer, database, monkeypatch, spaces):
    """Megabytes of it would be, for one message of a few words."""
    seen: list[bytes] = []
    real = opencode._bytes
    monkeypatch.setattr(opencode, "_bytes", lambda value: seen.append(value) or real(value))
    place = read(database).place
    parts = [{"type": "tool", "state": {"output": f'a log of "type":"text" {number}'}} for number in range(50)]
    say(writer, 1, "assistant", *parts, text("Done."))
    writer.execute("UPDATE part SET data = ? WHERE id = 'prt_1_50'", (json.dumps(text("Done."), separators=spaces),))
    assert texts(read(database, place)) == [("assistant", "Done.")]
    assert not [data for data in seen if b"a log" in data]


def test_a_message_of_more_than_any_has_is_read_as_far_as_the_bounds(writer, database, monkeypatch):
    place = read(database).place
    say(writer, 1, "assistant", *(text(f"part {number}") for number in range(5)))
    monkeypatch.setattr(opencode, "PARTS_MAX", 3)
    assert texts(read(database, place)) == [("assistant", "part 0\n\npart 1\n\npart 2")]
    monkeypatch.setattr(opencode, "READ_BYTES_MAX", 40)
    assert texts(read(database, place)) == [("assistant", "part 0\n\npart 1")]


def test_a_message_that_is_too_large_is_counted_and_the_next_is_read(writer, database, monkeypatch):
    place = read(database).place
    say(writer, 1, "assistant", text("One."), junk="x" * 2000)
    say(writer, 2, "assistant", text("Two."))
    monkeypatch.setattr(opencode, "MESSAGE_LINE_BYTES_MAX", 1000)
    news = read(database, place)
    assert (texts(news), news.skipped) == ([("assistant", "Two.")], 1)


def test_of_more_sessions_than_are_listed_the_newest_are(writer, database, monkeypatch):
    *_, oldest = session_files(database.parents[3], {})
    writer.execute("UPDATE session SET time_updated = 1795746800000 WHERE id = ?", (oldest.path.partition("#")[2],))
    monkeypatch.setattr(opencode, "SESSIONS_MAX", 1)
    assert [file.path for file in session_files(database.parents[3], {})] == [oldest.path]


def test_damaged_parts_are_counted_and_the_others_read(writer, database):
    place = read(database).place
    say(writer, 1, "assistant", text("One."))
    writer.execute("INSERT INTO part VALUES ('prt_0', 'msg_1', ?, 0, 0, '{\"type\":\"text\",')", (KEY,))
    writer.execute("INSERT INTO part VALUES ('prt_2', 'msg_1', ?, 0, 0, CAST(x'7b22ff' AS TEXT))", (KEY,))
    news = read(database, place)
    assert (texts(news), news.skipped, news.why) == ([("assistant", "One.")], 2, "")


def test_a_database_that_is_locked_is_told_and_read_the_next_time(database, monkeypatch):
    monkeypatch.setattr(foreign_database, "BUSY_MS", 1)
    place = read(database).place
    connection = apsw.Connection(str(database))
    connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
    say(connection, 1, "user", text("new"))
    news = read(database, place)
    assert (news.turns, news.place, news.is_end) == ([], place, True)
    assert "read the next time" in news.why
    connection.close()
    assert read(database, place).why == ""


def test_what_was_read_while_the_database_was_written_does_not_count(database, monkeypatch):
    """Without a log there is no lock either."""
    real = opencode._session

    def writing(connection, key):
        other = apsw.Connection(str(database))
        say(other, 1, "user", text("new"))
        other.close()
        return real(connection, key)

    monkeypatch.setattr(opencode, "_session", writing)
    news = read(database, Place())
    assert (news.turns, news.place) == ([], Place())
    assert "read the next time" in news.why


@pytest.mark.parametrize("content", [b"", b"no database" * 100, b"SQLite format 3\0" + b"\0" * 200])
def test_what_is_no_database_is_told(folder, content):
    (folder / "opencode.db").write_bytes(content)
    [file] = session_files(folder.parents[2], {})
    assert "cannot be read" in news_of(file.path, Place(), Redactor()).why


def test_a_database_of_another_form_is_told(database):
    connection = apsw.Connection(str(database))
    connection.execute("ALTER TABLE session RENAME TO sessions_2")
    connection.close()
    [file] = session_files(database.parents[3], {})
    assert "no such table: session" in news_of(file.path, Place(), Redactor()).why


def test_a_session_that_was_deleted_is_told(database):
    assert "no session" in read(database, key="ses_gone").why


def test_sessions_are_found_in_every_database(folder, database, tmp_path):
    (folder / "opencode-dev.db").write_bytes(database.read_bytes())
    (tmp_path / "own.db").write_bytes(database.read_bytes())
    files = list(session_files(tmp_path, {"OPENCODE_DB": str(tmp_path / "own.db")}))
    assert sorted({Path(file.path.partition("#")[0]).name for file in files}) == [
        "opencode-dev.db",
        "opencode.db",
        "own.db",
    ]
    assert len(files) == 6
    [first, *_] = [file for file in files if file.path.endswith(KEY)]
    assert (first.client, first.size > 0, first.modified_ms) == ("opencode", True, 1_795_746_648_280)
    elsewhere = session_files(tmp_path, {"XDG_DATA_HOME": str(tmp_path / ".local/share")})
    assert len(list(elsewhere)) == 4


@pytest.fixture
def keep(folder):
    """Keeps a file as versions before 1.2 did; what is no text is written as JSON."""

    def keep(name: str, content: dict | str) -> Path:
        path = folder / "storage" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return keep


def test_the_files_of_an_old_version_are_read_where_there_is_no_database(folder, tmp_path, keep):
    keep("session/global/ses_1.json", {"id": "ses_1", "directory": "/p", "time": {"updated": 5}})
    keep("session/global/ses_2.json", {"id": "ses_2", "directory": "/p", "parentID": "ses_1"})
    keep("message/ses_1/msg_1.json", {"id": "msg_1", "role": "user", "time": {"created": 1000}})
    keep("message/ses_1/msg_2.json", {"role": "assistant", "time": {"created": 2000, "completed": 2500}})
    keep("message/ses_1/msg_3.json", "{")
    keep("message/ses_2/msg_4.json", {"role": "user", "time": {"created": 1000}})
    keep("part/msg_1/prt_1.json", text("one"))
    keep("part/msg_1/prt_2.json", text("by the client", synthetic=True))
    keep("part/msg_2/prt_1.json", text("two"))
    keep("part/msg_2/prt_2.json", {"type": "tool", "state": {"output": "x"}})
    files = sorted(file.path for file in session_files(tmp_path, {}))
    first = news_of(files[0], Place(), Redactor())
    assert (texts(first), first.key, first.folder) == ([("user", "one"), ("assistant", "two")], "ses_1", "/p")
    assert news_of(files[1], Place(), Redactor()).turns == []
    keep("message/ses_1/msg_5.json", {"role": "assistant", "time": {"created": 3000, "completed": 3500}})
    keep("part/msg_5/prt_1.json", text("three"))
    assert texts(news_of(files[0], first.place, Redactor())) == [("assistant", "three")]
    broken = keep("session/global/ses_3.json", "{")
    assert "no session of OpenCode's" in news_of(str(broken), Place(), Redactor()).why
    (folder / "opencode.db").write_bytes(b"")
    assert [file.path.partition("#")[2] for file in session_files(tmp_path, {})] == [""]


def test_a_long_session_in_files_is_read_in_parts(keep, monkeypatch):
    """And no more of it is loaded than a part: what tools gave is not kept either."""
    monkeypatch.setattr(opencode, "MESSAGES_MAX", 2)
    session = str(keep("session/global/ses_1.json", {"id": "ses_1", "directory": "/p"}))
    for number in range(5):
        at = {"created": 1000 + number, "completed": 1000 + number}
        keep(f"message/ses_1/msg_{number}.json", {"role": "assistant", "time": at})
        keep(f"part/msg_{number}/prt_1.json", text(f"turn {number}"))
        keep(f"part/msg_{number}/prt_2.json", {"type": "tool", "state": {"output": 'a "type":"text"'}})
    messages = list(opencode._messages_of_files(Path(session), Place()))
    assert [(message.key, len(message.parts)) for message in messages] == [("msg_0", 1), ("msg_1", 1), ("msg_2", 1)]
    place, said, rounds = Place(), [], 0
    for _ in range(9):
        news = news_of(session, place, Redactor())
        place, said, rounds = news.place, [*said, *(turn.text for turn in news.turns)], rounds + 1
        if news.is_end:
            break
    assert (said, rounds) == ([f"turn {number}" for number in range(5)], 3)


@pytest.mark.parametrize(
    ("kept", "typed"),
    [
        ('"Nie wieder \\"Float\\", bitte."', 'Nie wieder "Float", bitte.'),
        ('"eins" und "zwei"', '"eins" und "zwei"'),
        ('"', '"'),
        ("整数で", "整数で"),
    ],
)
def test_the_quotes_that_its_command_line_adds_are_not_what_a_person_typed(writer, database, kept, typed):
    say(writer, 0, "user", text(kept))
    say(writer, 1, "assistant", text("ok"))
    assert ("user", typed) in texts(read(database))
