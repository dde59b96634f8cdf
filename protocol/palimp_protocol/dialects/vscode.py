"""VS Code's own agent, from its documentation of 2026 and its source; it was not run.

It is Claude Code's form with other names: `sessionId` and `hookEventName`, tools of its own whose fields are in camel
case (`tool_input.filePath`), and the text of a tool's answer instead of an object. Matchers are ignored, so every hook
is run at every tool. No event says that a session is over. What its transcript looks like is not documented: it is not
named to the daemon.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby, islice
from typing import Any, Final, cast

from palimp_protocol.dialects import claude
from palimp_protocol.dialects.event import (
    FILES_MAX,
    PATCH,
    Dialect,
    HookEvent,
    HookReply,
    mapping_of,
    path_in,
    said,
    text_of,
)
from palimp_protocol.dialects.patches import edits_of

EVENTS: Final = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "PreCompact"}
)

_TELLING: Final = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"})
"""Where context reaches the model. (At the prompt the documentation does not promise it.)"""

_TEXTS: Final = {key: key for key in ("tool_name", "tool_use_id", "prompt", "trigger", "agent_id")}

_SOURCES: Final = {"new": "startup"}
"""Why a session starts, in Claude Code's words."""

_CELL_MODES: Final = {"edit": "replace", "insert": "insert", "delete": "delete"}

_REPLACEMENTS_MAX: Final = 256
"""Replacements of one call that are looked at; an agent's call has a few."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event *name* as VS Code says it in *given*; None: it is no event of palimp's, or another's input."""
    session = text_of(given, "sessionId")
    told_name = given.get("hookEventName", given.get("hook_event_name"))
    if name not in EVENTS or not session or told_name != name:
        return None
    folder = text_of(given, "cwd")
    told = said(given, _TEXTS)
    if source := text_of(given, "source"):
        told["source"] = _SOURCES.get(source, source)
    if tool := told.get("tool_name"):
        told |= _tool(tool, mapping_of(given, "tool_input"), folder)
    return HookEvent(name, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* as VS Code takes it at *event*: in Claude Code's form, where it takes anything."""
    if event not in _TELLING:
        reply = HookReply(warning=reply.warning)
    return claude.output_of(event, reply)


def _tool(name: str, given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return how the daemon calls the tool *name*, and what it was *given* in its words."""
    used = {"tool_name": name}
    place = path_in(folder, text_of(given, "filePath"))
    match name:
        case "create_file" if place:
            used = _used("Write", file_path=place, content=text_of(given, "content"))
        case "replace_string_in_file" if place:
            used = _used("Edit", file_path=place, **_replacement(given))
        case "multi_replace_string_in_file":
            used = _replacements(given, folder)
        case "edit_notebook_file" if place:
            used = _used("NotebookEdit", notebook_path=place, **_cell(given))
        case "apply_patch" if patch := text_of(given, "input"):
            used = _used(PATCH, edits=edits_of(patch, folder))
        case "read_file" if place:
            used = _used("Read", file_path=place)
        case "run_in_terminal" if line := text_of(given, "command"):
            used = _used("Bash", command=line)
        case _:
            pass
    return used


def _used(tool: str, **tool_input: Any) -> dict[str, Any]:
    return {"tool_name": tool, "tool_input": tool_input}


def _replacement(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"old_string": text_of(given, "oldString"), "new_string": text_of(given, "newString")}


def _replacements(given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return the edits of several places: of one file one call, of several files a patch."""
    found: Any = given.get("replacements")
    listed = islice(cast("Iterable[Any]", found), _REPLACEMENTS_MAX) if isinstance(found, list) else ()
    parts = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    by_file = groupby(parts, lambda part: path_in(folder, text_of(part, "filePath")))
    calls = [
        _used("MultiEdit", file_path=place, edits=[_replacement(part) for part in inner])
        for place, inner in islice(by_file, FILES_MAX)
        if place
    ]
    return calls[0] if len(calls) == 1 else _used(PATCH, edits=calls)


def _cell(given: Mapping[str, Any]) -> dict[str, Any]:
    code: Any = given.get("newCode")
    lines = cast("list[Any]", code) if isinstance(code, list) else [code]
    return {
        "cell_id": text_of(given, "cellId"),
        "edit_mode": _CELL_MODES.get(text_of(given, "editType"), ""),
        "new_source": "\n".join(line for line in lines if isinstance(line, str)),
    }


DIALECT: Final = Dialect("vscode", event_of, output_of)
