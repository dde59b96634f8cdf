"""Kimi Code, with inputs as its version 2.1 sent them: a prompt is blocks, and only prompts take context."""

import json
from typing import Any

import pytest

from palimp_clients.hooks.event import HookReply
from palimp_clients.kimi.dialect import EVENTS, event_of, output_of


def given(event: str, **more: Any) -> dict[str, Any]:
    return {
        "hook_event_name": event,
        "session_id": "session_0fe9c105",
        "cwd": "/work/p",
        "session_title": "Rounding",
        **more,
    }


def used(event: str, tool: str, **tool_input: Any) -> dict[str, Any]:
    return given(event, tool_name=tool, tool_input=tool_input, tool_call_id="call_1")


def test_a_prompt_is_the_texts_of_its_blocks():
    blocks = [
        {"type": "text", "text": "Fix it."},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "Now."},
    ]
    event = event_of("UserPromptSubmit", given("UserPromptSubmit", prompt=blocks, is_steer=False))
    assert event is not None
    assert (event.session, event.folder) == ("session_0fe9c105", "/work/p")
    assert event.input == {"prompt": "Fix it.\n\nNow."}


@pytest.mark.parametrize("prompt", [[], [{"type": "image_url"}], ["x"], "  ", None, 3])
def test_a_prompt_without_words_is_none(prompt: Any):
    assert event_of("UserPromptSubmit", given("UserPromptSubmit", prompt=prompt)) is None


@pytest.mark.parametrize(
    ("tool", "sent", "understood"),
    [
        ("Write", {"path": "a.py", "content": "one"}, {"file_path": "/work/p/a.py", "content": "one"}),
        (
            "Edit",
            {"path": "/work/p/a.py", "old_string": "one", "new_string": "two", "replace_all": True},
            {"file_path": "/work/p/a.py", "old_string": "one", "new_string": "two", "replace_all": True},
        ),
        ("Read", {"path": "/work/p/a.py", "line_offset": 3}, {"file_path": "/work/p/a.py"}),
        ("Bash", {"command": "ls", "timeout": 60}, {"command": "ls"}),
    ],
)
def test_tools_are_claude_codes(tool: str, sent: dict[str, Any], understood: dict[str, Any]):
    event = event_of("PreToolUse", used("PreToolUse", tool, **sent))
    assert event is not None
    assert event.input == {"tool_name": tool, "tool_input": understood, "tool_use_id": "call_1"}


def test_context_is_told_with_a_prompt_and_a_denial_before_a_tool():
    reply = HookReply("Known.\nTwo lines.", "Removed.")
    assert json.loads(output_of("UserPromptSubmit", reply)) == {"message": "Known.\nTwo lines."}
    denied = json.loads(output_of("PreToolUse", reply))["hookSpecificOutput"]
    assert (denied["permissionDecision"], denied["permissionDecisionReason"]) == ("deny", "Removed.")
    assert [output_of(event, HookReply("Known.")) for event in EVENTS - {"UserPromptSubmit"}] == [""] * (
        len(EVENTS) - 1
    )


@pytest.mark.parametrize(
    ("name", "more"),
    [("SessionHeartbeat", {}), ("Stop", {"session_id": ""}), ("Stop", {"hook_event_name": "PreCompact"})],
)
def test_what_is_no_event_of_ours_is_passed_over(name: str, more: dict[str, Any]):
    assert event_of(name, given(name) | more) is None
