"""Names of clients' programs at our MCP server, and sessions that they name in calls.

Hooks and calls of one session must agree in client and session.
"""

from collections.abc import Mapping
from typing import Any, Final

PROGRAMS: Final[Mapping[str, str]] = {
    "claude-code": "claude-code",
    "codex": "codex",
    "github-copilot": "copilot",
    "copilot": "copilot",
    "gemini-cli": "gemini",
    "qwen": "qwen",
    "opencode": "opencode",
    "visual studio code": "vscode",
    "cursor": "cursor",
}
"""Beginnings of programs' names, and their clients."""

SESSION_KEY: Final = "sessionId"
"""The session's key in the `_meta` of Codex' calls; its relay is started without it."""

UNTOLD: Final = frozenset({"gemini"})
"""Clients that never tell their servers the session: it is the only one known from their hooks."""


def client_called(program: str) -> str:
    """Return the client of *program*; its own name if it is unknown."""
    lower = program.lower()
    return next((client for start, client in PROGRAMS.items() if lower.startswith(start)), program)


def session_in(client: str, meta: Mapping[str, Any] | None) -> str:
    """Return the session that *client* names in the `_meta` of a call; empty: none."""
    named = meta.get(SESSION_KEY) if client == "codex" and meta else None
    return named if isinstance(named, str) else ""
