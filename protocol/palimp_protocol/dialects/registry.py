"""The dialects by client, and the recognition of an input without a client's name.

A module is imported when its dialect is met: a hook's process needs one.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from palimp_protocol.dialects.event import Dialect

MODULES: Final[Mapping[str, str]] = {
    "claude-code": "claude",
    "codex": "codex",
    "copilot": "copilot",
    "gemini": "gemini",
    "qwen": "qwen",
    "opencode": "opencode",
    "vscode": "vscode",
    "cursor": "cursor",
}
"""Module of each client's dialect."""


def dialect_named(name: str) -> Dialect | None:
    """Return the dialect of the client *name*, or None."""
    module = MODULES.get(name)
    if module is None:
        return None
    try:
        return import_module(f"palimp_protocol.dialects.{module}").DIALECT
    except ImportError:  # another version was installed under a daemon that goes on
        return None


def client_in(given: Mapping[str, Any]) -> str:
    """Return the client that sends *given* to an entry of Claude Code's settings; empty: none that is known.

    VS Code, Cursor and Copilot run those entries, too, each in its own form: Copilot sends a time, and never the
    transcript's path with the use of a tool.
    """
    if "cursor_version" in given or "conversation_id" in given:
        return "cursor"
    if "sessionId" in given:
        return "vscode" if "hookEventName" in given or "hook_event_name" in given else "copilot"
    if not isinstance(given.get("session_id"), str):
        return ""
    return "copilot" if "timestamp" in given or "tool_result" in given else "claude-code"
