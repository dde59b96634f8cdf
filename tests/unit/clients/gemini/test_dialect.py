"""What the real Gemini CLI wrote to hooks, as events; and answers as it takes them."""

import json
from typing import Any

import pytest
from hook_inputs import event_name, inputs_of

from palimp_clients.gemini.dialect import DIALECT, EVENTS, event_of, output_of, typed_in
from palimp_clients.hooks.event import HookReply


def tool(name: str, **other: Any) -> dict[str, Any]:
    return {"session_id": "s", "cwd": "/家", "tool_name": name, "tool_input": {}, **other}


def shell(answer: Any) -> Any:
    return event_of("AfterTool", tool("run_shell_command", tool_response={"llmContent": answer}))


def test_there_are_recordings_of_every_event():
    assert {event_name(path) for path in inputs_of("gemini")} == set(EVENTS)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("AfterAgent", {}),
        ("AfterAgent", {"session_id": "s", "hook_event_name": "SessionEnd"}),
        ("UserPromptSubmit", {"session_id": "s", "prompt": "Suche"}),
        ("BeforeAgent", {"session_id": "s", "prompt": " \n"}),
        ("BeforeAgent", {"session_id": "s", "prompt": "<hook_context>only this</hook_context>\n\n"}),
        ("PreCompress", {"session_id": "s", "trigger": "auto"}),
    ],
)
def test_what_is_none_of_ours_is_nothing(name: str, told: dict[str, Any]):
    assert event_of(name, told) is None


def test_a_compression_that_a_person_asked_for_is_one():
    event = event_of("PreCompress", {"session_id": "s", "trigger": "manual"})
    assert event
    assert (event.event, event.input) == ("PreCompact", {"trigger": "manual"})


@pytest.mark.parametrize(
    ("prompt", "typed"),
    [
        ("<hook_context>a &lt;b&gt;\nc</hook_context>\n\nПочини цены", "Почини цены"),
        ("What is <hook_context>x</hook_context>?", "What is <hook_context>x</hook_context>?"),
        ("<hook_context>without an end", ""),
        ("看 @a.py\n--- Content from referenced files ---\nContent from @a.py:\nx\n--- End of content ---", "看 @a.py"),
    ],
)
def test_of_a_prompt_only_what_was_typed_is_told(prompt: str, typed: str):
    assert typed_in(prompt) == typed


def test_paths_are_made_absolute_and_every_place_is_edited_where_that_is_said():
    asked = {"file_path": "src/größe.py", "old_string": "a", "new_string": "", "allow_multiple": True}
    event = event_of("BeforeTool", tool("replace", tool_input=asked))
    expected = {"file_path": "/家/src/größe.py", "old_string": "a", "new_string": "", "replace_all": True}
    assert event
    assert event.input == {"tool_name": "Edit", "tool_input": expected}


def test_an_older_version_calls_the_path_of_a_file_that_is_read_by_another_name():
    event = event_of("BeforeTool", tool("read_file", tool_input={"absolute_path": "/家/größe.py"}))
    assert event
    assert event.input["tool_input"] == {"file_path": "/家/größe.py"}


def test_of_other_tools_the_input_is_not_told():
    event = event_of("BeforeTool", tool("web_fetch", tool_input={"prompt": "a long text"}))
    assert event
    assert event.input == {"tool_name": "web_fetch"}


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("<untrusted_context>\nOutput: no such\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>", "no such"),
        ("Output: a\nb\nError: spawn\nSignal: 9\nBackground PIDs: 1, 2\nProcess Group PGID: 7", "a\nb\nError: spawn"),
        ("Output: (empty)\nExit Code: 1\nProcess Group PGID: 7", ""),
        ("Command was automatically cancelled because it exceeded the timeout", "Command was automatically cancelled"),
        ([{"text": "Output: 失败\n"}, {"text": "Exit Code: 1"}, 7, None], "失败"),
    ],
)
def test_a_command_that_failed_is_told_as_one(answer: Any, error: str):
    event = shell(answer)
    assert event.event == "PostToolUseFailure"
    assert event.input.get("error", "").partition(" because")[0] == error


@pytest.mark.parametrize(
    "answer",
    [
        "Output: Exit Code: 3\nProcess Group PGID: 7",
        "Output: (empty)",
        "Command moved to background (PID: 7).",
        7,
    ],
)
def test_a_command_that_worked_or_still_runs_did_not_fail(answer: Any):
    assert shell(answer).event == "PostToolUse"


def test_a_command_that_a_person_cancelled_was_interrupted():
    told = shell("Command was cancelled by user before it could complete. There was no output before it was cancelled.")
    assert (told.event, told.input["is_interrupt"]) == ("PostToolUseFailure", True)


@pytest.mark.parametrize(
    ("event", "native"),
    [
        ("SessionStart", "SessionStart"),
        ("UserPromptSubmit", "BeforeAgent"),
        ("PostToolUse", "AfterTool"),
        ("PostToolUseFailure", "AfterTool"),
    ],
)
def test_context_is_told_where_it_reaches_the_model(event: str, native: str):
    told = json.loads(output_of(event, HookReply("価格 <x>")))
    assert told == {"hookSpecificOutput": {"hookEventName": native, "additionalContext": "価格 <x>"}}


@pytest.mark.parametrize("event", ["PreToolUse", "Stop", "PreCompact", "SessionEnd"])
def test_context_is_told_nowhere_else(event: str):
    assert output_of(event, HookReply("価格")) == ""


def test_a_denial_says_why_and_only_before_a_tool():
    reply = HookReply("context", "removed: größe()", "a warning")
    told = json.loads(output_of("PreToolUse", reply))
    assert told == {"decision": "deny", "reason": "removed: größe()", "systemMessage": "a warning"}
    assert "decision" not in output_of("UserPromptSubmit", reply)
    assert "decision" not in output_of("Stop", reply)


def test_nothing_is_said_where_there_is_nothing_to_say():
    assert output_of("SessionStart", HookReply()) == ""
    assert DIALECT.client == "gemini"
