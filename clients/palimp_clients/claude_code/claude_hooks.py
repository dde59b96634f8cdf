"""palimp's hooks in Claude Code's `settings.json`: calls over the session's connection, or commands.

Versions before 2.1.118 ignore all of `settings.json` for an `mcp_tool` hook, so unknown ones get commands; so do a
session's start and end, which have no connection.
"""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from palimp_clients.install.hook_groups import has_command, hooks_in, with_groups, without_groups
from palimp_clients.install.json_edit import items_at
from palimp_clients.install.npm_package import Version
from palimp_protocol.hooks import TOOL

EDITING: Final = "Edit|MultiEdit|Write|NotebookEdit"
RUNNING: Final = "Bash"
HOOKS: Final[Mapping[str, str]] = {
    "SessionStart": "",
    "UserPromptSubmit": "",
    "PreToolUse": f"{EDITING}|Read|{RUNNING}",
    "PostToolUse": f"{EDITING}|{RUNNING}",
    "PostToolUseFailure": RUNNING,
    "Stop": "",
    "SubagentStart": "",
    "PreCompact": "",
    "SessionEnd": "",
}
"""Hooked events, each with a pattern of tools."""

HOOK_S: Final = 5
"""The client's timeout in seconds; hooks end far sooner."""

CALLS_SINCE: Final = Version(2, 1, 118)
"""First version with the type `mcp_tool`; 2.1.117 ignored the whole file for it."""

SERVER: Final = "palimp"

_ALWAYS: Final = {name: f"${{{name}}}" for name in ("session_id", "cwd", "transcript_path", "agent_id")}
_OF_TOOLS: Final = {name: f"${{{name}}}" for name in ("tool_name", "tool_use_id", "tool_input")}
_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "UserPromptSubmit": {"prompt": "${prompt}"},
    "PreToolUse": _OF_TOOLS,
    "PostToolUse": {**_OF_TOOLS, "original_file": "${tool_response.originalFile}"},
    "PostToolUseFailure": {**_OF_TOOLS, "error": "${error}", "is_interrupt": "${is_interrupt}"},
    "Stop": {},
    "PreCompact": {"trigger": "${trigger}"},
}
"""Events that can be MCP calls, with each one's fields beside the common ones."""

_OUR_COMMAND: Final = re.compile(r"palimp['\"]? hook \w+$")


def command(event: str, programs: Path) -> dict[str, Any]:
    """Return *event*'s hook that runs our program."""
    program = shlex.quote(str(programs / "palimp"))
    return {"type": "command", "command": f"{program} hook {event}", "timeout": HOOK_S}


def call(event: str, server: str) -> dict[str, Any] | None:
    """Return *event*'s hook that calls our tool; None: no connection."""
    if event not in _FIELDS:
        return None
    told = {"event": event, **_ALWAYS, **_FIELDS[event]}
    return {"type": "mcp_tool", "server": server, "tool": TOOL, "input": told, "timeout": HOOK_S}


def group(event: str, hook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of *event* that holds *hook*."""
    matcher = {"matcher": HOOKS[event]} if HOOKS[event] else {}
    return {**matcher, "hooks": [dict(hook)]}


def are_calls(version: Version | None, text: bytes) -> bool:
    """Tell whether *version* knows calls; if None, whether *text* has some.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    return version >= CALLS_SINCE if version is not None else has_calls(text)


def has_calls(text: bytes) -> bool:
    """Tell whether a hook of ours is a call.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    return any(
        _is_our_call(hook) for event in HOOKS for each in items_at(text, ("hooks", event)) for hook in hooks_in(each)
    )


def has_commands(text: bytes) -> bool:
    """Tell whether a command hook of ours could be a call.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    groups = [each for event in _FIELDS for each in items_at(text, ("hooks", event))]
    return any(has_command(hook, _OUR_COMMAND) for each in groups for hook in hooks_in(each))


def with_hooks(programs: Path, version: Version | None, text: bytes) -> bytes:
    """Return *text* with our hooks, each once, as *version* knows them.

    Raises:
        JsonTextError: *text* is no JSON, or has another type on the way.
    """
    is_calling = are_calls(version, text)
    hooks = {event: (call(event, SERVER) if is_calling else None) or command(event, programs) for event in HOOKS}
    return with_groups(text, {event: group(event, hook) for event, hook in hooks.items()}, _is_ours)


def without_hooks(text: bytes) -> bytes:
    """Return *text* without our hooks and their lists.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    return without_groups(text, _is_ours)


def _is_ours(entry: Any) -> bool:
    hooks = hooks_in(entry)
    return bool(hooks) and all(_is_our_call(hook) or has_command(hook, _OUR_COMMAND) for hook in hooks)


def _is_our_call(hook: Any) -> bool:
    match hook:
        case {"type": "mcp_tool", "server": server, "tool": tool}:
            return (server, tool) == (SERVER, TOOL)
        case _:
            return False
