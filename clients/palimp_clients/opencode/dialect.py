"""OpenCode, run with 1.18.33: events from `plugin.js`, which runs inside it, and its answers.

`session.start` and `session.end` are the plugin's names. Failed tools are not reported; failed commands have exit
codes.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from palimp_clients.hooks.event import (
    PATCH,
    Dialect,
    HookEvent,
    HookReply,
    json_line,
    mapping_of,
    path_in,
    pick_texts,
    text_of,
)
from palimp_clients.hooks.patches import edits_of

EVENTS: Final[Mapping[str, str]] = {
    "session.start": "SessionStart",
    "chat.message": "UserPromptSubmit",
    "tool.execute.before": "PreToolUse",
    "tool.execute.after": "PostToolUse",
    "session.idle": "Stop",
    "experimental.session.compacting": "PreCompact",
    "session.end": "SessionEnd",
}

_PATCHING: Final = ("apply_patch", "patch")

EDITS_MAX: Final = 200
"""Edits read per call; an agent makes a few."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused, or empty."""
    event = EVENTS.get(name)
    about, output = mapping_of(given, "input"), mapping_of(given, "output")
    session, parent, folder = text_of(about, "sessionID"), text_of(given, "parentID"), text_of(given, "directory")
    if event is None or not session:
        return None
    told: dict[str, Any] = pick_texts(given, {"source": "source", "transcript": "transcript_path"})
    if parent:
        told["agent_id"] = session
    if event == "UserPromptSubmit":
        told["prompt"] = "\n\n".join(_texts(output.get("parts")))
    if tool := text_of(about, "tool"):
        told |= pick_texts(about, {"callID": "tool_use_id"})
        told |= _tool(tool, mapping_of(about, "args") or mapping_of(output, "args"), folder)
        told |= {"is_cut": True} if given.get("isCut") is True else {}
    if event == "PostToolUse" and tool == "bash":
        exit_code = mapping_of(output, "metadata").get("exit")
        if exit_code is None:
            return None  # it was stopped, and neither worked nor failed
        if exit_code:
            event, told["error"] = "PostToolUseFailure", text_of(output, "output")
    return HookEvent(event, parent or session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in the plugin's form."""
    return json_line({key: text for key, text in (("context", reply.context), ("denial", reply.denial)) if text})


def _texts(parts: Any) -> list[str]:
    found = cast("list[Any]", parts) if isinstance(parts, list) else []
    objects = [cast("dict[str, Any]", part) for part in found if isinstance(part, dict)]
    return [text for part in objects if part.get("type") == "text" and (text := text_of(part, "text"))]


def _tool(name: str, args: Mapping[str, Any], folder: str) -> dict[str, Any]:
    if name in _PATCHING:
        return {"tool_name": PATCH, "tool_input": {"edits": edits_of(text_of(args, "patchText"), folder)}}
    if name == "bash":
        return {"tool_name": "Bash", "tool_input": {"command": text_of(args, "command")}}
    if name not in _OF_FILES:
        return {"tool_name": name}
    tool, about = _OF_FILES[name](args)
    return {"tool_name": tool, "tool_input": {"file_path": path_in(folder, text_of(args, "filePath")), **about}}


def _edit_or_write(args: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if text_of(args, "oldString"):
        return "Edit", _edit(args)
    return "Write", {"content": text_of(args, "newString")}


_OF_FILES: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, dict[str, Any]]]]] = {
    "read": lambda _: ("Read", {}),
    "write": lambda args: ("Write", {"content": text_of(args, "content")}),
    "edit": _edit_or_write,
    "multiedit": lambda args: ("MultiEdit", {"edits": _edits(args.get("edits"))}),
}
"""Tools for one file: the daemon's name, and the input besides the file."""


def _edits(given: Any) -> list[dict[str, Any]]:
    edits = cast("list[Any]", given)[:EDITS_MAX] if isinstance(given, list) else []
    return [_edit(cast("dict[str, Any]", edit)) for edit in edits if isinstance(edit, dict)]


def _edit(args: Mapping[str, Any]) -> dict[str, Any]:
    texts = {"old_string": text_of(args, "oldString"), "new_string": text_of(args, "newString")}
    return texts | ({"replace_all": True} if args.get("replaceAll") is True else {})


DIALECT: Final = Dialect("opencode", event_of, output_of)
