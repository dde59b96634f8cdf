"""What VS Code is documented to say, as events, and answers as it is documented to take them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hook_inputs import cut, event_name, expected, inputs_of, read, spoiled
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.dialects import client_in
from palimp_clients.hooks.event import HookReply
from palimp_clients.vscode.dialect import DIALECT, EVENTS, event_of, output_of
from palimp_protocol.hooks import HOOK_DEADLINES_S

FILES = inputs_of("vscode")
TOLD = read(FILES[0])


def used(tool: str, tool_input: Any) -> dict[str, Any]:
    return {**TOLD, "hookEventName": "PreToolUse", "tool_name": tool, "tool_input": tool_input}


def test_every_event_is_documented():
    assert {event_name(path) for path in FILES} == EVENTS
    assert HOOK_DEADLINES_S.keys() > EVENTS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_it_says_is_the_event_it_is(path: Path):
    event = event_of(event_name(path), read(path))
    assert json.loads(json.dumps(event)) == expected(path)
    assert event_of(event_name(path), {**read(path), "new_in_2027": [1]}) == event
    assert client_in(read(path)) == "vscode"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_bad_input_raises_nothing(path: Path):
    for told in (*cut(path), *spoiled(read(path))):
        event = event_of(event_name(path), told)
        assert event is None or json.dumps(event)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("SessionEnd", {**TOLD, "hookEventName": "SessionEnd"}),
        ("Stop", TOLD),
        ("Stop", {"sessionId": "s"}),
        ("Stop", {"session_id": "s", "hook_event_name": "Stop"}),
        ("preToolUse", {"sessionId": "s", "toolName": "bash", "toolArgs": {}}),
    ],
)
def test_what_is_anothers_is_nothing(name: str, told: dict[str, Any]):
    """Copilot runs the same folder of hooks."""
    assert event_of(name, told) is None


def test_of_code_that_leaves_out_what_stays_nothing_is_concluded():
    """`// ...existing code...` is no code."""
    event = event_of(
        "PreToolUse", used("insert_edit_into_file", {"filePath": "/a.py", "code": "# ...existing code..."})
    )
    assert event
    assert "tool_input" not in event.input


def test_places_are_found_in_the_folder():
    event = event_of("PreToolUse", used("read_file", {"filePath": "src/größe.py"}))
    assert event
    assert event.input["tool_input"] == {"file_path": "/home/ann/shop/src/größe.py"}


def test_many_replacements_are_bounded():
    parts = [{"filePath": f"/{number % 100}.py", "oldString": "a", "newString": "b"} for number in range(10_000)]
    event = event_of("PreToolUse", used("multi_replace_string_in_file", {"replacements": parts}))
    assert event
    assert len(event.input["tool_input"]["edits"]) <= 64


@given(st.text(min_size=1), st.text())
def test_context_is_given_where_it_is_taken(text: str, warning: str):
    """Never when the agent stops: there it would be a reason to go on."""
    for event in EVENTS:
        output = json.loads(output_of(event, HookReply(context=text, warning=warning)) or "{}")
        is_told = event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")
        assert output.get("hookSpecificOutput", {}).get("additionalContext") == (text if is_told else None)
        assert output.get("systemMessage", "") == warning
        assert "decision" not in output
    denied = json.loads(output_of("PreToolUse", HookReply(denial=text)))["hookSpecificOutput"]
    assert (denied["permissionDecision"], denied["permissionDecisionReason"]) == ("deny", text)


def test_it_is_vscode():
    assert DIALECT.client == "vscode"
