"""The clients' dialects by name, and the recognition of an input without a client's name.

A dialect is imported when it is met: a hook's process needs one.
"""

from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.hooks.event import Dialect

CLIENTS: Final = ("claude-code", "codex", "copilot", "gemini", "qwen", "opencode", "vscode", "cursor")
"""Names of the clients that have a dialect, each in a folder called like it."""


def dialect_named(name: str) -> Dialect | None:
    """Return the dialect of the client *name*, or None."""
    if name not in CLIENTS:
        return None
    try:
        # importlib itself would be a third of a millisecond.
        return __import__(f"palimp_clients.{name.replace('-', '_')}.dialect", fromlist=("DIALECT",)).DIALECT
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
