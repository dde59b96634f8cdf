"""The FTS4 engine, for a SQLite without FTS5, ranked by sqlite-fts4's `rank_bm25`.

Texts are folded and stemmed by `porter`, so both engines see the same words. `rank_bm25` scores each column alone,
without weights; FTS5 sums weighted counts and lengths over the columns. So `rank` passes it one column of weighted
counts, in COUNTED parts of one, and a length with the same saturation. FTS4 does not tell in how many rows a word is in
any column; the largest column's number is taken. Matchinfo `pcnalx`: p phrases, c columns, n rows, c averages, c
lengths, then for each phrase and column hits here, hits in all rows, rows with a hit.
"""

import json
import operator
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import apsw
import sqlite_fts4  # pyright: ignore[reportMissingTypeStubs]  it ships none

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
from palimp_daemon.search.folding import fold as folded
from palimp_daemon.search.stems import porter_opening

_bm25: Final = cast("Callable[[bytes], float]", sqlite_fts4.rank_bm25)  # pyright: ignore[reportUnknownMemberType]

COUNTED: Final = 5
"""Factor that makes every weight a whole number."""

PRECISION: Final = 64
"""Units of length per word; 2**32 units are 13 million words."""

_COUNTS: Final = tuple(round(COUNTED * weight) for weight in WEIGHTS)
_B: Final = 0.75
"""BM25's b, as in `rank_bm25` and FTS5."""


_LEFT: Final = 10
_LEFT_WITH_DIGITS: Final = 3
"""Bytes kept at both ends of a long word, and of one with digits."""

_NOT_ASCII: Final = re.compile(r"(?=[!-~]*[^ -~])[^ ]+")


def fold(text: str, /) -> str:
    """Return *text* as the index sees it: folded, long words shortened between characters.

    SQLite's `copy_stemmer` shortens by bytes, which may leave invalid UTF-8.
    """
    seen = folded(text)
    return seen if seen.isascii() else _NOT_ASCII.sub(_shorten_word, seen)


def _shorten_word(match: re.Match[str]) -> str:
    word = match[0]
    left = _LEFT_WITH_DIGITS if any("0" <= character <= "9" for character in word) else _LEFT
    encoded = word.encode()
    if len(encoded) <= 2 * left:
        return word
    beginning = encoded[:left].decode(errors="ignore") or word[0]
    room = min(left, 2 * left - len(beginning.encode()))
    return beginning + encoded[-room:].decode(errors="ignore")


def rank(match_info: bytes, counted: int = len(COLUMNS), /) -> float:
    """Return the weighted BM25 of one row from its matchinfo `pcnalx`; higher is better.

    Words count in the first *counted* columns, the length in all.
    """
    numbers = struct.unpack(f"@{len(match_info) // 4}I", match_info)
    phrases, columns, rows = numbers[:3]
    average, length = sum(numbers[3 : 3 + columns]), sum(numbers[3 + columns : 3 + 2 * columns])
    # BM25 divides by count + k1 * (1 - b + b * length / average), of which all but the count is multiplied here.
    saturating = COUNTED * length + (COUNTED - 1) * (1 - _B) / _B * average
    one = [phrases, 1, rows, PRECISION * average, round(PRECISION * saturating)]
    for first in range(3 + 2 * columns, len(numbers), 3 * columns):
        hits = numbers[first : first + 3 * counted]
        one += [sum(map(operator.mul, hits[::3], _COUNTS)), sum(hits[1::3]), max(hits[2::3])]
    # Negative, lower is better, like FTS5's bm25().
    return -_bm25(struct.pack(f"@{len(one)}I", *one))


def own_hits(match_info: bytes, required: int, /) -> int:
    """Return the number of hits outside `before`, from matchinfo `x`.

    0 if one of the first *required* phrases has none.
    """
    numbers = struct.unpack(f"@{len(match_info) // 4}I", match_info)
    here = numbers[::3]
    hits = [sum(here[first : first + len(OWN_COLUMNS)]) for first in range(0, len(here), len(COLUMNS))]
    return sum(hits) if all(hits[:required]) else 0


