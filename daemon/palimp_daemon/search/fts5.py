"""The FTS5 engine: contentless (a third smaller), stemmed, ranked by SQLite's own bm25().

Texts are folded, but not ASCII: a call of Python for each would cost more than the rest of a save.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, cast

import apsw

from palimp_daemon.runtime.sql import rows
from palimp_daemon.search.engine import (
    COLUMNS,
    OWN_COLUMNS,
    SEARCHED_WORDS,
    WEIGHTS,
    Compared,
    Engine,
    Expression,
    Filter,
)
from palimp_daemon.search.folding import fold
from palimp_daemon.search.stems import porter_opening

CATEGORIES: Final = "L* N* Co Mn Mc"
"""Unicode categories of a word's characters. Marks outside of them are folded away."""

SEGMENTS_MERGED: Final = 8
"""Segments of a level merged in steps. SQLite's 4 would merge words more often, while callers wait."""

_TOKENIZER: Final = ("unicode61", "remove_diacritics", "0", "categories", CATEGORIES)


def _prepare(connection: apsw.Connection) -> None:
    # trusted_schema=OFF lets triggers call only functions that are marked innocuous.
    connection.create_scalar_function(
        "palimp_fold", cast("Any", fold), 1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
    )
    connection.execute("CREATE VIRTUAL TABLE temp.palimp_vocabulary USING fts5vocab('main', 'memories_fts', 'row')")


def _tokenize(connection: apsw.Connection, text: str) -> list[str]:
    tokenizer = connection.fts5_tokenizer("porter", list(_TOKENIZER))
    data, reason = fold(text).encode(), apsw.FTS5_TOKENIZE_DOCUMENT
    found: Any = tokenizer(data, reason, None, include_offsets=False, include_colocated=False)
    return found


def _first_differing(connection: apsw.Connection, table: str, compared: Sequence[Compared]) -> int | None:
    """Return the number of the first row that *table* has otherwise, if any.

    Numbers of words per column, all that is kept here, are compared. Some rows are also searched, one with a score,
    which reads all postings of a word.
    """
    numbers = json.dumps([each.number for each in compared])
    stored = f"SELECT id, sz FROM {table}_docsize WHERE id IN (SELECT value FROM json_each(?))"
    sizes: dict[int, bytes] = dict(rows(connection, stored, (numbers,)))
    tokenizer = connection.fts5_tokenizer("porter", list(_TOKENIZER))
    is_scored = False
    for number, texts, is_searched in compared:
        if _varints(sizes.get(number, b""))[: len(texts)] != [_count(tokenizer, text) for text in texts]:
            return number
        if is_searched:
            words = [word for text in texts for word in _words(tokenizer, text)]
            if not _is_found(connection, table, number, words, by_score=not is_scored):
                return number
            is_scored = is_scored or bool(words)
    return None


def _count(tokenizer: apsw.FTS5Tokenizer, text: str) -> int:
    reason = apsw.FTS5_TOKENIZE_DOCUMENT
    found: Any = tokenizer(text.encode(), reason, None, include_offsets=False, include_colocated=False)
    return len(found)


def _words(tokenizer: apsw.FTS5Tokenizer, text: str) -> list[str]:
    data, reason = text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT
    found: Any = tokenizer(data, reason, None, include_offsets=True, include_colocated=False)
    return [data[start:end].decode(errors="replace") for start, end, _ in found]


def _varints(data: bytes) -> list[int]:
    """Decode SQLite's variable-length integers."""
    numbers, number = list[int](), 0
    for byte in data:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    return numbers


def _is_found(connection: apsw.Connection, table: str, number: int, words: Sequence[str], *, by_score: bool) -> bool:
    """Tell whether *table* finds the row by some of its *words*; true without words."""
    if not words:
        return True
    match = " ".join(f'"{word}"' for word in words[:: len(words) // SEARCHED_WORDS + 1])
    score = f"bm25({table})" if by_score else "1"
    found = f"SELECT {score} FROM {table} WHERE {table} MATCH ? AND rowid = ?"
    return [score for (score,) in rows(connection, found, (match, number)) if score is not None] != []


def _own(expression: Expression) -> Filter:
    return Filter("f.memories_fts MATCH ?", (f"{{{' '.join(OWN_COLUMNS)}}} : ({expression.match})",))


def _fold_sql(expression: str) -> str:
    # A text is in ASCII if it has as many bytes as characters.
    is_ascii = "length(t) = length(CAST(t AS BLOB))"
    return f"(SELECT CASE WHEN {is_ascii} THEN t ELSE palimp_fold(t) END FROM (SELECT {expression} AS t))"


FTS5 = Engine(
    name="fts5",
    version=7,
    create=f"CREATE VIRTUAL TABLE memories_fts USING fts5({', '.join(COLUMNS)},"
    " content='', contentless_delete=1,"
    f" tokenize=\"porter unicode61 remove_diacritics 0 categories '{CATEGORIES}'\")",
    word_of=_fold_sql,
    key="rowid",
    score=f"-bm25(memories_fts, {', '.join(map(str, WEIGHTS))})",
    own=_own,
    own_score=f"-bm25(f.memories_fts, {', '.join(map(str, WEIGHTS))})",
    frequencies="SELECT term, doc FROM json_each(?) CROSS JOIN temp.palimp_vocabulary WHERE term = value",
    stems_between="SELECT term FROM temp.palimp_vocabulary WHERE term >= ? AND term < ? LIMIT ?",
    all_stems="SELECT CAST(term AS BLOB) FROM temp.palimp_vocabulary LIMIT ?",
    prepare=_prepare,
    tokenize=_tokenize,
    opening=porter_opening,
    fold=fold,
    pages=int,
    merge="INSERT INTO memories_fts (memories_fts, rank) VALUES ('merge', ?)",
    merged_in_steps=(
        "INSERT INTO memories_fts (memories_fts, rank) VALUES ('automerge', 0)",
        f"INSERT INTO memories_fts (memories_fts, rank) VALUES ('usermerge', {SEGMENTS_MERGED})",
    ),
    # The numbers of a segment's pages begin with the segment's, of 16 bits. Those of its tombstones, which name the
    # rows deleted from it, have the next bit set (FTS5_TOMBSTONE_ROWID in SQLite's fts5_index.c).
    holds_deleted="EXISTS (SELECT 1 FROM {table}_data WHERE id >= 1 << 53)",
    first_differing=_first_differing,
)
