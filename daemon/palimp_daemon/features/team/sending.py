"""Make operations of changes in a shared project, in the store's thread.

A change is stamped when seen, and sent after its hold; erasures are not held.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from palimp_daemon.features.team.circles import is_suppressed, settle_circles
from palimp_daemon.features.team.compared_values import known_values, link_value, values_of
from palimp_daemon.features.team.deciding import Known, changed_fields, without_machine
from palimp_daemon.features.team.stamps import next_stamp
from palimp_daemon.features.team.team_operation import TeamOperation, decode, encode, link_field
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import (
    memory_links,
    team_heard,
    team_links,
    team_log,
    team_pending,
    team_registers,
    team_tables,
)
from palimp_daemon.store.tables.marks import marked_among
from palimp_daemon.store.tables.memory_links import NewLink
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq
from palimp_daemon.store.tables.team_erased import ERASED, is_text_erased
from palimp_daemon.store.tables.team_heard import REFUSED, Parked
from palimp_daemon.store.tables.team_keys import go_on_as, keys_of, untold_key
from palimp_daemon.store.tables.team_links import LinkState
from palimp_daemon.store.tables.team_log import Logged
from palimp_daemon.store.tables.team_pending import Pending
from palimp_daemon.store.tables.team_tables import SharedProject, TeamRow
from palimp_protocol.messages.team_messages import may_leave

CHANGES_AT_ONCE: Final = 100
"""Changes turned into operations in one transaction: some tens of milliseconds."""

HELD_BACK: Final = (
    "it has what looks like a secret, or what redact.patterns or those of the team fit: edit it, or delete it for good"
)


class Sending(NamedTuple):
    """A project to make operations of, and the time."""

    store: Store
    team: TeamRow
    project: SharedProject
    now_ms: int
    hold_ms: int
    """Milliseconds that a change waits before it is sent."""
    redact: Callable[[str], str]


def make_operations(sending: Sending) -> int:
    """Stamp new changes, make operations of due ones; return the number looked at, at most `CHANGES_AT_ONCE`."""
    store, project = sending.store, sending.project.home
    if team_tables.shared_log(store, sending.project.project) is None:
        return 0
    _tell_keys(sending)
    new = stamp_changes(sending)
    stamp = team_tables.last_stamp(store)
    for memory, text_hash in team_registers.erased_unsent(store, project):
        stamp = next_stamp(stamp, sending.now_ms, sending.team.replica)
        _log(sending, stamp, kind="erase", id=memory, erased_text=text_hash)
        forget_texts(store, sending.project, memory, stamp)
    team_tables.set_last_stamp(store, stamp)
    due = team_pending.due_changes(store, project, sending.now_ms, CHANGES_AT_ONCE)
    page = _page_of(sending, due)
    for pending in due:
        if pending.field == "memory":
            _send_memory(sending, page, pending)
        else:
            _send_link(sending, pending)
    return new + len(due)


def stamp_changes(sending: Sending) -> int:
    """Stamp and hold new changes; return the number looked at."""
    store, project = sending.store, sending.project.home
    stamp = team_tables.last_stamp(store)
    new = team_pending.changes_without_stamp(store, project, CHANGES_AT_ONCE)
    page = _page_of(sending, new)
    for pending in new:
        if not _has_changed(sending, page, pending):
            team_pending.settle_pending(store, project, pending)
            continue
        stamp = next_stamp(stamp, sending.now_ms, sending.team.replica)
        team_pending.set_stamp(store, project, pending, stamp, sending.now_ms + sending.hold_ms)
    team_tables.set_last_stamp(store, stamp)
    return len(new)


def forget_texts(store: Store, project: SharedProject, memory: str, stamp: str) -> None:
    """Remove an erased memory's texts from registers and log."""
    team_registers.note_erased(store, project.home, memory)
    team_registers.set_register(store, project.home, memory, "erased", (stamp, "1"))
    team_registers.forget_registers(store, project.home, memory)
    for log in keys_of(store, project.home):
        team_heard.forget_parked_about(store, log.project, memory)
        for replica, logged in team_log.logged_about(store, log.project, memory):
            cleared = TeamOperation(
                project=log.key, replica=replica, counter=logged.counter, stamp=stamp, kind="cleared", id=memory
            )
            if b'"kind":"erase"' not in logged.body:
                team_log.clear_logged(store, log.project, replica, Logged(logged.counter, encode(cleared)))


