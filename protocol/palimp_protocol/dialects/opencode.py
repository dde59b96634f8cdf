"""OpenCode, run with 1.18.33: what the plugin `opencode-plugin.js` says of an event, and what it does with an answer.

The plugin runs inside OpenCode and talks to the daemon without a process of a hook's. It gives what OpenCode gave it,
`input` and `output` of a plugin's hook without what is large and not needed, and beside them the folder, where the
transcript is, and of a subagent's session the one that it works for. Two events have names of the plugin's own,
`session.start` and `session.end`: OpenCode has several for each.

* A tool that fails is not told of. A command that fails is a tool that worked, and has its exit code.
* An edit without a former text writes the whole file.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from palimp_protocol.dialects.event import PATCH, Dialect, HookEvent, HookReply, mapping_of, path_in, text_of
from palimp_protocol.dialects.patches import edits_of

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
"""Edits of one call that are looked at; an agent makes a few."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event *name* as the plugin says it in *given*; None: it is no event of palimp's, or says nothing."""
    event = EVENTS.get(name)
    about, output = mapping_of(given, "input"), mapping_of(given, "output")
    session, parent, folder = text_of(about, "sessionID"), text_of(given, "parentID"), text_of(given, "directory")
    if event is None or not session:
        return None
    told: dict[str, Any] = {key: text for key in ("source", "reason") if (text := text_of(given, key))}
    if transcript := text_of(given, "transcript"):
        told["transcript_path"] = transcript
    if parent:
        told["agent_id"] = session
    if event == "UserPromptSubmit":
        told["prompt"] = "\n\n".join(_texts(output.get("parts")))
    if tool := text_of(about, "tool"):
        args = mapping_of(about, "args") or mapping_of(output, "args")
        told |= {"tool_use_id": text_of(about, "callID"), **_tool(tool, args, folder)}
        if given.get("isCut") is True:
            told["is_cut"] = True
        if event == "PostToolUse" and tool == "bash":
            exit_code = mapping_of(output, "metadata").get("exit")
            if exit_code is None:  # it was stopped, and neither worked nor failed
                return None
            if exit_code != 0:
                event, told["error"] = "PostToolUseFailure", text_of(output, "output")
    return HookEvent(event, parent or session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* as the plugin takes it at *event*."""
    del event  # the same at all
    told = {"context": reply.context, "denial": reply.denial}
    said = {key: text for key, text in told.items() if text}
    return json.dumps(said, ensure_ascii=False) if said else ""


def _texts(parts: Any) -> list[str]:
    """Return what is said in the *parts* of a message by the person."""
    found = [part for part in cast("list[Any]", parts) if isinstance(part, dict)] if isinstance(parts, list) else []
    said = [cast("dict[str, Any]", part) for part in found]
    return [text for part in said if part.get("type") == "text" and (text := text_of(part, "text"))]


def _tool(name: str, args: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return how the daemon calls the tool *name*, and its *args* in the daemon's words."""
    if name in _PATCHING:
        patch = text_of(args, "patchText")
        return {"tool_name": PATCH, "tool_input": {"edits": edits_of(patch, folder)}}
    if name == "bash":
        return {"tool_name": "Bash", "tool_input": {"command": text_of(args, "command")}}
    about: dict[str, Any] = {"file_path": path_in(folder, text_of(args, "filePath"))}
    match name:
        case "read":
            return {"tool_name": "Read", "tool_input": about}
        case "write":
            return {"tool_name": "Write", "tool_input": about | {"content": text_of(args, "content")}}
        case "edit" if not text_of(args, "oldString"):
            return {"tool_name": "Write", "tool_input": about | {"content": text_of(args, "newString")}}
        case "edit":
            return {"tool_name": "Edit", "tool_input": about | _edit(args)}
        case "multiedit":
            return {"tool_name": "MultiEdit", "tool_input": about | {"edits": _edits(args.get("edits"))}}
        case _:
            return {"tool_name": name}


def _edits(given: Any) -> list[dict[str, Any]]:
    edits = cast("list[Any]", given)[:EDITS_MAX] if isinstance(given, list) else []
    return [_edit(cast("dict[str, Any]", edit)) for edit in edits if isinstance(edit, dict)]


def _edit(args: Mapping[str, Any]) -> dict[str, Any]:
    texts = {"old_string": text_of(args, "oldString"), "new_string": text_of(args, "newString")}
    return texts | ({"replace_all": True} if args.get("replaceAll") is True else {})


DIALECT: Final = Dialect("opencode", event_of, output_of)
