"""A backup that is put in the place of the database is taken for what it is, and no lost log for a backup."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from palimp_daemon.runtime.sql import value
from palimp_daemon.store.integrity.commit_counter import HighWaterMark, count_commit
from palimp_daemon.store.sqlite_connection import StoreDamagedError, is_backup, open_database

EARLIER, LATER = 3, 5
"""Transactions when the backup was made, and after it."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "palimp.db"


def commit(connection: apsw.Connection, path: Path, times: int) -> None:
    for _ in range(times):
        with connection:
            ledger = count_commit(connection, None)
        HighWaterMark(path).write(ledger)


def commits_of(connection: apsw.Connection) -> int:
    return value(connection, "SELECT commits FROM ledger")


@pytest.fixture
def backup(path: Path) -> bytes:
    """A backup of a database that was used on: as `palimp backup` makes it, one file without a write-ahead log."""
    connection = open_database(path)
    commit(connection, path, EARLIER)
    copy_path = path.with_name("backup.db")
    copy = apsw.Connection(str(copy_path))
    with copy.backup("main", connection, "main") as copying:
        copying.step()
    copy.execute("PRAGMA journal_mode = DELETE").fetchall()
    copy.close()
    commit(connection, path, LATER)
    connection.close()
    return copy_path.read_bytes()


def test_a_backup_is_opened_and_goes_on_like_any_database(path: Path, backup: bytes):
    """Without a word of damage; when it is opened again, it must have what was written since."""
    path.write_bytes(backup)
    connection = open_database(path)
    assert commits_of(connection) == EARLIER
    commit(connection, path, 1)
    connection.close()

    assert not is_backup(path)
    again = open_database(path)
    assert commits_of(again) == EARLIER + 1
    again.close()


def test_the_log_of_the_database_before_is_not_played_into_it(path: Path, backup: bytes):
    """Who copies one file leaves the other; it is kept, since it may hold what is in no other."""
    connection = open_database(path)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    commit(connection, path, 1)
    connection.close()
    log = path.with_name("palimp.db-wal")
    before = log.read_bytes()

    path.write_bytes(backup)
    restored = open_database(path)

    assert commits_of(restored) == EARLIER
    assert value(restored, "PRAGMA integrity_check") == "ok"
    assert path.with_name("palimp.db-wal.before-backup").read_bytes() == before
    restored.close()


def older(path: Path) -> None:
    """Put a plain copy of an earlier time in its place."""
    content = path.read_bytes()
    connection = open_database(path)
    commit(connection, path, 1)
    connection.close()
    path.write_bytes(content)


def without_log(path: Path) -> None:
    connection = open_database(path)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    commit(connection, path, 1)
    connection.close()
    path.with_name("palimp.db-wal").unlink()


@pytest.mark.usefixtures("backup")
@pytest.mark.parametrize("damage", [older, without_log])
def test_what_lost_writes_is_no_backup(path: Path, damage: Callable[[Path], None]):
    """It is refused, and says what it lacks."""
    damage(path)
    assert not is_backup(path)
    with pytest.raises(StoreDamagedError, match=f"lacks the last 1 of {EARLIER + LATER + 1} transactions"):
        open_database(path)


def test_a_start_that_is_cut_off_leaves_a_backup_or_a_database(path: Path, backup: bytes, monkeypatch):
    """Whatever was done of it: the next one opens it."""

    def cut_off(_: object) -> None:
        raise apsw.IOError("no power")

    path.write_bytes(backup)
    with monkeypatch.context() as patched:
        patched.setattr("palimp_daemon.store.sqlite_connection._configure", cut_off)
        with pytest.raises(Exception, match="no power"):
            open_database(path)
    connection = open_database(path)
    assert commits_of(connection) == EARLIER
    connection.close()
