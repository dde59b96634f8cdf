"""Gemini CLI's sessions: what a person typed and what the agent said, of files as Gemini CLI writes them."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from palimp_clients.gemini import transcript as gemini
from palimp_clients.gemini.transcript import news_of, session_files
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

WRITTEN = Path(__file__).with_name("written")
FIRST = {"sessionId": "k", "projectHash": "h", "startTime": "2026-11-26T22:17:01.123Z", "kind": "main"}
AT = {"timestamp": "2026-11-26T22:17:01.123Z"}


def read(path: Path, place: Place = Place()):  # noqa: B008  a value
    return news_of(str(path), place, Redactor())


def texts(news) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in news.turns]


def line(record: dict) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


def written(folder: Path, *records: dict, first: dict = FIRST) -> Path:
    path = folder / "session-x.jsonl"
    path.write_text("".join(map(line, [first, *records])))
    return path


def message(key: str, kind: str, content, **more) -> dict:
    return {"id": key, **AT, "type": kind, "content": content, **more}


def test_a_session_as_gemini_cli_writes_it_is_read():
    """Each message once, though it is written again with its tools' results, and all of a resumed one is."""
    news = read(WRITTEN / "gemini.jsonl")
    assert texts(news) == [
        ("user", "Please look at @AGENTS.md and drop the retry helper."),
        ("assistant", "I look at the folder first."),
        ("assistant", "The retry helper hides outages: I removed it."),
        ("user", "And now a second question?"),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]
    assert news.key == "205667be-4161-4e06-b628-25d1b9749181"
    assert news.turns[0].at_ms == 1_795_746_562_249


def test_a_session_that_another_program_wrote_with_spaces_is_read_the_same(tmp_path):
    records = [json.loads(each) for each in (WRITTEN / "gemini.jsonl").read_text().splitlines()]
    path = tmp_path / "session-x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert texts(read(path)) == texts(read(WRITTEN / "gemini.jsonl"))


def test_what_hooks_say_is_no_part_of_a_turn():
    assert texts(read(WRITTEN / "gemini_hooks.jsonl"))[0] == ("user", "Which hooks ran?")


def test_however_it_is_cut_into_slices_each_message_is_read_once(tmp_path):
    """The last message of a slice may be written once more in the next."""
    lines = (WRITTEN / "gemini.jsonl").read_text().splitlines(keepends=True)
    whole = texts(read(WRITTEN / "gemini.jsonl"))
    path = tmp_path / "session-x.jsonl"
    place, found = Place(), []
    for end in range(1, len(lines) + 1):
        path.write_text("".join(lines[:end]))
        news = read(path, place)
        place = news.place
        found += texts(news)
    assert found == whole


def test_files_that_a_request_names_are_left_out(tmp_path):
    files = "\n--- Content from referenced files ---\nContent from @a:\nplans\n--- End of content ---"
    path = written(
        tmp_path,
        message("1", "user", "Look at @a." + files),
        message("2", "user", [{"text": "And @b."}, {"text": files}], displayContent="And @b."),
        message("3", "user", "a command's long text", displayContent=[{"text": "/review"}]),
    )
    assert texts(read(path)) == [("user", "Look at @a."), ("user", "And @b."), ("user", "/review")]


def test_thoughts_notes_of_the_client_and_results_are_left_out(tmp_path):
    path = written(
        tmp_path,
        message("1", "info", "an update is there"),
        message("2", "gemini", "", thoughts=[{"subject": "hm"}], toolCalls=[{"name": "ls"}]),
        message("3", "user", [{"functionResponse": {"response": {"output": "x"}}}]),
        message("4", "gemini", [{"text": "hm", "thought": True}, {"text": "Do"}, "ne."]),
        message("5", "user", "This is the Gemini CLI. We are setting up the context for our chat."),
        {"$set": {"summary": 'about "type":"user" things'}},
    )
    assert texts(read(path)) == [("assistant", "Done.")]


def test_messages_without_an_id_are_each_read_once(tmp_path):
    """As another version may write them: none is taken for another one, and none twice when it is written again."""
    one, two = ({**AT, "type": "user", "content": text} for text in ("one", "two"))
    later = {**one, "timestamp": "2026-11-26T22:18:00Z"}
    path = written(tmp_path, one, {**one, "toolCalls": []}, two, later)
    assert texts(read(path)) == [("user", "one"), ("user", "two"), ("user", "one")]


def test_a_subagents_session_says_nothing(tmp_path):
    assert read(written(tmp_path, message("1", "user", "look"), first={**FIRST, "kind": "subagent"})).turns == []


@pytest.mark.parametrize("by_root", [True, False])
@pytest.mark.parametrize("slug", ["project", hashlib.sha256(b"/home/user/project").hexdigest()])
def test_the_folder_is_known_by_the_clients_list_of_projects(tmp_path, slug, by_root):
    """A folder's sessions lie under a short name, in older versions under a hash."""
    chats = tmp_path / ".gemini/tmp" / slug / "chats"
    chats.mkdir(parents=True)
    shutil.copy(WRITTEN / "gemini.jsonl", chats / "session-x.jsonl")
    if by_root:
        (chats.parent / ".project_root").write_text("/home/user/project")
    else:
        (tmp_path / ".gemini/projects.json").write_text(
            '{"projects": {"/other": "o", "/home/user/project": "project"}}'
        )
    [file] = session_files(tmp_path, {})
    assert read(Path(file.path)).folder == "/home/user/project"


