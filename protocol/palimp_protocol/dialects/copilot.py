"""Copilot CLI, run with 1.0.102.

It tells the same events in two forms. Where the name of an event is written in camel case (`preToolUse`), which is how
palimp's own file has it, so are the fields, and a tool has Copilot's name. Where it is written as Claude Code does
(`PreToolUse`), as in a project's `.claude/settings.json` that Copilot runs, fields and tools have Claude Code's names,
but what a tool was given keeps Copilot's: `path`, `old_str`, `file_text`, or the text of a patch.

* No use of a tool has an id. Where the transcript is, only the end of a turn and a compaction say.
* A subagent has a session of its own, and names the one that it works for.
* A command that fails is a tool that worked: the last line of what the model is told has its exit code.
* Of an answer only `additionalContext` at the top reaches the model; nothing is shown to the user.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from palimp_protocol.dialects.event import (
    PATCH,
    Dialect,
    HookEvent,
    HookReply,
    event_called,
    object_in,
    path_in,
    said,
    text_of,
    written,
)
from palimp_protocol.dialects.patches import edits_of

EVENTS: Final[Mapping[str, str]] = {
    "sessionStart": "SessionStart",
    "userPromptSubmitted": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "agentStop": "Stop",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "sessionEnd": "SessionEnd",
}
"""Copilot's events, by their own names; what palimp calls them Copilot understands, too."""

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
"""How a field is called in the two forms."""

VSCODES: Final = "hookEventName"
"""What VS Code says, which reads Copilot's folder of hooks, too, and has hooks of its own there."""

_SOURCES: Final = {"new": "startup"}
"""Why a session starts, in Claude Code's words."""

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
"""What `str_replace_editor`, which older models have, does."""

_PATCHING: Final = ("apply_patch", "Edit")
"""What the tool that is given a patch is called in the two forms."""

_PATCH_BEGINS: Final = "*** Begin Patch"

_EXIT_CODE: Final = re.compile(r"<shellId: [^\n<>]{1,100} completed with exit code (-?\d{1,10})>\s*\Z")


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event *name* as Copilot says it in *given*; None: it is no event of palimp's, or another's input."""
    event, session = event_called(name, EVENTS), _text(given, "session")
    if not event or not session or given.get("hook_event_name", event) != event or VSCODES in given:
        return None
    folder = text_of(given, "cwd")
    told = said(given, {key: key for key in ("prompt", "trigger", "error")})
    told |= {key: text for key in ("transcript_path", "agent_id") if (text := _text(given, key))}
    if source := text_of(given, "source"):
        told["source"] = _SOURCES.get(source, source)
    if tool := _text(given, "tool_name"):
        told |= _tool(tool, _value(given, "tool_input"), folder)
    if event == "PostToolUse" and (error := _failure(_value(given, "result"))):
        event, told["error"] = "PostToolUseFailure", error
    return HookEvent(event, _text(given, "parent") or session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* as Copilot takes it at *event*."""
    del event  # the same at all
    if reply.denial:
        return written({"permissionDecision": "deny", "permissionDecisionReason": reply.denial})
    return written({"additionalContext": reply.context} if reply.context else {})


def transcript_of(session: str, env: Mapping[str, str]) -> str:
    """Return where Copilot keeps *session* under the environment *env*; empty where that cannot be told."""
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
    """Return what a tool that failed says in *result*; empty: it worked."""
    if not isinstance(result, dict):
        return ""
    fields = cast("dict[str, Any]", result)
    text = _text(fields, "result_text")
    exit_code = _EXIT_CODE.search(text)
    is_failure = _text(fields, "result_type") not in ("", "success") or (exit_code and int(exit_code[1]) != 0)
    return (text.strip() or "It failed.") if is_failure else ""


def _tool(name: str, given: Any, folder: str) -> dict[str, Any]:
    """Return how the daemon calls the tool *name*, and what it was *given* in its words."""
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
    """Return the patch that a tool was *given*, as it is or as a field; empty: none."""
    if isinstance(given, dict):
        values = list(cast("dict[str, Any]", given).values())
        given = values[0] if len(values) == 1 else None
    return given if isinstance(given, str) and given.lstrip().startswith(_PATCH_BEGINS) else ""


DIALECT: Final = Dialect("copilot", event_of, output_of, transcript_of)
