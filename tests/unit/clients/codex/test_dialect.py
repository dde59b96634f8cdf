"""What the real Codex wrote to hooks, as events; and answers as it takes them."""

import json
from typing import Any, Final

import pytest
from hook_inputs import event_name, inputs_of

from palimp_clients.codex.dialect import DIALECT, EVENTS, event_of, is_own_work, output_of
from palimp_clients.hooks.event import HookEvent, HookReply

PATCH: Final = "*** Begin Patch\n*** Add File: 店/größe.md\n+寸法\n*** End Patch"


def tool(name: str, command: Any, **other: Any) -> dict[str, Any]:
    return {"session_id": "s", "cwd": "/家", "tool_name": name, "tool_input": {"command": command}, **other}


def test_there_are_recordings_of_every_event():
    assert {event_name(path) for path in inputs_of("codex")} >= EVENTS


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Stop", {}),
        ("Stop", {"session_id": "s", "hook_event_name": "SessionEnd"}),
        ("PostToolUseFailure", {"session_id": "s"}),
        ("UserPromptSubmit", {"session_id": "s", "prompt": "Suche", "agent_id": "a"}),
    ],
)
def test_what_is_none_of_ours_is_nothing(name: str, told: dict[str, Any]):
    assert event_of(name, told) is None


@pytest.mark.parametrize(
    ("folder", "is_writers"),
    [
        ("/home/åsa/.codex/memories", True),
        ("/home/åsa/.codex/memories_v2/", True),
        ("/home/åsa/.codex/memories_v2/rollout_summaries", True),
        ("/home/åsa/.codex/./memories", True),
        ("/home/åsa/.codex", False),
        ("/home/åsa/memories", False),
        ("/home/åsa/.codex/memoriesque", False),
        ("/work/.codex/memories", False),
        ("memories", False),
        ("", False),
    ],
)
def test_the_agent_that_writes_codexs_own_memory_is_no_user(folder: str, is_writers: bool):
    """It runs in a folder of Codex', with the user's hooks and without a transcript."""
    event = HookEvent("UserPromptSubmit", "s", folder, {"prompt": "Consolidate the memories."})
    assert is_own_work(event, {"HOME": "/home/åsa"}) is is_writers
    moved = event._replace(folder=folder.replace("/home/åsa/.codex", "/srv/codex"))
    assert is_own_work(moved, {"HOME": "/home/åsa", "CODEX_HOME": "/srv/codex"}) is is_writers


def test_the_agent_that_writes_a_client_s_own_memory_is_known_where_the_client_s_folder_is_a_link(tmp_path):
    """As of settings that are kept elsewhere; a program reports the real path."""
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".codex").symlink_to(tmp_path / "dotfiles")
    env = {"HOME": str(tmp_path)}
    for folder in (".codex/memories", "dotfiles/memories"):
        assert is_own_work(HookEvent("SessionStart", "s", str(tmp_path / folder), {}), env)
    assert not is_own_work(HookEvent("SessionStart", "s", str(tmp_path / "dotfiles"), {}), env)


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        (f"apply_patch <<'EOF'\n{PATCH}\nEOF", "/家"),
        (f'apply_patch <<"PATCH"\n{PATCH}\nPATCH\n', "/家"),
        (f"cd src && apply_patch <<'EOF'\n{PATCH}\nEOF", "/家/src"),
        (f"cd '/my docs' && apply_patch <<'EOF'\n{PATCH}\nEOF", "/my docs"),
    ],
)
def test_a_patch_in_the_shell_is_a_patch(command: str, folder: str):
    event = event_of("PreToolUse", tool("Bash", command))
    assert event
    assert event.input["tool_name"] == "ApplyPatch"
    [edit] = event.input["tool_input"]["edits"]
    assert edit == {"tool_name": "Write", "tool_input": {"file_path": f"{folder}/店/größe.md", "content": "寸法\n"}}


@pytest.mark.parametrize("command", ["echo apply_patch", f"cat <<'EOF'\n{PATCH}\nEOF", "apply_patch <<'EOF'\nEOF"])
def test_another_command_stays_one(command: str):
    event = event_of("PreToolUse", tool("Bash", command))
    assert event
    assert event.input == {"tool_name": "Bash", "tool_input": {"command": command}}


def test_a_tool_that_palimp_does_not_know_keeps_its_name_only():
    event = event_of("PreToolUse", tool("mcp__db__query", "SELECT 1"))
    assert event
    assert event.input == {"tool_name": "mcp__db__query"}


def test_context_goes_only_where_codex_has_a_place_for_it():
    reply = HookReply(context="é", warning="w")
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"):
        assert json.loads(output_of(event, reply)) == {
            "hookSpecificOutput": {"hookEventName": event, "additionalContext": "é"},
            "systemMessage": "w",
        }
    for event in ("Stop", "SubagentStop", "PreCompact"):
        assert json.loads(output_of(event, reply)) == {"systemMessage": "w"}
        assert output_of(event, HookReply(context="é", denial="no")) == ""
    assert output_of("SessionEnd", reply) == ""


def test_a_denial_says_its_reason():
    told = json.loads(output_of("PreToolUse", HookReply(denial="被删除")))
    assert told["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "被删除",
    }
    assert output_of("PreToolUse", HookReply()) == ""


def test_sessions_are_codexs():
    assert DIALECT.client == "codex"
