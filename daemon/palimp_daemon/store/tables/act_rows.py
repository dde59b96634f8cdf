"""SQL of `acts` and `act_parts`: changes of memories, with author, time and undoing steps.

Steps have former words of memories, which an erasure removes.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import msgspec

from palimp_daemon.runtime.sql import insert_rows
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.steps import HOLDS, TEXTS, Field, Step, join_steps
from palimp_protocol.decoders import decoder_of
from palimp_protocol.limits import ACTS_KEPT
from palimp_protocol.messages.act_messages import ActKind, Author


class NewAct(NamedTuple):
    """An act to be written."""

    project: int
    session: int | None
    author: Author
    kind: ActKind
    at: int
    """Unix milliseconds."""
    steps: Sequence[Step]
    undoes: int | None = None


class ActRow(NamedTuple):
    """A stored act, without its further parts."""

    id: int
    project: int
    session: str
    """The session's name; empty: none."""
    client: str
    author: Author
    kind: ActKind
    at: int
    first_steps: str
    undoes: int | None
    undone_by: int | None


_COLUMNS: Final = (
    "a.id, a.project_id, coalesce(t.key, ''), coalesce(t.client, ''), a.author, a.kind, a.at, a.steps, a.undoes,"
    " a.undone_by FROM acts a LEFT JOIN sessions t ON t.id = a.session_id"
)

_LAST: Final = "a.project_id = ? AND a.undone_by IS NULL AND a.kind != 'undo'"

_SEVERAL_STORED: Final = (f"*,null,{HOLDS},[2-9]*", f"*,null,{HOLDS},1[0-9]*")
"""Steps of acts that stored several memories without naming all."""

_ENCODER: Final = msgspec.json.Encoder()

_DECODER: Final = decoder_of(list[Step])


def add_acts(store: Store, acts: Sequence[NewAct]) -> int:
    """Write *acts*, at least one; return the last number."""
    insert_rows(
        store.connection,
        "acts (project_id, session_id, author, kind, at, steps, undoes)",
        [(*act[:5], _encode(act.steps), act.undoes) for act in acts],
    )
    return store.connection.last_insert_rowid()


def add_part(store: Store, act: int, steps: Sequence[Step]) -> None:
    """Write further *steps* of *act*."""
    store.execute(
        "INSERT INTO act_parts (act_id, number, steps) SELECT ?1, 1 + count(*), ?2 FROM act_parts WHERE act_id = ?1",
        (act, _encode(steps)),
    )


def steps_of(store: Store, act: ActRow) -> list[Step]:
    """Return all steps of *act*, in order."""
    parts = store.rows("SELECT steps FROM act_parts WHERE act_id = ? ORDER BY number", (act.id,))
    return join_steps(
        [step for text in (act.first_steps, *(part for (part,) in parts)) for step in _DECODER.decode(text)]
    )


def acts_with_steps(store: Store, acts: Sequence[ActRow]) -> list[tuple[ActRow, list[Step]]]:
    """Return *acts* with their steps."""
    longer = {*store.column("SELECT DISTINCT act_id FROM act_parts")}
    return [
        (act, steps_of(store, act) if act.id in longer else join_steps(_DECODER.decode(act.first_steps)))
        for act in acts
    ]


def acts_of(store: Store, project: int, limit: int, before: int | None = None) -> list[ActRow]:
    """Return the newest acts, newest first."""
    bound = "" if before is None else "AND a.id < ?"
    values = (project, limit) if before is None else (project, before, limit)
    return _acts(store, f"a.project_id = ? {bound} ORDER BY a.id DESC LIMIT ?", values)


def acts_naming(store: Store, project: int, seq: int, links: Collection[int], among: int) -> list[ActRow]:
    """Return those of the *among* newest acts whose steps may concern *seq* or *links*.

    Matches steps as text, ten times as fast as decoding; some falsely.
    """
    names = [f'",{seq},', *(f'["link",{each},' for each in links)]
    return _acts(
        store,
        # The plus: by their numbers, and not by the index, whose rows would be sorted.
        "a.id IN (SELECT id FROM (SELECT id, steps FROM acts WHERE +project_id = ?1 ORDER BY id DESC LIMIT ?2) s"
        " WHERE s.steps GLOB ?3 OR s.steps GLOB ?4 OR EXISTS (SELECT 1 FROM json_each(?5) WHERE instr(s.steps, value))"
        " OR id IN (SELECT act_id FROM act_parts)) ORDER BY a.id DESC",
        (project, among, *_SEVERAL_STORED, _ENCODER.encode(names).decode()),
    )


