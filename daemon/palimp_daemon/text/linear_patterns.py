"""Compile patterns with RE2, which matches in linear time."""

from typing import Any, Final

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

_engine: Any = re2

UnreadableError: Final[type[Exception]] = _engine.error
"""Raised for a pattern that RE2 rejects."""

STATES_BYTES: Final = 8 * 1024 * 1024
"""RE2's default memory for a pattern's states; a pattern with more is slow."""


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
