"""What a person answers when an agent asks is theirs, in the form of each client."""

import json
from pathlib import Path

import apsw
import msgspec
import pytest

from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.calls import Question, answered_text
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

AT = "2026-11-27T09:05:09.100Z"
ASKED = "Which cache should I use?"
SAID = "In-process: redis is banned by ops"
QUESTION = {
    "question": ASKED,
    "header": "Cache",
    "id": "cache",
    "options": [{"label": "Redis", "description": "shared"}],
}


def claude_code(answer: str) -> list[dict]:
    call = {"type": "tool_use", "id": "t1", "name": "AskUserQuestion", "input": {"questions": [QUESTION]}}
    text = f'Your questions have been answered: "{ASKED}"="{answer}". You can now continue.'
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    return [
        {"type": "assistant", "timestamp": AT, "message": {"role": "assistant", "content": [call]}},
        {
            "type": "user",
            "timestamp": AT,
            "message": {"role": "user", "content": [result]},
            "toolUseResult": {"questions": [QUESTION], "answers": {ASKED: answer}},
        },
    ]


def codex(answer: str) -> list[dict]:
    call = {"type": "function_call", "name": "request_user_input", "call_id": "c1"}
    call["arguments"] = json.dumps({"questions": [QUESTION]})
    output = json.dumps({"answers": {"cache": {"answers": ["In-process", f"user_note: {answer}"]}}})
    result = {"type": "function_call_output", "call_id": "c1", "output": output}
    return [{"timestamp": AT, "type": "response_item", "payload": each} for each in (call, result)]


def copilot(answer: str) -> list[dict]:
    request = {"toolCallId": "c1", "name": "ask_user", "arguments": {"question": ASKED, "choices": ["Redis"]}}
    result = {"toolCallId": "c1", "success": True, "result": {"content": f"User responded: {answer}"}}
    return [
        {"type": "assistant.message", "timestamp": AT, "data": {"content": "", "toolRequests": [request]}},
        {"type": "tool.execution_complete", "timestamp": AT, "data": result},
    ]


def gemini(answer: str) -> list[dict]:
    output = {"functionResponse": {"id": "t1", "response": {"output": json.dumps({"answers": {"0": answer}})}}}
    call = {"id": "t1", "name": "ask_user", "args": {"questions": [QUESTION]}, "status": "executing"}
    done = {**call, "status": "success", "result": [output]}
    message = {"id": "g1", "timestamp": AT, "type": "gemini", "content": ""}
    return [{**message, "toolCalls": [call]}, {**message, "toolCalls": [done]}, {**message, "toolCalls": [done]}]


def qwen(answer: str) -> list[dict]:
    call = {"functionCall": {"id": "t1", "name": "ask_user_question", "args": {"questions": [QUESTION]}}}
    text = f"User has provided the following answers:\n\n**Cache**: {answer}"
    result = {"functionResponse": {"id": "t1", "name": "ask_user_question", "response": {"output": text}}}
    return [
        {"uuid": "1", "type": "assistant", "timestamp": AT, "message": {"role": "model", "parts": [call]}},
        {"uuid": "2", "type": "tool_result", "timestamp": AT, "message": {"role": "user", "parts": [result]}},
    ]


def kimi(answer: str) -> list[dict]:
    call = {"type": "tool.call", "toolCallId": "t1", "name": "AskUserQuestion", "args": {"questions": [QUESTION]}}
    result = {"type": "tool.result", "toolCallId": "t1", "result": {"output": json.dumps({"answers": {ASKED: answer}})}}
    return [{"type": "context.append_loop_event", "event": each, "time": 1} for each in (call, result)]


def droid(answer: str) -> list[dict]:
    asked = {"questionnaire": f"1. [question] {ASKED}\n[topic] Cache\n[option] Redis"}
    call = {"type": "tool_use", "id": "t1", "name": "AskUser", "input": asked}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": f"1. [question] {ASKED}\n[answer] {answer}"}
    return [
        {"type": "message", "id": role, "message": {"role": role, "content": [part]}}
        for role, part in (("assistant", call), ("user", result))
    ]


