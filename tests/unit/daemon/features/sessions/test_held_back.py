"""What a client does not take before a tool is used comes with the tool's answer, once."""

from typing import Any

import pytest

from palimp_daemon.features.sessions.held_back import HELD_MAX, LATE, HeldBack
from palimp_protocol.messages.hook_messages import Hook


def hook(event: str, file: str = "größe.py", **more: Any) -> Hook:
    return Hook(event=event, input={"tool_name": "Edit", "tool_input": {"file_path": file}, **more})


@pytest.mark.parametrize("after", ["PostToolUse", "PostToolUseFailure"])
@pytest.mark.parametrize("use", [{}, {"tool_use_id": "toolu_1"}])
def test_what_waits_is_told_after_the_tool_and_once(after: str, use: dict[str, str]):
    held = HeldBack()
    assert held.told_at(hook("PreToolUse", **use), "s", "価格は整数") == ""
    assert held.told_at(hook(after, **use), "s", "") == f"{LATE}\n価格は整数"
    assert held.told_at(hook(after, **use), "s", "") == ""


def test_what_is_told_after_a_tool_anyway_stands_behind_it():
    held = HeldBack()
    held.told_at(hook("PreToolUse"), "s", "first")
    assert held.told_at(hook("PostToolUse"), "s", "second") == f"{LATE}\nfirst\n\nsecond"


def test_another_use_another_session_and_another_event_get_nothing_of_it():
    held = HeldBack()
    held.told_at(hook("PreToolUse", tool_use_id="a"), "s", "context")
    assert held.told_at(hook("PostToolUse", tool_use_id="b"), "s", "") == ""
    assert held.told_at(hook("PostToolUse", tool_use_id="a"), "t", "") == ""
    assert held.told_at(hook("PostToolUse", file="other.py"), "s", "") == ""
    assert held.told_at(hook("UserPromptSubmit", tool_use_id="a"), "s", "own") == "own"


def test_so_much_waits_and_no_more():
    held = HeldBack()
    for number in range(HELD_MAX + 1):
        held.told_at(hook("PreToolUse", file=f"{number}.py"), "s", "context")
    assert held.told_at(hook("PostToolUse", file="0.py"), "s", "") == ""
    assert held.told_at(hook("PostToolUse", file="1.py"), "s", "")