def count_acts(store: Store, project: int) -> int:
    """Count the kept acts."""
    return store.value("SELECT count(*) FROM acts WHERE project_id = ?", (project,))


def act_numbered(store: Store, number: int) -> ActRow | None:
    """Return the act *number*."""
    return store.record(ActRow, f"SELECT {_COLUMNS} WHERE a.id = ?", (number,))


def last_acts_of_person(store: Store, project: int, limit: int) -> list[ActRow]:
    """Return people's last acts in effect, newest first, without undos."""
    return _acts(store, f"{_LAST} AND a.author = 'user' ORDER BY a.id DESC LIMIT ?", (project, limit))


def last_acts_of_session(store: Store, project: int, key: str, limit: int) -> list[ActRow]:
    """Return a session's own last acts in effect, newest first, without undos."""
    where = f"{_LAST} AND a.author != 'user' AND t.key = ? ORDER BY a.id DESC LIMIT ?"
    return _acts(store, where, (project, key, limit))


def last_act_with(store: Store, step: Step, after: int) -> ActRow | None:
    """Return the last act in effect after *after* on the value of *step*."""
    part = f'["{step.field}",{step.number},'
    return store.record(
        ActRow,
        f"SELECT {_COLUMNS} WHERE a.id > ?1 AND a.undone_by IS NULL AND (instr(a.steps, ?2) OR a.id IN"
        " (SELECT act_id FROM act_parts WHERE act_id > ?1 AND instr(steps, ?2))) ORDER BY a.id DESC LIMIT 1",
        (after, part),
    )


def numbers_of_later(store: Store, field: Field, after: int) -> set[int]:
    """Return memories, or links, with *field* changed by later acts in effect."""
    part = f'["{field}",'
    found = store.rows(
        "SELECT steps FROM acts WHERE id > ?1 AND undone_by IS NULL AND kind != 'undo' AND instr(steps, ?2) UNION ALL"
        " SELECT p.steps FROM act_parts p JOIN acts a ON a.id = p.act_id"
        " WHERE a.id > ?1 AND a.undone_by IS NULL AND a.kind != 'undo' AND instr(p.steps, ?2)",
        (after, part),
    )
    return {step.number for (text,) in found for step in _DECODER.decode(text) if step.field == field}


def set_undone(store: Store, act: ActRow, by: int) -> None:
    """Note that *by* undid *act*; acts undone by *act* are in effect again, and so on."""
    number: int | None = act.id
    undoing = by
    while number is not None:
        _set_undone_by(store, number, undoing)
        again = _undoes(store, number)
        if again is None:
            return
        _set_undone_by(store, again, None)
        number, undoing = _undoes(store, again), again


def forget_wordings(store: Store, seq: int) -> None:
    """Remove the texts of *seq*, about to be erased, from all acts."""
    parts = [f'["{field}",{seq},' for field in TEXTS]
    where = " OR ".join("instr(steps, ?)" for _ in parts)
    for table, key in (("acts", "id"), ("act_parts", "(act_id, number)")):
        columns = key.strip("()")
        found = store.rows(f"SELECT {columns}, steps FROM {table} WHERE {where}", parts)
        for *numbers, text in found:
            left = [step for step in _DECODER.decode(text) if step.field not in TEXTS or step.number != seq]
            places = ", ".join("?" * len(numbers))
            statement = f"UPDATE {table} SET steps = ? WHERE ({columns}) = ({places})"
            store.execute(statement, (_encode(left), *numbers))


def prune_acts(store: Store, after: int) -> int:
    """Forget acts beyond ACTS_KEPT in projects with acts after *after*; return the last act.

    People's acts and agents' are counted apart.
    """
    grown = "SELECT DISTINCT project_id, author FROM acts WHERE id > ?"
    for project, author in store.rows(grown, (after,)):
        store.execute(
            "DELETE FROM acts WHERE project_id = ?1 AND author = ?2 AND id <="
            " (SELECT id FROM acts WHERE project_id = ?1 AND author = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)",
            (project, author, ACTS_KEPT),
        )
    return store.value("SELECT coalesce(max(id), 0) FROM acts")


def _set_undone_by(store: Store, number: int, by: int | None) -> None:
    store.execute("UPDATE acts SET undone_by = ? WHERE id = ?", (by, number))


def _undoes(store: Store, number: int) -> int | None:
    return store.value("SELECT undoes FROM acts WHERE id = ?", (number,))


def _acts(store: Store, where: str, values: Sequence[int | str]) -> list[ActRow]:
    return store.records(ActRow, f"SELECT {_COLUMNS} WHERE {where}", values)


def _encode(steps: Sequence[Step]) -> str:
    return _ENCODER.encode(join_steps(list(steps))).decode()
