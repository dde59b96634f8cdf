"""Compare each derived index with its tables, empty it, and fill it in slices.

Structure, numbers and contents are compared (of a sample at opening, of all later), except the column `before`.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import apsw

from palimp_daemon.search import engine
from palimp_daemon.search.minhash import minhash_signature, text_key, words_of
from palimp_daemon.search.subject_words import subject_keys, subject_words
from palimp_daemon.store.derived_index import Derived, Filling
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import memory_subjects
from palimp_daemon.store.tables.removed_code.hunk_index import (
    differing_hunk,
    empty_hunk_index,
    fill_hunk_index,
    note_hunks_indexed,
)
from palimp_daemon.store.tables.removed_code.hunks import PENDING
from palimp_daemon.store.tables.search.signatures import insert_signatures

SEARCHED_OF_SLICE: Final = 10
"""Rows spread over a slice and searched for by their words: some milliseconds."""

_FULL_TEXT: Final = re.compile(r"\b(?:memories|sections|hunks)_(?:fts|words)|^SQL logic error$")
"""FTS4 reports only the latter if one of its own tables is gone."""


def is_of_an_index(error: apsw.Error) -> bool:
    """Tell whether *error* means a broken full-text table, not a broken file."""
    if isinstance(error, apsw.CorruptError):
        return getattr(error, "extendedresult", 0) == apsw.SQLITE_CORRUPT_VTAB
    return isinstance(error, apsw.SQLError) and bool(_FULL_TEXT.search(str(error)))


def has_undefined_index(connection: apsw.Connection) -> bool:
    """Tell whether a full-text table's altered definition prevents opening it."""
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


