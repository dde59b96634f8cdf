"""A call of the tool for hooks becomes the request that a hook's process would send."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.env import paths
from palimp_protocol.hooks import HOOK_DEADLINES_S, HOOKS_OFF
from palimp_protocol.wire.frames import Frame, Kind
from palimp_shim.relay.hook_calls import HookCalls, result_line

CALLED: dict[str, Any] = {
    "event": "PostToolUse",
    "session_id": "s1",
    "cwd": "/",
    "transcript_path": "",
    "agent_id": "",
    "tool_name": "Edit",
    "tool_use_id": "t1",
    "tool_input": json.dumps({"file_path": "größe.py", "old_string": "日本", "new_string": "\ud800"}),
    "original_file": "日本\n",
}


def message(arguments: Any, name: str = "hook_event") -> dict[str, Any]:
    return {"id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "state"), "PALIMP_HOOKS_PATIENCE": "2"}


def test_objects_come_as_texts_and_missing_fields_as_empty_ones(env: dict[str, str]):
    call = HookCalls(env, "r1").read(message(CALLED))
    assert call
    assert call.deadline_s == 2 * HOOK_DEADLINES_S["PostToolUse"]
    assert call.is_kept
    told = json.loads(call.body)
    assert told["operation"] == "hook"
    assert told["caller"]["project"] is None
    assert told["caller"]["session"] == {"key": "s1", "client": "claude-code"}
    assert told["arguments"]["via"] == "mcp r1"
    assert told["arguments"]["input"] == {
        "tool_name": "Edit",
        "tool_use_id": "t1",
        "tool_input": {"file_path": "größe.py", "old_string": "日本", "new_string": "\ufffd"},
        "tool_response": {"originalFile": "日本\n"},
    }


def test_other_requests_are_none_of_ours(env: dict[str, str]):
    calls = HookCalls(env, "r1")
    assert calls.read(message(CALLED, name="recall")) is None
    assert calls.read({"id": 1, "method": "tools/list"}) is None
    assert calls.read({"id": 1, "method": "tools/call", "params": ["hook_event"]}) is None


def test_a_program_that_palimp_started_tells_nothing(env: dict[str, str]):
    call = HookCalls({**env, HOOKS_OFF: "1"}, "r1").read(message(CALLED))
    assert call
    assert call.body == b""


@given(st.dictionaries(st.sampled_from([*CALLED, "x"]), st.none() | st.integers() | st.text() | st.lists(st.text())))
def test_wrong_types_and_cut_objects_are_answered(arguments: dict[str, Any]):
    for given_ in (arguments, arguments | {"event": "Stop", "session_id": "s"}, list(arguments), None):
        call = HookCalls({"HOME": "/nowhere"}, "r1").read(message(given_))
        assert call
        if call.body:
            json.loads(call.body)


def test_what_is_cut_at_any_place_is_left_out(env: dict[str, str]):
    whole = CALLED["tool_input"]
    for end in range(len(whole)):
        call = HookCalls(env, "r1").read(message(CALLED | {"tool_input": whole[:end]}))
        assert call
        assert "tool_input" not in json.loads(call.body)["arguments"]["input"]


def test_what_nobody_took_waits_in_a_file(env: dict[str, str]):
    HookCalls(env, "r1").keep([Frame(Kind.REQUEST, b"i" * 24, b"{}")])
    [file] = Path(paths.spool_directory(env)).iterdir()
    assert file.name.endswith(f"{(b'i' * 24).hex()}.json")
    HookCalls({**env, "PALIMP_HOME": "/proc/none"}, "r1").keep([Frame(Kind.REQUEST, b"j" * 24, b"{}")])


def test_a_reply_becomes_a_result():
    line = json.loads(result_line("a", json.dumps({"output": "é"}).encode()))
    assert line == {"jsonrpc": "2.0", "id": "a", "result": {"content": [{"type": "text", "text": "é"}]}}
    assert json.loads(result_line(3))["result"] == {"content": []}
    assert json.loads(result_line("\ud83d"))["id"] == "\ud83d"
