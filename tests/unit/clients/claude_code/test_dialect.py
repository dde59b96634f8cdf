"""Claude Code's events come as they are, and its answers are read back."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hook_inputs import JSON, event_name, inputs_of, read
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.claude_code.dialect import DIALECT, EVENTS, event_in_call, event_of, output_of, reply_in
from palimp_clients.hooks.event import HookReply

CALLS = sorted(Path(__file__).with_name("hook_calls").glob("*.json"))
TOLD: Final[dict[str, Any]] = {
    "session_id": "s1",
    "hook_event_name": "PostToolUse",
    "cwd": "/home/ann/店",
    "tool_name": "Edit",
    "tool_input": {"file_path": "a.py"},
    "tool_response": {"originalFile": "é\n", "structuredPatch": []},
    "stop_hook_active": True,
    "something_new": 3,
}


@pytest.mark.parametrize("path", CALLS, ids=lambda path: path.stem)
def test_a_call_says_the_same_as_what_a_process_is_told(path: Path):
    """Both recorded of one session of the real client: the template leaves nothing out that is used."""
    names = (path.stem, f"{path.stem}-manual")
    [told] = [each for each in inputs_of("claude-code") if each.stem in names]
    event = event_of(event_name(path), read(told))
    assert event is not None
    assert event_in_call(read(path)) == event


def test_what_is_not_used_stays_behind():
    event = event_of("PostToolUse", TOLD)
    assert event
    assert (event.event, event.session, event.folder) == ("PostToolUse", "s1", "/home/ann/店")
    assert event.input == {
        "tool_name": "Edit",
        "tool_input": {"file_path": "a.py"},
        "tool_response": {"originalFile": "é\n"},
    }


@pytest.mark.parametrize(
    ("name", "given"),
    [("PostToolUse", {}), ("Stop", TOLD), ("BeforeTool", {"session_id": "s"}), ("Stop", {"session_id": 3})],
)
def test_what_is_not_claudes_is_nothing(name: str, given: dict[str, Any]):
    assert event_of(name, given) is None


@given(st.sampled_from(sorted(EVENTS)), st.dictionaries(st.sampled_from(sorted(TOLD)), JSON))
def test_wrong_types_are_left_out(name: str, told: dict[str, Any]):
    event = event_of(name, {**told, "session_id": "s1"})
    assert event is None or isinstance(event.input.get("tool_input", {}), dict)


@given(st.text(), st.text(), st.sampled_from(sorted(EVENTS)))
def test_a_reply_is_read_back(text: str, warning: str, event: str):
    for reply in (HookReply(context=text, warning=warning), HookReply(denial=text, warning=warning)):
        assert reply_in(output_of(event, reply)) == reply


@given(st.text() | JSON.map(json.dumps))
def test_any_output_is_read(output: str):
    reply_in(output)


def test_the_client_is_claude_code():
    assert DIALECT.client == "claude-code"
