"""Factory droid, with inputs as its version 0.215 sent them; its settings lose our hooks to the byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from palimp_clients.droid.dialect import EVENTS, event_of, output_of
from palimp_clients.droid.install import HOOKS, with_hooks, without_hooks
from palimp_clients.hooks.event import HookReply


def given(event: str, tool: str = "", **tool_input: Any) -> dict[str, Any]:
    used = {"tool_name": tool, "tool_input": tool_input} if tool else {}
    return {
        "session_id": "0fe9c105",
        "transcript_path": "/home/ana/.factory/sessions/-work-p/0fe9c105.jsonl",
        "cwd": "/work/p",
        "permission_mode": "auto-high",
        "hook_event_name": event,
        **used,
    }


@pytest.mark.parametrize(
    ("tool", "sent", "name", "understood"),
    [
        ("Create", {"file_path": "/work/p/a.py", "content": "one"}, "Write", {"content": "one"}),
        (
            "Edit",
            {"file_path": "/work/p/a.py", "old_str": "one", "new_str": "two", "change_all": True},
            "Edit",
            {"old_string": "one", "new_string": "two", "replace_all": True},
        ),
        ("Read", {"file_path": "/work/p/a.py", "limit": 3}, "Read", {}),
    ],
)
def test_tools_on_files_are_claude_codes(tool: str, sent: dict[str, Any], name: str, understood: dict[str, Any]):
    event = event_of("PreToolUse", given("PreToolUse", tool, **sent))
    assert event is not None
    assert event.input["tool_name"] == name
    assert event.input["tool_input"] == {"file_path": "/work/p/a.py", **understood}


def test_a_command_is_one_of_the_shell():
    event = event_of("PostToolUse", given("PostToolUse", "Execute", command="ls", riskLevel="low"))
    assert event is not None
    assert (event.session, event.folder) == ("0fe9c105", "/work/p")
    assert event.input.pop("transcript_path").endswith("/0fe9c105.jsonl")
    assert event.input == {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def test_context_is_told_where_it_arrives_and_a_denial_before_a_tool():
    reply = HookReply("Known.", "Removed.")
    assert json.loads(output_of("PreToolUse", reply))["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert output_of("PreToolUse", HookReply("Known.")) == ""
    for event in ("SessionStart", "PostToolUse"):
        assert json.loads(output_of(event, reply))["hookSpecificOutput"]["additionalContext"] == "Known."
    assert output_of("Stop", reply) == ""


@pytest.mark.parametrize("text", ["{}\n", '{"customModels": [], "hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}'])
def test_hooks_are_there_once_and_go_again(text: str):
    installed = with_hooks(Path("/opt/bin"), text.encode())
    assert with_hooks(Path("/opt/bin"), installed) == installed
    assert installed.count(b"--client droid") == len(HOOKS)
    assert HOOKS.keys() <= EVENTS
    assert json.loads(without_hooks(installed)) == json.loads(text)
