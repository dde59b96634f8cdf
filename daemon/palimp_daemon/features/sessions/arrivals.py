"""Detect events that arrive twice, through two installations.

A tool use has an id. Other events may recur ("go on"): they are duplicates only through another installation, within
APART_S.
"""

import hashlib
from typing import Any, Final, NamedTuple

import msgspec

from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.messages.hook_messages import Hook

ARRIVALS_MAX: Final = 2_048
"""Events remembered, the newest: more than arrive within APART_S."""

APART_S: Final = 10.0
"""Seconds between an event's arrivals by two ways, at most: clients run hooks side by side, and machines may be
busy."""

TELLING_KEYS: Final = ("tool_name", "tool_input", "prompt", "source", "trigger", "agent_id")
"""Keys that both ways fill alike, unlike a transcript's place or the reason for an end."""


class _Handled(NamedTuple):
    request_id: bytes
    via: str
    at_s: float


class Arrivals:
    """Remembers handled events."""

    def __init__(self) -> None:
        self._handled: BoundedDict[tuple[str, str, str], _Handled] = BoundedDict(ARRIVALS_MAX)

    def register(self, request: Hook, session: str, request_id: bytes, now_s: float) -> bool:
        """Record the arrival of *request*; return whether to handle it."""
        key = _key(request, session)
        this = _Handled(request_id, request.via, now_s)
        known = self._handled.get(key)
        if known is None:
            is_first = True
        elif _use(request):
            is_first = known.request_id == request_id
        else:
            is_first = known.via == request.via or now_s - known.at_s > APART_S
        self._handled[key] = this if known is None or is_first else known
        return is_first

    def forget(self, request: Hook, session: str) -> None:
        """Let *request* arrive again, as it could not be handled."""
        self._handled.pop(_key(request, session), None)


def _key(request: Hook, session: str) -> tuple[str, str, str]:
    return (session, request.event, _use(request) or _digest_of(request.input))


def _use(request: Hook) -> str:
    use = request.input.get("tool_use_id")
    return use if isinstance(use, str) else ""


def _digest_of(given: dict[str, Any]) -> str:
    told = msgspec.json.encode([given.get(key) for key in TELLING_KEYS], order="deterministic")
    return hashlib.blake2b(told, digest_size=16).hexdigest()
