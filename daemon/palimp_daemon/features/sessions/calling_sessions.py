"""Sessions known from hooks, for clients that do not name theirs to servers (Gemini CLI)."""

from typing import Final

from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.messages.caller import Caller

RUNNING_MAX: Final = 256
"""Sessions known, the latest active; users have tens."""

SILENT_S: Final = 6 * 3600.0
"""Seconds of silence that end a session: its client was killed, or reports no end."""

ENDS: Final = "SessionEnd"


class CallingSessions:
    """Sessions by client and project."""

    def __init__(self) -> None:
        self._heard: BoundedDict[tuple[str, str, str], float] = BoundedDict(RUNNING_MAX)

    def note_event(self, caller: Caller, event: str, now_s: float) -> None:
        """Note *event* of *caller*'s session."""
        if caller.session is None:
            return
        key = (caller.session.client, caller.root, caller.session.key)
        if event == ENDS:
            self._heard.pop(key, None)
        else:
            self._heard[key] = now_s

    def only_session(self, client: str, caller: Caller, now_s: float) -> str:
        """Return the id of *client*'s only session in *caller*'s project, or an empty text."""
        place = (client, caller.root)
        found = [key[2] for key, heard_s in self._heard.items() if key[:2] == place and now_s - heard_s < SILENT_S]
        return found[0] if len(found) == 1 else ""