def _tell_keys(sending: Sending) -> None:
    """Log a merge under each key, naming the main one."""
    store, home = sending.store, sending.project.home
    main = untold_key(store, home)
    if main is None:
        return
    stamp = next_stamp(team_tables.last_stamp(store), sending.now_ms, sending.team.replica)
    for former in keys_of(store, home):
        if former.key != main.key:
            _log(sending._replace(project=former), stamp, kind="merge", other=main.key, goes_on=True)
            _log(sending._replace(project=main), stamp, kind="merge", other=former.key)
    go_on_as(store, main.key, stamp)
    team_tables.set_last_stamp(store, stamp)


class _Memory(NamedTuple):
    row: Row
    current: dict[str, str]
    fields: list[str]


def _page_of(sending: Sending, changes: Sequence[Pending]) -> dict[int, _Memory]:
    store, project = sending.store, sending.project.home
    rows = rows_by_seq(store, [each.number for each in changes if each.field == "memory"])
    seqs, ids = [row.seq for row in rows], [row.id for row in rows]
    pinned, proposed = (marked_among(store, mark, seqs) if seqs else {} for mark in ("pin", "proposal"))
    erased, known = (
        team_registers.erasures_among(store, project, ids),
        team_registers.registers_among(store, project, ids),
    )
    edited = team_links.edited_among(store, seqs, sending.project.shared_at) if seqs else set[int]()
    page: dict[int, _Memory] = {}
    for row in rows:
        current = values_of(row, pinned.get(row.seq))
        heard = {field: Known(*value) for field, value in known[row.id].items()}
        # Of what is edited while it is held, the mended text goes alone.
        is_former = row.seq in edited and "put" not in heard
        leaves = may_leave(row.kind, row.tags.split(), is_proposal=row.seq in proposed) and not is_former
        fields = [] if row.id in erased else changed_fields(current, heard, may_leave=leaves)
        page[row.seq] = _Memory(row, current, fields)
    return page


def _has_changed(sending: Sending, page: Mapping[int, _Memory], pending: Pending) -> bool:
    if pending.field == "link":
        return _link_to_send(sending, pending) is not None
    return bool(page[pending.number].fields)


def _send_memory(sending: Sending, page: Mapping[int, _Memory], pending: Pending) -> None:
    store, project = sending.store, sending.project.home
    row, current, fields = page[pending.number]
    if "put" in fields:
        texts = [without_machine(text, sending.project.root) for text in (row.title, row.content, row.tags)]
        if any(sending.redact(text).strip() != text.strip() for text in texts):
            team_pending.set_problem(store, project, pending, HELD_BACK)
            return
        if is_text_erased(store, row.content):
            team_pending.set_problem(store, project, pending, ERASED)
            return
    for field in fields:
        if field == "put":
            _put(sending, pending, row)
            _replace_known_version(sending, row)
            team_pending.note_links_due(
                store, project, team_links.links_of_memory(store, row.seq), pending.stamp, sending.now_ms
            )
        else:
            on, off = {"purged": ("purge", "restore"), "pin": ("pin", "unpin")}[field]
            at = int(current[field] or 0)
            _log(sending, pending.stamp, kind=on if at else off, id=row.id, at=at)
        team_registers.set_register(store, project, row.id, field, Known(pending.stamp, current[field]))
    team_pending.settle_pending(store, project, pending)


def _put(sending: Sending, pending: Pending, row: Row) -> None:
    root = sending.project.root
    _log(
        sending,
        pending.stamp,
        kind="put",
        id=row.id,
        by=sending.team.name,
        title=without_machine(row.title, root),
        text=without_machine(row.content, root),
        tags=without_machine(row.tags, root),
        about=row.kind,
        at=row.created_at,
    )


def _replace_known_version(sending: Sending, row: Row) -> None:
    """Link *row* to its last version known to all, if later ones were never sent."""
    store, project = sending.store, sending.project.home
    versions = team_links.versions_before(store, row.seq)
    known = next((each for each in versions if "put" in known_values(store, project, each[1])), None)
    if known is None or known == versions[0]:
        return
    said = team_links.link_state(store, versions[0][0])
    older = team_links.memory_with_id(store, known[1])
    if said and older and older.project == project:
        memory_links.add(store, NewLink(row.seq, older.seq, "replaces", said.said_by, said.said, is_edit=True), said.at)  # pyright: ignore[reportArgumentType]  as it was stored


