"""Compare each derived index with its tables, empty it, and fill it in slices.

An index that does not match costs a rebuild, never the service. Compared are its structure, by its engine; the numbers
of its rows; and, of a sample when a database is opened and of all rows in the background, the contents. Not the column
`before`: it counts for a memory's rank only.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

import apsw

from palimp_daemon.search.engine import (
    OWN_COLUMNS,
    SECTIONS_TRIGGERS,
    WORDS_TRIGGERS,
    Compared,
    drop_sections,
    drop_words,
    fill_sections,
    fill_words,
    make_extra,
    note_built,
    sections_layout,
    words_layout,
)
from palimp_daemon.search.minhash import minhash_signature, text_key, words_of
from palimp_daemon.search.subject_words import subject_keys, subject_words
from palimp_daemon.store.derived_index import Derived, Filling
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.hunk_index import differing_hunk, empty_hunk_index, fill_hunk_index, note_hunks_indexed
from palimp_daemon.store.tables.hunks import PENDING
from palimp_daemon.store.tables.memory_subjects import (
    differing_subjects,
    empty_subjects,
    fill_subjects,
    note_subjects_kept,
    subjects_are_intact,
)
from palimp_daemon.store.tables.signatures import insert_signatures

SEARCHED_OF_SLICE: Final = 10
"""Rows of a slice, from its beginning to its end, that are also looked for by their words: some milliseconds."""

_FULL_TEXT: Final = re.compile(r"\b(?:memories|sections|hunks)_(?:fts|words)|^SQL logic error$")
"""FTS4 says no more than the latter where a table of its own is gone."""


def is_of_an_index(error: apsw.Error) -> bool:
    """Tell whether SQLite's *error* says that a full-text table is broken, and not the file."""
    if isinstance(error, apsw.CorruptError):
        return getattr(error, "extendedresult", 0) == apsw.SQLITE_CORRUPT_VTAB
    return isinstance(error, apsw.SQLError) and bool(_FULL_TEXT.search(str(error)))


def has_undefined_index(connection: apsw.Connection) -> bool:
    """Tell whether a full-text table cannot be opened: its definition is not as it was."""
    try:
        for each in ALL_DERIVED:
            if each.full_text:
                connection.execute(f"SELECT 1 FROM {each.full_text} LIMIT 0")
    except apsw.SQLError:
        return True
    return False


def _has_same_rows(store: Store, table: str, source: str) -> bool:
    index = f"SELECT {store.engine.key} FROM {table}"
    both = (
        f"SELECT EXISTS (SELECT * FROM ({source}) EXCEPT {index}) OR EXISTS ({index} EXCEPT SELECT * FROM ({source}))"
    )
    return not store.value(both)


def _listed(numbers: Sequence[int]) -> str:
    return json.dumps(list(numbers))


