"""Qwen Code's sessions: what a person typed and what the agent said, of files as Qwen Code writes them."""

import json
from pathlib import Path

import pytest

from palimp_clients.qwen.transcript import session_files
from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

news_of = CLIENTS["qwen"].news_of

WRITTEN = Path(__file__).with_name("written")
BASE = {"sessionId": "k", "cwd": "/p", "timestamp": "2026-11-26T22:17:01.123Z"}


def read(path: Path):
    return news_of(str(path), Place(), Redactor())


def texts(news) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in news.turns]


def written(folder: Path, *records: dict) -> Path:
    path = folder / "k.jsonl"
    path.write_text("".join(json.dumps({**BASE, **record}, separators=(",", ":")) + "\n" for record in records))
    return path


def record(kind: str, *parts: str | dict, **more) -> dict:
    given = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"type": kind, "message": {"role": "user" if kind == "user" else "model", "parts": given}, **more}


def test_a_session_as_qwen_code_writes_it_is_read():
    """With a file that was named, and what hooks said, which are no part of a turn."""
    news = read(WRITTEN / "qwen.jsonl")
    assert texts(news) == [
        ("user", "Please look at @AGENTS.md and drop the retry helper."),
        ("assistant", "I look at the folder first."),
        ("assistant", "The retry helper hides outages: I removed it."),
        ("user", "And now a second question?"),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]
    assert (news.key, news.folder) == ("9b3c0045-5170-4a72-80d3-3d0296ddc9b9", "/home/user/project")


def test_a_session_that_another_program_wrote_with_spaces_is_read_the_same(tmp_path):
    records = [json.loads(each) for each in (WRITTEN / "qwen.jsonl").read_text().splitlines()]
    path = tmp_path / "session-x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert texts(read(path)) == texts(read(WRITTEN / "qwen.jsonl"))


def test_where_the_client_does_not_say_what_was_typed_its_own_parts_are_left_out(tmp_path):
    path = written(
        tmp_path,
        record(
            "user",
            "Look at @a.",
            "\n--- Content from referenced files ---",
            "\nContent from a:\n",
            "secret plans",
            "\n--- End of content ---",
            "And then?",
            "<qwen:user-prompt-submit-context>\nx\n</qwen:user-prompt-submit-context>",
        ),
        record("user", "\n[User message received during tool execution]: save logs", subtype="mid_turn_user_message"),
    )
    assert texts(read(path)) == [("user", "Look at @a.\n\nAnd then?"), ("user", "save logs")]


@pytest.mark.parametrize(
    "more",
    [
        {"subtype": "notification"},
        {"subtype": "cron"},
        {"provenance": "goal_runtime"},
        {"provenance": "system"},
        {"isSidechain": True},
        {"agentId": "explore-1"},
    ],
)
def test_what_nobody_typed_is_left_out(tmp_path, more):
    path = written(tmp_path, record("user", "by the client", **more), record("user", "typed", provenance="real_user"))
    assert texts(read(path)) == [("user", "typed")]


def test_thoughts_and_what_tools_do_are_left_out(tmp_path):
    path = written(
        tmp_path,
        record("assistant", {"text": "hm", "thought": True}, {"functionCall": {"name": "ls"}}),
        record("tool_result", {"functionResponse": {"response": {"output": "x"}}}),
        record("assistant", {"text": "hm", "thought": True}, "Done."),
        record("system", "by the client", subtype="chat_compression"),
    )
    assert texts(read(path)) == [("assistant", "Done.")]


def test_sessions_are_found_where_qwen_code_keeps_them(tmp_path):
    for name in (
        ".qwen/projects/-p/chats/a.jsonl",
        ".qwen/projects/-p/subagents/k/agent-1.jsonl",
        ".qwen/projects/-p/memory/b.jsonl",
        "home/projects/-p/chats/c.jsonl",
        "runtime/projects/-p/chats/d.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")

    def found(**env: str) -> list[str]:
        given = {name: str(tmp_path / folder) for name, folder in env.items()}
        return [Path(file.path).name for file in session_files(tmp_path, given)]

    assert found() == ["a.jsonl"]
    assert found(QWEN_HOME="home") == ["c.jsonl"]
    assert found(QWEN_HOME="home", QWEN_RUNTIME_DIR="runtime") == ["d.jsonl"]
