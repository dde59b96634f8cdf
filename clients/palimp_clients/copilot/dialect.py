"""Copilot CLI, run with 1.0.102.

Events have Copilot's names, as in palimp's own file, or Claude Code's with other input fields. Uses of tools have no
id; only a turn's end and a compaction name the transcript. A subagent's session names its parent. A failed command's
last line has its exit code.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from palimp_clients.hooks.event import (
    PATCH,
    Dialect,
    HookEvent,
    HookReply,
    event_called,
    json_line,
    object_in,
    path_in,
    pick_texts,
    text_of,
)
from palimp_clients.hooks.patches import edits_of

EVENTS: Final[Mapping[str, str]] = {
    "sessionStart": "SessionStart",
    "userPromptSubmitted": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "agentStop": "Stop",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "sessionEnd": "SessionEnd",
}
"""Copilot's own names of events; it accepts Claude Code's, too."""

_KEYS: Final[Mapping[str, tuple[str, str]]] = {
    "session": ("sessionId", "session_id"),
    "tool_name": ("toolName", "tool_name"),
    "tool_input": ("toolArgs", "tool_input"),
    "result": ("toolResult", "tool_result"),
    "result_type": ("resultType", "result_type"),
    "result_text": ("textResultForLlm", "text_result_for_llm"),
    "transcript_path": ("transcriptPath", "transcript_path"),
    "agent_id": ("agentId", "agent_id"),
    "parent": ("parentAgentId", "parent_agent_id"),
}
"""A field's names in the two forms."""

VSCODES: Final = "hookEventName"
"""Field of VS Code's events; it runs all hooks in Copilot's folder, its own among them."""

_SOURCES: Final = {"new": "startup"}
"""Reasons of a session's start, with Claude Code's names."""

_TOOLS: Final = {
    "bash": "Bash",
    "Bash": "Bash",
    "view": "Read",
    "Read": "Read",
    "create": "Write",
    "Write": "Write",
    "edit": "Edit",
    "str_replace": "Edit",
    "Edit": "Edit",
}
_COMMANDS: Final = {"view": "Read", "create": "Write", "str_replace": "Edit", "insert": "Edit"}
"""Commands of `str_replace_editor`, older models' tool."""

_PATCHING: Final = ("apply_patch", "Edit")

_PATCH_BEGINS: Final = "*** Begin Patch"

_EXIT_CODE: Final = re.compile(r"<shellId: [^\n<>]{1,100} completed with exit code (-?\d{1,10})>\s*\Z")


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused, or another client's."""
    event, session = event_called(name, EVENTS), _text(given, "session")
    if not event or not session or given.get("hook_event_name", event) != event or VSCODES in given:
        return None
    folder = text_of(given, "cwd")
    told = pick_texts(given, {key: key for key in ("prompt", "trigger", "error")})
    told |= {key: text for key in ("transcript_path", "agent_id") if (text := _text(given, key))}
    if source := text_of(given, "source"):
        told["source"] = _SOURCES.get(source, source)
    if tool := _text(given, "tool_name"):
        told |= _tool(tool, _value(given, "tool_input"), folder)
    if event == "PostToolUse" and (error := _failure(_value(given, "result"))):
        event, told["error"] = "PostToolUseFailure", error
    return HookEvent(event, _text(given, "parent") or session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Copilot's form."""
    if reply.denial:
        return json_line({"permissionDecision": "deny", "permissionDecisionReason": reply.denial})
    return json_line({"additionalContext": reply.context} if reply.context else {})


def transcript_of(session: str, env: Mapping[str, str]) -> str:
    """Return *session*'s transcript, or empty."""
    home = env.get("COPILOT_HOME") or (f"{env['HOME']}/.copilot" if env.get("HOME") else "")
    is_name = bool(session) and "/" not in session and session not in (".", "..")
    return f"{home}/session-state/{session}/events.jsonl" if home and is_name else ""


def _value(given: Mapping[str, Any], key: str) -> Any:
    own, claudes = _KEYS[key]
    return given[own] if own in given else given.get(claudes)


def _text(given: Mapping[str, Any], key: str) -> str:
    value = _value(given, key)
    return value if isinstance(value, str) else ""


def _failure(result: Any) -> str:
    if not isinstance(result, dict):
        return ""
    fields = cast("dict[str, Any]", result)
    text = _text(fields, "result_text")
    exit_code = _EXIT_CODE.search(text)
    is_failure = _text(fields, "result_type") not in ("", "success") or (exit_code and int(exit_code[1]) != 0)
    return (text.strip() or "It failed.") if is_failure else ""


def _tool(name: str, given: Any, folder: str) -> dict[str, Any]:
    parsed = (object_in(given) if isinstance(given, str) else {}) or given  # older versions write JSON (read, not run)
    if name in _PATCHING and (patch := _patch_in(parsed)):
        return {"tool_name": PATCH, "tool_input": {"edits": edits_of(patch, folder)}}
    fields = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
    tool = _TOOLS.get(name) or (_COMMANDS.get(text_of(fields, "command")) if name == "str_replace_editor" else None)
    if tool is None or not fields:
        return {"tool_name": name}
    if tool == "Bash":
        return {"tool_name": tool, "tool_input": {"command": text_of(fields, "command")}}
    about: dict[str, Any] = {"file_path": path_in(folder, text_of(fields, "path"))}
    if tool == "Write":
        about["content"] = text_of(fields, "file_text")
    elif tool == "Edit":
        about |= {"old_string": text_of(fields, "old_str"), "new_string": text_of(fields, "new_str")}
    return {"tool_name": tool, "tool_input": about}


def _patch_in(given: Any) -> str:
    if isinstance(given, dict):
        values = list(cast("dict[str, Any]", given).values())
        given = values[0] if len(values) == 1 else None
    return given if isinstance(given, str) and given.lstrip().startswith(_PATCH_BEGINS) else ""


DIALECT: Final = Dialect("copilot", event_of, output_of, transcript_of)
