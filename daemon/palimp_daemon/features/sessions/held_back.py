"""What cannot be told before a tool is used, because the client takes nothing then: it is told with the tool's answer.

Of a file that it reads or edits nothing is lost by that; a command has run by then.
"""

from typing import Final

from palimp_daemon.features.rules.acts_told import use_of
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.messages.hooks import Hook

LATE: Final = "palimp could not tell you before:"
"""What stands in front of it."""

HELD_MAX: Final = 256
"""Uses of tools for which something waits, the newest: a session has a few at once. What a person refuses waits on."""

BEFORE: Final = "PreToolUse"
AFTER: Final = ("PostToolUse", "PostToolUseFailure")


class HeldBack:
    """Keeps what waits for the end of a tool's use."""

    def __init__(self) -> None:
        self._held: BoundedDict[tuple[str, str], str] = BoundedDict(HELD_MAX)

    def told_at(self, request: Hook, session: str, context: str) -> str:
        """Return what is told at *request*: before a tool nothing, after it also what was held back."""
        if request.event == BEFORE and context:
            self._held[session, use_of(request.input)] = context
        if request.event == BEFORE:
            return ""
        held = self._held.pop((session, use_of(request.input)), "") if request.event in AFTER else ""
        return "\n\n".join(filter(None, [f"{LATE}\n{held}" if held else "", context]))
