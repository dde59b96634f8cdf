"""Claude Code, the daemon's own form; events come from a process or a call of `hook_event`."""

from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.hooks.event import (
    FLAG_KEYS,
    Dialect,
    HookEvent,
    HookReply,
    claude_fields,
    json_line,
    mapping_of,
    object_in,
    text_of,
)
from palimp_protocol.hooks import HOOK_DEADLINES_S

EVENTS: Final = HOOK_DEADLINES_S.keys()
"""Palimp uses Claude Code's names for events."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused, or another client's."""
    session = text_of(given, "session_id")
    if name not in EVENTS or not session or given.get("hook_event_name", name) != name:
        return None
    told = claude_fields(given)
    if tool_input := mapping_of(given, "tool_input"):
        told["tool_input"] = tool_input
    original = mapping_of(given, "tool_response").get("originalFile")
    if isinstance(original, str):
        told["tool_response"] = {"originalFile": original}
    return HookEvent(name, session, text_of(given, "cwd"), told)


def event_in_call(arguments: Mapping[str, Any]) -> HookEvent | None:
    """Return the event in *arguments* of the tool `hook_event`, or None.

    All are texts: objects as JSON, flags as "true", missing values as "".
    """
    given = {key: value for key, value in arguments.items() if value != ""}
    given["tool_input"] = object_in(text_of(given, "tool_input")) or mapping_of(given, "tool_input")
    given |= {key: given.get(key) in (True, "true") for key in FLAG_KEYS}
    if "original_file" in given:
        given["tool_response"] = {"originalFile": given["original_file"]}
    return event_of(text_of(given, "event"), given)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Claude Code's form."""
    if reply.denial:
        told: dict[str, Any] = {"permissionDecision": "deny", "permissionDecisionReason": reply.denial}
    elif reply.question:
        told = {"permissionDecision": "ask", "permissionDecisionReason": reply.question}
    else:
        told = {"additionalContext": reply.context} if reply.context else {}
    output: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": event, **told}} if told else {}
    if reply.warning:
        output["systemMessage"] = reply.warning
    return json_line(output)


def reply_in(output: str) -> HookReply:
    """Parse *output* of `output_of`, else return an empty reply."""
    fields = object_in(output)
    told = mapping_of(fields, "hookSpecificOutput")
    reason, is_question = text_of(told, "permissionDecisionReason"), told.get("permissionDecision") == "ask"
    return HookReply(
        text_of(told, "additionalContext"),
        "" if is_question else reason,
        text_of(fields, "systemMessage"),
        reason if is_question else "",
    )


DIALECT: Final = Dialect("claude-code", event_of, output_of, asks=True, shows_remarks=True)
