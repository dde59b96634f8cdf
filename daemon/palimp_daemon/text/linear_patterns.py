"""Compile patterns with RE2, which matches in linear time."""

from typing import Any, Final

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

_engine: Any = re2

UnreadableError: Final[type[Exception]] = _engine.error
"""A pattern that RE2 does not take."""

STATES_BYTES: Final = 8 * 1024 * 1024
"""RE2's own room for the states of a pattern; one with more of them starts anew again and again."""


def linear(pattern: str, states_bytes: int = STATES_BYTES) -> Any:
    """Compile *pattern* with at most *states_bytes* for its states.

    Raises:
        UnreadableError: invalid for RE2.
    """
    options = _engine.Options()
    options.log_errors = False
    options.max_mem = states_bytes
    return _engine.compile(pattern, options)


def reason_of(error: Exception) -> str:
    """Return the message of RE2's *error*, which holds bytes."""
    reason: object = error.args[0] if error.args else ""
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