def _prepare(connection: apsw.Connection) -> None:
    # trusted_schema=OFF lets triggers call only functions that are marked innocuous.
    connection.create_scalar_function(
        "palimp_fold", cast("Any", fold), 1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
    )
    connection.create_scalar_function("palimp_rank", cast("Any", rank), deterministic=True)
    connection.create_scalar_function("palimp_own_hits", cast("Any", own_hits), 2, deterministic=True)
    connection.execute("CREATE VIRTUAL TABLE temp.palimp_vocabulary USING fts4aux(main, memories_fts)")
    connection.execute("CREATE VIRTUAL TABLE temp.palimp_words USING fts3tokenize(porter)")


def _tokenize(connection: apsw.Connection, text: str) -> list[str]:
    # As bytes: porter shortens long words that hold digits in the middle, which may cut a character.
    found = rows(connection, "SELECT CAST(token AS BLOB) FROM temp.palimp_words WHERE input = ?", (fold(text),))
    return [term.decode(errors="surrogateescape") for (term,) in found]


def opening(stem: str) -> str:
    """Return the common beginning of all words with *stem*, even if shortened.

    SQLite's `copy_stemmer` keeps three characters at both ends of long words with digits, ten of others.
    """
    if len(stem) == 2 * _LEFT_WITH_DIGITS:
        return stem[:_LEFT_WITH_DIGITS]
    return porter_opening(stem) if len(stem) < 2 * _LEFT else stem[:_LEFT]


def _first_differing(connection: apsw.Connection, table: str, compared: Sequence[Compared]) -> int | None:
    """Return the number of the first row that *table* has otherwise, if any.

    Texts are compared; FTS4's integrity check covers the index. Some rows are also searched, since that reads more
    tables.
    """
    numbers = json.dumps([each.number for each in compared])
    stored = f"SELECT docid, * FROM {table} WHERE docid IN (SELECT value FROM json_each(?))"
    texts_of = {number: texts for number, *texts in rows(connection, stored, (numbers,))}
    for number, texts, is_searched in compared:
        if texts_of.get(number, [])[: len(texts)] != list(texts):
            return number
        if is_searched and not _is_found(connection, table, number, " ".join(texts)):
            return number
    return None


def _is_found(connection: apsw.Connection, table: str, number: int, text: str) -> bool:
    """Tell whether *table* finds the row by some words of *text*, with a score; true without words."""
    data = text.encode()
    cut = rows(connection, 'SELECT start, "end" FROM temp.palimp_words WHERE input = ?', (text,))
    if not cut:
        return True
    words = (data[start:end].decode(errors="replace") for start, end in cut[:: len(cut) // SEARCHED_WORDS + 1])
    match = " ".join(f'"{word}"' for word in words)
    found = f"SELECT palimp_rank(matchinfo({table}, 'pcnalx')) FROM {table} WHERE {table} MATCH ? AND docid = ?"
    return [score for (score,) in rows(connection, found, (match, number)) if score is not None] != []


def _own(expression: Expression) -> Filter:
    values = (expression.match, expression.required)
    return Filter("f.memories_fts MATCH ? AND palimp_own_hits(matchinfo(f.memories_fts, 'x'), ?) > 0", values)


def _fold_sql(expression: str) -> str:
    return f"palimp_fold({expression})"


FTS4 = Engine(
    name="fts4",
    version=7,
    create=f"CREATE VIRTUAL TABLE memories_fts USING fts4({', '.join(COLUMNS)}, tokenize=porter)",
    word_of=_fold_sql,
    key="docid",
    score="palimp_rank(matchinfo(memories_fts, 'pcnalx'))",
    own=_own,
    own_score=f"palimp_rank(matchinfo(f.memories_fts, 'pcnalx'), {len(OWN_COLUMNS)})",
    frequencies="SELECT term, documents FROM json_each(?) CROSS JOIN temp.palimp_vocabulary"
    " WHERE term = value AND col = '*'",
    stems_between="SELECT term FROM temp.palimp_vocabulary WHERE term >= ? AND term < ? AND col = '*' LIMIT ?",
    all_stems="SELECT CAST(term AS BLOB) FROM temp.palimp_vocabulary WHERE col = '*' LIMIT ?",
    prepare=_prepare,
    tokenize=_tokenize,
    opening=opening,
    fold=fold,
    pages=lambda count: f"merge={abs(count)},2",
    merge="INSERT INTO memories_fts (memories_fts) VALUES (?)",
    merged_in_steps=(),  # it merges sixteen segments at once, and never more unasked
    # What was deleted is noted in a later segment; a merge into the only one leaves both out.
    holds_deleted="(SELECT count(*) > 1 FROM {table}_segdir)",
    first_differing=_first_differing,
)
