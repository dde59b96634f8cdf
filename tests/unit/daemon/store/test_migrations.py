"""Databases of earlier versions: what is in them is there afterwards, and works."""

import zlib
from pathlib import Path

import apsw
import pytest
from lanes import ENGINES
from retry_helper import RENAMED, RETRY

from palimp_daemon.codediff.packing import _FIRST_WORDS
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import APPLICATION_ID, migrations, new_database
from palimp_daemon.store.tables.removed_code.hunks import gone_lines, known_hunks
from palimp_daemon.store.tables.removed_code.reintroduced import returning


@pytest.fixture
def fourth(tmp_path: Path) -> Path:
    """A database as the fourth schema had it, with four hunks that were taken out of a project."""
    path = tmp_path / "palimp.db"
    database = apsw.Connection(str(path))
    for migration in migrations()[:4]:
        database.execute(migration.sql)
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute("PRAGMA user_version = 4")
    database.execute("INSERT INTO projects (id, root, name, created_at) VALUES (1, '/w', 'w', 0)")
    database.execute(
        "INSERT INTO changes (id, project_id, commit_sha, tool, reason, at, is_pending)"
        " VALUES (1, 1, 'abc', '', 'it hides outages', 0, 0)"
    )
    database.execute("INSERT INTO paths (id, project_id, path) VALUES (1, 1, 'a.py')")
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_FIRST_WORDS)
    packed = packer.compress("\n".join(f"-{line}" for line in RETRY.splitlines()).encode()) + packer.flush()
    for number, state in enumerate(("watched", "pending", "returned", "dismissed"), 3):
        database.execute(
            "INSERT INTO hunks (id, change_id, path_id, line, gone, state, packed) VALUES (?, 1, 1, 1, 9, ?, ?)",
            (number, state, packed),
        )
    database.execute("UPDATE sqlite_sequence SET seq = 20 WHERE name = 'hunks'")
    database.close()
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_removed_code_of_the_fourth_schema_is_still_watched(fourth, engine):
    store = open_store(fourth, engine)
    hunks = known_hunks(store, "1 ORDER BY h.id", ())
    assert [(hunk.id, hunk.state, hunk.turn) for hunk in hunks] == [
        (3, "watched", 0),
        (4, "pending", 0),
        (5, "returned", 0),
        (6, "dismissed", 0),
    ]
    assert all(gone_lines(hunk) == RETRY.splitlines() for hunk in hunks)
    assert [found.hunk.id for found in returning(store, 1, "a.py", RENAMED.splitlines())] == [3]
    assert list(store.connection.execute("PRAGMA foreign_key_check")) == []
    store.connection.close()


def test_numbers_that_were_given_out_are_not_given_out_again(fourth):
    store = open_store(fourth, "auto")
    store.connection.execute(
        "INSERT INTO hunks (change_id, path_id, line, gone, state, packed) VALUES (1, 1, 1, 0, 0, x'07')"
    )
    assert store.connection.last_insert_rowid() == 21
    store.connection.close()


def test_vectors_of_the_fifteenth_schema_are_those_of_their_model(tmp_path: Path):
    """So none is made again that may stay."""
    database = new_database(tmp_path / "palimp.db", 15)
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("INSERT INTO vectors VALUES (7, x'0102')")
    database.execute("INSERT INTO vector_model VALUES (1, 'abc/2')")

    for migration in migrations()[15:]:
        database.execute(migration.sql)

    assert vectors_of(database) == [(7, b"\x01\x02", "abc/2")]
    assert list(database.execute("SELECT model, factor FROM vector_kinds")) == [("abc/2", 1.0)]
    database.close()


def test_what_was_captured_before_waits_unless_somebody_made_use_of_it(tmp_path: Path):
    database = new_database(tmp_path / "palimp.db", 17)
    database.execute("PRAGMA foreign_keys = OFF")
    rows = [
        (1, "decision", "transcript", "said"),
        (2, "summary", "transcript", ""),
        (3, "decision", "manual", ""),
        (4, "fix", "transcript", "said"),
        (5, "preference", "transcript", "said"),
    ]
    for seq, kind, source, quote in rows:
        database.execute(
            "INSERT INTO memories (seq, id, project_id, title, content, tags, kind, source, created_at, quote)"
            " VALUES (?, ?, 1, 't', 'c', '', ?, ?, 70, ?)",
            (seq, f"m{seq}", kind, source, quote),
        )
    database.execute("INSERT INTO pins (seq, at) VALUES (4, 0)")
    database.execute(
        "INSERT INTO memory_links (newer, older, relation, said_by, at) VALUES (5, 3, 'replaces', 'user', 0)"
    )

    for migration in migrations()[17:]:
        database.execute(migration.sql)

    assert list(database.execute("SELECT seq, at FROM proposals")) == [(1, 70)]
    database.close()


def test_what_was_told_before_counts_as_told_though_nobody_knows_when(tmp_path: Path):
    database = new_database(tmp_path / "palimp.db", 19)
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("INSERT INTO injected (session_id, seq) VALUES (1, 7)")
    database.execute("INSERT INTO failures_told (session_id, failure_id) VALUES (1, 3)")

    for migration in migrations()[19:]:
        database.execute(migration.sql)

    assert list(database.execute("SELECT session_id, seq FROM injected")) == [(1, 7)]
    assert list(database.execute("SELECT session_id, failure_id, at FROM failures_told")) == [(1, 3, 0)]
    assert list(database.execute("SELECT count(*) FROM given")) == [(0,)]
    database.close()


def vectors_of(database: apsw.Connection) -> list[tuple]:
    return list(
        database.execute("SELECT seq, vector, name FROM all_vectors LEFT JOIN vector_kinds ON vector_kinds.id = kind")
    )


def test_each_migration_has_the_number_behind_the_one_before():
    """Two that were written side by side must not share one."""
    numbers = [migration.number for migration in migrations()]
    assert numbers == [*range(1, len(numbers) + 1)]
