"""What the real Copilot CLI wrote to hooks, in its two forms, as events; and answers as it takes them."""

from pathlib import Path
from typing import Any, Final

import pytest
from hook_inputs import JSON, event_name, inputs_of, read
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.copilot.dialect import DIALECT, EVENTS, event_of, output_of, transcript_of
from palimp_clients.dialects import client_in
from palimp_clients.hooks.event import HookReply
from palimp_protocol.hooks import HOOK_DEADLINES_S

RECORDED: Final = inputs_of("copilot")
CLAUDES: Final = frozenset(EVENTS.values())
PATCH: Final = "*** Begin Patch\n*** Add File: 店/größe.md\n+寸法\n*** End Patch"
KEYS: Final = ("cwd", "toolName", "tool_name", "toolArgs", "tool_input", "toolResult", "tool_result", "source")


def used(name: str, args: Any, **other: Any) -> dict[str, Any]:
    return {"sessionId": "s", "cwd": "/家", "toolName": name, "toolArgs": args, **other}


def test_there_are_recordings_of_every_event_in_both_forms():
    assert {event_name(path) for path in RECORDED} >= {*EVENTS, *CLAUDES}
    assert HOOK_DEADLINES_S.keys() == CLAUDES


@pytest.mark.parametrize(
    "path", [path for path in RECORDED if path.stem.endswith("-pascal")], ids=lambda path: path.stem
)
def test_the_two_forms_say_the_same(path: Path):
    """So that an event that comes by both is known again."""
    name, _, variant = path.stem.removesuffix("-pascal").partition("-")
    own = next(own for own, claudes in EVENTS.items() if claudes == name)
    other = path.with_name("-".join(filter(None, (own, variant))) + ".json")
    assert event_of(name, read(path)) == event_of(own, read(other))


def test_copilot_is_known_by_what_it_says_to_an_entry_of_claude_code():
    assert {path.stem: client_in(read(path)) for path in RECORDED} == {path.stem: "copilot" for path in RECORDED}


def test_more_fields_change_nothing_and_wrong_types_are_left_out():
    for path in RECORDED:
        name, told = event_name(path), read(path)
        event = event_of(name, told)
        assert event, path.stem
        assert event_of(name, {**told, "new_in_2027": {"a": [1]}, "hook_version": 2}) == event, path.stem
        for key in told:
            for wrong in (None, 7, True, [told[key]], {"x": told[key]}, "\ud800"):
                spoiled = event_of(name, {**told, key: wrong})
                assert spoiled is None or spoiled.event in (event.event, "PostToolUse"), (path.stem, key)


@given(
    st.sampled_from([*EVENTS, *CLAUDES, "errorOccurred", ""]),
    st.dictionaries(st.sampled_from(KEYS), JSON),
    st.sampled_from(["bash", "edit", "Edit", "apply_patch", "str_replace_editor", "view", "x"]),
)
def test_whatever_is_said_nothing_is_raised(name: str, told: dict[str, Any], tool: str):
    for more in ({}, {"toolName": tool}):
        event = event_of(name, {**told, "sessionId": "s", **more})
        assert event is None or isinstance(event.input.get("tool_input", {}), dict)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("agentStop", {}),
        ("agentStop", {"sessionId": "s", "hookEventName": "Stop", "stop_hook_active": False}),  # VS Code's
        ("agentStop", {"sessionId": 3}),
        ("notification", {"sessionId": "s"}),
        ("Stop", {"session_id": "s", "hook_event_name": "SessionEnd"}),
        ("sessionStart", {"sessionId": "s", "hookEventName": "SessionStart", "cwd": "/家"}),
    ],
)
def test_what_is_none_of_ours_is_nothing(name: str, told: dict[str, Any]):
    assert event_of(name, told) is None


