"""What a full-text engine does, for both: FTS5, and FTS4 where SQLite lacks FTS5.

Theory
------
The index is derived data. Triggers keep it in step with the table `memories` in the same transaction;
when it was built by another engine or an older version of the engine's layout, it is dropped and
built again from the table. So it needs no migrations, and a damaged index costs a rebuild, no memory.

Purged memories stay in the index, since `recall(include_purged=true)` searches them; every search
joins the table, which knows the project and whether a memory is purged.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import apsw

from palimp_daemon.sql import rows

TITLE_WEIGHT: Final = 2.0
CONTENT_WEIGHT: Final = 1.0
TAGS_WEIGHT: Final = 1.0


Token = tuple[int, int, str]
"""A word as the index sees it: where it starts and ends in the UTF-8 text, and its folded, stemmed form.

A plain tuple, because that is what the tokenizer makes, and an answer may need thousands.
"""


class Hit(NamedTuple):
    """A memory that matched. Higher scores are better."""

    seq: int
    score: float


class Filter(NamedTuple):
    """A condition on the row `m` of `memories`, and the values of its placeholders."""

    sql: str
    values: "tuple[apsw.SQLiteValue, ...]" = ()


@dataclass(frozen=True)
class Engine:
    """One full-text engine.

    *layout* lists the statements that make the table and the triggers; *fill* fills a new table from
    `memories`; *score* is the SQL expression of a match's score, higher is better; *key* names the
    column that holds `memories.seq`; *fold* makes of a query's word what *tokenize* can cut like the index.
    """

    name: str
    version: int
    layout: Sequence[str]
    fill: str
    score: str
    key: str
    prepare: Callable[[apsw.Connection], None]
    tokenize: Callable[[apsw.Connection, str], list[Token]]
    fold: Callable[[str], str]


def search(
    connection: apsw.Connection, engine: Engine, expression: str, where: Filter, limit: int
) -> tuple[list[Hit], int]:
    """Return the best *limit* memories for the MATCH *expression* under *where*, and how many match in all."""
    # The ranking functions work only while the index is being read, hence the inner query; its LIMIT, which
    # limits nothing, keeps SQLite from merging it with the outer one.
    found = rows(
        connection,
        "SELECT seq, score, count(*) OVER () FROM"
        f" (SELECT m.seq AS seq, {engine.score} AS score FROM memories_fts"
        f" JOIN memories m INDEXED BY memories_scope ON m.seq = memories_fts.{engine.key}"
        f" WHERE memories_fts MATCH ? AND {where.sql} LIMIT -1)"
        " ORDER BY score DESC, seq DESC LIMIT ?",
        (expression, *where.values, limit),
    )
    return [Hit(seq, score) for seq, score, _ in found], found[0][2] if found else 0


def prepare_index(connection: apsw.Connection, engine: Engine) -> None:
    """Make *engine* ready on *connection*, building the index if it is not the one that is there."""
    engine.prepare(connection)
    built = rows(connection, "SELECT engine, version FROM search_index")
    if built != [(engine.name, engine.version)]:
        rebuild_index(connection, engine)


def rebuild_index(connection: apsw.Connection, engine: Engine) -> None:
    """Drop the index and build it from `memories`, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for trigger in ("memories_fts_insert", "memories_fts_update", "memories_fts_delete"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        connection.execute("DROP TABLE IF EXISTS memories_fts")
        for statement in engine.layout:
            connection.execute(statement)
        connection.execute(engine.fill)
        connection.execute(
            "INSERT OR REPLACE INTO search_index (one, engine, version) VALUES (1, ?, ?)",
            (engine.name, engine.version),
        )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def choose_engine(connection: apsw.Connection, wanted: str, engines: Sequence[Engine]) -> Engine:
    """Return the engine called *wanted*, or for `auto` the first of *engines* that this SQLite has.

    Raises:
        LookupError: this SQLite lacks it.
    """
    present = {name for (name,) in rows(connection, "SELECT name FROM pragma_module_list")}
    for engine in engines:
        if wanted in ("auto", engine.name) and engine.name in present:
            return engine
    raise LookupError(f"This SQLite has no full-text engine {wanted!r}.")
