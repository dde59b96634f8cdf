"""Hold back texts for clients that accept none before a tool runs, until its result.

A command has run by then; for a file read or edited nothing is lost.
"""

from typing import Final

from palimp_daemon.features.rules.acts_told import use_of
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.messages.hook_messages import Hook

LATE: Final = "palimp could not tell you before:"
"""Stands before a late message."""

HELD_MAX: Final = 256
"""Tool uses with a message waiting, the newest, a few per session. Refused uses' messages stay."""

BEFORE: Final = "PreToolUse"
AFTER: Final = ("PostToolUse", "PostToolUseFailure")


class HeldBack:
    """Holds texts until a tool's use ends."""

    def __init__(self) -> None:
        self._held: BoundedDict[tuple[str, str], str] = BoundedDict(HELD_MAX)

    def told_at(self, request: Hook, session: str, context: str) -> str:
        """Return the text for *request*: before a tool none, after it also the held one."""
        if request.event == BEFORE and context:
            self._held[session, use_of(request.input)] = context
        if request.event == BEFORE:
            return ""
        held = self._held.pop((session, use_of(request.input)), "") if request.event in AFTER else ""
        return "\n\n".join(filter(None, [f"{LATE}\n{held}" if held else "", context]))
