"""The files that were edited, told by the calls that six clients write down, of lines as the programs wrote them."""

import json
from pathlib import Path

import apsw
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.edited_files import FILES_MAX, files_of_call
from palimp_clients.transcripts.turn import DONE
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.text.redact import Redactor

CHANGES = ("*** Update File: a.py", "@@", "-    return 2", "+    return 3", "*** Add File: neu/ü.py", "+x = 1")
PATCH = "\n".join(("*** Begin Patch", *CHANGES, "*** End Patch"))
AT = "2026-11-27T09:05:09.100Z"
FILE = "/home/ann/shop/店.py"
LINES = {
    "claude-code": {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "id": "m1",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": FILE, "content": "x"}}
            ],
        },
    },
    "codex": {
        "timestamp": AT,
        "type": "response_item",
        "payload": {"type": "custom_tool_call", "id": "ct1", "call_id": "c1", "name": "apply_patch", "input": PATCH},
    },
    "copilot": {
        "type": "assistant.message",
        "data": {
            "content": "",
            "toolRequests": [
                {
                    "toolCallId": "c1",
                    "name": "create",
                    "arguments": {"path": FILE, "file_text": "x"},
                    "type": "function",
                },
                {"toolCallId": "c2", "name": "view", "arguments": {"path": "/home/ann/shop/other.py"}},
                {"toolCallId": "c3", "name": "bash", "arguments": {"command": "ls"}},
            ],
        },
        "timestamp": AT,
    },
    "gemini": {
        "id": "g1",
        "timestamp": AT,
        "type": "gemini",
        "content": "",
        "toolCalls": [{"id": "t1", "name": "write_file", "args": {"file_path": FILE, "content": "x"}, "result": []}],
    },
    "qwen": {
        "uuid": "u1",
        "sessionId": "s1",
        "timestamp": AT,
        "type": "assistant",
        "message": {
            "role": "model",
            "parts": [{"functionCall": {"id": "t1", "name": "edit", "args": {"file_path": FILE}}}],
        },
    },
}


def _results(client: str, *, has_succeeded: bool) -> list[dict]:
    """Return the results of the calls in LINES, as the client writes them."""
    if client == "claude-code":
        block = {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": "x",
            **({} if has_succeeded else {"is_error": True}),
        }
        return [{"type": "user", "timestamp": AT, "message": {"role": "user", "content": [block]}}]
    if client == "codex":
        output = (
            "Success. Updated the following files:\nM a.py" if has_succeeded else "apply_patch verification failed: no"
        )
        payload = {"type": "custom_tool_call_output", "call_id": "c1", "output": output}
        return [{"timestamp": AT, "type": "response_item", "payload": payload}]
    if client == "copilot":
        calls = [
            {"toolCallId": each, "success": has_succeeded, "result": {"content": "x"}} for each in ("c1", "c2", "c3")
        ]
        return [{"type": "tool.execution_complete", "data": each, "timestamp": AT} for each in calls]
    if client == "qwen":
        part = {"functionResponse": {"id": "t1", "name": "edit", "response": {"output": "x"}}}
        status = "success" if has_succeeded else "cancelled"
        record = {
            "uuid": "u2",
            "type": "tool_result",
            "timestamp": AT,
            "toolCallResult": {"callId": "t1", "status": status},
        }
        return [{**record, "message": {"role": "user", "parts": [part]}}]
    return []


def _written(path: Path, *entries: dict) -> Path:
    path.write_text("".join(json.dumps(each, separators=(",", ":"), ensure_ascii=False) + "\n" for each in entries))
    return path


def _with_status(client: str, status: str) -> dict:
    line = LINES[client]
    return {**line, "toolCalls": [{**line["toolCalls"][0], "status": status}]} if client == "gemini" else line


@pytest.mark.parametrize("client", LINES)
def test_the_files_that_were_edited_are_told_where_they_are_wanted(tmp_path, client):
    line = _with_status(client, "success")
    path = _written(tmp_path / "session-x.jsonl", line, *_results(client, has_succeeded=True))
    news = CLIENTS[client].news_of(str(path), Place(), Redactor(), DONE)
    expected = ("a.py", "neu/ü.py") if client == "codex" else (FILE,)
    assert [(turn.role, turn.text, turn.files) for turn in news.turns] == [("assistant", "", expected)]
    assert CLIENTS[client].news_of(str(path), Place(), Redactor()).turns == []


