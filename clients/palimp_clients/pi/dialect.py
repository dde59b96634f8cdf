"""pi, run with 1.6: events from `extension.js`, which runs inside it and starts our program for each.

A start comes with the prompt after it; a tool's failure is the flag `error`.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from palimp_clients.hooks.event import (
    Dialect,
    HookEvent,
    HookReply,
    json_line,
    mapping_of,
    path_in,
    pick_texts,
    text_of,
    tool_call,
)

EVENTS: Final[Mapping[str, str]] = {
    "session_start": "SessionStart",
    "before_agent_start": "UserPromptSubmit",
    "tool_call": "PreToolUse",
    "tool_result": "PostToolUse",
    "agent_end": "Stop",
    "session_before_compact": "PreCompact",
    "session_shutdown": "SessionEnd",
}

EDITS_MAX: Final = 200
"""Edits read per call; an agent makes a few."""

_TEXTS: Final = {"source": "source", "transcript": "transcript_path", "prompt": "prompt", "call": "tool_use_id"}


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused."""
    event, session, folder = EVENTS.get(name), text_of(given, "session"), text_of(given, "cwd")
    if event is None or not session or given.get("event", name) != name:
        return None
    told = pick_texts(given, _TEXTS)
    if tool := text_of(given, "tool"):
        told |= _tool(tool, mapping_of(given, "input"), folder)
    if event == "PostToolUse" and (error := text_of(given, "error")):
        event, told["error"] = "PostToolUseFailure", error
    return HookEvent(event, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in the extension's form."""
    del event
    return json_line({key: text for key, text in (("context", reply.context), ("denial", reply.denial)) if text})


def _tool(name: str, given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    place = path_in(folder, text_of(given, "path"))
    match name:
        case "write" if place:
            return tool_call("Write", file_path=place, content=text_of(given, "content"))
        case "edit" if place:
            return tool_call("MultiEdit", file_path=place, edits=_edits(given))
        case "read" if place:
            return tool_call("Read", file_path=place)
        case "bash":
            return tool_call("Bash", command=text_of(given, "command"))
        case _:
            return {"tool_name": name}


def _edits(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    edits: Any = given.get("edits")
    listed = cast("list[Any]", edits)[:EDITS_MAX] if isinstance(edits, list) else [given]
    known = [cast("dict[str, Any]", edit) for edit in listed if isinstance(edit, dict)]
    return [{"old_string": text_of(each, "oldText"), "new_string": text_of(each, "newText")} for each in known]


DIALECT: Final = Dialect("pi", event_of, output_of)
