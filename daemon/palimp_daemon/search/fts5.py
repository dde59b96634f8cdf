"""The FTS5 engine: contentless, stemmed, ranked by SQLite's own bm25().

Contentless with deletes: the texts are in `memories` already, and leaving them out of the index saves
a third of its size. The price, no `snippet()`, is none, since snippets are made by `search.snippet`.
"""

from typing import Any

import apsw

from palimp_daemon.search.engine import COLUMNS, OWN_COLUMNS, WEIGHTS, Engine, Expression, Filter
from palimp_daemon.search.stems import porter_opening


def _prepare(connection: apsw.Connection) -> None:
    for name, kind in (("palimp_vocabulary", "row"), ("palimp_columns", "col")):
        connection.execute(f"CREATE VIRTUAL TABLE temp.{name} USING fts5vocab('main', 'memories_fts', '{kind}')")


def _tokenize(connection: apsw.Connection, text: str) -> list[str]:
    tokenizer = connection.fts5_tokenizer("porter", ["unicode61"])
    data, reason = text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT
    found: Any = tokenizer(data, reason, None, include_offsets=False, include_colocated=False)
    return found


def _own(expression: Expression) -> Filter:
    return Filter("f.memories_fts MATCH ?", (f"{{{' '.join(OWN_COLUMNS)}}} : ({expression.match})",))


def _text(expression: str) -> str:
    return expression


FTS5 = Engine(
    name="fts5",
    version=4,
    create=f"CREATE VIRTUAL TABLE memories_fts USING fts5({', '.join(COLUMNS)},"
    " content='', contentless_delete=1, tokenize='porter unicode61')",
    word_of=_text,
    key="rowid",
    score=f"-bm25(memories_fts, {', '.join(map(str, WEIGHTS))})",
    own=_own,
    frequencies="SELECT term, doc FROM json_each(?) CROSS JOIN temp.palimp_vocabulary WHERE term = value",
    own_frequencies="SELECT term, max(doc) FROM json_each(?) CROSS JOIN temp.palimp_columns"
    f" WHERE term = value AND col <> '{COLUMNS[-1]}' GROUP BY term",
    prepare=_prepare,
    tokenize=_tokenize,
    opening=porter_opening,
    fold=str,
    pages=int,
    merge="INSERT INTO memories_fts (memories_fts, rank) VALUES ('merge', ?)",
)
