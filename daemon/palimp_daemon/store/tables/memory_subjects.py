"""What memories name, as a table: which of them name a path or a symbol, run a command, or speak of a kind of command.

Theory
------
This is looked up before every agent action, and when somebody asks about a name, so it is an index of integers only. A
key is the hash of a name. For a path the name is its last two parts (or its only part), because texts may omit the
leading parts; the whole path is compared after the few matching memories are read. No text is stored here, so erasing
needs to delete rows only.

The index is made from the memories' texts, and made anew, in slices, when the rules change (`text.subjects.VERSION`).
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from palimp_daemon.runtime.sql import insert_rows, row_list, rows, value
from palimp_daemon.store.store import Store
from palimp_daemon.text.entities import path_keys, symbol_key
from palimp_daemon.text.named_commands import KINDS
from palimp_daemon.text.subjects import VERSION, Subjects, subjects_of

KEYS_MAX: Final = 32
"""Keys of one memory: all that it names, at most EACH_MAX of each sort."""

MEMORIES_PER_KEY_MAX: Final = 32
"""Memories that are read for one key, the newest: a name that more of them have says little."""

ASKED_MAX: Final = 48
"""Keys of one action: its path with the folders it is in, or the commands of a line."""

KINDS_WITHOUT_SUBJECTS: Final = frozenset({"summary", "question", "conversation", "commit", "claude-memory"})
"""Kinds of which it is not stored what they name, since they are never told before an action."""


def keys_of_subjects(subjects: Subjects) -> list[str]:
    """Return the names under which a memory that names *subjects* is found."""
    names = [name for path in subjects.paths for name in path_keys(path)]
    names += [
        f"={command}" if command in KINDS or command.startswith("install:") else f"${command.split()[0]}"
        for command in subjects.commands
    ]
    # Last: they are looked up when somebody asks about one, and not before an act.
    names += [key for symbol in subjects.symbols if (key := symbol_key(symbol))]
    return list(dict.fromkeys(names))[:KEYS_MAX]


def _key(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def keep_subjects(store: Store, memories: Iterable[tuple[int, int, str, str]]) -> None:
    """Keep what each of *memories* names: its number, project, kind and text."""
    entries = [
        (project, _key(name), seq)
        for seq, project, kind, text in memories
        if kind not in KINDS_WITHOUT_SUBJECTS
        for name in keys_of_subjects(subjects_of(text))
    ]
    if entries:
        insert_rows(store.connection, "memory_subjects (project_id, key, seq)", entries, or_ignore=True)


def replace_subjects(store: Store, seq: int, project: int, kind: str, text: str) -> None:
    """Keep what the memory *seq* names now that its text is *text*."""
    store.connection.execute("DELETE FROM memory_subjects WHERE seq = ?", (seq,))
    keep_subjects(store, [(seq, project, kind, text)])


def memories_with_names(store: Store, projects: Sequence[int], names: Sequence[str]) -> list[int]:
    """Return the memories of *projects* that have one of *names*, newest first; perhaps replaced or purged."""
    if not names or not projects:
        return []
    listed, values = row_list([(project, _key(name)) for project in projects for name in names[:ASKED_MAX]])
    newest = (
        "SELECT seq FROM memory_subjects WHERE project_id = column1 AND key = column2"
        f" ORDER BY seq DESC LIMIT {MEMORIES_PER_KEY_MAX}"
    )
    # One row for each key: each row is a hand-over of the interpreter's lock.
    found = rows(
        store.connection,
        f"SELECT (SELECT group_concat(seq, ' ') FROM ({newest})) AS seqs FROM {listed}"
        " WHERE column1 IS NOT NULL AND seqs IS NOT NULL",
        values,
    )
    return sorted({int(seq) for (seqs,) in found for seq in seqs.split()}, reverse=True)


def subjects_are_current_version(store: Store) -> bool:
    """Tell whether all of them were made by the current rules (`text.subjects.VERSION`)."""
    return value(store.connection, "SELECT version FROM subjects_index") == VERSION


def subjects_are_intact(store: Store) -> bool:
    """Tell whether all were made by the current rules and are of memories that exist: it reads them all."""
    if not subjects_are_current_version(store):
        return False
    lost = "SELECT EXISTS (SELECT 1 FROM memory_subjects WHERE seq NOT IN (SELECT seq FROM memories))"
    return not value(store.connection, lost)


def empty_subjects(store: Store) -> None:
    """Let go of all subjects; those of memories that are saved from now on are kept. Inside a transaction."""
    store.connection.execute("DELETE FROM memory_subjects")
    store.connection.execute("DELETE FROM subjects_index")


def fill_subjects(store: Store, below: int, limit: int) -> int | None:
    """Keep the subjects of the next *limit* memories under *below*; return where to go on, None at the end."""
    found = rows(
        store.connection,
        "SELECT seq, project_id, kind, content FROM memories WHERE seq < ? ORDER BY seq DESC LIMIT ?",
        (below, limit),
    )
    keep_subjects(store, found)
    return found[-1][0] if found else None


def note_subjects_kept(store: Store) -> None:
    """Note that all of them are there; without it, they are made at the next start."""
    store.connection.execute("INSERT OR REPLACE INTO subjects_index (one, version) VALUES (1, ?)", (VERSION,))


def differing_subjects(store: Store, numbers: Sequence[int]) -> int | None:
    """Return the number of a memory, of *numbers*, whose subjects are not kept; None: they all are."""
    for number in numbers:
        for project, kind, text in rows(
            store.connection, "SELECT project_id, kind, content FROM memories WHERE seq = ?", (number,)
        ):
            names = [] if kind in KINDS_WITHOUT_SUBJECTS else keys_of_subjects(subjects_of(text))
            kept = {
                (at, key)
                for at, key in rows(
                    store.connection, "SELECT project_id, key FROM memory_subjects WHERE seq = ?", (number,)
                )
            }
            if kept != {(project, _key(name)) for name in names}:
                return number
    return None