@pytest.mark.parametrize("args", [{"command": "größe 店"}, '{"command": "größe 店"}'])
def test_what_a_tool_was_given_may_be_an_object_or_its_text(args: Any):
    event = event_of("preToolUse", used("bash", args))
    assert event
    assert event.input == {"tool_name": "Bash", "tool_input": {"command": "größe 店"}}


@pytest.mark.parametrize(("name", "args"), [("apply_patch", PATCH), ("Edit", PATCH), ("apply_patch", {"input": PATCH})])
def test_a_patch_is_a_patch_in_every_form(name: str, args: Any):
    event = event_of("preToolUse", used(name, args))
    assert event
    [edit] = event.input["tool_input"]["edits"]
    assert edit == {"tool_name": "Write", "tool_input": {"file_path": "/家/店/größe.md", "content": "寸法\n"}}


def test_a_line_for_the_shell_that_looks_like_a_patch_is_none():
    event = event_of("preToolUse", used("bash", {"command": PATCH}))
    assert event
    assert event.input["tool_name"] == "Bash"


@pytest.mark.parametrize(
    ("args", "tool", "about"),
    [
        ({"command": "create", "path": "é.md", "file_text": "x"}, "Write", {"content": "x"}),
        ({"command": "str_replace", "path": "é.md", "old_str": "a", "new_str": "b"}, "Edit", {"new_string": "b"}),
        ({"command": "insert", "path": "é.md", "insert_line": 3, "new_str": "b"}, "Edit", {"old_string": ""}),
        ({"command": "view", "path": "é.md"}, "Read", {}),
    ],
)
def test_the_editor_of_older_models_is_what_its_command_says(args: dict[str, Any], tool: str, about: dict[str, str]):
    event = event_of("preToolUse", used("str_replace_editor", args))
    assert event
    assert event.input["tool_name"] == tool
    assert event.input["tool_input"].items() >= {"file_path": "/家/é.md", **about}.items()


@pytest.mark.parametrize(
    ("result", "event"),
    [
        ({"resultType": "success", "textResultForLlm": "ok\n<shellId: 0 completed with exit code 0>"}, "PostToolUse"),
        ({"resultType": "success", "textResultForLlm": "<shellId: 0 completed with exit code 3>\nsaid"}, "PostToolUse"),
        (
            {"resultType": "success", "textResultForLlm": "é\n<shellId: a completed with exit code 127>"},
            "PostToolUseFailure",
        ),
        ({"resultType": "failure", "textResultForLlm": ""}, "PostToolUseFailure"),
        ("text", "PostToolUse"),
    ],
)
def test_a_command_failed_when_its_last_line_says_so(result: Any, event: str):
    found = event_of("postToolUse", used("bash", {"command": "x"}, toolResult=result))
    assert found
    assert found.event == event
    assert bool(found.input.get("error")) is (event == "PostToolUseFailure")


@pytest.mark.parametrize(
    ("reply", "output"),
    [
        (HookReply(), ""),
        (HookReply(warning="für den Menschen"), ""),
        (HookReply("Höre 聞け"), '{"additionalContext": "Höre 聞け"}'),
        (HookReply("x", "Nein"), '{"permissionDecision": "deny", "permissionDecisionReason": "Nein"}'),
    ],
)
def test_an_answer_is_said_at_the_top(reply: HookReply, output: str):
    assert output_of("PreToolUse", reply) == output
    assert DIALECT.client == "copilot"


@pytest.mark.parametrize(
    ("session", "env", "path"),
    [
        ("s1", {"HOME": "/home/ann"}, "/home/ann/.copilot/session-state/s1/events.jsonl"),
        ("s1", {"HOME": "/home/ann", "COPILOT_HOME": "/データ"}, "/データ/session-state/s1/events.jsonl"),
        ("../s1", {"HOME": "/home/ann"}, ""),
        ("..", {"HOME": "/home/ann"}, ""),
        ("s1", {}, ""),
    ],
)
def test_where_a_session_is_kept_is_known_by_its_id(session: str, env: dict[str, str], path: str):
    assert transcript_of(session, env) == path
