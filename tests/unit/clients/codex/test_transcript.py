"""Codex's sessions: what a person typed and what the agent said, of files as Codex writes them."""

import json
from pathlib import Path

import pytest

from palimp_clients.codex.transcript import news_of, session_files
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

WRITTEN = Path(__file__).with_name("written")
KEY = "01a21ad4-d45c-7f40-a9fd-ea950a5cb881"


def read(path: Path, place: Place = Place()):  # noqa: B008  a value
    return news_of(str(path), place, Redactor())


def texts(news) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in news.turns]


def written(folder: Path, *entries: dict, name: str = "rollout-x.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries))
    return path


def item(role: str, *said: str, kind: str = "input_text", **more) -> dict:
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text} for text in said]}
    return {"timestamp": "2026-11-26T22:17:01.123Z", "type": "response_item", "payload": payload, **more}


META = {
    "timestamp": "2026-11-26T22:17:00Z",
    "type": "session_meta",
    "payload": {"id": "k", "cwd": "/p", "source": "cli"},
}


def test_a_session_as_codex_writes_it_is_read():
    """A request, the agent's words before and after a tool's call, and a second request when it was resumed."""
    news = read(WRITTEN / "codex.jsonl")
    assert texts(news) == [
        ("user", "Please look at the folder and drop the retry helper."),
        ("assistant", "I look at the folder first."),
        ("assistant", "The retry helper hides outages: I removed it."),
        ("user", "And now a second question?"),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]
    assert (news.key, news.folder, news.skipped, news.is_end) == (KEY, "/home/user/project", 0, True)
    assert news.turns[0].at_ms == 1_795_746_485_482


def test_a_subagents_session_says_nothing_and_is_read_to_its_end():
    path = WRITTEN / "codex_subagent.jsonl"
    news = read(path)
    assert (news.turns, news.place.offset) == ([], path.stat().st_size)


@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": "review"}},
        {"source": "cli", "thread_source": "subagent"},
        {"source": {"internal": "memory_consolidation"}},
        {"source": "exec", "thread_source": "memory_consolidation"},
        {"source": "exec", "thread_source": "guardian_review"},
    ],
)
def test_every_kind_of_subagent_is_known_as_one(tmp_path, meta):
    assert read(written(tmp_path, {**META, "payload": meta}, item("user", "look"))).turns == []


