"""Keep Claude Code's notes as rows of `memories`, in a store in no file.

Ids are made of paths, and so stay.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import transaction
from palimp_daemon.search.index_terms import extra_of_text
from palimp_daemon.store.ids import id_of_content, shown_of
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables.memory_rows import NewMemory, erase, insert_as
from palimp_protocol.messages.caller import Caller

KIND: Final = "claude-memory"
SOURCE: Final = "claude-code"
ID_LETTER: Final = "n"


class StoredNote(NamedTuple):
    """A stored note."""

    path: str
    title: str
    content: str
    tags: Sequence[str]
    changed_ms: int


def id_of_note(path: str) -> str:
    """Return the id of the note at *path*."""
    return id_of_content(ID_LETTER, path.encode("utf-8", "surrogatepass"))


def put_notes(store: Store, owner: Caller, changed: Sequence[StoredNote], gone: Sequence[str]) -> None:
    """Store *changed* notes in place of former versions; delete *gone* paths."""
    with transaction(store.connection):
        project = ensure_project(store, owner, 0)
        for path in [*gone, *(note.path for note in changed)]:
            whole = id_of_note(path)
            for (seq,) in store.rows("SELECT seq FROM memories WHERE id = ?", (whole,)):
                erase(store, seq, shown_of(whole))
        for path, title, content, tags, changed_ms in changed:
            # Not by the words of the day of its last change, which says little of it, and is that of many at once.
            extra = extra_of_text(title, content)
            note = NewMemory(project, None, title, content, tags, KIND, SOURCE, extra, changed_ms)
            insert_as(store, id_of_note(path), note)
    store.forget_searches()
