"""Factory droid: Claude Code's events with its own tools; run with 0.215.

A failing command has no event, a one-shot run none for its prompt.
"""

from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.claude_code import dialect as claude
from palimp_clients.hooks.event import Dialect, HookEvent, HookReply, mapping_of, path_in, text_of, tool_call

EVENTS: Final = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "PreCompact", "SessionEnd"}
)

_TAKING: Final = frozenset({"SessionStart", "UserPromptSubmit", "PostToolUse"})
"""Events with context that reaches the model."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused."""
    event = claude.event_of(name, given) if name in EVENTS else None
    if event is None:
        return None
    told = dict(event.input)
    if tool := text_of(told, "tool_name"):
        told |= _tool(tool, mapping_of(told, "tool_input"), event.folder)
    return event._replace(input=told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Claude Code's form; context only where taken."""
    denial = reply.denial if event == "PreToolUse" else ""
    return claude.output_of(event, HookReply(reply.context if event in _TAKING else "", denial))


def _tool(name: str, given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    place = path_in(folder, text_of(given, "file_path"))
    match name:
        case "Create" if place:
            return tool_call("Write", file_path=place, content=text_of(given, "content"))
        case "Edit" if place:
            texts = {"old_string": text_of(given, "old_str"), "new_string": text_of(given, "new_str")}
            return tool_call("Edit", file_path=place, **texts, replace_all=given.get("change_all") is True)
        case "Read" if place:
            return tool_call("Read", file_path=place)
        case "Execute":
            return tool_call("Bash", command=text_of(given, "command"))
        case _:
            return {"tool_name": name}


DIALECT: Final = Dialect("droid", event_of, output_of, tells_before=False)
