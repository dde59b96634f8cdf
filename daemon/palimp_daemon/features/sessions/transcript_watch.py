"""Watch the transcripts of running sessions, and read them on after the last hook.

A turn may be written after its last hook, and many clients report no end of a session: a transcript is read again at
growing intervals, then taken as ended. The next daemon continues that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

import trio

from palimp_clients.transcript_readers import CLIENTS, transcript_of
from palimp_daemon.features.capture.capture_service import Captures
from palimp_daemon.features.conversations.transcript_reading import Transcripts
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller

AGAIN_S: Final = (2.0, 15.0)
"""Seconds after a turn's end at which its transcript is read: clients write within two seconds, and machines may be
busy."""

QUIET_S: Final = 60.0
"""Seconds without a hook after which a session is captured as if ended. If it goes on, reading resumes, and the summary
is rewritten."""

LEFT_S: Final = 300.0
"""QUIET_S for a costly search by the user's program."""

SESSIONS_MAX: Final = 256
"""Sessions watched, the latest active; users have tens."""

MISSED_S: Final = 10.0
"""Seconds before a missing transcript is sought again: a client may never write one."""

Key = tuple[str, str]
"""A session in a project: its folder, and the session's id."""


@dataclass
class _Session:
    caller: Caller
    was_off: bool
    """Whether its project was off before; everything until then stays out."""
    due_at: list[float]
    """Monotonic times at which it is read on, and at the last one captured."""


class TranscriptWatch:
    """Watches transcripts; *is_off* tells whether a project is off."""

    def __init__(
        self,
        captures: Captures,
        transcripts: Transcripts,
        env: Mapping[str, str],
        is_off: Callable[[Caller], bool],
        log: Log,
    ) -> None:
        self._captures = captures
        self._transcripts = transcripts
        self._env = env
        self._is_off = is_off
        self._log = log
        self._watched: BoundedDict[Key, _Session] = BoundedDict(SESSIONS_MAX)
        self._missed: BoundedDict[Key, float] = BoundedDict(SESSIONS_MAX)
        """When a transcript was last found missing."""
        self._is_heard = trio.Event()
        self._wakes_at = inf

    async def path_of(self, caller: Caller, told: str = "") -> str:
        """Return the path of *caller*'s transcript: *told*, known, or searched; empty: none."""
        path = told or self._captures.path_of(caller) or await self._find_path(caller)
        self._captures.remember_path(caller, path)
        return path

    def watch(self, caller: Caller, *, is_turn_over: bool) -> None:
        """Watch *caller*'s session; *is_turn_over*: its transcript will grow."""
        key = _key(caller)
        self._watched.pop(key, None)
        waits_s = (*(AGAIN_S if is_turn_over else ()), LEFT_S if self._captures.is_costly else QUIET_S)
        due_at = [trio.current_time() + wait_s for wait_s in waits_s]
        self._watched[key] = _Session(caller, self._is_off(caller), due_at)
        if due_at[0] < self._wakes_at:
            self._is_heard.set()

    async def run(self) -> None:
        """Read unfinished and due transcripts, until cancelled."""
        for caller, path in await self._captures.left_over():
            self._transcripts.queue_reading(caller, path)
            self._captures.look_through(caller, path)
        while True:
            self._is_heard = trio.Event()
            self._wakes_at = min((each.due_at[0] for each in self._watched.values()), default=inf)
            with trio.move_on_at(self._wakes_at):
                await self._is_heard.wait()
            for key, session in list(self._watched.items()):
                if session.due_at[0] <= trio.current_time() and self._watched.get(key) is session:
                    await self._look(key, session)

    async def _look(self, key: Key, session: _Session) -> None:
        del session.due_at[0]
        if not session.due_at:
            del self._watched[key]
        try:
            if path := await self.path_of(session.caller):
                self._transcripts.queue_reading(session.caller, path, was_off=session.was_off)
                if session.was_off:
                    await self._captures.pass_over(session.caller, path)
                elif not session.due_at:
                    self._captures.look_through(session.caller, path)
        except PalimpError as error:
            self._log("session_not_looked_at", code=error.code)
        except Exception as error:  # noqa: BLE001  a bug in reading must not end the daemon
            self._log.bug(error)

    async def _find_path(self, caller: Caller) -> str:
        session, key = caller.session, _key(caller)
        if session is None or session.client not in CLIENTS:
            return ""
        if trio.current_time() < self._missed.get(key, -inf) + MISSED_S:
            return ""
        folder = caller.tree
        path = await in_thread(partial(transcript_of, session.client, session.key, folder, self._env))
        self._missed.pop(key, None)
        if not path:
            self._missed[key] = trio.current_time()
        return path


def _key(caller: Caller) -> Key:
    return caller.root, caller.session_key
