"""Kimi Code, run with 2.1: context is taken with a prompt alone, a denial before a tool.

A start's output reaches nobody, so context comes with the first prompt, a list of blocks.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from palimp_clients.claude_code import dialect as claude
from palimp_clients.hooks.event import (
    Dialect,
    HookEvent,
    HookReply,
    json_line,
    mapping_of,
    path_in,
    text_of,
    tool_call,
)

EVENTS: Final = frozenset(
    {"UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "PreCompact", "SessionEnd"}
)


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused."""
    session, folder = text_of(given, "session_id"), text_of(given, "cwd")
    if name not in EVENTS or not session or given.get("hook_event_name", name) != name:
        return None
    told: dict[str, Any] = {}
    if name == "UserPromptSubmit":
        told["prompt"] = _text_of_blocks(given.get("prompt"))
        if not told["prompt"].strip():
            return None
    elif tool := text_of(given, "tool_name"):
        told = _tool(tool, mapping_of(given, "tool_input"), folder)
        if call := text_of(given, "tool_call_id"):
            told["tool_use_id"] = call
        if name == "PostToolUseFailure":
            told["error"] = text_of(mapping_of(given, "error"), "message")
    return HookEvent(name, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Kimi's form."""
    if event == "PreToolUse" and reply.denial:
        return claude.output_of(event, HookReply(denial=reply.denial))
    return json_line({"message": reply.context}) if event == "UserPromptSubmit" and reply.context else ""


def _text_of_blocks(prompt: Any) -> str:
    if not isinstance(prompt, list):
        return prompt if isinstance(prompt, str) else ""
    blocks = [cast("dict[str, Any]", block) for block in cast("list[Any]", prompt) if isinstance(block, dict)]
    return "\n\n".join(filter(None, (text_of(block, "text") for block in blocks)))


def _tool(name: str, given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    place = path_in(folder, text_of(given, "path"))
    match name:
        case "Write" if place:
            return tool_call("Write", file_path=place, content=text_of(given, "content"))
        case "Edit" if place:
            texts = {key: text_of(given, key) for key in ("old_string", "new_string")}
            return tool_call("Edit", file_path=place, **texts, replace_all=given.get("replace_all") is True)
        case "Read" if place:
            return tool_call("Read", file_path=place)
        case "Bash":
            return tool_call("Bash", command=text_of(given, "command"))
        case _:
            return {"tool_name": name}


DIALECT: Final = Dialect("kimi", event_of, output_of, tells_before=False)
