"""The FTS5 engine: contentless, stemmed, ranked by SQLite's own bm25().

Contentless with deletes: the texts are in `memories` already, and leaving them out of the index saves
a third of its size. The price, no `snippet()`, is none, since snippets are made by `search.snippet`.
"""

from typing import Any

import apsw

from palimp_daemon.search.engine import CONTENT_WEIGHT, TAGS_WEIGHT, TITLE_WEIGHT, Engine, Token


def _prepare(_: apsw.Connection) -> None:
    """FTS5 needs nothing of us."""


def _tokenize(connection: apsw.Connection, text: str) -> list[Token]:
    tokenizer = connection.fts5_tokenizer("porter", ["unicode61"])
    found: Any = tokenizer(
        text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=True, include_colocated=False
    )
    return found


FTS5 = Engine(
    name="fts5",
    version=1,
    key="rowid",
    layout=(
        "CREATE VIRTUAL TABLE memories_fts USING fts5"
        "(title, content, tags, content='', contentless_delete=1, tokenize='porter unicode61')",
        "CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN"
        " INSERT INTO memories_fts (rowid, title, content, tags) VALUES (new.seq, new.title, new.content, new.tags);"
        " END",
        "CREATE TRIGGER memories_fts_update AFTER UPDATE OF title, content, tags ON memories BEGIN"
        " UPDATE memories_fts SET title = new.title, content = new.content, tags = new.tags WHERE rowid = new.seq;"
        " END",
        "CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN"
        " DELETE FROM memories_fts WHERE rowid = old.seq;"
        " END",
    ),
    fill="INSERT INTO memories_fts (rowid, title, content, tags) SELECT seq, title, content, tags FROM memories",
    score=f"-bm25(memories_fts, {TITLE_WEIGHT}, {CONTENT_WEIGHT}, {TAGS_WEIGHT})",
    prepare=_prepare,
    tokenize=_tokenize,
    fold=str,
)
