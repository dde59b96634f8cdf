"""VS Code's own agent, by its documentation of 2026 and its source; never run.

Claude Code's form with `sessionId`, `hookEventName`, its own tools with fields in camel case, and answers as text.
Every hook runs at every tool, no event ends a session, and the undocumented transcript is not used.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby, islice
from typing import Any, Final, cast

from palimp_clients.claude_code import dialect as claude
from palimp_clients.hooks.event import (
    FILES_MAX,
    PATCH,
    Dialect,
    HookEvent,
    HookReply,
    mapping_of,
    path_in,
    pick_texts,
    text_of,
    tool_call,
)
from palimp_clients.hooks.patches import edits_of

EVENTS: Final = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStop", "PreCompact"}
)

_TELLING: Final = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"})
"""Events with context that reaches the model. (For the prompt, undocumented.)"""

_TEXTS: Final = {key: key for key in ("tool_name", "tool_use_id", "prompt", "trigger", "agent_id")}

_SOURCES: Final = {"new": "startup"}
"""Reasons of a session's start, with Claude Code's names."""

_CELL_MODES: Final = {"edit": "replace", "insert": "insert", "delete": "delete"}

_REPLACEMENTS_MAX: Final = 256
"""Replacements read per call; an agent's call has a few."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused, or another client's."""
    session = text_of(given, "sessionId")
    told_name = given.get("hookEventName", given.get("hook_event_name"))
    if name not in EVENTS or not session or told_name != name:
        return None
    folder = text_of(given, "cwd")
    told = pick_texts(given, _TEXTS)
    if source := text_of(given, "source"):
        told["source"] = _SOURCES.get(source, source)
    if tool := told.get("tool_name"):
        told |= _tool(tool, mapping_of(given, "tool_input"), folder)
    return HookEvent(name, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Claude Code's form; context only where taken."""
    if event not in _TELLING:
        reply = HookReply(warning=reply.warning)
    return claude.output_of(event, reply)


def _tool(name: str, given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    used = {"tool_name": name}
    place = path_in(folder, text_of(given, "filePath"))
    match name:
        case "create_file" if place:
            used = tool_call("Write", file_path=place, content=text_of(given, "content"))
        case "replace_string_in_file" if place:
            used = tool_call("Edit", file_path=place, **_replacement(given))
        case "multi_replace_string_in_file":
            used = _replacements(given, folder)
        case "edit_notebook_file" if place:
            used = tool_call("NotebookEdit", notebook_path=place, **_cell(given))
        case "apply_patch" if patch := text_of(given, "input"):
            used = tool_call(PATCH, edits=edits_of(patch, folder))
        case "read_file" if place:
            used = tool_call("Read", file_path=place)
        case "run_in_terminal" if line := text_of(given, "command"):
            used = tool_call("Bash", command=line)
        case _:
            pass
    return used


def _replacement(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"old_string": text_of(given, "oldString"), "new_string": text_of(given, "newString")}


def _replacements(given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    found: Any = given.get("replacements")
    listed = islice(cast("Iterable[Any]", found), _REPLACEMENTS_MAX) if isinstance(found, list) else ()
    parts = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    by_file = groupby(parts, lambda part: path_in(folder, text_of(part, "filePath")))
    calls = [
        tool_call("MultiEdit", file_path=place, edits=[_replacement(part) for part in inner])
        for place, inner in islice(by_file, FILES_MAX)
        if place
    ]
    return calls[0] if len(calls) == 1 else tool_call(PATCH, edits=calls)


def _cell(given: Mapping[str, Any]) -> dict[str, Any]:
    code: Any = given.get("newCode")
    lines = cast("list[Any]", code) if isinstance(code, list) else [code]
    return {
        "cell_id": text_of(given, "cellId"),
        "edit_mode": _CELL_MODES.get(text_of(given, "editType"), ""),
        "new_source": "\n".join(line for line in lines if isinstance(line, str)),
    }


DIALECT: Final = Dialect("vscode", event_of, output_of)
