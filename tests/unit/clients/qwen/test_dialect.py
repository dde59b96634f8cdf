"""What the real Qwen Code wrote to hooks, as events; and answers as it takes them."""

import json
from typing import Any, Final

import pytest
from hook_inputs import event_name, inputs_of

from palimp_clients.hooks.event import HookReply
from palimp_clients.qwen.dialect import DIALECT, EVENTS, event_of, is_own_work, output_of

NOT_RECORDED: Final = {"SessionEnd", "PreCompact"}
"""They do not come without a terminal."""


def failed(error: Any) -> Any:
    told = {"session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "make"}, "error": error}
    return event_of("PostToolUseFailure", told)


def test_there_are_recordings_of_every_event():
    assert {event_name(path) for path in inputs_of("qwen")} >= EVENTS - NOT_RECORDED


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Stop", {}),
        ("Stop", {"session_id": "s", "hook_event_name": "SessionEnd"}),
        ("SubagentStop", {"session_id": "s"}),
        ("UserPromptSubmit", {"session_id": "s", "prompt": ""}),
        ("UserPromptSubmit", {"session_id": "s", "prompt": "\n", "submitted_prompt": " "}),
    ],
)
def test_what_is_none_of_ours_is_nothing(name: str, told: dict[str, Any]):
    assert event_of(name, told) is None


def test_a_prompt_of_an_older_version_is_told_without_what_is_around_it():
    prompt = "看 @a.py\n--- Content from referenced files ---\nContent from a.py:\nx\n--- End of content ---"
    event = event_of("UserPromptSubmit", {"session_id": "s", "prompt": prompt})
    assert event
    assert event.input == {"prompt": "看 @a.py"}


def test_a_compaction_and_the_end_of_a_session_are_told():
    assert event_of("PreCompact", {"session_id": "s", "trigger": "auto"})
    assert event_of("SessionEnd", {"session_id": "s", "reason": "prompt_input_exit"})


@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse"])
@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit"])
@pytest.mark.parametrize(
    ("path", "is_own"),
    [
        ("/home/åsa/.qwen/memories/user/größe.md", True),
        ("/home/åsa/.qwen/projects/-srv-店/memory/MEMORY.md", True),
        ("/home/åsa/.qwen/projects/../memories/MEMORY.md", True),
        ("/home/åsa/.qwen/settings.json", False),
        ("/home/åsa/.qwen/projects/-srv-店/chats/1.jsonl", False),
        ("/home/åsa/店/.qwen/memories/MEMORY.md", False),
        ("/home/åsa/店/memories/MEMORY.md", False),
        ("memories/MEMORY.md", False),
        ("", False),
    ],
)
def test_the_tools_of_the_agent_that_writes_qwens_own_memory_are_no_users(
    name: str, tool: str, path: str, is_own: bool
):
    """They are told as the session's, with nothing else that tells them from it."""
    told = {"session_id": "s", "cwd": "/home/åsa/店", "tool_name": tool, "tool_input": {"file_path": path}}
    event = event_of(name, told)
    assert event
    assert is_own_work(event, {"HOME": "/home/åsa"}) is is_own
    moved = event_of(name, {**told, "tool_input": {"file_path": path.replace("/home/åsa/.qwen", "/srv/qwen")}})
    assert moved
    assert is_own_work(moved, {"HOME": "/home/åsa", "QWEN_HOME": "/srv/qwen"}) is is_own


def test_a_prompt_and_a_command_are_never_of_its_own_memory():
    for given in (
        {"prompt": "x"},
        {"tool_name": "run_shell_command", "tool_input": {"command": "ls ~/.qwen/memories"}},
    ):
        event = event_of("PreToolUse" if "tool_name" in given else "UserPromptSubmit", {"session_id": "s", **given})
        assert event
        assert not is_own_work(event, {"HOME": "/home/åsa"})


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            "Command: make\nDirectory: (root)\nOutput: 失败\nError: x\nb\nError: (none)\nExit Code: 2\n",
            "失败\nError: x\nb",
        ),
        ("Command: make\nDirectory: (root)\nOutput: (empty)\nError: spawn\nExit Code: 1\nSignal: 9", "spawn"),
        ("Command: make\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1", None),
        ("Command: make\nsomething else", "Command: make\nsomething else"),
        (7, None),
    ],
)
def test_of_a_command_that_failed_its_output_is_told(error: Any, told: str | None):
    assert failed(error).input.get("error") == told


@pytest.mark.parametrize(
    ("answer", "event"),
    [
        ("Command: make\nDirectory: (root)\nOutput: 失败\nError: (none)\nExit Code: 2\nSignal: (none)", "Failure"),
        ("Command: make\nDirectory: (root)\nOutput: Exit Code: 2\nError: (none)\nExit Code: 0\nSignal: (none)", ""),
        ("Command moved to background", ""),
        (7, ""),
    ],
)
def test_a_failure_that_an_older_version_tells_as_an_answer_is_one(answer: Any, event: str):
    told = {"session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "make"}}
    found = event_of("PostToolUse", {**told, "tool_response": {"llmContent": answer}})
    assert found
    assert found.event == f"PostToolUse{event}"
    assert found.input.get("error") == ("失败" if event else None)


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"])
def test_context_is_told_where_it_reaches_the_model(event: str):
    told = json.loads(output_of(event, HookReply("価格 <x>")))
    assert told == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "価格 <x>"}}


@pytest.mark.parametrize("event", ["PreToolUse", "Stop", "PreCompact", "SessionEnd"])
def test_context_is_told_nowhere_else(event: str):
    assert output_of(event, HookReply("価格")) == ""


def test_a_denial_says_why_and_only_before_a_tool():
    reply = HookReply("context", "removed: größe()", "a warning")
    said = json.loads(output_of("PreToolUse", reply))["hookSpecificOutput"]
    assert said == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "removed: größe()",
    }
    assert "permissionDecision" not in output_of("UserPromptSubmit", reply)
    assert DIALECT.client == "qwen"
