"""What an examination sees: structure, texts and what is derived from them."""

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from new_stores import new_store
from request_contexts import RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search.engine import SECTIONS_TRIGGERS, WORDS_TRIGGERS
from palimp_daemon.search.fts5 import FTS5
from palimp_daemon.store.checks import verify
from palimp_daemon.store.checks.derived_indexes import WORDS
from palimp_daemon.store.checks.rebuild import rebuilds
from palimp_daemon.store.checks.verify import (
    Findings,
    Original,
    Structure,
    drop_orphans,
    examine,
    findings,
    findings_of_copy,
    memories_damage,
    structure_of,
)
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import set_purged
from palimp_daemon.store.worker.copying import nameless_database
from palimp_protocol.messages.memory_messages import SaveMemory

pytestmark = pytest.mark.both_engines


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
    for trigger in (
        *WORDS_TRIGGERS,
        *SECTIONS_TRIGGERS,
        "memories_sum_insert",
        "memories_sum_update",
        "memories_sum_delete",
    ):
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


def written_otherwise(connection: apsw.Connection, name: str, old: str, new: str) -> None:
    """Have the definition of the table *name* say *new* where it says *old*, as bytes that were damaged would."""
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?", (old, new, name))
    connection.execute("PRAGMA writable_schema = RESET").fetchall()


@pytest.mark.parametrize("new", ["+", "größer"])
def test_an_index_whose_definition_is_damaged_is_no_damage(filled: Store, new: str):
    """Its engine says so without a name: a directive that it cannot parse, a tokenizer that there is not."""
    written_otherwise(filled.connection, "memories_fts", "porter", new)
    assert structure_of(filled.connection).damage == ""
    assert examine(filled) == ""
    assert [each.index for each in rebuilds(filled)] == ["the words of memories"]
    assert structure_of(filled.connection) == Structure("", {}, [])


def test_a_table_whose_definition_is_damaged_is_damage(filled: Store):
    """What its rows must be cannot be told any more."""
    filled.connection.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT CHECK (length(text) > 0)) STRICT")
    filled.connection.execute("INSERT INTO kept (text) VALUES ('so')")
    written_otherwise(filled.connection, "kept", "length", "lxngth")
    assert "kept" in examine(filled)


@pytest.mark.parametrize("statement", ["PRAGMA user_version = 99", "DELETE FROM sums WHERE seq = 3"])
def test_damage_is_said_before_anything_is_mended(filled: Store, statement: str):
    """Nothing is written to a database that may not be what it seems."""
    db = filled.connection
    db.execute("DELETE FROM memories_fts")
    db.execute(statement)
    is_damage = "sums" in statement
    assert bool(examine(filled)) is is_damage
    assert bool(rebuilds(filled)) is not is_damage


def copy_of(connection: apsw.Connection) -> apsw.Connection:
    """Return a copy of a database."""
    copy = nameless_database()
    with copy.backup("main", connection, "main") as backup:
        backup.step()
    return copy


def seen(connection: apsw.Connection, original: Original) -> bool:
    """Tell whether a database is called damaged, or cannot be looked at since its schema names other columns."""
    try:
        return bool(findings_of_copy(connection, original, lambda: False, (), lambda: None).damage)
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
        return True


def test_it_rests_after_each_piece(store, request_context, monkeypatch: pytest.MonkeyPatch):
    """Of the memories, and of each index of them."""
    monkeypatch.setattr(verify, "PIECE", 2)
    for number in range(6):
        save_memory(request_context(), SaveMemory(text=f"Заметка {number} of the examined."))
    rests = list[int]()
    original = Original(store.engine, store.path)

    found = findings_of_copy(copy_of(store.connection), original, lambda: False, (), lambda: rests.append(1))

    assert found == Findings("", [], [])
    assert len(rests) >= 6 / 2 * 3


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of some memories, closed."""
    store = new_store(tmp_path_factory.mktemp("written") / "palimp.db")
    for number in range(20):
        save_memory(RequestContexts(store)(), SaveMemory(text=f"The service number{number} {'answers ' * number}."))
    store.connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    store.connection.close()
    return store.path


@given(place=st.floats(0, 1, exclude_max=True), garbage=st.binary(min_size=1, max_size=40))
def test_a_copy_is_as_damaged_as_the_database(written: Path, place: float, garbage: bytes):
    """So nothing is missed in a copy, and nothing found that is not there, wherever bytes are not as written."""
    data = bytearray(written.read_bytes())
    at = int(place * (len(data) - len(garbage)))
    data[at : at + len(garbage)] = garbage
    path = written.with_name("damaged.db")
    path.write_bytes(data)
    original, connection = Original(FTS5, path), apsw.Connection(str(path))
    try:
        copy = copy_of(connection)
    except (apsw.CorruptError, apsw.NotADBError):
        assert seen(connection, original)
    else:
        assert seen(copy, original) == seen(connection, original)
        copy.close()
    connection.close()


@pytest.mark.parametrize("seq", [1, 11, 20])
def test_all_of_an_index_is_compared_in_pieces(filled: Store, monkeypatch, seq: int):
    """Whatever its place in a piece is."""
    monkeypatch.setattr("palimp_daemon.store.checks.verify.PIECE", 10)
    filled.connection.execute("DELETE FROM memories_fts WHERE rowid = ?", (seq,))
    filled.connection.execute("INSERT INTO memories_fts (rowid, content) VALUES (?, 'something else')", (seq,))
    found = findings(filled, lambda: False)
    assert found.differing == [(WORDS, f"row {seq} is not in it as it is in its table")]
    assert not found.damage
    assert findings(filled, lambda: False, [WORDS]).differing == [], "it is being built"


@pytest.mark.parametrize("looks", [0, 1, 5])
def test_an_examination_that_is_over_ends(filled: Store, monkeypatch, looks: int):
    """At its next look, wherever it is."""
    monkeypatch.setattr("palimp_daemon.store.checks.verify.PIECE", 10)
    left = iter([False] * looks)
    with pytest.raises(apsw.InterruptError):
        findings(filled, lambda: next(left, True))


def test_a_row_that_has_its_row_by_now_is_not_deleted(filled: Store):
    """What was seen in a copy may have been mended by a save since then."""
    filled.connection.execute("INSERT INTO vectors (seq, vector) VALUES (7, x'00')")
    drop_orphans(filled, [("vectors", 7), ("vectors", 8), ("sections", 1)])
    assert filled.connection.execute("SELECT seq FROM vectors").fetchall() == [(7,)]
