"""Clients' dialects by name, imported on demand."""

from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.hooks.event import Dialect

CLIENTS: Final = (
    "claude-code", "codex", "copilot", "gemini", "qwen", "opencode", "vscode", "cursor", "droid", "hermes", "kimi",
    "pi",
)  # fmt: skip
"""Clients with a dialect, each in a folder of that name."""


def dialect_named(name: str) -> Dialect | None:
    """Return the dialect of client *name*, or None."""
    if name not in CLIENTS:
        return None
    try:
        # importlib itself would be a third of a millisecond.
        return __import__(f"palimp_clients.{name.replace('-', '_')}.dialect", fromlist=("DIALECT",)).DIALECT
    except ImportError:  # another version was installed under a daemon that goes on
        return None


def client_in(given: Mapping[str, Any]) -> str:
    """Return the client behind *given*, since others run Claude Code's settings, too; empty: unknown."""
    if "cursor_version" in given or "conversation_id" in given:
        return "cursor"
    if "sessionId" in given:
        return "vscode" if "hookEventName" in given or "hook_event_name" in given else "copilot"
    if not isinstance(given.get("session_id"), str):
        return ""
    return "copilot" if "timestamp" in given or "tool_result" in given else "claude-code"
