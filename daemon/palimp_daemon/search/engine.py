"""A full-text engine: FTS5, or FTS4 where SQLite lacks it.

The index is derived: triggers update it in the transaction that writes `memories`; one of another engine or version is
rebuilt, without migrations. Purged memories stay in it; searches join the table.

The view `memories_words` has the columns title (empty if in the text), text, tags, extra words (`search.index_terms`)
and `before`: the two turns before a turn, so that a new turn changes no other row. `before` counts for a row's rank
only. So a search of turns reads the index twice: most matches of a long session are in `before` alone, and ranking a
row is much slower than skipping it.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import apsw

from palimp_daemon.runtime.sql import in_list, rows, transaction, value
from palimp_daemon.search.index_terms import extra_words
from palimp_daemon.search.minhash import text_key

COLUMNS: Final = ("title", "content", "tags", "extra", "before")
WEIGHTS: Final = (2.0, 1.0, 1.0, 1.0, 0.4)
"""Weight of a word in each column. docs/adr/0017 compares others."""

OWN_COLUMNS: Final = COLUMNS[:-1]
"""Columns that make a memory a hit."""

WORDS_TRIGGERS: Final = ("memories_fts_insert", "memories_fts_update", "memories_fts_delete")
SECTIONS_TRIGGERS: Final = ("sections_fts_insert", "sections_fts_delete")

FULL_TEXT_PARTS: Final = ("data", "idx", "content", "docsize", "config", "segments", "segdir", "stat")
"""Suffixes of the tables in which FTS5 and FTS4 keep an index."""

SEARCHED_WORDS: Final = 5
"""Words, spread over a row, that look it up in an index check: a fraction of a millisecond if rare."""

TURN_KIND: Final = "conversation"
"""Kind of the rows with a `before`."""

BEFORE_TURNS: Final = 2
"""Preceding turns of the session in `before`."""

BEFORE_CHARACTERS: Final = 400
"""Characters indexed of each, to bound a save's cost; more found no more (docs/adr/0023). Older databases keep a longer
bound until reindexed."""


class Hit(NamedTuple):
    """A matching memory. Higher scores are better."""

    seq: int
    score: float


class Expression(NamedTuple):
    """A MATCH expression; its first *required* phrases must be in the memory itself."""

    match: str
    required: int = 0


class Filter(NamedTuple):
    """A condition on the row `m` of `memories`, with its values."""

    sql: str
    values: "tuple[apsw.SQLiteValue, ...]" = ()


@dataclass(frozen=True)
class Engine:
    """A full-text engine."""

    name: str
    version: int
    """Raised whenever other content is indexed."""
    create: str
    word_of: Callable[[str], str]
    """Wraps a text's SQL expression into the index's input."""
    key: str
    """The column with `memories.seq`."""
    score: str
    """SQL expression of a match's score; higher is better."""
    own: Callable[[Expression], Filter]
    """Condition that an expression matches a row `f` outside of `before`."""
    own_score: str
    """SQL score of a row `f` that *own* matches, by these columns."""
    frequencies: str
    """Query for the number of memories with each stem of a JSON list."""
    stems_between: str
    """Query for the stems in a range, up to a limit."""
    all_stems: str
    """Query for all stems, as bytes, up to a limit."""
    prepare: Callable[[apsw.Connection], None]
    """Registers what the other fields need on a connection."""
    tokenize: Callable[[apsw.Connection, str], list[str]]
    opening: Callable[[str], str]
    """Returns the common beginning of a stem's words."""
    fold: Callable[[str], str]
    """Converts a query's term into the index's form."""
    pages: Callable[[int], str | int]
    """Converts a number of pages into *merge*'s parameter; negative: begin anew."""
    merge: str
    merged_in_steps: Sequence[str]
    """Statements that stop writes from merging much at once, leaving it to *merge*."""
    holds_deleted: str
    """Condition that a wholly merged *table* may still hold deleted rows' words."""
    first_differing: "Callable[[apsw.Connection, str, Sequence[Compared]], int | None]"
    """Compares rows of the engine's table with their source; see `Compared`."""


class Compared(NamedTuple):
    """A row that a full-text table should have, with each column's text as indexed.

    Trailing columns may be left out. With *is_searched* it is also searched for by some words.
    """

    number: int
    texts: Sequence[str]
    is_searched: bool = False


MERGES_MAX: Final = 4
"""Successive merges of a whole index: FTS5 first finishes a running one with deleted words; the next drops them."""


