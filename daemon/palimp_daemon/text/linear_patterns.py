"""Compile patterns with RE2, which reads any text in time linear in its length."""

from typing import Any, Final

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

_engine: Any = re2

UnreadableError: Final[type[Exception]] = _engine.error
"""A pattern that RE2 does not take."""

STATES_BYTES: Final = 8 * 1024 * 1024
"""RE2's own room for the states of a pattern; one with more of them starts anew again and again."""


def linear(pattern: str, states_bytes: int = STATES_BYTES) -> Any:
    """Compile *pattern*, with room for states in *states_bytes*.

    Raises:
        UnreadableError: it is none of RE2's.
    """
    options = _engine.Options()
    options.log_errors = False
    options.max_mem = states_bytes
    return _engine.compile(pattern, options)


def reason_of(error: Exception) -> str:
    """Return why a pattern is unreadable: RE2 says it in bytes."""
    reason: object = error.args[0] if error.args else ""
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
