"""Opening the database: ours and known, or untouched."""

import hashlib
from pathlib import Path

import apsw
import pytest

from palimp_daemon.store.sqlite_connection import (
    APPLICATION_ID,
    Migration,
    StoreUnavailableError,
    migrations,
    open_database,
    schema_version,
)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pragma(connection: apsw.Connection, name: str):
    return connection.execute(f"PRAGMA {name}").fetchall()[0][0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "palimp.db"


def test_a_new_database_is_durable_exclusive_and_ours(path: Path):
    """The promises of the store are settings of the connection."""
    connection = open_database(path)

    assert pragma(connection, "journal_mode") == "wal"
    assert pragma(connection, "synchronous") == 2  # FULL
    assert pragma(connection, "locking_mode") == "exclusive"
    assert pragma(connection, "application_id") == APPLICATION_ID
    assert schema_version(connection) == len(migrations())
    assert not path.with_name("palimp.db-shm").exists()
    with pytest.raises(apsw.BusyError):
        apsw.Connection(str(path)).execute("SELECT * FROM memories").fetchall()
    connection.close()


def test_migrations_are_numbered_without_gaps():
    """One file a number, from 1."""
    assert [step.number for step in migrations()] == list(range(1, len(migrations()) + 1))


def test_a_newer_schema_is_refused_without_a_write(path: Path):
    """The file is the same byte for byte, and the reason says what to do."""
    connection = open_database(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = digest(path)

    with pytest.raises(StoreUnavailableError, match="newer palimp") as refused:
        open_database(path)

    assert digest(path) == before
    assert "Update palimp" in refused.value.hint


def test_a_newer_schema_with_an_unfinished_log_is_left_alone_too(path: Path):
    """Not even the write-ahead log of a newer version is moved into the database."""
    connection = open_database(path)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    wal = path.with_name("palimp.db-wal")
    before = digest(path), digest(wal)

    with pytest.raises(StoreUnavailableError, match="newer palimp"):
        open_database(path)

    assert (digest(path), digest(wal)) == before


def test_a_database_of_another_program_is_refused(path: Path):
    """A SQLite file that is not ours is neither migrated nor touched."""
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE cookies (x)")
    other.close()
    before = digest(path)

    with pytest.raises(StoreUnavailableError, match="another program"):
        open_database(path)

    assert digest(path) == before


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_file_is_reported_and_kept(path: Path, content: bytes):
    """It is never deleted or overwritten."""
    path.write_bytes(content)

    with pytest.raises(StoreUnavailableError, match="damaged"):
        open_database(path)

    assert path.read_bytes() == content


def test_a_database_that_another_program_holds_is_reported(path: Path):
    """The reason names the likely cause."""
    open_database(path).close()
    other = apsw.Connection(str(path))
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(StoreUnavailableError, match="Another program holds"):
        open_database(path)
    other.close()


def test_a_folder_that_is_none_is_reported(tmp_path: Path):
    """The reason carries SQLite's own words."""
    with pytest.raises(StoreUnavailableError, match="cannot be opened"):
        open_database(tmp_path / "missing" / "palimp.db")


def next_migration(path: Path, statements: str) -> Migration:
    """Return one more than there are, in a file beside the database."""
    file = path.with_name("next.sql")
    file.write_text(statements)
    return Migration(len(migrations()) + 1, "next", file)


def test_a_migration_is_preceded_by_a_backup(path: Path, monkeypatch: pytest.MonkeyPatch):
    """The copy has the old schema and all its rows."""
    connection = open_database(path)
    connection.execute("INSERT INTO projects (root, name, created_at) VALUES ('/x', 'x', 1)")
    connection.close()
    steps = [*migrations(), next_migration(path, "CREATE TABLE later (x INTEGER) STRICT")]
    monkeypatch.setattr("palimp_daemon.store.sqlite_connection.migrations", lambda: steps)

    migrated = open_database(path)

    assert schema_version(migrated) == len(steps)
    copy = apsw.Connection(str(path.with_name(f"palimp.db.schema-{len(steps) - 1}")))
    assert schema_version(copy) == len(steps) - 1
    assert copy.execute("SELECT count(*) FROM projects").fetchall() == [(2,)]
    copy.close()
    migrated.close()


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each runs in one transaction with its own version number."""
    open_database(path).close()
    broken = next_migration(path, "CREATE TABLE later (x INTEGER); SELECT nonsense")
    monkeypatch.setattr("palimp_daemon.store.sqlite_connection.migrations", lambda: [broken])

    with pytest.raises(StoreUnavailableError, match="nonsense"):
        open_database(path)

    reopened = apsw.Connection(str(path))
    assert schema_version(reopened) == broken.number - 1
    assert reopened.execute("SELECT name FROM sqlite_schema WHERE name = 'later'").fetchall() == []
    reopened.close()


def test_the_file_is_private_even_if_it_was_not(path: Path):
    """A database made under a permissive umask is closed to others when it is opened."""
    open_database(path).close()
    path.chmod(0o644)

    open_database(path).close()

    assert path.stat().st_mode & 0o777 == 0o600
