"""SQL of `team_registers` and `team_erased`: each value as last known to all replicas.

A trigger notes erasures (`migrations/0022_team.sql`).
"""

import json
from collections.abc import Sequence

from palimp_daemon.store.store import Store


def registers_of(store: Store, project: int, entity: str) -> dict[str, tuple[str, str]]:
    """Return {field: (stamp, value)} of the memory *entity*."""
    return registers_among(store, project, [entity])[entity]


def registers_among(store: Store, project: int, entities: Sequence[str]) -> dict[str, dict[str, tuple[str, str]]]:
    """Return {memory: {field: (stamp, value)}} of *entities*."""
    found: dict[str, dict[str, tuple[str, str]]] = {each: {} for each in entities}
    for entity, field, stamp, last in store.rows(
        "SELECT entity, field, stamp, value FROM team_registers WHERE project_id = ?"
        " AND entity IN (SELECT value FROM json_each(?))",
        (project, json.dumps(entities)),
    ):
        found[entity][field] = (stamp, last)
    return found


def sent_memories(store: Store, project: int) -> set[int]:
    """Return memories not purged that all replicas know."""
    return {
        *store.column(
            "SELECT m.seq FROM team_registers r JOIN memories m ON m.id = r.entity AND m.project_id = r.project_id"
            " WHERE r.project_id = ? AND r.field = 'put' AND m.deleted_at IS NULL",
            (project,),
        )
    }


def erasures_among(store: Store, project: int, memories: Sequence[str]) -> set[str]:
    """Return the erased ones of *memories*."""
    statement = (
        "SELECT memory_id FROM team_erased WHERE project_id = ? AND memory_id IN (SELECT value FROM json_each(?))"
    )
    return {*store.column(statement, (project, json.dumps(memories)))}


def set_register(store: Store, project: int, entity: str, field: str, known: tuple[str, str]) -> None:
    """Set (stamp, value) of a memory's *field*."""
    store.insert(
        "team_registers (project_id, entity, field, stamp, value)", (project, entity, field, *known), or_="REPLACE"
    )


def advance_registers(store: Store, project: int, registers: Sequence[tuple[str, str, str, str]]) -> None:
    """Set *registers* (memory, field, stamp, value) unless a later one is known."""
    store.connection.executemany(
        "INSERT INTO team_registers (project_id, entity, field, stamp, value) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (project_id, entity, field) DO UPDATE SET stamp = excluded.stamp, value = excluded.value"
        " WHERE excluded.stamp > team_registers.stamp",
        [(project, *each) for each in registers],
    )


def link_registers(store: Store, project: int, relation: str) -> list[tuple[str, str, str, str]]:
    """Return (stamp, newer, older, value) of links in force for all replicas."""
    return store.rows(
        "SELECT stamp, entity, substr(field, ?), value FROM team_registers"
        " WHERE project_id = ? AND field > ? AND field < ? AND value != ''",
        (len(relation) + 2, project, f"{relation} ", f"{relation} ~"),
    )


def forget_registers(store: Store, project: int, entity: str) -> None:
    """Forget an erased memory's values, except the erasure."""
    store.execute(
        "DELETE FROM team_registers WHERE project_id = ? AND entity = ? AND field != 'erased'", (project, entity)
    )


def erased_unsent(store: Store, project: int) -> list[tuple[str, str]]:
    """Return (id, text hash) of sent memories erased only here."""
    return store.rows(
        "SELECT e.memory_id, e.text FROM team_erased e WHERE e.project_id = ?1"
        " AND EXISTS (SELECT 1 FROM team_registers r WHERE r.project_id = ?1 AND r.entity = e.memory_id)"
        " AND NOT EXISTS (SELECT 1 FROM team_registers r WHERE r.project_id = ?1 AND r.entity = e.memory_id"
        " AND r.field = 'erased')",
        (project,),
    )


def is_erased(store: Store, project: int, memory: str) -> bool:
    """Tell whether the memory was erased."""
    statement = "SELECT 1 FROM team_erased WHERE project_id = ? AND memory_id = ?"
    return store.value(statement, (project, memory)) is not None


def is_erased_anywhere(store: Store, memory: str) -> bool:
    """Tell whether the memory was erased in any shared project."""
    statement = (
        "SELECT EXISTS (SELECT 1 FROM team_projects p JOIN team_erased e"
        " ON e.project_id = p.project_id AND e.memory_id = ?)"
    )
    return bool(store.value(statement, (memory,)))


def note_erased(store: Store, project: int, memory: str) -> None:
    """Note that a memory, here or not, is erased."""
    store.insert("team_erased (project_id, memory_id)", (project, memory), or_="IGNORE")
