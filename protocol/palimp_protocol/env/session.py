"""The session of the client that started a program, where the client tells it in the environment."""

from collections.abc import Mapping
from typing import Final

from palimp_protocol.env.project import path_as_text
from palimp_protocol.limits import SESSION_CHARACTERS_MAX

VARIABLES: Final = ("CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "QWEN_CODE_SESSION_ID")
"""What clients call it: Claude Code, Copilot CLI, Qwen Code."""


def client_session(env: Mapping[str, str]) -> str:
    """Return the id of the session that *env* names; empty where it names none.

    An environment holds bytes, as paths do: what is no text in it is told as it is shown.
    """
    return next((path_as_text(env[name])[:SESSION_CHARACTERS_MAX] for name in VARIABLES if env.get(name)), "")
