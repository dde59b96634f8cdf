"""Cursor, by its documentation of 2026; never run.

Events have Cursor's names, or Claude Code's for its settings. Of an edit's two events only `afterFileEdit`, with the
former text, counts.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final, cast

from palimp_clients.hooks.event import (
    Dialect,
    HookEvent,
    HookReply,
    event_called,
    json_line,
    mapping_of,
    object_in,
    path_in,
    pick_texts,
    text_of,
)

EVENTS: Final[Mapping[str, str]] = {
    "sessionStart": "SessionStart",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "afterFileEdit": "PostToolUse",
    "stop": "Stop",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "sessionEnd": "SessionEnd",
}

_TEXTS: Final = {
    "tool_name": "tool_name",
    "tool_use_id": "tool_use_id",
    "prompt": "prompt",
    "trigger": "trigger",
    "subagent_id": "agent_id",
    "error_message": "error",
}

_PATHS: Final = ("file_path", "path", "target_file")

_EDITS_MAX: Final = 256
"""Places read per edit; an agent's edit has a few."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused, or another client's."""
    event, session = event_called(name, EVENTS), text_of(given, "conversation_id") or text_of(given, "session_id")
    is_cursors = "cursor_version" in given or "conversation_id" in given
    told_name = text_of(given, "hook_event_name") or name
    if not event or not session or not is_cursors or event_called(told_name, EVENTS) != event:
        return None
    folder = text_of(given, "cwd") or _workspace(given)
    told = pick_texts(given, _TEXTS)
    if given.get("is_interrupt") is True:
        told["is_interrupt"] = True
    if event == "SessionStart":
        told["source"] = "startup"
    if name == "afterFileEdit":
        told |= _edit(given, given.get("edits"), folder)
    elif tool := told.get("tool_name"):
        asked = object_in(text_of(given, "tool_input")) or mapping_of(given, "tool_input")
        told |= _tool(tool, asked, folder)
    if event == "PostToolUse" and told.get("tool_name") == "Write":
        return None  # what was there before is not said; afterFileEdit says it
    if event == "PostToolUse" and told.get("tool_name") == "MultiEdit":
        told.pop("tool_use_id", None)  # afterFileEdit has none
    return HookEvent(event, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Cursor's form."""
    if event == "PreToolUse" and reply.denial:
        return json_line({"permission": "deny", "user_message": reply.denial, "agent_message": reply.denial})
    if event in ("SessionStart", "PostToolUse") and reply.context:
        return json_line({"additional_context": reply.context})
    return ""


def _workspace(given: Mapping[str, Any]) -> str:
    roots: Any = given.get("workspace_roots")
    listed = cast("list[Any]", roots) if isinstance(roots, list) else []
    return next((root for root in listed[:1] if isinstance(root, str)), "")


def _tool(name: str, given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    place = next((path for key in _PATHS if (path := text_of(given, key))), "")
    if name == "Shell" and (line := text_of(given, "command")):
        return {"tool_name": "Bash", "tool_input": {"command": line}}
    if name == "Read" and place:
        return {"tool_name": "Read", "tool_input": {"file_path": path_in(folder, place)}}
    if name in ("Write", "Edit", "StrReplace") and place:
        if isinstance(given.get("old_string"), str) and isinstance(given.get("new_string"), str):
            return _edit({"file_path": place}, [given], folder)
        content = text_of(given, "content") or text_of(given, "contents")
        return {"tool_name": "Write", "tool_input": {"file_path": path_in(folder, place), "content": content}}
    if name == "Delete" and place:
        return {"tool_name": "Delete", "tool_input": {"file_path": path_in(folder, place)}}
    return {"tool_name": name}


def _edit(given: Mapping[str, Any], edits: Any, folder: str) -> dict[str, Any]:
    listed = islice(cast("Iterable[Any]", edits), _EDITS_MAX) if isinstance(edits, list) else ()
    pairs = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    texts = [{key: text_of(pair, key) for key in ("old_string", "new_string")} for pair in pairs]
    place = path_in(folder, text_of(given, "file_path"))
    if not place or not texts:
        return {"tool_name": "MultiEdit"}
    return {"tool_name": "MultiEdit", "tool_input": {"file_path": place, "edits": texts}}


DIALECT: Final = Dialect("cursor", event_of, output_of)