def test_what_the_client_puts_in_the_users_place_is_left_out(tmp_path):
    path = written(
        tmp_path,
        META,
        item("developer", "<permissions instructions>x</permissions instructions>"),
        item("user", "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nuse tabs\n</INSTRUCTIONS>"),
        item("user", "<user_instructions>\nuse tabs\n</user_instructions>"),
        item("user", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
        item("user", "<turn_aborted>\nit was interrupted\n</turn_aborted>"),
        item("user", "<user_shell_command>\n<command>ls</command>\n</user_shell_command>"),
        item("user", '<subagent_notification>\n{"x": 1}\n</subagent_notification>'),
        item("user", "<skill>\n<name>x</name>\n</skill>"),
        item("user", "Another language model started to solve this problem and produced a summary: …"),
        item("user", "<image name=[Image #1]>", "</image>", "Make it look like this."),
        {"timestamp": "", "type": "compacted", "payload": {"message": "a summary", "type": "message"}},
        {"timestamp": "", "type": "event_msg", "payload": {"type": "user_message", "message": "twice"}},
    )
    assert texts(read(path)) == [("user", "Make it look like this.")]


def test_of_what_an_editor_adds_the_request_is_read(tmp_path):
    context = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nRename it."
    path = written(tmp_path, META, item("user", context), item("user", "## My request for Codex:\nis a heading"))
    assert texts(read(path)) == [("user", "Rename it."), ("user", "## My request for Codex:\nis a heading")]


def test_a_session_of_an_old_version_is_read(tmp_path):
    """Its lines are what newer ones wrap, without a time of their own; the folder is told to the model only."""
    entries = [
        {"id": "old", "timestamp": "2025-05-07T10:00:00Z", "instructions": None},
        {"record_type": "state"},
        item("user", "<environment_context>\nCurrent working directory: /old/p\nx\n</environment_context>")["payload"],
        item("user", "Fix it.")["payload"],
        {"type": "function_call", "name": "shell", "arguments": "{}"},
        item("assistant", "Fixed.", kind="output_text")["payload"],
    ]
    news = read(written(tmp_path, *entries))
    assert texts(news) == [("user", "Fix it."), ("assistant", "Fixed.")]
    assert (news.key, news.folder, news.turns[0].at_ms) == ("old", "/old/p", 1_746_612_000_000)


def test_id_and_folder_are_known_in_every_slice(tmp_path):
    path = written(tmp_path, META, item("user", "one"))
    first = read(path)
    with path.open("a") as file:
        file.write(json.dumps(item("assistant", "two", kind="output_text")) + "\n")
    second = read(path, first.place)
    assert texts(second) == [("assistant", "two")]
    assert (second.key, second.folder) == ("k", "/p")


def test_without_a_first_line_the_name_tells_the_id(tmp_path):
    path = written(tmp_path, item("user", "hi"), name=f"rollout-2026-11-26T22-17-01-{KEY}.jsonl")
    assert read(path).key == KEY


def test_a_compressed_session_is_told_and_not_read(tmp_path):
    news = read(tmp_path / f"rollout-2026-11-26T22-17-01-{KEY}.jsonl.zst", Place(3, "x"))
    assert (news.turns, news.place, news.key) == ([], Place(3, "x"), KEY)
    assert "compressed" in news.why


def test_sessions_are_found_where_codex_keeps_them(tmp_path):
    for name in (
        ".codex/sessions/2026/11/26/rollout-a.jsonl",
        ".codex/sessions/2026/11/26/rollout-a.jsonl.zst",
        ".codex/sessions/2026/11/26/rollout-b.jsonl.zst",
        ".codex/sessions/2026/11/26/notes.jsonl",
        ".codex/sessions/rollout-c.jsonl",
        ".codex/archived_sessions/rollout-d.jsonl",
        "else/sessions/2026/01/01/rollout-e.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [Path(file.path).name for file in session_files(tmp_path, {})]
    assert sorted(found) == ["rollout-a.jsonl", "rollout-b.jsonl.zst", "rollout-d.jsonl"]
    elsewhere = session_files(tmp_path, {"CODEX_HOME": str(tmp_path / "else")})
    assert [Path(file.path).name for file in elsewhere] == ["rollout-e.jsonl"]


PARENT, FORK = "019a0000-0000-7000-8000-00000000000a", "019a0000-0000-7000-8000-00000000000b"
BEFORE = ("user", "Which queue?"), ("assistant", "The one named outbox."), ("user", "Drop it.")


def at(entry: dict, second: float) -> dict:
    return {**entry, "timestamp": f"2026-11-{10 + int(second) // 100:02d}T10:00:{second % 100:06.3f}Z"}


def forked(folder: Path, *, has_parent: bool) -> tuple[Path, list[int]]:
    """Write a session and its fork; return the fork, and when the session before said what it said."""
    folder = folder / "sessions" / "2026" / "11" / "20"  # as deep as the client has it: what is above is looked through
    folder.mkdir(parents=True)
    meta = {**META, "payload": {**META["payload"], "id": PARENT, "timestamp": "2026-11-10T10:00:00Z"}}
    lines = [at(item(role, text), 10 * number) for number, (role, text) in enumerate(BEFORE, 1)]
    parent = written(folder, meta, *lines, name=f"rollout-2026-{PARENT}.jsonl")
    times = [turn.at_ms for turn in read(parent).turns]
    if not has_parent:
        parent.unlink()
    own = {**META["payload"], "id": FORK, "forked_from_id": PARENT, "timestamp": "2026-11-20T10:00:00Z"}
    copies = [at(each, 1000 + number / 1000) for number, each in enumerate(lines)]
    entries = [{**META, "payload": own}, meta, *copies, at(item("user", "Try a stream instead."), 1009)]
    return written(folder, *entries, name=f"rollout-2027-{FORK}.jsonl"), times


def test_a_fork_s_copies_were_said_when_the_session_before_says_it(tmp_path):
    fork, times = forked(tmp_path, has_parent=True)
    turns = read(fork).turns
    assert [(turn.role, turn.text) for turn in turns[:3]] == list(BEFORE)
    assert [turn.at_ms for turn in turns[:3]] == times
    assert [turn.is_copy for turn in turns] == [True, True, True, False]


def test_what_a_fork_says_later_is_its_own(tmp_path):
    fork, _ = forked(tmp_path, has_parent=True)
    place = read(fork).place
    with fork.open("a") as file:
        file.write(json.dumps(at(item("user", "Drop it."), 1020), separators=(",", ":")) + "\n")
    assert [(turn.text, turn.is_copy) for turn in read(fork, place).turns] == [("Drop it.", False)]


def test_of_a_fork_whose_session_before_is_gone_what_was_written_at_once_is_the_copy(tmp_path):
    fork, _ = forked(tmp_path, has_parent=False)
    assert [turn.is_copy for turn in read(fork).turns] == [True, True, True, False]


def test_requests_that_were_taken_back_are_left_out_also_those_that_were_read_before(tmp_path):
    back = {"timestamp": "2026-11-26T22:17:09Z", "type": "event_msg"}
    back["payload"] = {"type": "thread_rolled_back", "num_turns": 1}
    entries = [META, item("user", "One."), item("assistant", "Yes."), item("user", "Two."), item("assistant", "No.")]
    path = written(tmp_path, *entries)
    first = read(path)
    path = written(tmp_path, *entries, back, item("user", "Three."))
    assert texts(read(path)) == [("user", "One."), ("assistant", "Yes."), ("user", "Three.")]
    news = read(path, first.place)
    assert ([turn.text for turn in news.taken_back], texts(news)) == (["Two.", "No."], [("user", "Three.")])
