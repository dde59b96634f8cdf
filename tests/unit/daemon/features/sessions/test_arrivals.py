"""An event that comes through two installations is handled once, and one that happens again is another."""

from typing import Any

from palimp_daemon.features.sessions.arrivals import ARRIVALS_MAX, Arrivals
from palimp_protocol.messages.hooks import Hook


def hook(via: str = "", event: str = "PreToolUse", **given: Any) -> Hook:
    return Hook(event=event, input=given, via=via)


def test_a_use_of_a_tool_is_known_by_its_id():
    arrivals = Arrivals()
    assert arrivals.is_first(hook(tool_use_id="t1", tool_name="Edit"), "s")
    assert not arrivals.is_first(hook(tool_use_id="t1", tool_name="apply_patch"), "s")
    assert not arrivals.is_first(hook("plugin", tool_use_id="t1"), "s")
    assert arrivals.is_first(hook(tool_use_id="t2"), "s")
    assert arrivals.is_first(hook(tool_use_id="t1"), "another session")
    assert arrivals.is_first(hook(event="PostToolUse", tool_use_id="t1"), "s")


def test_without_an_id_the_way_tells_whether_the_same_happened_again():
    """The same edit that is sent again after it was denied must be looked at again."""
    arrivals = Arrivals()
    edit = {"tool_name": "Edit", "tool_input": {"new_string": "größe 🐨", "old_string": ""}}
    assert arrivals.is_first(hook(**edit), "s")
    assert not arrivals.is_first(hook("copilot", **edit), "s")
    assert arrivals.is_first(hook(**edit), "s")
    assert not arrivals.is_first(hook("copilot", **edit), "s")


def test_a_prompt_is_the_same_wherever_the_transcript_is_said_to_be():
    arrivals = Arrivals()
    assert arrivals.is_first(hook("cursor", "UserPromptSubmit", prompt="weiter", transcript_path="/a"), "s")
    assert not arrivals.is_first(hook("", "UserPromptSubmit", prompt="weiter", transcript_path=""), "s")
    assert arrivals.is_first(hook("", "UserPromptSubmit", prompt="und jetzt"), "s")


def test_what_could_not_be_handled_may_come_again():
    arrivals = Arrivals()
    assert arrivals.is_first(hook(tool_use_id="t1"), "s")
    arrivals.forget(hook(tool_use_id="t1"), "s")
    assert arrivals.is_first(hook(tool_use_id="t1"), "s")


def test_arrivals_are_bounded():
    arrivals = Arrivals()
    for number in range(ARRIVALS_MAX + 1):
        arrivals.is_first(hook(tool_use_id=str(number)), "s")
    assert arrivals.is_first(hook(tool_use_id="0"), "s")
    assert not arrivals.is_first(hook(tool_use_id=str(ARRIVALS_MAX)), "s")
