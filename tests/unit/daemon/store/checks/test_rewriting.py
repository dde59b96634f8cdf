"""Writing the database anew: no word of what was deleted is left, whatever its indexes were doing when it was."""

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import ENGINES, examples
from new_stores import new_store, without_fsync
from request_contexts import RequestContexts

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.search.engine import MERGES_MAX, merge_completely
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED
from palimp_daemon.store.checks.rebuild import fill_next, is_filling, rebuilds
from palimp_daemon.store.checks.rewriting import rewrite
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables.removed_code.change_rows import Change, erase_hunk, insert_change
from palimp_daemon.store.tables.removed_code.hunks import hunk_named
from palimp_neighbours.documents.daemon.document_rows import FileState, ReadDocument, SectionText, update_sections
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memory_messages import SaveMemory

WORD = "zqxkcdvbnmpzq"
"""Stands in one text only; neither the stemmer nor the folding changes it."""

TEXTS = 40
"""With filler() so much that a merge of their index takes several steps."""

FULL_TEXT = [each.full_text for each in ALL_DERIVED if each.full_text]


def filler(number: int) -> str:
    """Return a text of some words that the others do not have."""
    return " ".join(f"w{number * 97 + place:05}x" for place in range(100))


def save(store: Store, number: int, text: str) -> None:
    # In a session of its own: erasing one that others follow in its session adds a segment to the index.
    save_memory(RequestContexts(store)(session=f"s{number}"), SaveMemory(text=text))


def unsave(store: Store) -> None:
    [(shown,)] = rows(store.connection, "SELECT id FROM memories WHERE content LIKE ?", (f"%{WORD}%",))
    erase(RequestContexts(store)(), Erase(ids=[shown]))


def add_section(store: Store, number: int, text: str) -> None:
    read = ReadDocument(f"d{number}", "A document", FileState(number, 1), text, [SectionText("Heading", 1, text)])
    update_sections(store, "/work/one/docs", [read], [])


def remove_section(store: Store) -> None:
    update_sections(store, "/work/one/docs", [], [f"d{WITH_WORD}"])


def record_hunk(store: Store, number: int, text: str) -> None:
    project = ensure_project(store, RequestContexts(store)().caller, 0)
    taken_out = Hunk("a.py", 1, (f"retry({text!r})",), (), (False,))
    insert_change(store, project, Change("", number, commit=f"{number:040}"), [taken_out])


def forget_hunk(store: Store) -> None:
    project = ensure_project(store, RequestContexts(store)().caller, 0)
    found = hunk_named(store, project, WITH_WORD + 1)
    assert found
    erase_hunk(store, project, found)


WITH_WORD = TEXTS // 2
"""The number of the text with the word."""

ROWS = {
    "memories_fts": (save, unsave),
    "sections_fts": (add_section, remove_section),
    "hunks_fts": (record_hunk, forget_hunk),
}
"""What puts a text into each index, and what takes the one with the word out again."""


@cache
def _filled(engine: str, table: str) -> bytes:
    """Return a database whose *table* has the texts."""
    with tempfile.TemporaryDirectory() as folder:
        store = new_store(Path(folder) / "palimp.db", engine)
        for number in range(TEXTS):
            ROWS[table][0](store, number, f"{WORD if number == WITH_WORD else ''} {filler(number)}")
        store.connection.close()
        return store.path.read_bytes()


def merge_some(store: Store, table: str, pages: int) -> None:
    """Merge some pages of *table*, as an interrupted merge of all of it, and what merges unasked, leave it."""
    amount = f"merge={abs(pages)},2" if store.engine.name == "fts4" else pages
    column = "" if store.engine.name == "fts4" else ", rank"
    values = (amount,) if store.engine.name == "fts4" else ("merge", amount)
    places = ", ".join("?" for _ in values)
    store.connection.execute(f"INSERT INTO {table} ({table}{column}) VALUES ({places})", values)


def erased_in_the_middle(path: Path, engine: str, table: str, steps: int) -> Store:
    """Return a store at *path* in which the word's text was erased after *steps* of a merge of *table*."""
    path.write_bytes(_filled(engine, table))
    store = without_fsync(open_store(path, engine))
    for step in range(steps):
        merge_some(store, table, -1 if step == 0 else 1)
    assert has_word(store, table)
    ROWS[table][1](store)
    assert not has_word(store, table)
    return store


def has_word(store: Store, table: str) -> bool:
    return rows(store.connection, f"SELECT 1 FROM {table} WHERE {table} MATCH ?", (WORD,)) != []


def files_with_word(path: Path) -> list[str]:
    return [each.name for each in path.parent.iterdir() if WORD[2:].encode() in each.read_bytes()]


def test_one_merge_of_all_leaves_deleted_rows_where_a_merge_was_under_way(tmp_path: Path):
    """Why it is merged until nothing changes; if this fails, SQLite's `optimize` has learned it."""
    left_over: list[int] = []
    for steps in range(1, 8):
        store = erased_in_the_middle(tmp_path / f"{steps}.db", "fts5", "memories_fts", steps)
        store.connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')")
        if value(store.connection, f"SELECT {store.engine.holds_deleted.format(table='memories_fts')}"):
            left_over.append(steps)
            assert merge_completely(store.connection, store.engine, "memories_fts")
        store.connection.close()
    assert left_over


@pytest.mark.parametrize("table", FULL_TEXT)
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=examples(20))
@given(steps=st.integers(0, 40))
def test_a_text_erased_in_the_middle_of_a_merge_is_in_no_file(
    tmp_path_factory: pytest.TempPathFactory, engine: str, table: str, steps: int
):
    path = tmp_path_factory.mktemp("rewriting") / "palimp.db"
    store = erased_in_the_middle(path, engine, table, steps)
    rewrite(store)
    assert files_with_word(path) == []
    assert not rebuilds(store)
    store.connection.close()
    assert files_with_word(path) == []


@pytest.mark.parametrize("table", FULL_TEXT)
def test_an_index_that_cannot_be_cleared_by_merging_is_built_anew(tmp_path: Path, table: str):
    """The guard behind the merging: here an engine says so of every index."""
    store = erased_in_the_middle(tmp_path / "palimp.db", "fts5", table, 3)
    store.engine = replace(store.engine, holds_deleted="1")
    rewrite(store)
    while is_filling(store):
        fill_next(store)
    assert files_with_word(store.path) == []
    assert len(rebuilds(store)) == len(FULL_TEXT)
    assert rows(store.connection, f"SELECT count(*) FROM {table}") == [(TEXTS - 1,)]
    store.connection.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_index_without_rows_is_merged_once(tmp_path: Path, engine: str):
    store = new_store(tmp_path / "palimp.db", engine)
    assert [merge_completely(store.connection, store.engine, table) for table in FULL_TEXT] == [True] * len(FULL_TEXT)
    assert MERGES_MAX > 1
    store.connection.close()