class _LinkChange(NamedTuple):
    said: LinkState
    """The link that holds now, or else the changed one."""
    value: str


def _link_to_send(sending: Sending, pending: Pending) -> _LinkChange | None:
    """Return the changed link, or None if an end is unsent: sending that makes it pending again."""
    store, project = sending.store, sending.project.home
    link = team_links.link_state(store, pending.number)
    if link is None or not all("put" in known_values(store, project, each) for each in (link.newer, link.older)):
        return None
    known = known_values(store, project, link.newer).get(link_field(link.relation, link.older), Known("", ""))
    newer, older = team_links.memory_with_id(store, link.newer), team_links.memory_with_id(store, link.older)
    current = team_links.link_holding(store, newer.seq, older.seq, link.relation) if newer and older else None
    value = link_value(current)
    if value == known.value or (not value and is_suppressed(store, project, link)):
        return None
    return _LinkChange(current or link, value)


def _send_link(sending: Sending, pending: Pending) -> None:
    store, project = sending.store, sending.project.home
    change = _link_to_send(sending, pending)
    team_pending.settle_pending(store, project, pending)
    if change is None:
        return
    said, value = change
    _log(
        sending,
        pending.stamp,
        kind="link" if value else "unlink",
        id=said.newer,
        older=said.older,
        relation=said.relation,
        said_by=said.said_by,
        said=sending.redact(without_machine(said.said, sending.project.root)),
        at=said.at,
        is_edit=said.is_edit,
    )
    field = link_field(said.relation, said.older)
    team_registers.set_register(store, project, said.newer, field, Known(pending.stamp, value))
    if not value:
        settle_circles(store, project, said.relation)


def _log(sending: Sending, stamp: str, **fields: Any) -> None:
    store, project, replica = sending.store, sending.project, sending.team.replica
    counter = team_log.last_counter(store, project.project, replica) + 1
    operation = TeamOperation(project=project.key, replica=replica, counter=counter, stamp=stamp, **fields)
    team_log.log_operation(store, project.project, replica, operation.id, Logged(counter, encode(operation)))


def renumber(store: Store, team: TeamRow, project: SharedProject, start: int, replica: str) -> None:
    """Move *team*'s operations from the counter *start* on to the new *replica*.

    A copy's are then read as another replica's.
    """
    for entity, body in team_log.forget_logged(store, project.project, team.replica, start):
        counter = team_log.last_counter(store, project.project, replica) + 1
        numbered = encode(replace(decode(body), replica=replica, counter=counter))
        team_log.log_operation(store, project.project, replica, entity, Logged(counter, numbered))
    team_heard.set_heard(store, project.project, team.replica, start - 1)


def set_aside(store: Store, project: SharedProject, replica: str, logged: Logged, why: str) -> bytes | None:
    """Park a refused operation; return an empty one for its number, as a hole would block later ones.

    None if it is an empty one itself.
    """
    refused = decode(logged.body)
    if refused.kind == "cleared":
        return None
    about = shown_of(refused.id) if refused.id else "a name of the project"
    parked = Parked(replica, logged.counter, logged.body)
    team_heard.park(
        store,
        project.project,
        parked,
        REFUSED,
        f"{about} was not taken, `palimp team sync --now` tries it again. {why}",
    )
    empty = TeamOperation(
        project=project.key, replica=replica, counter=logged.counter, stamp=refused.stamp, kind="cleared", id=refused.id
    )
    team_log.replace_logged(store, project.project, replica, Logged(logged.counter, body := encode(empty)))
    return body


def try_again(sending: Sending) -> None:
    """Log refused operations again."""
    store, project, replica = sending.store, sending.project.project, sending.team.replica
    for each in team_heard.parked_for(store, project, REFUSED):
        counter = team_log.last_counter(store, project, replica) + 1
        operation = replace(decode(each.body), replica=replica, counter=counter)
        team_log.log_operation(store, project, replica, operation.id, Logged(counter, encode(operation)))
