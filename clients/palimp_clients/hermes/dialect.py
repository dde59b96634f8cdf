"""Hermes, run with 0.19: context is taken with a prompt alone, a denial before a tool.

A start's output reaches nobody, so the first prompt's second hook asks for it. Its scheduler's prompts were not typed.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.hooks.event import (
    PATCH,
    Dialect,
    HookEvent,
    HookReply,
    json_line,
    mapping_of,
    object_in,
    path_in,
    text_of,
    tool_call,
)
from palimp_clients.hooks.patches import edits_of

EVENTS: Final[Mapping[str, str]] = {
    "session_start": "SessionStart",
    "pre_llm_call": "UserPromptSubmit",
    "pre_tool_call": "PreToolUse",
    "post_tool_call": "PostToolUse",
    "on_session_end": "Stop",
    "on_session_finalize": "SessionEnd",
}
"""Hermes's names of events, and our `session_start`, sent with a session's first prompt."""

_TAKING: Final = frozenset({"SessionStart", "UserPromptSubmit"})
"""Events with context that reaches the model."""

_UNTYPED: Final = frozenset({"cron", "subagent"})
"""Platforms on which no person types."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused."""
    event, session, extra = EVENTS.get(name), text_of(given, "session_id"), mapping_of(given, "extra")
    told_name = "pre_llm_call" if name == "session_start" else name
    if not event or not session or given.get("hook_event_name", told_name) != told_name:
        return None
    folder = text_of(given, "cwd")
    if event in _TAKING:
        told = _prompt_fields(event, extra)
        return HookEvent(event, session, folder, told) if told else None
    if event not in ("PreToolUse", "PostToolUse"):
        return HookEvent(event, session, folder, {})
    told = _tool(text_of(given, "tool_name"), mapping_of(given, "tool_input"), folder)
    if call := text_of(extra, "tool_call_id"):
        told["tool_use_id"] = call
    if event == "PostToolUse" and (error := _error_in(extra)):
        event, told["error"] = "PostToolUseFailure", error
    return HookEvent(event, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Hermes' form."""
    if event == "PreToolUse" and reply.denial:
        return json_line({"action": "block", "message": reply.denial})
    return json_line({"context": reply.context}) if event in _TAKING and reply.context else ""


def transcript_of(session: str, env: Mapping[str, str]) -> str:
    """Return the session's place in the database; empty: no home."""
    home = env.get("HERMES_HOME") or (f"{env['HOME']}/.hermes" if env.get("HOME") else "")
    return f"{home}/state.db#{session}" if home.startswith("/") else ""


def _prompt_fields(event: str, extra: Mapping[str, Any]) -> dict[str, Any]:
    if text_of(extra, "platform") in _UNTYPED:
        return {}
    if event == "SessionStart":
        return {"source": "startup"} if extra.get("is_first_turn") is True else {}
    prompt = text_of(extra, "user_message")
    return {"prompt": prompt} if prompt.strip() else {}


def _tool(name: str, given: Mapping[str, Any], folder: str) -> dict[str, Any]:
    place = path_in(folder, text_of(given, "path"))
    match name:
        case "write_file" if place:
            return tool_call("Write", file_path=place, content=text_of(given, "content"))
        case "patch" if patch := text_of(given, "patch"):
            return tool_call(PATCH, edits=edits_of(patch, folder))
        case "patch" if place:
            texts = {key: text_of(given, key) for key in ("old_string", "new_string")}
            return tool_call("Edit", file_path=place, **texts, replace_all=given.get("replace_all") is True)
        case "read_file" if place:
            return tool_call("Read", file_path=place)
        case "terminal":
            return tool_call("Bash", command=text_of(given, "command"))
        case _:
            return {"tool_name": name}


def _error_in(extra: Mapping[str, Any]) -> str:
    result = object_in(text_of(extra, "result"))
    code = result.get("exit_code")
    has_failed = extra.get("status", "ok") != "ok" or result.get("success") is False
    if isinstance(code, int) and code != 0:
        return f"Exit code {code}\n{text_of(result, 'output')}".rstrip()
    error = text_of(result, "error") or (text_of(extra, "error_message") if has_failed else "")
    return error or (json.dumps(result)[:1000] if has_failed else "")


DIALECT: Final = Dialect("hermes", event_of, output_of, transcript_of, tells_before=False)
