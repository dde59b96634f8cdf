"""Examines the database in the background, when nobody asks for anything.

A small one is examined when it is opened; of its indexes only some rows are compared then, the rest here. A large one
takes seconds, in which it could answer nobody; so all of it is examined here, in pieces that yield to any caller,
and taken up again later. Damage ends the serving, as at the start; an index that differs is built anew.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import trio

from palimp_daemon.dispatch.dispatcher import Calls
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED, Derived
from palimp_daemon.store.checks.rebuild import begin_rebuild
from palimp_daemon.store.checks.verify import Structure, drop_orphans, memories_damage, newest_number, structure_of
from palimp_daemon.store.connection import StoreDamagedError
from palimp_daemon.store.store import Store
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


async def keep_examining(calls: Calls, log: Log) -> None:
    """Examine the database after the start, and every INTERVAL_S. Runs until cancelled."""
    while True:
        is_examined = await _is_examined(calls)
        if is_examined is not None:
            break
        await trio.sleep(OPENED_S)
    if is_examined:
        calls.state.examined_at = calls.now_ms()
    await trio.sleep(FIRST_S)
    await examine(calls, log)
    while True:
        await trio.sleep(INTERVAL_S)
        await examine(calls, log)


async def _is_examined(calls: Calls) -> bool | None:
    """Tell whether the database was examined when it was opened; None: it could not be opened."""
    try:
        return await calls.actor.ask(Job(lambda store: store.is_examined, is_write=False))
    except PalimpError:
        return None


async def examine(calls: Calls, log: Log) -> None:
    """Examine all of the database; refuse everything from then on if it is damaged, and have indexes mended."""
    try:
        structure: Structure = await _piece(calls, lambda store: structure_of(store.connection))
        what = structure.damage or await _memories_damage(calls)
        if what:
            log("database_damaged", what=what)
            calls.actor.refuse(StoreDamagedError(calls.config.database, f"is damaged ({what})"))
            return
        if structure.orphans:
            await calls.actor.ask(Job(partial(drop_orphans, orphans=structure.orphans), is_write=True))
        for derived in ALL_DERIVED:
            if why := structure.full_text.get(derived.full_text) or await _index_problem(calls, derived):
                await _mend(calls, derived, why, log)
    except PalimpError as error:
        log("examination_failed", why=str(error))
    else:
        calls.state.examined_at = calls.now_ms()


async def _memories_damage(calls: Calls) -> str:
    newest: int = await _piece(calls, lambda store: newest_number(store.connection))
    for after in range(0, newest, PIECE):
        compare = partial(memories_damage, after=after, up_to=after + PIECE)
        if what := await _piece(calls, lambda store, compare=compare: compare(store.connection)):
            return what
    return ""


async def _index_problem(calls: Calls, derived: Derived) -> str:
    """Return how the index *derived* differs from its table; empty: it does not, or is being built just now."""
    after: int | None = 0
    while after is not None:
        after, why = await _piece(calls, partial(_compared, derived=derived, after=after))
        if why:
            return why
    return ""


def _compared(store: Store, derived: Derived, after: int) -> tuple[int | None, str]:
    """Compare the next PIECE rows over *after*; return where to go on, None at the end, and what differs."""
    if any(each.derived is derived for each in store.rebuilding):
        return None, ""
    numbers = derived.next_rows(store, after, PIECE)
    why = derived.problem(store, numbers)
    return (numbers[-1] if numbers else None), why


async def _mend(calls: Calls, derived: Derived, why: str, log: Log) -> None:
    """Have *derived* built anew, once in the life of a daemon: what differs again is a fault of the comparison."""
    if derived.name in calls.state.rebuilt:
        log("index_differs_again", index=derived.name, why=why)
        return
    calls.state.rebuilt.add(derived.name)
    # Not a write: it has a transaction of its own.
    await calls.actor.ask(Job(partial(begin_rebuild, derived=derived, why=why), is_write=False))


async def _piece(calls: Calls, work: Callable[[Store], Any]) -> Any:
    """Return what *work* says of the store, once it was not broken off."""

    def told(store: Store) -> tuple[Any]:
        return (work(store),)

    while True:
        done = await calls.actor.ask_idly(Job(told, is_write=False))
        if done is not None:
            return done[0]
        await trio.sleep(AGAIN_S)
