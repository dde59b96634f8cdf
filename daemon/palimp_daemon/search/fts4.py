"""The FTS4 engine, for a SQLite without FTS5, ranked by sqlite-fts4's `rank_bm25`.

Theory
------
FTS4's `porter` tokenizer stems but knows ASCII only, and its `unicode61` folds but does not stem. The
index is fed with folded text (`fold`: accents dropped, lower case, everything but letters and digits
a space) and stemmed by `porter`, so both engines see the same words.

`rank_bm25` sums over the columns and knows no weights. `rank` calls it once per column, with the match
information of that column alone, and adds the weighted parts. The layout of matchinfo `pcnalx` is in
SQLite's FTS3 documentation: p phrases, c columns, n rows, c averages, c lengths, then three numbers for
each phrase and column.
"""

import struct
import unicodedata
from collections.abc import Callable
from typing import Any, Final, cast

import apsw
import sqlite_fts4  # pyright: ignore[reportMissingTypeStubs]  it ships none

from palimp_daemon.search.engine import CONTENT_WEIGHT, TAGS_WEIGHT, TITLE_WEIGHT, Engine, Token
from palimp_daemon.sql import rows

_bm25: Final = cast("Callable[[bytes], float]", sqlite_fts4.rank_bm25)  # pyright: ignore[reportUnknownMemberType]
_WEIGHTS: Final = (TITLE_WEIGHT, CONTENT_WEIGHT, TAGS_WEIGHT)


def fold(text: str, /) -> str:
    """Return *text* as the index sees it: lower case, without accents, words between spaces."""
    decomposed = unicodedata.normalize("NFD", text)
    bare = (mark for mark in decomposed if not unicodedata.combining(mark))
    return "".join(mark if mark.isalnum() else " " for mark in bare).lower()


def rank(match_info: bytes, /) -> float:
    """Return the weighted BM25 of one row from its matchinfo `pcnalx`; higher is better."""
    numbers = struct.unpack(f"@{len(match_info) // 4}I", match_info)
    phrases, columns, rows = numbers[:3]
    averages, lengths, hits = numbers[3:], numbers[3 + columns :], numbers[3 + 2 * columns :]
    score = 0.0
    for column, weight in enumerate(_WEIGHTS):
        own = [phrases, 1, rows, averages[column], lengths[column]]
        for phrase in range(phrases):
            first = 3 * (phrase * columns + column)
            own += hits[first : first + 3]
        # Negative, lower is better, like FTS5's bm25().
        score -= weight * _bm25(struct.pack(f"@{len(own)}I", *own))
    return score


def _prepare(connection: apsw.Connection) -> None:
    # trusted_schema=OFF lets triggers call only functions that are marked innocuous.
    connection.create_scalar_function(
        "palimp_fold", cast("Any", fold), 1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
    )
    connection.create_scalar_function("palimp_rank", cast("Any", rank), 1, deterministic=True)
    connection.execute("CREATE VIRTUAL TABLE temp.palimp_words USING fts3tokenize(porter)")


def _tokenize(connection: apsw.Connection, text: str) -> list[Token]:
    # Folding changes lengths, so each byte of the folded text remembers where it came from.
    folded: list[str] = []
    origins: list[int] = []
    offset = 0
    for character in text:
        piece = fold(character)
        folded.append(piece)
        origins.extend([offset] * len(piece.encode()))
        offset += len(character.encode())
    origins.append(offset)
    # As bytes: porter shortens long words that hold digits in the middle, which may cut a character.
    found = rows(
        connection, "SELECT CAST(token AS BLOB), start, end FROM temp.palimp_words WHERE input = ?", ("".join(folded),)
    )
    return [(origins[start], origins[end], term.decode(errors="surrogateescape")) for term, start, end in found]


FTS4 = Engine(
    name="fts4",
    version=1,
    key="docid",
    layout=(
        "CREATE VIRTUAL TABLE memories_fts USING fts4(title, content, tags, tokenize=porter)",
        "CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN"
        " INSERT INTO memories_fts (docid, title, content, tags)"
        " VALUES (new.seq, palimp_fold(new.title), palimp_fold(new.content), palimp_fold(new.tags));"
        " END",
        "CREATE TRIGGER memories_fts_update AFTER UPDATE OF title, content, tags ON memories BEGIN"
        " UPDATE memories_fts SET title = palimp_fold(new.title), content = palimp_fold(new.content),"
        " tags = palimp_fold(new.tags) WHERE docid = new.seq;"
        " END",
        "CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN"
        " DELETE FROM memories_fts WHERE docid = old.seq;"
        " END",
    ),
    fill="INSERT INTO memories_fts (docid, title, content, tags)"
    " SELECT seq, palimp_fold(title), palimp_fold(content), palimp_fold(tags) FROM memories",
    score="palimp_rank(matchinfo(memories_fts, 'pcnalx'))",
    prepare=_prepare,
    tokenize=_tokenize,
    fold=fold,
)
