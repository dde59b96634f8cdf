"""Is the database what was written? Its structure, its memories one by one, and its index.

Theory
------
None of the three is enough. `integrity_check` reads every page, compares every index with its table, and (since
SQLite 3.44) has FTS5 and FTS4 check that what they stored is well formed; it does not know what a text was. The sums
do, and not whether a row can be found: since the index of words holds no texts, nothing can compare the two, and some
memories are searched for. A small database is examined whenever it is opened, a large one in the background, in
pieces; see `examiner`.
"""

import re
from typing import Final

import apsw

from palimp_daemon.sql import rows, value
from palimp_daemon.store.store import Store
from palimp_daemon.store.sums import altered_memories

NAMED_MAX: Final = 5
"""Memories that are named in the sentence about them."""

SEARCHED_FOR: Final = 50
"""Memories that are searched for, drawn by chance: some twenty milliseconds."""

WORDS: Final = 5
"""Words of each, from its beginning to its end."""

_WORD: Final = re.compile(r"\b[A-Za-z]{3,}\b", re.ASCII)

_SOME_MEMORIES: Final = (
    "SELECT seq, content FROM memories WHERE seq IN (SELECT abs(random()) % (SELECT max(seq) + 1 FROM memories)"
    " FROM json_each(json_array(" + ", ".join("0" * SEARCHED_FOR) + "))) LIMIT ?"
)


def structure_damage(connection: apsw.Connection) -> str:
    """Return what is wrong with pages, indexes, those of words too, and references; empty: nothing."""
    verdict: str = rows(connection, "PRAGMA integrity_check(1)")[0][0]
    if verdict != "ok":
        return verdict.replace("\n", " ")
    orphans = rows(connection, "PRAGMA foreign_key_check")
    return f"a row of {orphans[0][0]} belongs to a row of {orphans[0][2]} that is gone" if orphans else ""


def memories_damage(connection: apsw.Connection, after: int, up_to: int) -> str:
    """Return what is wrong with the memories over *after*, up to *up_to*; empty: nothing."""
    try:
        altered = altered_memories(connection, after, up_to)
    except UnicodeDecodeError:
        return "the text of a memory is no text any more"
    if not altered:
        return ""
    named = ", ".join(map(str, altered[:NAMED_MAX]))
    more = f" and {len(altered) - NAMED_MAX:,} more" if len(altered) > NAMED_MAX else ""
    return f"memory number {named}{more}: altered or gone"


def index_damage(store: Store) -> str:
    """Return which of some memories is not found by its own words; empty: all are."""
    try:
        searched = rows(store.connection, _SOME_MEMORIES, (SEARCHED_FOR,))
        unfound = [seq for seq, content in searched if not _is_found(store, seq, content)]
    except (apsw.CorruptError, apsw.SQLError) as error:
        return f"its index of words: {error}"
    return f"its index of words: memory number {unfound[0]} is not found by what it says" if unfound else ""


def _is_found(store: Store, seq: int, content: str) -> bool:
    words = _WORD.findall(content)
    if not words:
        return True
    match = " ".join(f'"{store.engine.fold(word)}"' for word in words[:: len(words) // WORDS + 1])
    # What is found and has no score is not shown: the score counts, too.
    found = f"SELECT {store.engine.score} FROM memories_fts WHERE memories_fts MATCH ? AND {store.engine.key} = ?"
    return value(store.connection, found, (match, seq)) is not None


def newest_number(connection: apsw.Connection) -> int:
    """Return the highest number of a memory, as either table has it."""
    return value(
        connection, "SELECT max((SELECT coalesce(max(seq), 0) FROM memories), coalesce(max(seq), 0)) FROM sums"
    )


def damage(store: Store) -> str:
    """Return what is wrong with the whole database; empty: nothing."""
    connection = store.connection
    try:
        return (
            structure_damage(connection)
            or memories_damage(connection, 0, newest_number(connection))
            or index_damage(store)
        )
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return str(error)
