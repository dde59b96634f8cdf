"""Open, check and migrate the database: one connection with `locking_mode=EXCLUSIVE`.

`synchronous=FULL`: NORMAL lost acknowledged writes in 2,248 of 3,600 simulated power cuts, FULL in none of 13,500.
"""

import os
import re
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw

from palimp_daemon.runtime.sql import transaction, value
from palimp_daemon.store.integrity.checksums import register_sum
from palimp_daemon.store.integrity.commit_counter import CommitCount, HighWaterMark, lost_writes, read_ledger
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import WAL_BYTES_MAX
from palimp_protocol.neighbours import packages

APPLICATION_ID: Final = 0x70614C70
"""'paLp', in the file's header (`file` shows it)."""

_HEADER_BYTES: Final = 100
_WRITE_VERSION: Final = 18
_ROLLBACK_JOURNAL: Final = b"\x01"
_OUR_ID: Final = slice(68, 72)
"""Fields of SQLite's file header: length, write version (with a rollback journal's value), application id."""


class Migration(NamedTuple):
    """Numbered step of the schema."""

    number: int
    name: str
    file: Traversable

    @property
    def sql(self) -> str:
        """Its statements, read on demand."""
        return self.file.read_text(encoding="utf-8")


class StoreUnavailableError(PalimpError):
    """The database cannot be used; the daemon runs in degraded mode."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(ErrorCode.STORE_UNAVAILABLE, text, hint)


class StoreDamagedError(StoreUnavailableError):
    """Acknowledged data is missing or unreadable; nothing is served, lest answers be incomplete."""

    def __init__(self, path: Path, what: str, *, is_gone: bool = False) -> None:
        then = "it begins with an empty one" if is_gone else "it copies what can be read and keeps the file"
        super().__init__(
            f"{path} {what}." + ("" if is_gone else " It is neither read nor written."),
            "Put a backup in its place, then `palimp stop`: it is taken as it is. Or run `palimp doctor --fix`:"
            f" {then}.",
        )


@cache
def migrations() -> tuple[Migration, ...]:
    """Return the migrations of store and neighbours, numbered from 1."""
    rooms = ["palimp_daemon.store", *(each.__name__ for each in packages())]
    folders = [folder for room in rooms if (folder := resources.files(room) / "migrations").is_dir()]
    files = chain.from_iterable(folder.iterdir() for folder in folders)
    named = [(match, file) for file in files if (match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name))]
    found = [Migration(int(match[1]), match[2], file) for match, file in named]
    return tuple(sorted(found, key=lambda each: each[:2]))


def open_database(path: Path) -> apsw.Connection:
    """Open the database; create or migrate it as needed.

    Raises:
        StoreUnavailableError: it is not ours, is newer than this program, or cannot be opened. Nothing was
            written to it.
        StoreDamagedError: it is gone, is damaged, or has not all that was acknowledged. The same.
    """
    mark = HighWaterMark(path).read()
    if mark is not None and path.exists() and not path.stat().st_size:
        # SQLite would take it for a new one, and remove the WAL beside it.
        raise StoreDamagedError(path, f"is empty; it had {mark.commits:,} transactions")
    if mark is not None and not path.exists():
        raise StoreDamagedError(path, f"is gone, with its {mark.commits:,} transactions", is_gone=True)
    with explaining(path):
        is_restored = is_backup(path)
        if is_restored:
            _put_log_aside(path)
        connection = apsw.Connection(str(path))
        try:
            # Until we know that the file is ours, not even closing it may write (no checkpoint then).
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            _pragma(connection, "locking_mode = EXCLUSIVE")
            schema = _checked_schema(connection, path)
            ledger = read_ledger(connection)
            if not is_restored and (missing := lost_writes(ledger, mark)):
                raise StoreDamagedError(path, missing)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
            if is_restored:
                _accept(ledger, path)
            _configure(connection)
            _migrate(connection, path, schema)
            if ledger := read_ledger(connection):
                HighWaterMark(path).write(ledger)
        except BaseException:
            leave(connection)
            raise
        os.chmod(path, 0o600)  # noqa: PTH101  a database made before this program set its umask
        return connection


def is_backup(path: Path) -> bool:
    """Tell whether the file is a restored backup: databases opened here have a WAL header."""
    try:
        with open_plain(path) as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return False
    is_ours = header[_OUR_ID] == APPLICATION_ID.to_bytes(4)
    return is_ours and header[_WRITE_VERSION : _WRITE_VERSION + 1] == _ROLLBACK_JOURNAL


def _put_log_aside(path: Path) -> None:
    """Rename the former database's WAL, which SQLite would apply to the backup."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        log.replace(log.with_name(f"{log.name}.before-backup"))


