"""What memories name is found by its name, follows its memory wherever it goes, and is made anew by new rules."""

from pathlib import Path

import pytest
from lanes import ENGINES
from request_contexts import RequestContexts

from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store import opening
from palimp_daemon.store.checks import derived_indexes
from palimp_daemon.store.checks.derived_indexes import SUBJECTS
from palimp_daemon.store.checks.rebuild import fill_next, is_filling
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import memory_subjects
from palimp_daemon.store.tables.memory_rows import erase
from palimp_daemon.store.tables.memory_subjects import MEMORIES_PER_KEY_MAX, entities_kept, memories_with_names
from palimp_daemon.text.entities import entities_in
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.links import EditMemory
from palimp_protocol.messages.memory_messages import SaveMemory

TEXT = "Carts live 14 days (`cart/ttl.py`); before a commit run `cargo sqlx prepare`."


@pytest.fixture
def project(store: Store, request_context: RequestContexts) -> int:
    """The project of memory 1, which says TEXT."""
    save_memory(request_context(), SaveMemory(text=TEXT))
    return value(store.connection, "SELECT project_id FROM memories")


def is_as_saved(store: Store) -> bool:
    return not SUBJECTS.problem(store, SUBJECTS.next_rows(store, 0, 1_000))


@pytest.mark.parametrize("name", ["/cart/ttl.py", "$cargo", "=commit"])
def test_a_memory_is_found_by_what_it_names_in_its_project(store: Store, project: int, name: str):
    assert memories_with_names(store, [project], [name]) == [1]
    assert memories_with_names(store, [project, 0], ["/other.py", name]) == [1]
    assert memories_with_names(store, [project + 1], [name]) == []
    assert memories_with_names(store, [project], ["/cart", "/ttl.py"]) == []


def test_an_edit_names_what_its_text_does(store: Store, project: int, request_context: RequestContexts):
    name = value(store.connection, "SELECT id FROM memories")
    edit(
        request_context(), with_clean_texts(Redactor(), EditMemory(id=name, text="Carts live 14 days (`cart/age.py`)."))
    )
    assert memories_with_names(store, [project], ["/cart/age.py"]) == [2]
    assert memories_with_names(store, [project], ["/cart/ttl.py"]) == [1]
    assert is_as_saved(store)


def test_nothing_is_left_of_an_erased_memory_and_what_is_moved_keeps_its_names(store: Store, project: int):
    store.connection.execute("INSERT INTO projects (id, root, name, created_at) VALUES (77, '/x', 'x', 0)")
    store.connection.execute("UPDATE memories SET project_id = 77")
    assert memories_with_names(store, [77], ["/cart/ttl.py"]) == [1]
    assert memories_with_names(store, [project], ["/cart/ttl.py"]) == []
    assert is_as_saved(store)
    erase(store, 1, "m1")
    for table in ("memory_subjects", "memory_entities"):
        assert rows(store.connection, f"SELECT * FROM {table}") == []


def test_of_a_name_that_many_have_the_newest_are_read(store: Store, project: int, request_context: RequestContexts):
    for number in range(MEMORIES_PER_KEY_MAX + 5):
        save_memory(request_context(), SaveMemory(text=f"Fact {number} on `cart/ttl.py`."))
    found = memories_with_names(store, [project], ["/cart/ttl.py"])
    assert len(found) == MEMORIES_PER_KEY_MAX
    assert found[0] == MEMORIES_PER_KEY_MAX + 6


@pytest.mark.parametrize("at_start", [0, 2_000])
@pytest.mark.parametrize("engine", ENGINES)
def test_new_rules_make_it_anew_at_once_or_in_slices(tmp_path: Path, monkeypatch, engine: str, at_start: int):
    """Without a word: nothing was wrong."""
    path = tmp_path / "palimp.db"
    store = open_store(path, engine)
    save_memory(RequestContexts(store)(), SaveMemory(text=TEXT))
    store.connection.execute("DELETE FROM memory_subjects")
    store.connection.execute("DELETE FROM memory_entities")
    store.connection.close()
    monkeypatch.setattr(memory_subjects, "VERSION", memory_subjects.VERSION + 1)
    monkeypatch.setattr(opening, "SUBJECTS_AT_START", at_start)
    monkeypatch.setattr(opening, "EXAMINED_AT_START_BYTES", 0)
    store = open_store(path, engine)
    assert is_filling(store) is (at_start == 0)
    while is_filling(store):
        fill_next(store)
    assert is_as_saved(store)
    assert value(store.connection, "SELECT count(*) FROM memory_subjects") == 3
    assert rows(store.connection, "SELECT * FROM rebuilds") == []
    store.connection.close()


def test_a_name_that_is_missing_is_noticed(store: Store, project: int):
    assert derived_indexes.SUBJECTS.problem(store, [1]) == ""
    store.connection.execute("DELETE FROM memory_subjects WHERE key = (SELECT min(key) FROM memory_subjects)")
    assert "row 1" in derived_indexes.SUBJECTS.problem(store, [1])


def test_what_is_kept_as_written_is_what_the_text_names(store: Store, project: int):
    assert entities_kept(store, [1, 77]) == {1: entities_in(TEXT)}
    store.connection.execute("UPDATE memory_entities SET named = ''")
    assert "row 1" in derived_indexes.SUBJECTS.problem(store, [1])
