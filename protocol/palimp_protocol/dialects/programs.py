"""What clients' programs call themselves when they connect to our MCP server, and the session that they name there.

Hooks say which client they are of; both must be one session's, under one name.
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
"""How a program's name begins, and the client that it is of."""

SESSION_KEY: Final = "sessionId"
"""Where Codex names the session in the `_meta` of a call; its relay is started without it."""

UNTOLD: Final = frozenset({"gemini"})
"""Clients that tell their servers nothing of the session: it is the only one of theirs that hooks tell of."""


def client_called(program: str) -> str:
    """Return the client that *program* is of; its own name where it is of none that is known."""
    lower = program.lower()
    return next((client for start, client in PROGRAMS.items() if lower.startswith(start)), program)


def session_in(client: str, meta: Mapping[str, Any] | None) -> str:
    """Return the session that *client* names in the `_meta` of a call; empty: none."""
    named = meta.get(SESSION_KEY) if client == "codex" and meta else None
    return named if isinstance(named, str) else ""
