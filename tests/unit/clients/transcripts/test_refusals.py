"""What a person says as they refuse a call or a plan is theirs, in the form of each client."""

import json
from pathlib import Path

import apsw
import pytest

from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

SAID = "keep the queue as it is,\n\nand never touch production"
AT = "2026-11-27T09:05:09.100Z"
REFUSED = f"The user rejected this tool call. User feedback: {SAID}"


def users(client: str, path: str) -> list[str]:
    return [turn.text for turn in CLIENTS[client].news_of(path, Place(), Redactor()).turns if turn.role == "user"]


def written(folder: Path, *entries: dict) -> str:
    path = folder / "session-x.jsonl"
    path.write_text("".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in entries))
    return str(path)


def ended(**data) -> dict:
    return {"type": "tool.execution_complete", "timestamp": AT, "data": {"toolCallId": "c", **data}}


def test_copilot_s_refused_call_has_the_persons_words(tmp_path):
    refused = ended(success=False, error={"code": "denied", "message": REFUSED})
    assert users("copilot", written(tmp_path, refused)) == [SAID]


@pytest.mark.parametrize(
    "data",
    [
        {"success": False, "error": {"code": "failure", "message": REFUSED}},
        {"success": True, "result": {"content": REFUSED}},
        {"success": False, "error": {"code": "rejected", "message": "The user rejected this tool call."}},
    ],
)
def test_what_a_tool_prints_of_a_refusal_and_one_without_words_say_nothing(tmp_path, data):
    assert users("copilot", written(tmp_path, ended(**data))) == []


def test_copilot_s_plan_that_was_not_approved_has_the_persons_words(tmp_path):
    request = {"toolCallId": "c", "name": "exit_plan_mode", "arguments": {"summary": "Always use Kafka"}}
    asked = {"type": "assistant.message", "timestamp": AT, "data": {"content": "", "toolRequests": [request]}}
    text = (
        f"Plan not approved. User feedback:\n\n{SAID}\n\nPlease update the plan based on this feedback and try again."
    )
    assert users("copilot", written(tmp_path, asked, ended(success=True, result={"content": text}))) == [SAID]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (f"Plan rejected. User feedback: {SAID}\n\nThe plan is stored at: /p.md\n\nRevise the plan.", [SAID]),
        ("Plan approved. Switching to Default mode.", []),
    ],
)
def test_gemini_s_plan_that_was_rejected_has_the_persons_words(tmp_path, output, told):
    result = {"functionResponse": {"id": "c", "name": "exit_plan_mode", "response": {"output": output}}}
    call = {"id": "c", "name": "exit_plan_mode", "args": {}, "status": "success", "result": [result]}
    message = {"id": "g", "timestamp": AT, "type": "gemini", "content": "", "toolCalls": [call]}
    assert users("gemini", written(tmp_path, message)) == told


@pytest.mark.parametrize(
    ("output", "told"),
    [(f"User rejected the plan. Feedback:\n\n{SAID}", [SAID]), ("Exited plan mode.\n\n## Approved Plan:\nKafka", [])],
)
def test_kimi_s_plan_that_was_rejected_has_the_persons_words(tmp_path, output, told):
    call = {"type": "tool.call", "toolCallId": "c", "name": "ExitPlanMode", "args": {}}
    result = {"type": "tool.result", "toolCallId": "c", "result": {"output": output}}
    events = [{"type": "context.append_loop_event", "event": each, "time": 1} for each in (call, result)]
    assert users("kimi", written(tmp_path, *events)) == told


@pytest.mark.parametrize(
    ("tool", "status", "told"),
    [
        ("bash", "error", [SAID]),
        ("apply_patch", "error", [SAID]),
        ("jira_search", "error", []),  # a server's tool, which can say anything
        ("bash", "completed", []),
    ],
)
def test_opencode_s_refused_call_has_the_persons_words(tmp_path, tool, status, told):
    text = f"The user rejected permission to use this specific tool call with the following feedback: {SAID}"
    database = apsw.Connection(str(tmp_path / "opencode.db"))
    database.execute("CREATE TABLE session (id, directory, parent_id)")
    database.execute("CREATE TABLE message (id, session_id, time_created INTEGER, data)")
    database.execute("CREATE TABLE part (id, message_id, data)")
    database.execute("INSERT INTO session VALUES ('s', '/p', NULL)")
    data = json.dumps({"role": "assistant", "time": {"created": 1, "completed": 2}})
    database.execute("INSERT INTO message VALUES ('m', 's', 1, ?)", (data,))
    part = {"type": "tool", "tool": tool, "state": {"status": status, "input": {}, "error": text, "output": text}}
    database.execute("INSERT INTO part VALUES ('p', 'm', ?)", (json.dumps(part, separators=(",", ":")),))
    database.close()
    assert users("opencode", f"{tmp_path}/opencode.db#s") == told