@pytest.mark.parametrize("name", ["session-x.jsonl", "session-x.json"])
def test_the_folder_is_told_when_a_session_is_read_from_its_beginning(tmp_path, monkeypatch, name):
    """Not with every slice: the list of all projects would be read and hashed each time."""
    asked: list[str] = []
    monkeypatch.setattr(gemini, "_folder", lambda path: asked.append(path) or "/p")
    records = [message("1", "user", "one"), message("2", "user", "two")]

    def write(count: int) -> Path:
        make = written if name.endswith("l") else lambda folder, *given: document(folder / name, *given)
        return make(tmp_path, *records[:count])

    first = read(write(1))
    second = read(write(2), first.place)
    assert (texts(first), texts(second)) == ([("user", "one")], [("user", "two")])
    assert (first.folder, second.folder, len(asked)) == ("/p", "", 1)


def test_without_the_list_the_folder_is_unknown(tmp_path):
    assert read(written(tmp_path)).folder == ""
    (tmp_path.parent.parent / "projects.json").write_text("[")
    assert read(written(tmp_path)).folder == ""


def test_sessions_are_found_where_gemini_cli_keeps_them(tmp_path):
    for name in (
        ".gemini/tmp/p/chats/session-a.jsonl",
        ".gemini/tmp/p/chats/session-a.json",
        ".gemini/tmp/p/chats/session-b.json",
        ".gemini/tmp/p/chats/parent/sub.jsonl",
        ".gemini/tmp/p/logs.json",
        ".gemini/tmp/p/checkpoints/session-c.json",
        "else/.gemini/tmp/p/chats/session-d.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert [Path(file.path).name for file in session_files(tmp_path, {})] == ["session-a.jsonl", "session-b.json"]
    elsewhere = session_files(tmp_path, {"GEMINI_CLI_HOME": str(tmp_path / "else")})
    assert [Path(file.path).name for file in elsewhere] == ["session-d.jsonl"]


# --- sessions of old versions, which are one document -----------------------------------------------


def document(path: Path, *messages: dict, **more) -> Path:
    path.write_text(json.dumps({**FIRST, "messages": list(messages), **more}, indent=2))
    return path


def test_a_document_is_read_on_from_the_messages_that_were_read(tmp_path):
    path = document(tmp_path / "session-x.json", message("1", "user", "one"), message("2", "gemini", "two"))
    first = read(path)
    document(path, message("1", "user", "one"), message("2", "gemini", "two"), message("3", "user", "three"))
    second = read(path, first.place)
    assert texts(first) == [("user", "one"), ("assistant", "two")]
    assert (texts(second), second.key, second.is_anew) == ([("user", "three")], "k", False)


def test_another_document_in_its_place_is_read_from_its_beginning(tmp_path):
    path = document(tmp_path / "session-x.json", message("1", "user", "one"), message("2", "gemini", "two"))
    place = read(path).place
    document(path, *(message(text, "user", text) for text in ("new", "newer", "newest")), sessionId="other")
    assert texts(read(path, place)) == [("user", "new"), ("user", "newer"), ("user", "newest")]
    document(path, message("1", "user", "one"))
    assert (texts(read(path, place)), read(path, place).is_anew) == ([("user", "one")], True)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sessionId": 5}', '{"messages": []}'])
def test_half_a_document_is_told_and_waits(tmp_path, text):
    path = tmp_path / "session-x.json"
    path.write_text(text)
    news = read(path, Place(2, "x"))
    assert (news.turns, news.place) == ([], Place(2, "x"))
    assert "may just be written" in news.why


def test_a_document_that_is_too_large_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(gemini, "DOCUMENT_BYTES_MAX", 100)
    assert "cannot be read" in read(document(tmp_path / "session-x.json", message("1", "user", "x" * 200))).why


def test_messages_that_are_none_are_counted(tmp_path):
    path = tmp_path / "session-x.json"
    path.write_text(json.dumps({**FIRST, "messages": [7, message("1", "user", "one"), {"id": 4}, []]}))
    news = read(path)
    assert (texts(news), news.skipped) == ([("user", "one")], 2)


def test_a_history_that_the_client_sets_gives_what_stands_in_no_line_of_its_own(tmp_path):
    summary = message("s", "user", "<state_snapshot>We decided to use X.</state_snapshot>")
    thanks = message("t", "gemini", "Got it. Thanks for the additional context!")
    path = written(
        tmp_path,
        message("1", "user", "One."),
        {
            "$set": {
                "messages": [summary, thanks, message("1", "user", [{"text": "One."}]), message("2", "user", "Two.")]
            }
        },
        message("3", "gemini", "Three."),
    )
    assert texts(read(path)) == [("user", "One."), ("user", "Two."), ("assistant", "Three.")]


def test_what_was_taken_back_is_left_out_also_what_was_read_before(tmp_path):
    said = [message("1", "user", "One."), message("2", "gemini", "Two."), message("3", "user", "Three.")]
    path = written(tmp_path, *said)
    first = read(path)
    path = written(tmp_path, *said, {"$rewindTo": "2"}, message("4", "user", "Four."))
    assert texts(read(path)) == [("user", "One."), ("user", "Four.")]
    news = read(path, first.place)
    assert ([turn.text for turn in news.taken_back], texts(news)) == (["Two.", "Three."], [("user", "Four.")])