def _is_searched(place: int, count: int) -> bool:
    return place % (count // SEARCHED_OF_SLICE + 1) == 0


# --- words of memories ---------------------------------------------------------------------------


def _is_in_step(store: Store, triggers: Sequence[str], table: str, source: str) -> bool:
    there = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name IN (SELECT value FROM json_each(?))"
    return store.value(there, (json.dumps(triggers),)) == len(triggers) and _has_same_rows(store, table, source)


def _empty(
    store: Store, drop: Callable[[apsw.Connection], None], layout: Callable[[engine.Engine], Iterable[str]]
) -> None:
    drop(store.connection)
    for statement in layout(store.engine):
        store.execute(statement)
    store.execute("DELETE FROM search_index")


def _words_differing(store: Store, numbers: Sequence[int]) -> int | None:
    statement = (
        f"SELECT seq, {', '.join(engine.OWN_COLUMNS)} FROM memories_words WHERE seq IN (SELECT value FROM json_each(?))"
    )
    found = store.rows(statement, (json.dumps(list(numbers)),))
    compared = [
        engine.Compared(seq, texts, _is_searched(place, len(found))) for place, (seq, *texts) in enumerate(found)
    ]
    return store.engine.first_differing(store.connection, "memories_fts", compared)


def _fill_words(store: Store, below: int, limit: int) -> int | None:
    absent = _ABSENT.format(key="seq", index=store.engine.key, table="memories_fts")
    try:
        return _fill(store, "memories", "seq", below, limit, engine.fill_words(store.engine, absent))
    except apsw.CorruptError:  # of what is indexed, only what is made of the texts has no checksum
        engine.make_extra(store.connection, below, limit)
        return _fill(store, "memories", "seq", below, limit, engine.fill_words(store.engine, absent))


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
    if sum(each.derived in (WORDS, SECTIONS) for each in store.state(Filling).indexes) == 1:
        engine.note_built(store.connection, store.engine)


# --- sections of documents -----------------------------------------------------------------------


def _sections_differing(store: Store, numbers: Sequence[int]) -> int | None:
    fold = store.engine.fold
    found = store.rows(
        "SELECT id, heading, content, extra FROM sections WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    compared = [
        engine.Compared(number, [fold(heading), fold(content), "", fold(extra)], _is_searched(place, len(found)))
        for place, (number, heading, content, extra) in enumerate(found)
    ]
    return store.engine.first_differing(store.connection, "sections_fts", compared)


def _fill_sections(store: Store, below: int, limit: int) -> int | None:
    absent = _ABSENT.format(key="id", index=store.engine.key, table="sections_fts")
    return _fill(store, "sections", "id", below, limit, engine.fill_sections(store.engine, absent))


# --- removed code --------------------------------------------------------------------------------


def _hunks_differing(store: Store, numbers: Sequence[int]) -> int | None:
    if not numbers:
        return None
    return differing_hunk(store, f"h.id IN ({', '.join(map(str, numbers))})", ())


# --- MinHash signatures ------------------------------------------------------------------------------------

_SIGNED: Final = "NOT (kind = 'summary' AND source = 'transcript')"
"""Session summaries change with the session and have no MinHash signature (`features.capture.capture_handlers`)."""


def _signatures_differing(store: Store, numbers: Sequence[int]) -> int | None:
    listed = f"seq IN (SELECT value FROM json_each(?)) AND {_SIGNED}"
    contents = f"SELECT seq, kind, content FROM memories WHERE {listed}"
    found = "SELECT 1 FROM json_each(?) JOIN sketches ON hash = value AND seq = ? LIMIT 1"
    for seq, kind, content in store.rows(contents, (json.dumps(list(numbers)),)):

        def is_there(entries: list[int], seq: int = seq) -> bool:
            return bool(store.rows(found, (json.dumps(entries), seq)))

        # The key of the whole is there, mostly; the other hashes take long.
        is_signed = is_there([text_key(kind, content)]) or is_there(_of_text(kind, content))
        words = subject_keys(subject_words(content))
        if not is_signed or (words and not is_there(words)):
            return seq
    return None


def _of_text(kind: str, content: str) -> list[int]:
    return [*minhash_signature(words_of(content.strip())), text_key(kind, content)]


def _fill_signatures(store: Store, below: int, limit: int) -> int | None:
    found = store.rows(
        f"SELECT seq, kind, content FROM memories WHERE seq < ? AND {_SIGNED} ORDER BY seq DESC LIMIT ?", (below, limit)
    )
    insert_signatures(
        store,
        [(seq, [*_of_text(kind, content), *subject_keys(subject_words(content))]) for seq, kind, content in found],
    )
    return found[-1][0] if found else None


WORDS: Final = Derived(
    "the words of memories",
    ("memories", "seq"),
    lambda store: _is_in_step(store, engine.WORDS_TRIGGERS, "memories_fts", "SELECT seq FROM memories"),
    _words_differing,
    partial(_empty, drop=engine.drop_words, layout=engine.words_layout),
    _fill_words,
    _finish_full_text,
    "memories_fts",
)
SECTIONS: Final = Derived(
    "the sections of documents",
    ("sections", "id"),
    lambda store: _is_in_step(store, engine.SECTIONS_TRIGGERS, "sections_fts", "SELECT id FROM sections"),
    _sections_differing,
    partial(_empty, drop=engine.drop_sections, layout=engine.sections_layout),
    _fill_sections,
    _finish_full_text,
    "sections_fts",
)
HUNKS: Final = Derived(
    "removed code",
    ("hunks", "id"),
    lambda store: _has_same_rows(store, "hunks_fts", f"SELECT id FROM hunks WHERE state != {PENDING} AND gone > 0"),
    _hunks_differing,
    empty_hunk_index,
    fill_hunk_index,
    note_hunks_indexed,
    "hunks_fts",
)
SIGNATURES: Final = Derived(
    "similar memories",
    ("memories", "seq"),
    lambda store: not store.value("SELECT EXISTS (SELECT 1 FROM sketches WHERE seq NOT IN (SELECT seq FROM memories))"),
    _signatures_differing,
    lambda store: store.execute("DELETE FROM sketches"),
    _fill_signatures,
    lambda _: None,  # it is made anew from whatever is there
)

SUBJECTS: Final = Derived(
    "what memories name",
    ("memories", "seq"),
    memory_subjects.subjects_are_intact,
    memory_subjects.differing_subjects,
    memory_subjects.empty_subjects,
    memory_subjects.fill_subjects,
    memory_subjects.note_subjects_kept,
)

ALL_DERIVED: Final = (WORDS, SECTIONS, HUNKS, SIGNATURES, SUBJECTS)