def _searched(place: int, count: int) -> bool:
    return place % (count // SEARCHED_OF_SLICE + 1) == 0


# --- words of memories ---------------------------------------------------------------------------


def _has_triggers(store: Store, names: Sequence[str]) -> bool:
    there = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name IN (SELECT value FROM json_each(?))"
    return store.value(there, (json.dumps(names),)) == len(names)


def _words_are_whole(store: Store) -> bool:
    return _has_triggers(store, WORDS_TRIGGERS) and _has_same_rows(store, "memories_fts", "SELECT seq FROM memories")


def _words_differing(store: Store, numbers: Sequence[int]) -> int | None:
    statement = (
        f"SELECT seq, {', '.join(OWN_COLUMNS)} FROM memories_words WHERE seq IN (SELECT value FROM json_each(?))"
    )
    found = store.rows(statement, (_listed(numbers),))
    compared = [Compared(seq, texts, _searched(place, len(found))) for place, (seq, *texts) in enumerate(found)]
    return store.engine.first_differing(store.connection, "memories_fts", compared)


def _empty_words(store: Store) -> None:
    drop_words(store.connection)
    for statement in words_layout(store.engine):
        store.execute(statement)
    store.execute("DELETE FROM search_index")


def _fill_words(store: Store, below: int, limit: int) -> int | None:
    absent = _ABSENT.format(key="seq", index=store.engine.key, table="memories_fts")
    try:
        return _fill(store, "memories", "seq", below, limit, fill_words(store.engine, absent))
    except apsw.CorruptError:  # of what is indexed, only what is made of the texts has no checksum
        make_extra(store.connection, below, limit)
        return _fill(store, "memories", "seq", below, limit, fill_words(store.engine, absent))


_ABSENT: Final = (
    "{key} >= ?1 AND {key} < ?2 AND {key} NOT IN (SELECT {index} FROM {table} WHERE {index} >= ?1 AND {index} < ?2)"
)


def _fill(store: Store, table: str, key: str, below: int, limit: int, statement: str) -> int | None:
    lowest: int | None = store.value(
        f"SELECT min({key}) FROM (SELECT {key} FROM {table} WHERE {key} < ? ORDER BY {key} DESC LIMIT ?)",
        (below, limit),
    )
    if lowest is not None:
        store.rows(statement, (lowest, below))  # says which of the texts it is fed is damaged
    return lowest


def _finish_full_text(store: Store) -> None:
    """Note that memories and sections are indexed whole, unless the other of them is being built, too."""
    if sum(each.derived in (WORDS, SECTIONS) for each in store.state(Filling).indexes) == 1:
        note_built(store.connection, store.engine)


# --- sections of documents -----------------------------------------------------------------------


def _sections_are_whole(store: Store) -> bool:
    return _has_triggers(store, SECTIONS_TRIGGERS) and _has_same_rows(store, "sections_fts", "SELECT id FROM sections")


def _sections_differing(store: Store, numbers: Sequence[int]) -> int | None:
    fold = store.engine.fold
    found = store.rows(
        "SELECT id, heading, content, extra FROM sections WHERE id IN (SELECT value FROM json_each(?))",
        (_listed(numbers),),
    )
    compared = [
        Compared(number, [fold(heading), fold(content), "", fold(extra)], _searched(place, len(found)))
        for place, (number, heading, content, extra) in enumerate(found)
    ]
    return store.engine.first_differing(store.connection, "sections_fts", compared)


def _empty_sections(store: Store) -> None:
    drop_sections(store.connection)
    for statement in sections_layout(store.engine):
        store.execute(statement)
    store.execute("DELETE FROM search_index")


def _fill_sections(store: Store, below: int, limit: int) -> int | None:
    absent = _ABSENT.format(key="id", index=store.engine.key, table="sections_fts")
    return _fill(store, "sections", "id", below, limit, fill_sections(store.engine, absent))


# --- removed code --------------------------------------------------------------------------------


def _hunks_are_whole(store: Store) -> bool:
    return _has_same_rows(store, "hunks_fts", f"SELECT id FROM hunks WHERE state != {PENDING} AND gone > 0")


def _hunks_differing(store: Store, numbers: Sequence[int]) -> int | None:
    if not numbers:
        return None
    return differing_hunk(store, f"h.id IN ({', '.join(map(str, numbers))})", ())


# --- MinHash signatures ------------------------------------------------------------------------------------

_SIGNED: Final = "NOT (kind = 'summary' AND source = 'transcript')"
"""A session's summary is written anew as the session goes on and has no MinHash signature
(`features.capture.handlers`)."""


def _signatures_are_intact(store: Store) -> bool:
    lost = "SELECT EXISTS (SELECT 1 FROM sketches WHERE seq NOT IN (SELECT seq FROM memories))"
    return not store.value(lost)


def _signatures_differing(store: Store, numbers: Sequence[int]) -> int | None:
    """Return the number of a memory without any hash, or any word; that one of each is there is enough."""
    listed = f"seq IN (SELECT value FROM json_each(?)) AND {_SIGNED}"
    contents = f"SELECT seq, kind, content FROM memories WHERE {listed}"
    found = "SELECT 1 FROM json_each(?) JOIN sketches ON hash = value AND seq = ? LIMIT 1"
    for seq, kind, content in store.rows(contents, (_listed(numbers),)):

        def is_there(entries: list[int], seq: int = seq) -> bool:
            return bool(store.rows(found, (json.dumps(entries), seq)))

        # The key of the whole is there, mostly; the other hashes take long.
        is_signed = is_there([text_key(kind, content)]) or is_there(_of_text(kind, content))
        words = subject_keys(subject_words(content))
        if not is_signed or (words and not is_there(words)):
            return seq
    return None


def _entries(kind: str, content: str) -> list[int]:
    return [*_of_text(kind, content), *subject_keys(subject_words(content))]


def _of_text(kind: str, content: str) -> list[int]:
    return [*minhash_signature(words_of(content.strip())), text_key(kind, content)]


def _empty_signatures(store: Store) -> None:
    store.execute("DELETE FROM sketches")


def _fill_signatures(store: Store, below: int, limit: int) -> int | None:
    found = store.rows(
        f"SELECT seq, kind, content FROM memories WHERE seq < ? AND {_SIGNED} ORDER BY seq DESC LIMIT ?", (below, limit)
    )
    insert_signatures(store, [(seq, _entries(kind, content)) for seq, kind, content in found])
    return found[-1][0] if found else None


def _nothing(store: Store) -> None: ...


WORDS: Final = Derived(
    "the words of memories",
    ("memories", "seq"),
    _words_are_whole,
    _words_differing,
    _empty_words,
    _fill_words,
    _finish_full_text,
    "memories_fts",
)
SECTIONS: Final = Derived(
    "the sections of documents",
    ("sections", "id"),
    _sections_are_whole,
    _sections_differing,
    _empty_sections,
    _fill_sections,
    _finish_full_text,
    "sections_fts",
)
HUNKS: Final = Derived(
    "removed code",
    ("hunks", "id"),
    _hunks_are_whole,
    _hunks_differing,
    empty_hunk_index,
    fill_hunk_index,
    note_hunks_indexed,
    "hunks_fts",
)
SIGNATURES: Final = Derived(
    "similar memories",
    ("memories", "seq"),
    _signatures_are_intact,
    _signatures_differing,
    _empty_signatures,
    _fill_signatures,
    _nothing,
)

SUBJECTS: Final = Derived(
    "what memories name",
    ("memories", "seq"),
    subjects_are_intact,
    differing_subjects,
    empty_subjects,
    fill_subjects,
    note_subjects_kept,
)

ALL_DERIVED: Final = (WORDS, SECTIONS, HUNKS, SIGNATURES, SUBJECTS)
