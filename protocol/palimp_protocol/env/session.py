"""Which session of a client a program was started in, as far as the client says it to what it starts."""

from typing import Final

from palimp_protocol.env.paths import Environment

VARIABLES: Final = ("CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID")
"""The variables in which clients tell servers and commands the id that their hooks have, too."""


def session_in(env: Environment) -> str:
    """Return the id of the session that *env* is of; empty where no client says it."""
    return next((env[name] for name in VARIABLES if env.get(name)), "")
