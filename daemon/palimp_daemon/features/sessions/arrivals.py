"""Which events arrived already: one that comes through two installations is handled once.

Theory
------
A client may run palimp's hooks twice, as its own and as Claude Code's, or as a plugin's and as the user's. A use of a
tool has an id, and is one event under it. What has none is known by what it says; since the same may be said again (a
prompt "go on"), it is the same event only when it comes another way than the one that was handled: the way that brought
it first brings the next one, too.
"""

import hashlib
from collections import OrderedDict
from typing import Any, Final

import msgspec

from palimp_protocol.messages.hooks import Hook

ARRIVALS_MAX: Final = 2_048
"""Events that are remembered, the last ones: more than arrive in the seconds that lie between two ways."""

TELLING_KEYS: Final = ("tool_name", "tool_input", "prompt", "source", "trigger", "agent_id")
"""What two ways say alike of an event; where the transcript is, or why a session ended, they may not."""


class Arrivals:
    """Remembers events and the ways by which they came."""

    def __init__(self) -> None:
        self._ways: OrderedDict[tuple[str, str, str], str] = OrderedDict()

    def is_first(self, request: Hook, session: str) -> bool:
        """Note that *request* of *session* arrived; tell whether it is to be handled."""
        key = _key(request, session)
        way = self._ways.pop(key, None)
        is_first = way is None or (way == request.via and not _use(request))
        self._ways[key] = request.via if way is None else way
        if len(self._ways) > ARRIVALS_MAX:
            self._ways.popitem(last=False)
        return is_first

    def forget(self, request: Hook, session: str) -> None:
        """Let *request* arrive again: it could not be handled."""
        self._ways.pop(_key(request, session), None)


def _key(request: Hook, session: str) -> tuple[str, str, str]:
    return (session, request.event, _use(request) or _said(request.input))


def _use(request: Hook) -> str:
    """Return the id of the use of a tool that *request* is about; empty: it has none."""
    use = request.input.get("tool_use_id")
    return use if isinstance(use, str) else ""


def _said(given: dict[str, Any]) -> str:
    """Return a hash of what *given* says of an event."""
    told = msgspec.json.encode([given.get(key) for key in TELLING_KEYS], order="deterministic")
    return hashlib.blake2b(told, digest_size=16).hexdigest()
