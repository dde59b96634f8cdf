"""`palimpd --repair`: copy the readable rows of a damaged database into a new one.

Damaged files move into a folder beside. Only a complete copy gets its final name and takes their place, so an
interrupted repair can go on. An undamaged database is left alone.
"""

from collections.abc import Callable
from pathlib import Path

import apsw

from palimp_daemon.settings.startup import Config
from palimp_daemon.store.checks.verify import examine
from palimp_daemon.store.instance_lock import own_database
from palimp_daemon.store.integrity.commit_counter import HighWaterMark
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.recovery.salvage import Salvaged, salvage
from palimp_daemon.store.sqlite_connection import StoreDamagedError, StoreUnavailableError, leave

LOGS = ("-wal", "-journal", "-shm")
"""What SQLite keeps beside a database; a WAL beside another database would be played into it."""


def repair(config: Config, say: Callable[[str], None]) -> None:
    """Repair the database of *config* if it is damaged; report to *say*.

    Raises:
        AlreadyOwnedError: a daemon runs and does not end.
        StoreUnavailableError: the database is not damaged and cannot be used for another reason.
    """
    with own_database(config, takes_over=True):
        problem = _problem(config)
        if problem is None:
            say(f"{config.database} is whole; nothing was changed.")
            return
        say(problem.text)
        try:
            _salvage(config.database, say)
        except StoreDamagedError as error:
            _begin_anew(config.database, error, say)
        else:
            _replace(config, say)


def _problem(config: Config) -> StoreDamagedError | None:
    if not config.database.exists() and HighWaterMark(config.database).read() is None:
        return None
    try:
        store = open_store(config.database, config.search_engine)
    except StoreDamagedError as error:
        return error
    what = examine(store)
    (leave if what else apsw.Connection.close)(store.connection)
    return StoreDamagedError(config.database, f"is damaged ({what})") if what else None


def _begin_anew(database: Path, error: StoreDamagedError, say: Callable[[str], None]) -> None:
    if database.exists():
        kept = _set_aside(database)
        say(f"None of its memories can be read ({error.text}). It is kept in {kept}, as it is.")
        say("Every memory in it is gone unless there is a backup (`palimp backup` makes them) or an export.")
    else:
        _set_aside(database)
    HighWaterMark(database).path.unlink(missing_ok=True)
    say("Nothing is left of it: the next session begins with an empty one.")


def _copy_of(database: Path) -> Path:
    return database.with_suffix(".salvaged")


def _salvage(database: Path, say: Callable[[str], None]) -> None:
    """Make the copy, unless an interrupted repair has made it."""
    copy = _copy_of(database)
    if copy.exists():
        return
    partial = copy.with_suffix(".partial")
    try:
        done = salvage(database, partial, lambda table, count: say(f"{count:,} rows of {table} were copied."))
    except (apsw.FullError, OSError) as error:
        raise StoreUnavailableError(
            f"{database} cannot be repaired: {error}.", "See that twice its size is free, then run it again."
        ) from None
    except apsw.Error as error:
        partial.unlink(missing_ok=True)
        raise StoreDamagedError(database, f"is damaged so that nothing can be read of it ({error})") from None
    partial.replace(copy)
    _tell(done, say)


def _replace(config: Config, say: Callable[[str], None]) -> None:
    database = config.database
    kept = _set_aside(database)
    _copy_of(database).replace(database)
    HighWaterMark(database).path.unlink(missing_ok=True)  # it speaks of the other one
    store = open_store(database, config.search_engine)
    store.connection.close()
    say(f"The new database is in its place; the former one is in {kept}.")


def _set_aside(database: Path) -> Path:
    number = 1
    while (kept := database.with_name(f"{database.name}.damaged-{number}")).exists():
        number += 1
    # The WAL first: beside the new database it would be played into it.
    for path in [*(database.with_name(database.name + end) for end in LOGS), database]:
        if path.exists():
            kept.mkdir(mode=0o700, exist_ok=True)
            path.rename(kept / path.name)
    return kept


def _tell(done: Salvaged, say: Callable[[str], None]) -> None:
    if done.gone:
        say(f"Memories that are gone: {done.gone:,}.")
    if done.altered:
        say(f"Checksum mismatch, content may be damaged; please review: {', '.join(done.altered)}.")
    if not done.gone and not done.altered and done.is_compared:
        say("Every memory that it had is as it was saved.")
    if done.nameless:
        say(
            f"The project of these is unreadable: {', '.join(done.nameless)}. `palimp projects` shows how much there"
            " is; `palimp adopt` gives one to the folder in which you run it."
        )
    if not done.is_compared:
        say("The list of its memories is unreadable, so others may be gone.")
