"""Examine the database in the background.

SQLite's check of a large database takes seconds and cannot be resumed: so a copy, made in steps (`copying`), is checked
in a thread. Comparing an index holds the interpreter: it pauses for requests, unless somebody waits for the result.
Without room for a copy the database is checked while idle. Damage ends the serving.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import brief_turns, in_thread
from palimp_daemon.store.checks.rebuild import begin_rebuild
from palimp_daemon.store.checks.verify import Findings, Original, drop_orphans, findings, findings_of_copy
from palimp_daemon.store.derived_index import Derived, Filling
from palimp_daemon.store.sqlite_connection import StoreDamagedError
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.copying import NotCopiedError, copy_database, nameless_database
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError

FIRST_S: Final = 10.0
"""Seconds after the start: the starting client is served first."""

INTERVAL_S: Final = 24 * 3600.0
"""Seconds between two integrity checks."""

OPENED_S: Final = 60.0
"""Seconds between two checks whether a database that failed to open is open now."""

AGAIN_S: Final = 5.0
"""Seconds until an interrupted check of the database itself restarts."""

QUIET_S: Final = 0.1
"""Seconds after a request in which another is likely."""

REST_S: Final = 0.2
"""Longest rest between two pieces of a check, in seconds: even under steady requests it ends, taking a twentieth of a
processor.
"""

LOOK_S: Final = 0.02
"""Seconds between two looks for a quiet moment."""


class IntegrityScan:
    """Examines the database, one run at a time, and rebuilds differing indexes."""

    def __init__(self, actor: Actor, database: Path, state: DaemonState, now_ms: Callable[[], int], log: Log) -> None:
        self._actor = actor
        self._database = database
        self._state = state
        self._now_ms = now_ms
        self._log = log
        self._wanted = trio.Event()
        """Set when a caller wants an examination before its time."""
        self._ended = trio.Event()
        """Set at the end of the running or next examination."""
        self._rebuilt: set[str] = set()

    async def keep_examining(self) -> None:
        """Examine the database at the start, every INTERVAL_S, and on demand."""
        while (is_examined := await self._is_examined()) is None:
            self._tell_ended()  # nobody waits for what cannot begin
            await self._pause(OPENED_S)
        if is_examined:
            self._state.note_intact(self._now_ms())
        await self._pause(FIRST_S)
        while True:
            await self._examine()
            self._tell_ended()
            await self._pause(INTERVAL_S)

    async def examine(self) -> None:
        """Wait for the running examination, or a new one."""
        self._wanted.set()
        await self._ended.wait()

    def _tell_ended(self) -> None:
        ended, self._ended, self._wanted = self._ended, trio.Event(), trio.Event()
        ended.set()

    async def _pause(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            await self._wanted.wait()

    async def _is_examined(self) -> bool | None:
        try:
            return await self._actor.ask(Job(lambda store: store.is_examined, is_write=False))
        except PalimpError:
            return None

    async def _examine(self) -> None:
        try:
            try:
                found = await self._seen_in_a_copy()
            except NotCopiedError as error:
                self._log("examined_in_place", why=str(error))
                found = await self._seen_in_place()
            if found.damage:
                self._log("database_damaged", what=found.damage)
                self._actor.refuse(StoreDamagedError(self._database, f"is damaged ({found.damage})"))
                return
            if found.orphans:
                await self._actor.write(partial(drop_orphans, orphans=found.orphans))
            for derived, why in found.differing:
                await self._mend(derived, why)
        except Exception as error:  # noqa: BLE001  a bug in a comparison is no reason to end the daemon
            self._log("examination_failed", why=f"{type(error).__name__}: {error}")
        else:
            self._state.note_intact(self._now_ms())

    async def _seen_in_a_copy(self) -> Findings:
        """Return the findings in a copy of the database.

        Raises:
            NotCopiedError: there is no room for one.
            PalimpError: the database cannot be read now.
            apsw.Error: the copy cannot be read.
        """
        copy = await in_thread(nameless_database)
        left = trio.Event()

        def look(original: Original, unfinished: list[Derived]) -> Findings:
            try:
                with brief_turns():
                    return findings_of_copy(copy, original, left.is_set, unfinished, self._rest)
            finally:
                copy.close()

        with ExitStack() as until_looked_at:
            until_looked_at.callback(copy.close)
            original, unfinished = await copy_database(self._actor, copy, _as_of_now)
            until_looked_at.pop_all()  # the look closes it
        try:
            return await in_thread(partial(look, original, unfinished))
        finally:
            left.set()  # the thread ends by itself

    def _rest(self) -> None:
        begun_at = time.monotonic()
        while is_to_rest(self._actor.quiet_s, time.monotonic() - begun_at, is_waited_for=self._wanted.is_set()):
            time.sleep(LOOK_S)

    async def _seen_in_place(self) -> Findings:
        while True:
            job = Job(lambda _: None, is_write=False)
            job.work = partial(_seen_idly, job)
            found: Findings | None = await self._actor.ask_idly(job)
            if found is not None:
                return found
            await trio.sleep(AGAIN_S)

    async def _mend(self, derived: Derived, why: str) -> None:
        if derived.name in self._rebuilt:
            self._log("index_differs_again", index=derived.name, why=why)
            return
        self._rebuilt.add(derived.name)
        # Not a write: it has a transaction of its own.
        await self._actor.ask(Job(partial(_build_anew, derived=derived, why=why), is_write=False))


def is_to_rest(quiet_s: float, rested_s: float, *, is_waited_for: bool) -> bool:
    """Tell whether to rest on after *rested_s* seconds, *quiet_s* after the last request."""
    return not is_waited_for and quiet_s < QUIET_S and rested_s < REST_S


def _as_of_now(store: Store) -> tuple[Original, list[Derived]]:
    return Original(store.engine, store.path), [each.derived for each in store.state(Filling).indexes]


def _seen_idly(job: Job, store: Store) -> Findings:
    return findings(store, lambda: job.is_abandoned, [each.derived for each in store.state(Filling).indexes])


def _build_anew(store: Store, derived: Derived, why: str) -> None:
    """Rebuild *derived* unless a rebuild has begun meanwhile."""
    if all(each.derived is not derived for each in store.state(Filling).indexes):
        begin_rebuild(store, derived, why)