@pytest.mark.parametrize("client", LINES)
def test_an_edit_that_was_refused_or_failed_changed_no_file(tmp_path, client):
    line = _with_status(client, "cancelled")
    path = _written(tmp_path / "session-x.jsonl", line, *_results(client, has_succeeded=False))
    assert CLIENTS[client].news_of(str(path), Place(), Redactor(), DONE).turns == []


@pytest.mark.parametrize("client", [client for client in LINES if client != "gemini"])
def test_an_edit_whose_result_comes_after_a_look_counts_then(tmp_path, client):
    path = _written(tmp_path / "session-x.jsonl", LINES[client])
    first = CLIENTS[client].news_of(str(path), Place(), Redactor(), DONE)
    _written(path, LINES[client], *_results(client, has_succeeded=True))
    second = CLIENTS[client].news_of(str(path), first.place, Redactor(), DONE)
    assert (first.turns, [bool(turn.files) for turn in second.turns]) == ([], [True])


def test_a_message_that_is_written_once_more_with_its_calls_says_nothing_twice(tmp_path):
    """As Gemini CLI does it; the files of the later one count."""
    said = {**LINES["gemini"], "content": "Я допишу."}
    first = {key: value for key, value in said.items() if key != "toolCalls"}
    path = tmp_path / "session-x.jsonl"
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in (first, said)))
    news = CLIENTS["gemini"].news_of(str(path), Place(), Redactor(), DONE)
    assert [(turn.text, turn.files) for turn in news.turns] == [("Я допишу.", (FILE,))]


def test_the_files_in_a_database_are_told(tmp_path):
    connection = apsw.Connection(str(tmp_path / "opencode.db"))
    connection.execute("CREATE TABLE session (id, directory, parent_id)")
    connection.execute("CREATE TABLE message (id, session_id, time_created INTEGER, data)")
    connection.execute("CREATE TABLE part (id, message_id, data)")
    connection.execute("INSERT INTO session VALUES ('ses_1', '/home/ann/shop', NULL)")
    message = {"role": "assistant", "time": {"created": 1, "completed": 2}}
    connection.execute("INSERT INTO message VALUES ('m1', 'ses_1', 1, ?)", (json.dumps(message),))
    for number, (tool, given_) in enumerate(
        [("write", {"filePath": FILE}), ("read", {"filePath": "/home/ann/b.py"}), ("apply_patch", {"patchText": PATCH})]
    ):
        part = {"type": "tool", "tool": tool, "callID": "c", "state": {"status": "completed", "input": given_}}
        row = (f"p{number}", json.dumps(part, separators=(",", ":")))
        connection.execute("INSERT INTO part VALUES (?, 'm1', ?)", row)
    connection.close()
    path = f"{tmp_path}/opencode.db#ses_1"
    news = CLIENTS["opencode"].news_of(path, Place(), Redactor(), DONE)
    assert [(turn.text, turn.files) for turn in news.turns] == [("", (FILE, "a.py", "neu/ü.py"))]
    assert CLIENTS["opencode"].news_of(path, Place(), Redactor()).turns == []


def raw(value) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def test_a_patch_is_found_wherever_a_model_puts_it():
    for name, value in (
        ("apply_patch", PATCH),
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", json.dumps({"input": PATCH})),
        ("exec_command", json.dumps({"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"})),
    ):
        assert files_of_call(name, raw(value)) == ("a.py", "neu/ü.py")
    assert files_of_call("exec_command", raw({"cmd": "cat a.py", "path": "a.py"})) == ()
    many = "*** Begin Patch\n" + "".join(f"*** Add File: {number}\n" for number in range(FILES_MAX + 9))
    assert len(files_of_call("apply_patch", raw(many))) == FILES_MAX


def test_a_file_that_is_only_looked_at_is_not_edited():
    assert files_of_call("str_replace_editor", raw({"command": "view", "path": FILE})) == ()
    assert files_of_call("str_replace_editor", raw({"command": "create", "path": FILE})) == (FILE,)
    assert files_of_call("Read", raw({"file_path": FILE})) == ()


@given(st.binary(max_size=60), st.sampled_from(["apply_patch", "Edit", "exec_command"]))
def test_any_input_is_survived(given_, name):
    assert isinstance(files_of_call(name, msgspec.Raw(given_)), tuple)
