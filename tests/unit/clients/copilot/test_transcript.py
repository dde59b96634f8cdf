"""Copilot CLI's sessions: what a person typed and what the agent said, of files as Copilot writes them."""

import json
from pathlib import Path

import pytest

from palimp_clients.copilot.transcript import session_files
from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

news_of = CLIENTS["copilot"].news_of

WRITTEN = Path(__file__).with_name("written")


def read(path: Path):
    return news_of(str(path), Place(), Redactor())


def texts(news) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in news.turns]


def written(folder: Path, *events: dict) -> Path:
    path = folder / "events.jsonl"
    path.write_text("".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events))
    return path


def user(text: str, **data) -> dict:
    return {"type": "user.message", "data": {"content": text, **data}, "timestamp": "2026-11-26T22:17:01.123Z"}


def test_a_session_as_copilot_writes_it_is_read():
    news = read(WRITTEN / "copilot.jsonl")
    assert texts(news) == [
        ("user", "Please look at @AGENTS.md and drop the retry helper."),
        ("assistant", "I look at the folder first."),
        ("assistant", "The retry helper hides outages: I removed it."),
        ("user", "And now a second question?"),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]
    assert (news.key, news.folder) == ("a192ad09-dd00-4f27-b0f6-2a01c70f3ef4", "/home/user/project")
    assert news.turns[0].at_ms == 1_795_746_514_584


def test_what_a_subagent_says_and_is_told_is_left_out():
    assert texts(read(WRITTEN / "copilot_subagent.jsonl")) == [
        ("user", "Use a subagent to look."),
        ("assistant", "I look at the folder first."),
        ("assistant", "The retry helper hides outages: I removed it."),
    ]


@pytest.mark.parametrize(
    "data",
    [{"source": "skill-pdf"}, {"source": "agent-1"}, {"isAutopilotContinuation": True}, {"parentToolCallId": "c"}],
)
def test_what_nobody_typed_is_left_out(tmp_path, data):
    path = written(tmp_path, user("by the client", **data), user("typed", source="user", transformedContent="x typed"))
    assert texts(read(path)) == [("user", "typed")]


def test_the_parts_of_one_answer_are_one_turn(tmp_path):
    parts = [
        {"type": "assistant.message", "data": {"content": text, "apiCallId": "a", "chunkIndex": index, "chunkCount": 2}}
        for index, text in enumerate(["I think.", "It is so."])
    ]
    single = {"type": "assistant.message", "data": {"content": "Next.", "apiCallId": "a"}}
    assert texts(read(written(tmp_path, *parts, single))) == [
        ("assistant", "I think.\n\nIt is so."),
        ("assistant", "Next."),
    ]


def test_sessions_are_found_where_copilot_keeps_them(tmp_path):
    for name in (
        ".copilot/session-state/a/events.jsonl",
        ".copilot/session-state/a/other-events.jsonl",
        ".copilot/session-state/a/files/x.jsonl",
        ".copilot/session-state/old.jsonl",
        "else/session-state/b/events.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [Path(file.path).relative_to(tmp_path).as_posix() for file in session_files(tmp_path, {})]
    assert found == [".copilot/session-state/a/events.jsonl", ".copilot/session-state/old.jsonl"]
    elsewhere = list(session_files(tmp_path, {"COPILOT_HOME": str(tmp_path / "else")}))
    assert [news_of(file.path, Place(), Redactor()).key for file in elsewhere] == ["b"]
