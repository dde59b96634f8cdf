"""The files that were edited, told by the calls that six clients write down, of lines as the programs wrote them."""

import json

import apsw
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.clients import CLIENTS
from palimp_daemon.text.transcripts.edited_files import FILES_MAX, files_of_call
from palimp_daemon.text.transcripts.turn import DONE

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
        "message": {"role": "model", "parts": [{"functionCall": {"name": "edit", "args": {"file_path": FILE}}}]},
    },
}


@pytest.mark.parametrize("client", LINES)
def test_the_files_that_were_edited_are_told_where_they_are_wanted(tmp_path, client):
    path = tmp_path / "session-x.jsonl"
    path.write_text(json.dumps(LINES[client], separators=(",", ":"), ensure_ascii=False) + "\n")
    news = CLIENTS[client].news_of(str(path), Place(), Redactor(), DONE)
    expected = ("a.py", "neu/ü.py") if client == "codex" else (FILE,)
    assert [(turn.role, turn.text, turn.files) for turn in news.turns] == [("assistant", "", expected)]
    assert CLIENTS[client].news_of(str(path), Place(), Redactor()).turns == []


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
