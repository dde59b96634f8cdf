"""Which dialects there are, and which one an input without a name is in.

A module is imported when its dialect is met: a hook's process knows one.
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
"""By the client's name, the module of its dialect."""


def dialect_named(name: str) -> Dialect | None:
    """Return the dialect of the client *name*; None: there is no such client."""
    module = MODULES.get(name)
    if module is None:
        return None
    try:
        return import_module(f"palimp_protocol.dialects.{module}").DIALECT
    except ImportError:  # another version was installed under a daemon that goes on
        return None


def client_in(given: Mapping[str, Any]) -> str:
    """Return the client that says *given* to an entry of Claude Code's settings; empty: none that is known.

    VS Code, Cursor and Copilot run those, too, each in its own words: Copilot says when, and never where the transcript
    is while a tool is used.
    """
    if "cursor_version" in given or "conversation_id" in given:
        return "cursor"
    if "sessionId" in given:
        return "vscode" if "hookEventName" in given or "hook_event_name" in given else "copilot"
    if not isinstance(given.get("session_id"), str):
        return ""
    return "copilot" if "timestamp" in given or "tool_result" in given else "claude-code"
