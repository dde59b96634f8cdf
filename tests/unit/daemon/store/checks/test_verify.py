"""What an examination sees: structure, texts and what is derived from them."""

import apsw
import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search.engine import TRIGGERS
from palimp_daemon.store.checks.rebuild import rebuilds
from palimp_daemon.store.checks.verify import examine, memories_damage, structure_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memories import set_purged
from palimp_protocol.messages.memories import SaveMemory


@pytest.fixture
def filled(store: Store, request_context: RequestContexts) -> Store:
    """A store with twenty memories, some of them purged."""
    for number in range(20):
        save_memory(request_context(), SaveMemory(text=f"The service number{number} listens on port 80{number:02}."))
    for seq in (3, 4):
        set_purged(store, seq, 1)
    set_purged(store, 4, None)
    return store


def without_sums(connection: apsw.Connection, statement: str) -> None:
    """Change memories behind the back of their sums, as a flipped bit does."""
    for trigger in (*TRIGGERS, "memories_sum_insert", "memories_sum_update", "memories_sum_delete"):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(statement)


def test_what_was_saved_purged_and_restored_is_whole(filled: Store):
    """Every write keeps its sum."""
    assert examine(filled) == ""
    assert rebuilds(filled) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memories SET content = replace(content, 'port', 'Port') WHERE seq = 7",
        "UPDATE memories SET deleted_at = 5 WHERE seq = 7",
        "UPDATE memories SET kind = 'decision' WHERE seq = 7",
        "DELETE FROM memories WHERE seq = 7",
        "UPDATE sums SET sum = sum + 1 WHERE seq = 7",
        "DELETE FROM sums WHERE seq = 7",
    ],
)
def test_a_memory_that_is_altered_or_gone_is_named(filled: Store, statement: str):
    """Though every page is well formed."""
    without_sums(filled.connection, statement)
    assert structure_of(filled.connection).damage == ""
    assert memories_damage(filled.connection, 0, 20) == "memory number 7: altered or gone"
    assert memories_damage(filled.connection, 7, 20) == ""
    assert "number 7" in examine(filled)


def test_a_text_that_is_no_text_is_damage(filled: Store):
    """SQLite does not look at what bytes a text has."""
    without_sums(filled.connection, "UPDATE memories SET content = CAST(x'ff61' AS TEXT) WHERE seq = 7")
    assert "not UTF-8" in memories_damage(filled.connection, 0, 20)


def test_many_are_not_all_named(filled: Store):
    """Five and a count."""
    without_sums(filled.connection, "UPDATE memories SET title = 'other'")
    assert memories_damage(filled.connection, 0, 20) == "memory number 1, 2, 3, 4, 5 and 15 more: altered or gone"


def test_a_row_of_a_project_that_is_gone_is_damage(filled: Store):
    """A join would hide it."""
    filled.connection.execute("PRAGMA foreign_keys = OFF")
    filled.connection.execute("DELETE FROM projects WHERE id != 0")
    assert "gone" in structure_of(filled.connection).damage


def test_a_row_of_a_derived_table_without_its_row_is_deleted(filled: Store):
    """It says nothing that cannot be made again."""
    filled.connection.execute("PRAGMA foreign_keys = OFF")
    filled.connection.execute("INSERT INTO vectors (seq, vector) VALUES (999, x'00')")
    assert examine(filled) == ""
    assert filled.connection.execute("SELECT count(*) FROM vectors").fetchall() == [(0,)]


def test_an_index_of_words_that_is_broken_is_no_damage(filled: Store):
    """Its engine says so when SQLite asks it; what SQLite says of the file is still heard."""
    db = filled.connection
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    if filled.engine.name == "fts5":
        db.execute("UPDATE memories_fts_data SET block = zeroblob(length(block)) WHERE id > 10")  # 10: its structure
    else:
        db.execute("UPDATE memories_fts_segdir SET root = zeroblob(length(root))")
    structure = structure_of(db)
    assert list(structure.full_text) == ["memories_fts"]
    assert structure.damage == ""
    assert examine(filled) == ""
    assert [each.index for each in rebuilds(filled)] == ["the words of memories"]
    assert structure_of(db).full_text == {}


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 99", "DELETE FROM sums WHERE seq = 3"])
def test_damage_is_said_before_anything_is_mended(filled: Store, statement: str):
    """Nothing is written to a database that may not be what it seems."""
    db = filled.connection
    db.execute("DELETE FROM memories_fts")
    db.execute(statement)
    is_damage = "sums" in statement
    assert bool(examine(filled)) is is_damage
    assert bool(rebuilds(filled)) is not is_damage
