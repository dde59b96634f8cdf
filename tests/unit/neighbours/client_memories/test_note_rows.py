"""Notes in a store that is in no file: put, changed and gone, with ids that stay."""

import pytest
from lanes import ENGINES
from request_contexts import NOON_MS

from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.opening import open_in_memory
from palimp_daemon.store.store import Store
from palimp_neighbours.client_memories.daemon.note_rows import StoredNote, id_of_note, put_notes
from palimp_protocol.messages.caller import Caller, ProjectRef

OWNER = Caller(ProjectRef("/work/one", "one"))


@pytest.fixture(params=ENGINES)
def notes(request):
    """A store in memory, on each engine."""
    store = open_in_memory(request.param)
    yield store
    store.connection.close()


def note(path: str, content: str) -> StoredNote:
    return StoredNote(path, f"Title of {path}", content, ["project"], NOON_MS)


def contents(store: Store) -> dict[str, str]:
    return dict(rows(store.connection, "SELECT id, content FROM memories"))


def test_what_is_put_takes_the_place_of_what_it_was(notes: Store):
    put_notes(notes, OWNER, [note("/a", "one"), note("/b", "two")], [])
    put_notes(notes, OWNER, [note("/a", "three")], ["/b", "/never"])
    assert contents(notes) == {id_of_note("/a"): "three"}
    assert rows(notes.connection, "SELECT count(*) FROM sums") == [(1,)]
    assert rows(notes.connection, "PRAGMA foreign_key_check") == []


def test_an_id_begins_with_its_letter_and_is_that_of_the_path():
    assert id_of_note("/a") == id_of_note("/a") != id_of_note("/b")
    assert id_of_note("/caf\udce9")[0] == "n"


def test_nothing_of_it_is_in_a_file(notes: Store):
    assert rows(notes.connection, "SELECT file FROM pragma_database_list WHERE name = 'main'") == [("",)]


def test_a_note_is_not_found_by_the_day_of_its_change(notes: Store):
    """The twenty-first of November 2025 is a Friday."""
    put_notes(notes, OWNER, [note("/a", "one")], [])
    assert "Friday" not in rows(notes.connection, "SELECT extra FROM memories")[0][0]


def test_an_engine_that_is_missing_is_said():
    with pytest.raises(LookupError):
        open_in_memory("fts9")
