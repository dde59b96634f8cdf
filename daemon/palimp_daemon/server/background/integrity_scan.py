"""Examines the database in the background, when nobody asks for anything.

A small one is examined when it is opened; of its indexes only some rows are compared then, the rest here. A large one
takes seconds, in which it could answer nobody; so all of it is examined here, in pieces that yield to any caller,
and taken up again later. Damage ends the serving, as at the start; an index that differs is built anew.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED, Derived
from palimp_daemon.store.checks.rebuild import begin_rebuild
from palimp_daemon.store.checks.verify import Structure, drop_orphans, memories_damage, newest_number, structure_of
from palimp_daemon.store.connection import StoreDamagedError
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError

FIRST_S: Final = 10.0
"""Seconds after the start: those who started it are served first."""

INTERVAL_S: Final = 24 * 3600.0
"""Seconds between two examinations."""

OPENED_S: Final = 60.0
"""Seconds between two looks at whether a database that could not be opened was opened since."""

AGAIN_S: Final = 5.0
"""Seconds until a piece that gave way is begun anew."""

PIECE: Final = 500
"""Memories whose sums are compared at once: some milliseconds."""


class IntegrityScan:
    """Examines the database, and has its indexes rebuilt where they differ from their tables."""

    def __init__(self, actor: Actor, database: Path, state: DaemonState, now_ms: Callable[[], int], log: Log) -> None:
        self._actor = actor
        self._database = database
        self._state = state
        self._now_ms = now_ms
        self._log = log
        self._rebuilt: set[str] = set()
        """Names of the indexes that were rebuilt in the life of this daemon."""

    async def keep_examining(self) -> None:
        """Examine the database after the start, and every INTERVAL_S. Runs until cancelled."""
        while True:
            is_examined = await self._is_examined()
            if is_examined is not None:
                break
            await trio.sleep(OPENED_S)
        if is_examined:
            self._state.note_intact(self._now_ms())
        await trio.sleep(FIRST_S)
        await self.examine()
        while True:
            await trio.sleep(INTERVAL_S)
            await self.examine()

    async def _is_examined(self) -> bool | None:
        """Tell whether the database was examined when it was opened; None: it could not be opened."""
        try:
            return await self._actor.ask(Job(lambda store: store.is_examined, is_write=False))
        except PalimpError:
            return None

    async def examine(self) -> None:
        """Examine all of the database; refuse everything from then on if it is damaged, and have indexes mended."""
        try:
            structure: Structure = await self._piece(lambda store: structure_of(store.connection))
            what = structure.damage or await self._memories_damage()
            if what:
                self._log("database_damaged", what=what)
                self._actor.refuse(StoreDamagedError(self._database, f"is damaged ({what})"))
                return
            if structure.orphans:
                await self._actor.ask(Job(partial(drop_orphans, orphans=structure.orphans), is_write=True))
            for derived in ALL_DERIVED:
                if why := structure.full_text.get(derived.full_text) or await self._index_problem(derived):
                    await self._mend(derived, why)
        except PalimpError as error:
            self._log("examination_failed", why=str(error))
        else:
            self._state.note_intact(self._now_ms())

    async def _memories_damage(self) -> str:
        newest: int = await self._piece(lambda store: newest_number(store.connection))
        for after in range(0, newest, PIECE):
            compare = partial(memories_damage, after=after, up_to=after + PIECE)
            if what := await self._piece(lambda store, compare=compare: compare(store.connection)):
                return what
        return ""

    async def _index_problem(self, derived: Derived) -> str:
        """Return how the index *derived* differs from its table; empty: it does not, or is being built just now."""
        after: int | None = 0
        while after is not None:
            after, why = await self._piece(partial(_compared, derived=derived, after=after))
            if why:
                return why
        return ""

    async def _mend(self, derived: Derived, why: str) -> None:
        """Have *derived* built anew, once in the life of a daemon: what differs again is a fault of the comparison."""
        if derived.name in self._rebuilt:
            self._log("index_differs_again", index=derived.name, why=why)
            return
        self._rebuilt.add(derived.name)
        # Not a write: it has a transaction of its own.
        await self._actor.ask(Job(partial(begin_rebuild, derived=derived, why=why), is_write=False))

    async def _piece(self, work: Callable[[Store], Any]) -> Any:
        """Return what *work* says of the store, once it was not broken off."""

        def told(store: Store) -> tuple[Any]:
            return (work(store),)

        while True:
            done = await self._actor.ask_idly(Job(told, is_write=False))
            if done is not None:
                return done[0]
            await trio.sleep(AGAIN_S)


def _compared(store: Store, derived: Derived, after: int) -> tuple[int | None, str]:
    """Compare the next PIECE rows over *after*; return where to go on, None at the end, and what differs."""
    if any(each.derived is derived for each in store.rebuilding):
        return None, ""
    numbers = derived.next_rows(store, after, PIECE)
    why = derived.problem(store, numbers)
    return (numbers[-1] if numbers else None), why