def merge_completely(connection: apsw.Connection, engine: Engine, table: str) -> bool:
    """Merge the full-text *table* completely; return whether no words of deleted rows remain."""
    for _ in range(MERGES_MAX):
        before = connection.total_changes()
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
        if connection.total_changes() - before <= 1:  # the statement itself is counted
            break
    return not value(connection, f"SELECT {engine.holds_deleted.format(table=table)}")


STEP_PAGES: Final = 64
"""Pages merged with each write if merging in steps: 1 ms, more than a part of a session adds."""


def have_merged_in_steps(connection: apsw.Connection, engine: Engine) -> None:
    """Disable automatic merges, so that writes take equally long; writers must call `merge_step`."""
    for statement in engine.merged_in_steps:
        connection.execute(statement)


def merge_step(connection: apsw.Connection, engine: Engine, pages: int) -> None:
    """Merge about *pages* pages, if the index is merged in steps."""
    if engine.merged_in_steps:
        merge_index(connection, engine, pages, is_first=False)


def merge_index(connection: apsw.Connection, engine: Engine, pages: int, *, is_first: bool) -> bool:
    """Merge about *pages* pages, with *is_first* of a new pass; tell whether anything changed."""
    before = connection.total_changes()
    connection.execute(engine.merge, (engine.pages(-pages if is_first else pages),))
    return connection.total_changes() - before > 1


def search(
    connection: apsw.Connection,
    engine: Engine,
    expression: Expression,
    where: Filter,
    limit: int,
    between: tuple[int, int] | None = None,
) -> tuple[list[Hit], int]:
    """Return the best memories for *expression* under *where*, and the number of all matches.

    Numbers are strictly *between* the two, if given.
    """
    own, key, ends = engine.own(expression), engine.key, between or ()
    within = f" AND f.{key} > ? AND f.{key} < ?" if ends else ""
    found = rows(
        connection,
        f"WITH own AS MATERIALIZED (SELECT m.seq AS seq, {engine.own_score} AS score FROM memories_fts f"
        f" JOIN memories m INDEXED BY memories_scope ON m.seq = f.{key} WHERE {own.sql} AND {where.sql}{within})"
        " SELECT seq, score, (SELECT count(*) FROM own) FROM own ORDER BY score DESC, seq DESC LIMIT ?",
        (*own.values, *where.values, *ends, limit),
    )
    return _hits(found)


def search_in_context(
    connection: apsw.Connection,
    engine: Engine,
    expression: Expression,
    where: Filter,
    limit: int,
    between: tuple[int, int] | None = None,
) -> tuple[list[Hit], int]:
    """Search turns as `search` does, ranked also by the turns before them."""
    own, key, ends = engine.own(expression), engine.key, between or ()
    within = f" AND {{0}}.{key} > ? AND {{0}}.{key} < ?" if ends else ""
    # The plus keeps SQLite from asking the index for one row after the other.
    found = rows(
        connection,
        "WITH own AS MATERIALIZED (SELECT m.seq AS seq FROM memories_fts f"
        f" JOIN memories m INDEXED BY memories_scope ON m.seq = f.{key}"
        f" WHERE {own.sql} AND {where.sql}{within.format('f')})"
        f" SELECT memories_fts.{key} AS seq, {engine.score} AS score, (SELECT count(*) FROM own) FROM memories_fts"
        f" WHERE memories_fts MATCH ? AND +memories_fts.{key} IN own{within.format('memories_fts')}"
        " ORDER BY score DESC, seq DESC LIMIT ?",
        (*own.values, *where.values, *ends, expression.match, *ends, limit),
    )
    return _hits(found)


def _hits(found: "list[tuple[Any, ...]]") -> tuple[list[Hit], int]:
    return [Hit(seq, score) for seq, score, _ in found], found[0][2] if found else 0


def scores_of(
    connection: apsw.Connection, engine: Engine, expression: Expression, seqs: Sequence[int], *, in_context: bool
) -> dict[int, float]:
    """Return scores, as of `search` or `search_in_context`, of *seqs* that match.

    *seqs* must be few: each posting is compared with them.
    """
    own, key = engine.own(expression), engine.key
    places, values = in_list(seqs)
    among = f"FROM memories_fts f WHERE {own.sql} AND +f.{key} IN {places}"
    if not in_context:
        return dict(rows(connection, f"SELECT f.{key}, {engine.own_score} {among}", (*own.values, *values)))
    found = rows(
        connection,
        f"SELECT memories_fts.{key}, {engine.score} FROM memories_fts WHERE memories_fts MATCH ?"
        f" AND +memories_fts.{key} IN (SELECT f.{key} {among})",
        (expression.match, *own.values, *values),
    )
    return dict(found)