LINES = {
    "claude-code": claude_code,
    "codex": codex,
    "copilot": copilot,
    "gemini": gemini,
    "qwen": qwen,
    "kimi": kimi,
    "droid": droid,
}


def written(path: Path, entries: list[dict]) -> str:
    path.write_text("".join(json.dumps(each, separators=(",", ":"), ensure_ascii=False) + "\n" for each in entries))
    return str(path)


def said(client: str, path: str, place: Place = Place()):  # noqa: B008  a value
    news = CLIENTS[client].news_of(path, place, Redactor())
    return [(turn.role, turn.text) for turn in news.turns], news.place


@pytest.mark.parametrize("client", LINES)
@pytest.mark.parametrize("answer", [SAID, 'Im Prozess, denn "Redis" ist verboten', "プロセス内"])
def test_an_answer_is_the_user_s_below_its_question(tmp_path, client, answer):
    [(role, text)], _ = said(client, written(tmp_path / "session-x.jsonl", LINES[client](answer)))
    assert role == "user"
    assert text.startswith(f"{ASKED}\n")
    assert text.endswith(answer)


@pytest.mark.parametrize("client", LINES)
def test_an_answer_that_comes_after_a_look_is_read_then(tmp_path, client):
    path = tmp_path / "session-x.jsonl"
    lines = LINES[client](SAID)
    first, place = said(client, written(path, lines[:1]))
    second, _ = said(client, written(path, lines), place)
    assert first == []
    assert [role for role, _ in second] == ["user"]


def test_droid_s_several_answers_stand_below_their_questions(tmp_path):
    lines = droid(f"Redis\nof version 8\n\n2. [question] And where?\n[answer] {SAID}")
    assert said("droid", written(tmp_path / "x.jsonl", lines))[0] == [
        ("user", f"{ASKED}\nRedis\nof version 8\n\nAnd where?\n{SAID}")
    ]


def test_an_answer_in_opencode_s_database_is_the_user_s(tmp_path):
    database = apsw.Connection(str(tmp_path / "opencode.db"))
    database.execute("CREATE TABLE session (id, directory, parent_id)")
    database.execute("CREATE TABLE message (id, session_id, time_created INTEGER, data)")
    database.execute("CREATE TABLE part (id, message_id, data)")
    database.execute("INSERT INTO session VALUES ('s', '/p', NULL)")
    data = json.dumps({"role": "assistant", "time": {"created": 1, "completed": 2}})
    database.execute("INSERT INTO message VALUES ('m', 's', 1, ?)", (data,))
    state = {"status": "completed", "input": {"questions": [QUESTION]}, "metadata": {"answers": [[SAID]]}}
    part = json.dumps({"type": "tool", "tool": "question", "state": state}, separators=(",", ":"))
    database.execute("INSERT INTO part VALUES ('p', 'm', ?)", (part,))
    database.close()
    assert said("opencode", f"{tmp_path}/opencode.db#s")[0] == [("user", f"{ASKED}\n{SAID}")]


@pytest.mark.parametrize("text", ["User dismissed ask_user dialog without answering.", "User declined to answer.", ""])
def test_what_was_not_answered_says_nothing(text):
    assert answered_text([Question(ASKED)], msgspec.Raw(json.dumps(text).encode())) == ""


def test_what_a_person_says_to_a_plan_they_approve_is_theirs_and_the_plan_is_not(tmp_path):
    plan = "# Plan\n\nAlways use the table price_cache."
    text = (
        f"Implement the following plan:\n\n{plan}\n\nIf you need specific details from before exiting plan mode, read x"
    )
    feedback = f"{text}\n\nUser feedback on this plan: but never for more than an hour"
    message = {"type": "user", "timestamp": AT, "planContent": plan, "origin": {"kind": "auto-continuation"}}
    lines = [{**message, "message": {"role": "user", "content": each}} for each in (text, feedback)]
    lines.append({"type": "user", "timestamp": AT, "message": {"role": "user", "content": feedback}})
    assert said("claude-code", written(tmp_path / "x.jsonl", lines))[0] == [
        ("user", "but never for more than an hour"),
        ("user", "but never for more than an hour"),
    ]
