"""Examines a large database in the background, when nobody asks for anything.

A small one is examined when it is opened. A large one takes seconds, in which it could answer nobody; so it is examined
in pieces that give way to whoever comes, and taken up again later. What is found ends the serving, as at the start.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import trio

from palimp_daemon.calls import Calls
from palimp_daemon.group_commit import Job
from palimp_daemon.log import Log
from palimp_daemon.store.connection import StoreDamagedError
from palimp_daemon.store.examining import index_damage, memories_damage, newest_number, structure_damage
from palimp_daemon.store.store import Store
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
    """Examine the database after the start, if that was not done at it, and every INTERVAL_S. Runs until cancelled."""
    while True:
        is_examined = await _is_examined(calls)
        if is_examined is not None:
            break
        await trio.sleep(OPENED_S)
    if not is_examined:
        await trio.sleep(FIRST_S)
        await examine(calls, log)
    else:
        calls.state.examined_at = calls.now_ms()
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
    """Examine all of the database; refuse everything from then on if it is damaged."""
    try:
        what = await _damage(calls)
    except PalimpError as error:
        log("examination_failed", why=str(error))
        return
    if what:
        log("database_damaged", what=what)
        calls.actor.refuse(StoreDamagedError(calls.config.database, f"is damaged ({what})"))
    else:
        calls.state.examined_at = calls.now_ms()


async def _damage(calls: Calls) -> str:
    what = await _piece(calls, lambda store: structure_damage(store.connection))
    newest: int = 0 if what else await _piece(calls, lambda store: newest_number(store.connection))
    for after in range(0, newest, PIECE):
        compare = partial(memories_damage, after=after, up_to=after + PIECE)
        what = what or await _piece(calls, lambda store, compare=compare: compare(store.connection))
    return what or await _piece(calls, index_damage)


async def _piece(calls: Calls, work: Callable[[Store], Any]) -> Any:
    """Return what *work* says of the store, once it was not broken off."""

    def told(store: Store) -> tuple[Any]:
        return (work(store),)

    while True:
        done = await calls.actor.ask_idly(Job(told, is_write=False))
        if done is not None:
            return done[0]
        await trio.sleep(AGAIN_S)