def newest_matching(
    connection: apsw.Connection,
    engine: Engine,
    expression: Expression,
    where: Filter,
    limit: int,
    between: tuple[int, int],
) -> tuple[list[int], int]:
    """Return the newest matches strictly *between* two numbers, and the number of all.

    Without scores, for which FTS5 would read all postings.
    """
    own, key = engine.own(expression), engine.key
    found = rows(
        connection,
        "WITH own AS MATERIALIZED (SELECT m.seq AS seq FROM memories_fts f"
        f" JOIN memories m INDEXED BY memories_scope ON m.seq = f.{key}"
        f" WHERE {own.sql} AND {where.sql} AND f.{key} > ? AND f.{key} < ?)"
        " SELECT seq, (SELECT count(*) FROM own) FROM own ORDER BY seq DESC LIMIT ?",
        (*own.values, *where.values, *between, limit),
    )
    return [seq for seq, _ in found], found[0][1] if found else 0


def words_layout(engine: Engine) -> list[str]:
    """Return the statements that create table, view and triggers of memories."""
    word, key, columns = engine.word_of, engine.key, ", ".join(COLUMNS)
    before = (
        f"CASE WHEN m.kind = '{TURN_KIND}' THEN"
        f" coalesce((SELECT group_concat(substr(p.content, 1, {BEFORE_CHARACTERS}), char(10)) FROM (SELECT content,"
        " deleted_at FROM memories WHERE session_id = m.session_id AND seq < m.seq"
        f" ORDER BY seq DESC LIMIT {BEFORE_TURNS}) p WHERE p.deleted_at IS NULL), '') ELSE '' END"
    )
    title = "CASE WHEN instr(m.content, rtrim(m.title, '…')) THEN '' ELSE m.title END"
    texts = (title, "m.content", "m.tags", "m.extra", before)
    named = ", ".join(f"{word(text)} AS {column}" for text, column in zip(texts, COLUMNS, strict=True))
    own = "seq = {0}.seq"
    behind = (
        f"{{0}}.kind = '{TURN_KIND}' AND seq IN (SELECT seq FROM memories WHERE session_id = {{0}}.session_id"
        f" AND seq > {{0}}.seq ORDER BY seq LIMIT {BEFORE_TURNS})"
    )

    def out(which: str) -> str:
        return f" DELETE FROM memories_fts WHERE {key} IN (SELECT seq FROM memories WHERE {which});"

    def into(which: str) -> str:
        return f" INSERT INTO memories_fts ({key}, {columns}) SELECT seq, {columns} FROM memories_words WHERE {which};"

    changed = f"({own} OR {behind})".format("new")
    after_deleted = behind.format("old")
    return [
        engine.create,
        f"CREATE VIEW memories_words AS SELECT m.seq AS seq, {named} FROM memories m",
        f"CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN{into(own.format('new'))} END",
        "CREATE TRIGGER memories_fts_update AFTER UPDATE OF title, content, tags, extra, deleted_at ON memories"
        f" BEGIN{out(changed)}{into(changed)} END",
        "CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN"
        f" DELETE FROM memories_fts WHERE {key} = old.seq;{out(after_deleted)}{into(after_deleted)} END",
    ]


def sections_layout(engine: Engine) -> list[str]:
    """Return the statements for sections, with the memories' columns, so that both are ranked alike."""
    word, key, columns = engine.word_of, engine.key, ", ".join(COLUMNS)
    heading = f"{word('new.heading')}, {word('new.content')}, '', {word('new.extra')}, ''"
    return [
        engine.create.replace("memories_fts", "sections_fts"),
        "CREATE TRIGGER sections_fts_insert AFTER INSERT ON sections BEGIN"
        f" INSERT INTO sections_fts ({key}, {columns}) VALUES (new.id, {heading}); END",
        "CREATE TRIGGER sections_fts_delete AFTER DELETE ON sections BEGIN"
        f" DELETE FROM sections_fts WHERE {key} = old.id; END",
    ]


def fill_words(engine: Engine, where: str = "1") -> str:
    """Return the statement that indexes memories under *where* (on the view `memories_words`)."""
    columns = ", ".join(COLUMNS)
    return f"INSERT INTO memories_fts ({engine.key}, {columns}) SELECT seq, {columns} FROM memories_words WHERE {where}"


