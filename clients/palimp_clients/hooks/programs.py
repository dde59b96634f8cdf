"""Names of clients' programs and sessions; a session's hooks and calls must agree in both."""

from collections.abc import Mapping
from typing import Any, Final

from palimp_protocol.env.project import path_as_text
from palimp_protocol.limits import SESSION_CHARACTERS_MAX

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
    "factory-cli": "droid",
}
"""Beginnings of programs' names, and their clients."""

CLIENT_VARIABLE: Final = "PALIMP_CLIENT"
"""Names the client in a server's environment, for programs that do not (Hermes)."""

SESSION_KEY: Final = "sessionId"
"""The session's key in `_meta` of Codex's calls; at its start, the relay is not told."""

VARIABLES: Final = ("CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "QWEN_CODE_SESSION_ID")
"""Variables with the session, set by Claude Code, Copilot CLI and Qwen Code for their programs."""

AGENTS_SHELL: Final = (
    *VARIABLES, "CLAUDECODE", "AI_AGENT", "GEMINI_CLI", "QWEN_CODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT",
    "OPENCODE", "COPILOT_AGENT",
)  # fmt: skip
"""Variables of commands that agents run, absent from a person's terminal."""

UNTOLD: Final = frozenset({"droid", "gemini", "hermes", "pi"})
"""Clients that name the session only to hooks, not to servers."""


def client_called(program: str) -> str:
    """Return *program*'s client, else its own name."""
    lower = program.lower()
    return next((client for start, client in PROGRAMS.items() if lower.startswith(start)), program)


def session_in(client: str, meta: Mapping[str, Any] | None) -> str:
    """Return *client*'s session in a call's `_meta`, or empty."""
    named = meta.get(SESSION_KEY) if client == "codex" and meta else None
    return named if isinstance(named, str) else ""


def client_session(env: Mapping[str, str]) -> str:
    """Return *env*'s session, as shown text, or empty."""
    return next((path_as_text(env[name])[:SESSION_CHARACTERS_MAX] for name in VARIABLES if env.get(name)), "")


def agent_in(env: Mapping[str, str]) -> str:
    """Return the variable that marks an agent's *env*, or empty."""
    return next((name for name in AGENTS_SHELL if env.get(name)), "")
