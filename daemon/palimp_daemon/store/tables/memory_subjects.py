"""Index the names in memories: hashed, looked up before every agent action, and as written, for pages on names.

Of a path the last two parts count, as texts may omit the first.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from palimp_daemon.runtime.sql import in_list, insert_rows, row_list
from palimp_daemon.store.store import Store
from palimp_daemon.text.entities import Entity, entities_among, path_keys, symbol_key
from palimp_daemon.text.named_commands import KINDS
from palimp_daemon.text.named_subjects import VERSION, Subjects, subjects_of

KEYS_MAX: Final = 32
"""Keys of one memory: all that it names, at most EACH_MAX of each sort."""

MEMORIES_PER_KEY_MAX: Final = 32
"""Memories read for one key, the newest; a name that more have says little."""

ASKED_MAX: Final = 48
"""Keys of one action: its path with the folders around it, or the commands of a line."""

KINDS_WITHOUT_SUBJECTS: Final = frozenset({"summary", "question", "conversation", "commit", "claude-memory"})
"""Kinds without stored subjects: they are never shown before an action."""


def keys_of_subjects(subjects: Subjects) -> list[str]:
    """Return the names that find a memory."""
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
    """Index *memories*: number, project, kind, text."""
    entries: list[tuple[int, int, int]] = []
    named: list[tuple[int, str]] = []
    for seq, project, kind, text in memories:
        if kind not in KINDS_WITHOUT_SUBJECTS:
            subjects = subjects_of(text)
            entries += [(project, _key(name), seq) for name in keys_of_subjects(subjects)]
            named.append((seq, _as_written(subjects, text)))
    if entries:
        insert_rows(store.connection, "memory_subjects (project_id, key, seq)", entries, or_ignore=True)
    if named:
        insert_rows(store.connection, "memory_entities (seq, named)", named, or_ignore=True)


def _as_written(subjects: Subjects, text: str) -> str:
    return "\n".join(part for each in entities_among(subjects, text) for part in each)


def entities_kept(store: Store, numbers: Sequence[int]) -> dict[int, list[Entity]]:
    """Return the entities in each memory, if indexed yet."""
    listed, values = in_list(numbers)
    kept: dict[int, list[Entity]] = {}
    for seq, named in store.rows(f"SELECT seq, named FROM memory_entities WHERE seq IN {listed}", values):
        parts: list[str] = named.split("\n") if named else []
        kept[seq] = [Entity(key, name) for key, name in zip(parts[::2], parts[1::2], strict=True)]
    return kept


def replace_subjects(store: Store, seq: int, project: int, kind: str, text: str) -> None:
    """Index *seq* again after its text changed."""
    store.execute("DELETE FROM memory_subjects WHERE seq = ?", (seq,))
    store.execute("DELETE FROM memory_entities WHERE seq = ?", (seq,))
    keep_subjects(store, [(seq, project, kind, text)])


def memories_with_names(store: Store, projects: Sequence[int], names: Sequence[str]) -> list[int]:
    """Return memories with one of *names*, newest first; perhaps replaced or purged."""
    if not names or not projects:
        return []
    listed, values = row_list([(project, _key(name)) for project in projects for name in names[:ASKED_MAX]])
    newest = (
        "SELECT seq FROM memory_subjects WHERE project_id = column1 AND key = column2"
        f" ORDER BY seq DESC LIMIT {MEMORIES_PER_KEY_MAX}"
    )
    # One row for each key: each row is a hand-over of the interpreter's lock.
    found = store.rows(
        f"SELECT (SELECT group_concat(seq, ' ') FROM ({newest})) AS seqs FROM {listed}"
        " WHERE column1 IS NOT NULL AND seqs IS NOT NULL",
        values,
    )
    return sorted({int(seq) for (seqs,) in found for seq in seqs.split()}, reverse=True)


def subjects_are_current_version(store: Store) -> bool:
    """Tell whether the index is of the current rules."""
    return store.value("SELECT version FROM subjects_index") == VERSION


def subjects_are_intact(store: Store) -> bool:
    """Tell whether it is current and only of existing memories; reads all."""
    if not subjects_are_current_version(store):
        return False
    lost = "EXISTS (SELECT 1 FROM {} WHERE seq NOT IN (SELECT seq FROM memories))"
    return not store.value(f"SELECT {lost.format('memory_subjects')} OR {lost.format('memory_entities')}")


def empty_subjects(store: Store) -> None:
    """Delete all entries; later saves are indexed. Inside a transaction."""
    store.execute("DELETE FROM memory_subjects")
    store.execute("DELETE FROM memory_entities")
    store.execute("DELETE FROM subjects_index")


def fill_subjects(store: Store, below: int, limit: int) -> int | None:
    """Index the next memories under *below*; return the next bound."""
    found = store.rows(
        "SELECT seq, project_id, kind, content FROM memories WHERE seq < ? ORDER BY seq DESC LIMIT ?", (below, limit)
    )
    keep_subjects(store, found)
    return found[-1][0] if found else None


def note_subjects_kept(store: Store) -> None:
    """Note that the index is complete."""
    store.execute("INSERT OR REPLACE INTO subjects_index (one, version) VALUES (1, ?)", (VERSION,))


def differing_subjects(store: Store, numbers: Sequence[int]) -> int | None:
    """Return one of *numbers* that is indexed wrongly, if any."""
    for number in numbers:
        for project, kind, text in store.rows(
            "SELECT project_id, kind, content FROM memories WHERE seq = ?", (number,)
        ):
            subjects = Subjects() if kind in KINDS_WITHOUT_SUBJECTS else subjects_of(text)
            wanted = [] if kind in KINDS_WITHOUT_SUBJECTS else [(_as_written(subjects, text),)]
            kept = store.rows("SELECT project_id, key FROM memory_subjects WHERE seq = ?", (number,))
            named = store.rows("SELECT named FROM memory_entities WHERE seq = ?", (number,))
            if named != wanted or {*kept} != {(project, _key(name)) for name in keys_of_subjects(subjects)}:
                return number
    return None
