"""SQL of the conversations' store: turns, commits, files read, erased ids.

It has the memories' schema, so that one engine searches both. Ids depend on content, so that each is stored once, and
an erasure is known by id alone.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import apsw

from palimp_clients.transcripts.turn import SessionFile, Turn
from palimp_daemon.runtime.sql import in_list, row_list
from palimp_daemon.search.engine import STEP_PAGES, TURN_KIND, merge_step
from palimp_daemon.search.index_terms import IndexedWords, with_date, words_of
from palimp_daemon.store.ids import id_of_content
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import NewMemory, Row, insert_all

LAYOUT: Final = """
CREATE TABLE IF NOT EXISTS conversation_files (
    path         TEXT    PRIMARY KEY,
    client       TEXT    NOT NULL,
    session_key  TEXT    NOT NULL,
    folder       TEXT    NOT NULL,   -- the session's working directory; '' where it is not known
    read_to      INTEGER NOT NULL,
    head         TEXT    NOT NULL,   -- how it begins, hashed: another one is another file
    size         INTEGER NOT NULL,   -- bytes, when it was read last
    modified_at  INTEGER NOT NULL,
    skipped      INTEGER NOT NULL,   -- lines that could not be read
    why          TEXT    NOT NULL    -- what could not be read, as a sentence
) STRICT;
CREATE TABLE IF NOT EXISTS conversation_commits (
    project_id   INTEGER NOT NULL,
    hash         TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    PRIMARY KEY (project_id, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS conversation_facts (
    name         TEXT    PRIMARY KEY,
    fact         TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS erased_turns (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS turns_by_age ON memories (created_at, kind);
CREATE TRIGGER IF NOT EXISTS turns_erased AFTER DELETE ON memories
    BEGIN INSERT OR IGNORE INTO erased_turns VALUES (old.id); END;
"""
"""The store's additional tables. Change one by adding another: old ones stay."""

TURN: Final = TURN_KIND
COMMIT: Final = "commit"

ID_LETTERS: Final = {TURN: "t", COMMIT: "c"}
"""First letters of ids."""

ROWS_DELETED_MAX: Final = 2_000
"""Rows deleted in one transaction, some 100 ms."""

DELETED_PAGES: Final = 2_000
"""Index pages merged after each such deletion: until then its space is not free, and a trim to the size limit would
delete too much."""


class StoredCommit(NamedTuple):
    """A stored commit message."""

    hash: str
    at_ms: int
    text: str
    author: str


class FileRead(NamedTuple):
    """A client's file, and how far it was read."""

    path: str
    client: str
    session_key: str
    folder: str
    read_to: int
    head: str
    size: int
    modified_ms: int
    skipped: int = 0
    why: str = ""


class Extent(NamedTuple):
    """The size of the store."""

    turns: int
    commits: int
    sessions: int
    files: int
    size: int
    """Bytes of the database."""
    files_of: Sequence[tuple[str, int]] = ()
    """Clients with the number of their files read."""


def prepare_conversations(connection: apsw.Connection) -> None:
    """Create this store's own tables."""
    connection.execute(LAYOUT)


def knows_erased(store: Store) -> bool:
    """Tell whether any erased id is known."""
    return bool(store.value("SELECT EXISTS (SELECT 1 FROM erased_turns)"))


def keep_erased(store: Store, ids: Iterable[str]) -> None:
    """Remember erased *ids* of another store."""
    store.connection.executemany("INSERT OR IGNORE INTO erased_turns VALUES (?)", [(each,) for each in ids])


def keep_turns(store: Store, project: int, session: int, key: str, turns: Sequence[Turn], undated_ms: int = 0) -> int:
    """Store the new turns that are not erased; return how many.

    *undated_ms*: the time of undated ones.
    """
    new: dict[str, NewMemory] = {}
    for turn in turns:
        turn_id = _id_of_turn(turn, key)
        words = IndexedWords(turn.title, turn.extra) if turn.title else words_of(turn.text)
        extra, at_ms = with_date(words.extra, turn.at_ms or undated_ms), turn.at_ms or undated_ms
        new[turn_id] = NewMemory(project, session, words.title, turn.text, [], TURN, turn.role, extra, at_ms)
    return len(_insert_new(store, new))


def forget_turns(store: Store, key: str, turns: Iterable[Turn]) -> int:
    """Delete *turns* that the user took back; return how many."""
    ids = [(_id_of_turn(turn, key),) for turn in turns if turn.text]
    if not ids:
        return 0
    listed, values = row_list(ids)
    found = store.rows(f"SELECT seq FROM memories WHERE id IN (SELECT column1 FROM {listed})", values)
    _delete(store, [seq for (seq,) in found])
    return len(found)


def _id_of_turn(turn: Turn, key: str) -> str:
    # A client that forks a session copies its turns, with their times, into the file of another.
    return _id_of(TURN, str(turn.at_ms), "" if turn.at_ms else key, turn.role, turn.text)


def keep_commits(store: Store, project: int, commits: Sequence[StoredCommit]) -> int:
    """Store the new commits that are not erased; return how many."""
    new: dict[str, NewMemory] = {}
    hashes: dict[str, str] = {}
    for commit in commits:
        commit_id = _id_of(COMMIT, str(project), commit.hash)
        words, at_ms, tags = words_of(commit.text), commit.at_ms, [commit.hash[:SHORT_HASH]]
        row = NewMemory(
            project, None, words.title, commit.text, tags, COMMIT, "git", with_date(words.extra, at_ms), at_ms
        )
        new[commit_id] = row._replace(quote=commit.author)
        hashes[commit_id] = commit.hash
    stored = _insert_new(store, new)
    store.connection.executemany(
        "INSERT OR IGNORE INTO conversation_commits (project_id, hash, seq) VALUES (?, ?, ?)",
        [(project, hashes[commit_id], seq) for commit_id, seq in stored.items()],
    )
    return len(stored)


SHORT_HASH: Final = 10
"""Hexadecimal digits shown of a commit's hash, by which it is found."""


def known_commits(store: Store, project: int) -> set[str]:
    """Return the hashes of the stored commits."""
    return {*store.column("SELECT hash FROM conversation_commits WHERE project_id = ?", (project,))}


def forget_commits(store: Store, project: int, hashes: Iterable[str]) -> int:
    """Delete commits that left the history; they may come back."""
    gone = 0
    for hash_ in hashes:
        where = "WHERE project_id = ? AND hash = ?"
        found = store.rows(f"SELECT seq FROM conversation_commits {where}", (project, hash_))
        store.execute(f"DELETE FROM conversation_commits {where}", (project, hash_))
        gone += _delete(store, [seq for (seq,) in found])
    return gone


def turns_around(store: Store, row: Row) -> list[tuple[int, str, str]]:
    """Return (number, speaker, text) of a turn and its neighbours."""
    if row.session_id is None:
        return []
    # Sessions go on at once: what is beside it in the table may be another session's.
    beside = "SELECT seq, source, content FROM memories WHERE session_id = ? AND deleted_at IS NULL AND"
    before, after = (
        store.rows(f"{beside} {there} LIMIT 1", (row.session_id, row.seq))
        for there in ("seq < ? ORDER BY seq DESC", "seq > ? ORDER BY seq")
    )
    return [*before, (row.seq, row.source, row.content), *after]


def session_with_turns(store: Store, project: int, turn: str) -> str | None:
    """Return the key of the session that has *turn*, an id or its prefix; without one, of the newest session.

    None where *project* keeps no such turn.
    """
    has_turn = (
        f"SELECT 1 FROM memories m WHERE m.session_id = s.id AND m.kind = '{TURN}' AND m.deleted_at IS NULL"
        " AND substr(m.id, 1, length(?2)) = ?2"
    )
    order = "ORDER BY started_at DESC, id DESC LIMIT 1"
    newest = f"SELECT key FROM sessions s WHERE project_id = ?1 AND EXISTS ({has_turn}) {order}"
    return store.value(f"SELECT ({newest})", (project, turn))


def turns_before(store: Store, session: int, turn: str) -> int:
    """Count the turns before one, given by id prefix; 0 if missing."""
    of_session = "session_id = ?1 AND deleted_at IS NULL"
    return store.value(
        f"SELECT count(*) FROM memories WHERE {of_session} AND seq <"
        f" (SELECT min(seq) FROM memories WHERE {of_session} AND substr(id, 1, length(?2)) = ?2)",
        (session, turn),
    )


def turns_between(store: Store, session: int, skip: int, limit: int) -> tuple[list[int], int]:
    """Return turns after the first *skip*, and the number of all."""
    of_session = "FROM memories WHERE session_id = ? AND deleted_at IS NULL"
    found = store.rows(f"SELECT seq {of_session} ORDER BY seq LIMIT ? OFFSET ?", (session, limit, skip))
    return [seq for (seq,) in found], store.value(f"SELECT count(*) {of_session}", (session,))


def rows_to_erase(store: Store, project: int, session: str, containing: str, limit: int) -> list[int]:
    """Return rows of *session* (a key), else *project*'s with *containing*."""
    values: tuple[int | str, ...]
    if session:  # whose project may be a folder that is gone
        part, values = "t.key = ?", (session,)
    elif containing:
        part, values = "m.project_id = ? AND instr(m.content, ?) > 0", (project, containing)
    else:
        part, values = "m.project_id = ?", (project,)
    statement = f"SELECT m.seq FROM memories m LEFT JOIN sessions t ON t.id = m.session_id WHERE {part} LIMIT ?"
    return store.column(statement, (*values, limit))


def name_project(store: Store, root: str, name: str) -> None:
    """Replace a project's *root* by *name*, unless that is taken."""
    store.execute("UPDATE OR IGNORE projects SET root = ? WHERE root = ?", (name, root))
    store.projects.clear()


def file_of(store: Store, path: str) -> FileRead | None:
    """Return the progress of a file; None if never read."""
    return store.record(FileRead, "SELECT * FROM conversation_files WHERE path = ?", (path,))


def note_file(store: Store, file: FileRead) -> None:
    """Remember how far *file* was read."""
    places = ", ".join("?" * len(file))
    store.execute(f"INSERT OR REPLACE INTO conversation_files VALUES ({places})", file)


def note_unread(store: Store, file: SessionFile, why: str) -> None:
    """Remember *why* reading *file* failed; its progress stays."""
    known = file_of(store, file.path) or FileRead(file.path, file.client, file.path, "", 0, "", 0, 0)
    note_file(store, known._replace(size=file.size, modified_ms=file.modified_ms, why=why))


def files_read(store: Store) -> list[FileRead]:
    """Return all files that were read."""
    return store.records(FileRead, "SELECT * FROM conversation_files")


def files_unread(store: Store, limit: int) -> list[FileRead]:
    """Return files not read in full, largest first."""
    statement = "SELECT * FROM conversation_files WHERE why != '' OR skipped > 0 ORDER BY size DESC LIMIT ?"
    return store.records(FileRead, statement, (limit,))


def fact(store: Store, name: str) -> str:
    """Return the fact *name*; empty if unknown."""
    return store.value("SELECT fact FROM conversation_facts WHERE name = ?", (name,)) or ""


def note_fact(store: Store, name: str, said: str) -> None:
    """Remember *said* as *name*."""
    store.insert("conversation_facts", (name, said), or_="REPLACE")


def extent(store: Store) -> Extent:
    """Measure the store."""
    counts = dict(store.rows("SELECT kind, count(*) FROM memories INDEXED BY memories_by_kind GROUP BY kind"))
    of_turns = "EXISTS (SELECT 1 FROM memories m WHERE m.session_id = s.id)"
    sessions = store.value(f"SELECT count(*) FROM sessions s WHERE {of_turns}")
    files_of = store.rows("SELECT client, count(*) FROM conversation_files GROUP BY client ORDER BY client")
    files = sum(count for _, count in files_of)
    return Extent(counts.get(TURN, 0), counts.get(COMMIT, 0), sessions, files, size_of(store), files_of)


def size_of(store: Store) -> int:
    """Return the used bytes of the database."""
    pages = store.value("SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count")
    return pages * store.value("SELECT page_size FROM pragma_page_size")


def delete_oldest(store: Store, before_ms: int, bytes_max: int) -> int:
    """Delete turns older than *before_ms*, else the oldest rows beyond *bytes_max*; return how many.

    Up to ROWS_DELETED_MAX, not as erased.
    """
    statement = "SELECT seq FROM memories WHERE kind = ? AND created_at < ? ORDER BY created_at LIMIT ?"
    due = store.rows(statement, (TURN, before_ms, ROWS_DELETED_MAX))
    if not due and size_of(store) > bytes_max:
        due = store.rows("SELECT seq FROM memories ORDER BY created_at LIMIT ?", (ROWS_DELETED_MAX,))
    return _delete(store, [seq for (seq,) in due])


def _delete(store: Store, seqs: Sequence[int]) -> int:
    if not seqs:
        return 0
    places, numbers = in_list(seqs)
    ids = store.column(f"SELECT id FROM memories WHERE seq IN {places}", numbers)
    for table in ("sums", "memories"):
        store.execute(f"DELETE FROM {table} WHERE seq IN {places}", numbers)
    store.connection.executemany("DELETE FROM erased_turns WHERE id = ?", [(each,) for each in ids])
    merge_step(store.connection, store.engine, DELETED_PAGES)
    return len(ids)


def _id_of(kind: str, *parts: str) -> str:
    return id_of_content(ID_LETTERS[kind], "\0".join((kind, *parts)).encode("utf-8", "replace"))


def _insert_new(store: Store, new: dict[str, NewMemory]) -> dict[str, int]:
    if not new:
        return {}
    listed, ids = row_list([(each,) for each in new])
    known = store.rows(
        f"SELECT id FROM memories WHERE id IN (SELECT column1 FROM {listed})"
        f" UNION ALL SELECT id FROM erased_turns WHERE id IN (SELECT column1 FROM {listed})",
        (*ids, *ids),
    )
    for (memory_id,) in known:
        del new[memory_id]
    if not new:
        return {}
    first = insert_all(store, list(new.items()))
    merge_step(store.connection, store.engine, STEP_PAGES)
    return {memory_id: first + place for place, memory_id in enumerate(new)}
