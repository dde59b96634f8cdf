"""Codex: Claude Code's form, with edits as patches, and a stricter check of answers.

`apply_patch`, a tool or a shell command, is reported before and not after; commands' results are not. A field that an
event lacks shows as "Failed". Codex' own memory's agent runs hooks, too.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.claude_code import dialect as claude
from palimp_clients.hooks.event import (
    PATCH,
    Dialect,
    HookEvent,
    HookReply,
    claude_fields,
    mapping_of,
    path_in,
    paths_below,
    text_of,
)
from palimp_clients.hooks.patches import edits_of

EVENTS: Final = frozenset(
    {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "SessionEnd",
    }
)

PATCHING: Final = "apply_patch"
SHELL: Final = "Bash"

_WITH_CONTEXT: Final = frozenset({"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"})
_MEMORY: Final = re.compile(r"memories(?:_\w+)?(?:/|$)")
"""Codex's own memory, below its settings' folder."""

_PATCH_IN_SHELL: Final = re.compile(
    r"\s*(?:cd\s+(?P<folder>'[^']*'|\"[^\"]*\"|[^\s'\"&;|]+)\s*&&\s*)?apply_patch\s*<<-?\s*(['\"]?)\w+\2[ \t]*\n"
    r"(?P<patch>\*\*\* Begin Patch\n.*)",
    re.DOTALL,
)
"""A patch as a command, in either form."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused."""
    session = text_of(given, "session_id")
    if name not in EVENTS or not session or given.get("hook_event_name", name) != name:
        return None
    if name == "UserPromptSubmit" and text_of(given, "agent_id"):
        return None
    folder = text_of(given, "cwd")
    return HookEvent(name, session, folder, claude_fields(given) | _tool(given, folder))


def _tool(given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    command = text_of(mapping_of(given, "tool_input"), "command")
    tool = text_of(given, "tool_name")
    if tool == PATCHING:
        return _patch(command, folder)
    if tool != SHELL or not command:
        return {}
    if found := _PATCH_IN_SHELL.match(command):
        return _patch(found["patch"], path_in(folder, (found["folder"] or "").strip("'\"")) or folder)
    return {"tool_input": {"command": command}}


def _patch(patch: str, folder: str) -> dict[str, Any]:
    return {"tool_name": PATCH, "tool_input": {"edits": edits_of(patch, folder)}}


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Codex' form."""
    context = reply.context if event in _WITH_CONTEXT else ""
    denial = reply.denial if event == "PreToolUse" else ""
    warning = reply.warning if event != "SessionEnd" else ""
    return claude.output_of(event, HookReply(context, denial, warning))


def is_own_work(event: HookEvent, env: Mapping[str, str]) -> bool:
    """Tell whether Codex' own memory's agent made *event*."""
    home = env.get("CODEX_HOME") or (f"{env['HOME']}/.codex" if env.get("HOME") else "")
    return any(map(_MEMORY.match, paths_below(home, event.folder)))


DIALECT: Final = Dialect("codex", event_of, output_of, is_own_work=is_own_work, ends_commands=False)