def _accept(ledger: CommitCount | None, path: Path) -> None:
    mark = HighWaterMark(path)
    if ledger is None:
        mark.path.unlink(missing_ok=True)
    else:
        mark.write(ledger)


def schema_version(connection: apsw.Connection) -> int:
    """Return the last applied migration's number; 0 for a new file."""
    return int(_pragma(connection, "user_version") or 0)


def checkpoint(connection: apsw.Connection) -> None:
    """Move the WAL into the database, so that recovery stays short."""
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


def new_database(path: Path, schema: int) -> apsw.Connection:
    """Create a database of the given *schema*, replacing any file."""
    path.unlink(missing_ok=True)
    connection = apsw.Connection(str(path))
    _pragma(connection, "locking_mode = EXCLUSIVE")
    _configure(connection)
    _apply_all(connection, migrations()[:schema])
    return connection


def database_in_memory() -> apsw.Connection:
    """Create an in-memory database of the newest schema."""
    connection = apsw.Connection(":memory:")
    _configure(connection)
    _apply_all(connection, migrations())
    return connection


def leave(connection: apsw.Connection) -> None:
    """Close without a checkpoint, which would change a damaged database."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.close()


def _checked_schema(connection: apsw.Connection, path: Path) -> int:
    schema = schema_version(connection)
    application = int(_pragma(connection, "application_id") or 0)
    tables = value(connection, "SELECT count(*) FROM sqlite_schema")
    if application != APPLICATION_ID and (application or tables):
        raise StoreUnavailableError(
            f"{path} is the database of another program.", "Set PALIMP_HOME to another folder, or move that file away."
        )
    newest = migrations()[-1].number
    if schema > newest:
        raise StoreUnavailableError(
            f"{path} was written by a newer palimp (schema {schema}; this one knows {newest}). It was left untouched.",
            "Update palimp, or set PALIMP_HOME to another folder.",
        )
    return schema


def _configure(connection: apsw.Connection) -> None:
    _pragma(connection, "journal_mode = WAL")
    _pragma(connection, "synchronous = FULL")
    _pragma(connection, f"journal_size_limit = {WAL_BYTES_MAX}")
    _pragma(connection, "foreign_keys = ON")
    _pragma(connection, "trusted_schema = OFF")
    _pragma(connection, "temp_store = MEMORY")
    _pragma(connection, "cache_size = -32768")  # KiB: 32 MiB keeps the index of 100,000 memories warm
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    register_sum(connection)


def _migrate(connection: apsw.Connection, path: Path, schema: int) -> None:
    waiting = [step for step in migrations() if step.number > schema]
    if not schema:
        _apply_all(connection, waiting)
        return
    if waiting:
        _back_up(connection, path.with_name(f"{path.name}.schema-{schema}"))
    for step in waiting:
        _apply_all(connection, [step])


def _apply_all(connection: apsw.Connection, steps: Sequence[Migration]) -> None:
    with transaction(connection):
        for step in steps:
            connection.execute(step.sql)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {step.number}")


def _back_up(connection: apsw.Connection, target: Path) -> None:
    partial = target.with_suffix(target.suffix + ".partial")
    partial.unlink(missing_ok=True)
    with closing(apsw.Connection(str(partial))) as copy, copy.backup("main", connection, "main") as backup:
        backup.step()
    with partial.open("rb") as file:
        os.fsync(file.fileno())
    partial.replace(target)


def _pragma(connection: apsw.Connection, statement: str) -> Any:
    return value(connection, f"PRAGMA {statement}")


@contextmanager
def explaining(path: Path) -> Generator[None, None, None]:
    """Turn SQLite's errors at opening *path* into ours."""
    try:
        yield
    except apsw.BusyError:
        raise StoreUnavailableError(
            f"Another program holds {path} open.", "Close it (a database browser, perhaps), then `palimp stop`."
        ) from None
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise StoreDamagedError(path, f"is damaged ({error})") from None
    except (apsw.Error, OSError) as error:
        raise StoreUnavailableError(
            f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}.",
            "Look at the file, its folder's permissions and the free space, then `palimp stop`.",
        ) from None
