"""What Cursor is documented to say, as events, and answers as it is documented to take them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hook_inputs import cut, event_name, expected, inputs_of, read, spoiled
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.cursor.dialect import DIALECT, EVENTS, event_of, output_of
from palimp_clients.dialects import client_in
from palimp_clients.hooks.event import HookReply
from palimp_protocol.hooks import HOOK_DEADLINES_S

FILES = inputs_of("cursor")
EDIT = next(read(path) for path in FILES if path.stem == "afterFileEdit")
USED = next(read(path) for path in FILES if path.stem == "postToolUse-Write-edit")


def test_every_event_is_documented():
    assert {event_name(path) for path in FILES} > EVENTS.keys()
    assert set(EVENTS.values()) == HOOK_DEADLINES_S.keys() - {"SubagentStart"}  # Cursor tells its subagents nothing


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_it_says_is_the_event_it_is(path: Path):
    event = event_of(event_name(path), read(path))
    assert json.loads(json.dumps(event)) == expected(path)
    assert event_of(event_name(path), {**read(path), "new_in_2027": [1]}) == event
    assert client_in(read(path)) == "cursor"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_bad_input_raises_nothing(path: Path):
    for told in (*cut(path), *spoiled(read(path))):
        event = event_of(event_name(path), told)
        assert event is None or json.dumps(event)


@pytest.mark.parametrize("name", EVENTS)
def test_an_entry_of_claudes_settings_says_the_same(name: str):
    """Cursor runs those, too, under Claude Code's names; an edit's own event has no other name."""
    told = next(read(path) for path in FILES if event_name(path) == name)
    if name != "afterFileEdit":
        assert event_of(EVENTS[name], told) == event_of(name, told)


def test_an_edit_that_comes_twice_is_the_same_event():
    assert event_of("afterFileEdit", EDIT) == event_of("PostToolUse", USED)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("stop", {**EDIT, "hook_event_name": "sessionEnd"}),
        ("stop", {"hook_event_name": "stop", "workspace_roots": ["/a"]}),
        ("Stop", {"session_id": "s", "hook_event_name": "Stop"}),
        ("afterAgentThought", {**EDIT, "hook_event_name": "afterAgentThought"}),
        ("beforeShellExecution", {**EDIT, "hook_event_name": "beforeShellExecution"}),
    ],
)
def test_what_is_none_of_ours_is_nothing(name: str, told: dict[str, Any]):
    assert event_of(name, told) is None


def test_the_folder_is_the_workspaces_where_none_is_said():
    event = event_of("afterFileEdit", {**EDIT, "file_path": "größe.py"})
    assert event
    assert event.folder == "/home/ann/shop"
    assert event.input["tool_input"]["file_path"] == "/home/ann/shop/größe.py"
    elsewhere = event_of("afterFileEdit", {**EDIT, "workspace_roots": [7, "/b"]})
    assert elsewhere
    assert elsewhere.folder == ""


def test_many_edits_are_bounded():
    event = event_of("afterFileEdit", {**EDIT, "edits": [{"old_string": "a", "new_string": "b"}] * 10_000})
    assert event
    assert len(event.input["tool_input"]["edits"]) == 256


@given(st.text(min_size=1))
def test_what_it_does_not_take_is_not_said(text: str):
    for event in EVENTS.values():
        output = output_of(event, HookReply(context=text, warning=text))
        assert output == "" or json.loads(output) == {"additional_context": text}
        assert (output != "") == (event in ("SessionStart", "PostToolUse"))
    denied = json.loads(output_of("PreToolUse", HookReply(denial=text, context="more")))
    assert denied == {"permission": "deny", "user_message": text, "agent_message": text}


def test_it_is_cursor():
    assert DIALECT.client == "cursor"