def fill_sections(engine: Engine, where: str) -> str:
    """Return the statement that indexes sections under *where* (on the table `sections`)."""
    word, columns = engine.word_of, ", ".join(COLUMNS)
    texts = f"{word('heading')}, {word('content')}, '', {word('extra')}, ''"
    return f"INSERT INTO sections_fts ({engine.key}, {columns}) SELECT id, {texts} FROM sections WHERE {where}"


def frequencies_of(connection: apsw.Connection, engine: Engine, stems: Sequence[str]) -> dict[str, int]:
    """Return the number of rows with each of *stems*, `before` included, without absent ones."""
    return dict(rows(connection, engine.frequencies, (json.dumps(list(stems)),)))


def prepare_index(connection: apsw.Connection, engine: Engine) -> None:
    """Prepare *engine* on *connection*; rebuild an index of another engine or version."""
    engine.prepare(connection)
    built = rows(connection, "SELECT engine, version FROM search_index")
    if built != [(engine.name, engine.version)]:
        rebuild_index(connection, engine)


def rebuild_index(connection: apsw.Connection, engine: Engine) -> None:
    """Rebuild the indexes of memories and sections, in one transaction."""
    connection.create_scalar_function("palimp_extra", cast("Any", extra_words), 3)
    connection.create_scalar_function("palimp_text_key", cast("Any", text_key), 2)
    with transaction(connection):
        drop_words(connection)
        drop_sections(connection)
        connection.execute("UPDATE memories SET extra = palimp_extra(title, content, created_at)")
        connection.execute("INSERT OR IGNORE INTO sketches SELECT palimp_text_key(kind, content), seq FROM memories")
        for statement in (*words_layout(engine), fill_words(engine), *sections_layout(engine)):
            connection.execute(statement)
        # The files are the truth: what is known of documents is forgotten, and read again.
        connection.execute("DELETE FROM documents")
        note_built(connection, engine)


def make_extra(connection: apsw.Connection, below: int, limit: int) -> None:
    """Recompute the extra words of the *limit* memories below the number *below*."""
    connection.create_scalar_function("palimp_extra", cast("Any", extra_words), 3)
    connection.execute(
        "UPDATE memories SET extra = palimp_extra(title, content, created_at)"
        " WHERE seq IN (SELECT seq FROM memories WHERE seq < ? ORDER BY seq DESC LIMIT ?)",
        (below, limit),
    )


def note_built(connection: apsw.Connection, engine: Engine) -> None:
    """Note that both indexes are complete; else the next start rebuilds them."""
    connection.execute(
        "INSERT OR REPLACE INTO search_index (one, engine, version) VALUES (1, ?, ?)", (engine.name, engine.version)
    )


def drop_words(connection: apsw.Connection) -> None:
    """Drop the memories' index, view and triggers, however broken. Inside a transaction."""
    for trigger in WORDS_TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    connection.execute("DROP VIEW IF EXISTS memories_words")
    drop_full_text(connection, "memories_fts")


def drop_sections(connection: apsw.Connection) -> None:
    """Drop the sections' index and triggers, however broken. Inside a transaction."""
    for trigger in SECTIONS_TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    drop_full_text(connection, "sections_fts")


def drop_full_text(connection: apsw.Connection, table: str) -> None:
    """Drop *table*, even if its engine cannot open it. Inside a transaction.

    Raises:
        apsw.Error: the file itself is damaged, or the disk fails.
    """
    try:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    except apsw.SQLError:  # its constructor fails: some of its own tables are gone
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        try:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,))
        finally:
            connection.execute("PRAGMA writable_schema = RESET").fetchall()
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    # Where the table went without them, they would be in the way of the new one.
    for part in FULL_TEXT_PARTS:
        connection.execute(f"DROP TABLE IF EXISTS {table}_{part}")


def choose_engine(connection: apsw.Connection, wanted: str, engines: Sequence[Engine]) -> Engine:
    """Return the engine *wanted*; for `auto` the first that this SQLite has.

    Raises:
        LookupError: this SQLite lacks it.
    """
    present = {name for (name,) in rows(connection, "SELECT name FROM pragma_module_list")}
    for engine in engines:
        if wanted in ("auto", engine.name) and engine.name in present:
            return engine
    raise LookupError(f"This SQLite has no full-text engine {wanted!r}.")
