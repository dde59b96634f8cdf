"""Apply other replicas' operations, in the store's thread; one before its memory is *parked* until that arrives."""

import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import groupby
from typing import Final, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from palimp_daemon.features.memories.save import Draft, draft_of
from palimp_daemon.features.team.circles import settle_circles
from palimp_daemon.features.team.compared_values import (
    known_values,
    link_of_value,
    link_value,
    memory_values,
    texts_digest,
)
from palimp_daemon.features.team.deciding import holds
from palimp_daemon.features.team.sending import forget_texts
from palimp_daemon.features.team.stamps import NEVER, milliseconds_of
from palimp_daemon.features.team.team_operation import KINDS, VERSION, TeamOperation, decode, encode
from palimp_daemon.search.index_terms import with_date
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import (
    memory_links,
    memory_rows,
    team_heard,
    team_links,
    team_pending,
    team_registers,
    team_tables,
    team_trust,
)
from palimp_daemon.store.tables.erasures import note_erasure
from palimp_daemon.store.tables.marks import remove_mark, set_mark
from palimp_daemon.store.tables.memory_links import NewLink, would_circle
from palimp_daemon.store.tables.memory_rows import NewMemory, Row, rows_by_seq
from palimp_daemon.store.tables.search.signatures import insert_signatures
from palimp_daemon.store.tables.sessions.transcript_rows import erase_from_digests
from palimp_daemon.store.tables.steps import Wording
from palimp_daemon.store.tables.team_erased import ERASED, has_erased_texts, is_text_erased, set_erased_hash
from palimp_daemon.store.tables.team_heard import FROM_TEAM, Parked
from palimp_daemon.store.tables.team_keys import KEYS_MAX, add_key, go_on_as, keys_of
from palimp_daemon.store.tables.team_links import LinkState
from palimp_daemon.store.tables.team_tables import SharedProject
from palimp_protocol.messages.memory_messages import MemoryKind, SaveMemory

LINES_AT_ONCE: Final = 100
"""Operations applied in one transaction: some tens of milliseconds, and a page of progress."""

AHEAD_MAX_MS: Final = 86_400_000
"""Milliseconds by which an operation may be ahead of the local clock: a day, for another time zone. Later ones wait, as
they would override all changes until then."""


CONFLICT: Final = "both were edited from one version"
"""Reason of the link between two memories made from one by two people or machines."""


class Applying(NamedTuple):
    """A project to apply operations to."""

    store: Store
    project: SharedProject
    now_ms: int
    redact: Callable[[str], str]


class Applied(NamedTuple):
    """The effect of a page of operations."""

    stored: int = 0
    """Memories that are new here."""
    erased: int = 0
    """Memories whose text is still in free pages of the file."""
    merged: int = 0
    """Keys of the project that are new here."""

    def __add__(self, other: "Applied") -> "Applied":  # pyright: ignore[reportIncompatibleMethodOverride]  counts
        return Applied(*map(operator.add, self, other))


class Arrived(NamedTuple):
    """An operation, as far as decided without the store."""

    parked: Parked
    operation: TeamOperation | None = None
    problem: str = ""
    draft: Draft | None = None
    """The memory of a `put`; None if redaction leaves no text."""


def prepare(project: SharedProject, redact: Callable[[str], str], parked: Parked) -> Arrived:
    """Decode an operation, and draft its memory, outside the store's thread."""
    try:
        operation = decode(parked.body)
    except msgspec.DecodeError as error:
        return Arrived(parked, problem=f"it cannot be read: {error}")
    if problem := _problem(project, parked, operation):
        return Arrived(parked, problem=problem)
    draft = _draft(operation, redact) if operation.kind == "put" else None
    return Arrived(parked, operation, draft=draft)


def apply_page(applying: Applying, replica: str, page: Sequence[Arrived]) -> Applied:
    """Apply *replica*'s next operations, and record its progress."""
    applied = apply_all(applying, page)
    if page:
        team_heard.set_heard(applying.store, applying.project.project, replica, page[-1].parked.counter)
    return applied


def apply_all(applying: Applying, page: Sequence[Arrived]) -> Applied:
    """Apply *page*, whose operations may come again."""
    applied = Applied()
    for is_new, several in groupby(page, key=partial(_is_new_memory, applying.now_ms)):
        some = [*several]
        if is_new and (stored := insert_together(applying, some)):
            applied += stored
        else:
            applied = reduce(operator.add, [apply_one(applying, each) for each in some], applied)
    return applied


def _is_new_memory(now_ms: int, arrived: Arrived) -> bool:
    is_ahead = arrived.operation and milliseconds_of(arrived.operation.stamp) > now_ms + AHEAD_MAX_MS
    return bool(arrived.draft) and not (arrived.problem or is_ahead)


def apply_parked(applying: Applying, waits_for: str = "") -> Applied:
    """Apply operations parked for the memory *waits_for*; empty: for a newer palimp."""
    applied = Applied()
    if not team_heard.is_awaited(applying.store, applying.project.home, waits_for):
        return applied
    for log in keys_of(applying.store, applying.project.home):
        to = applying._replace(project=log)
        for each in team_heard.parked_for(applying.store, log.project, waits_for):
            applied += apply_one(to, prepare(log, applying.redact, each))
    return applied


def apply_one(applying: Applying, arrived: Arrived) -> Applied:
    """Apply an operation, or park it."""
    store, project, operation = applying.store, applying.project, arrived.operation
    problem = arrived.problem
    if operation and milliseconds_of(operation.stamp) > applying.now_ms + AHEAD_MAX_MS:
        problem = "its machine's clock is more than a day ahead"
    if operation is None or problem:
        team_heard.park(store, project.project, arrived.parked, "", problem)
        return Applied()
    team_tables.set_last_stamp(store, operation.stamp)
    if operation.kind == "cleared" or (
        operation.kind != "erase" and team_registers.is_erased(store, project.home, operation.id)
    ):
        return Applied()
    if operation.kind == "merge":
        return _merge(applying, operation, arrived.parked)
    if operation.kind == "erase":
        return _erase(applying, operation, arrived.parked)
    if operation.kind == "put":
        return _put(applying, operation, arrived)
    return _set_value(applying, operation, arrived.parked)


def _problem(project: SharedProject, arrived: Parked, operation: TeamOperation) -> str:
    if operation.version > VERSION or operation.kind not in KINDS:
        return "it is of a newer palimp"
    if (operation.project, operation.replica, operation.counter) != (project.key, arrived.replica, arrived.counter):
        return "it says that it is another"
    if not (operation.other if operation.kind == "merge" else operation.id):
        return "it does not say of what"
    return ""


def _put(applying: Applying, operation: TeamOperation, arrived: Arrived) -> Applied:
    store, project = applying.store, applying.project.home
    found = team_links.memory_with_id(store, operation.id)
    if found is None:
        return _insert(applying, operation, arrived)
    if found.project != project:
        return _pass_over(applying, arrived.parked)
    [row] = rows_by_seq(store, [found.seq])
    if row.source == FROM_TEAM and not team_heard.authors_of(store, [row.seq]):  # this machine had left the team
        _note_authors(store, [(row.seq, operation)])
    may_reword = not _stranger_to(applying, row.seq, operation)
    if may_reword and _takes_its_place(applying, row, operation, memory_values(store, row)["put"]):
        title, tags = applying.redact(operation.title), applying.redact(operation.tags)
        if (row.title, row.tags) != (title, tags):
            before = Wording(row.title, row.tags, row.updated_at)
            memory_rows.set_wording(store, row.seq, before, Wording(title, tags, applying.now_ms))
        value = texts_digest(title, row.content, tags, row.kind)
    else:
        value = texts_digest(operation.title, operation.text, operation.tags, operation.about)
    _set_register(applying, operation, value)
    return Applied()


def _draft(operation: TeamOperation, redact: Callable[[str], str]) -> Draft | None:
    text = redact(operation.text).strip()
    kind = operation.about if operation.about in get_args(MemoryKind) else "note"
    asked = SaveMemory(
        text=text,
        title=redact(operation.title) or None,
        tags=redact(operation.tags).split(),
        kind=kind,  # pyright: ignore[reportArgumentType]  it is one of them
        source=FROM_TEAM,
    )
    return draft_of(asked) if text else None


def _insert(applying: Applying, operation: TeamOperation, arrived: Arrived) -> Applied:
    store, draft = applying.store, arrived.draft
    if draft is None:
        return Applied()
    if is_text_erased(store, draft.content):
        # It is said until it is tried again, without the text.
        bare = encode(replace(operation, kind="cleared", title="", text="", tags=""))
        team_heard.park(store, applying.project.project, arrived.parked._replace(body=bare), "", ERASED)
        return Applied()
    return _insert_all(applying, [(operation, draft)])


def insert_together(applying: Applying, page: Sequence[Arrived]) -> Applied | None:
    """Insert new memories with few statements; None, and nothing is done, if one is a special case.

    One at a time, a new machine took half as long again.
    """
    store, home = applying.store, applying.project.home
    puts = [(each.operation, each.draft) for each in page if each.operation and each.draft]
    ids = {operation.id for operation, _ in puts}
    is_usual = len(ids) == len(page) and not (
        team_registers.erasures_among(store, home, [*ids])
        or team_links.are_any_here(store, [*ids])
        or has_erased_texts(store)
    )
    if not is_usual:
        return None
    team_tables.set_last_stamp(store, max(operation.stamp for operation, _ in puts))
    return _insert_all(applying, puts)


def _insert_all(applying: Applying, puts: Sequence[tuple[TeamOperation, Draft]]) -> Applied:
    store, home = applying.store, applying.project.home
    first = memory_rows.insert_all(store, [(put[0].id, _new_memory(home, *put)) for put in puts])
    numbered = [(seq, *put) for seq, put in enumerate(puts, first)]
    insert_signatures(store, [(seq, draft.entries) for seq, _, draft in numbered])
    _note_authors(store, [(seq, operation) for seq, operation, _ in numbered])
    ids = [operation.id for operation, _ in puts]
    if not any(team_registers.registers_among(store, home, ids).values()):
        team_pending.settle_new(store, home, first, len(puts))  # what was applied is no change of ours
    team_registers.advance_registers(store, home, [_put_register(*put) for put in puts])
    for memory in team_heard.awaited_among(store, home, ids):
        apply_parked(applying, memory)
    return Applied(stored=len(puts))


def _note_authors(store: Store, memories_of_one: Sequence[tuple[int, TeamOperation]]) -> None:
    team_heard.set_authors(store, [(seq, operation.replica, operation.by) for seq, operation in memories_of_one])
    if team_trust.untrusted_login(store, memories_of_one[0][1].replica):
        team_trust.withhold(store, [seq for seq, _ in memories_of_one])


def _new_memory(project: int, operation: TeamOperation, draft: Draft) -> NewMemory:
    return NewMemory(
        project_id=project,
        session_id=None,
        title=draft.title,
        content=draft.content,
        tags=draft.tags,
        kind=draft.kind,
        source=FROM_TEAM,
        extra=with_date(draft.extra, operation.at),
        created_at=operation.at,
    )


def _put_register(operation: TeamOperation, draft: Draft) -> tuple[str, str, str, str]:
    value = texts_digest(draft.title, draft.content, " ".join(draft.tags), draft.kind)
    return operation.id, operation.field, operation.stamp, value


def _set_value(applying: Applying, operation: TeamOperation, arrived: Parked) -> Applied:
    store, project = applying.store, applying.project.home
    ends: list[int] = []
    for memory in filter(None, (operation.id, operation.older)):
        if team_registers.is_erased(store, project, memory):
            return Applied()
        found = team_links.memory_with_id(store, memory)
        if found is None:
            team_heard.park(store, applying.project.project, arrived, memory, f"{memory} is not here yet")
            return Applied()
        if found.project != project:
            return _pass_over(applying, arrived)
        ends.append(found.seq)
    [row] = rows_by_seq(store, ends[:1])
    if operation.kind in ("link", "unlink"):
        _set_link(applying, row, ends[-1], operation)
    else:
        _set_mark(applying, row, operation)
    return Applied()


def _set_mark(applying: Applying, row: Row, operation: TeamOperation) -> None:
    store = applying.store
    value = str(operation.at) if operation.kind in ("purge", "pin") else ""
    if _takes_its_place(applying, row, operation, memory_values(store, row)[operation.field]):
        if operation.field == "purged":
            memory_rows.set_purged(store, row.seq, operation.at if value else None)
        else:
            remove_mark(store, "pin", [row.seq])
            set_mark(store, "pin", [row.seq] if value else [], operation.at)
    _set_register(applying, operation, value)


def _set_link(applying: Applying, row: Row, older: int, operation: TeamOperation) -> None:
    store, project = applying.store, applying.project.home
    state = LinkState(
        0,
        operation.id,
        operation.older,
        operation.relation,
        operation.said_by,
        applying.redact(operation.said),
        operation.at,
        operation.is_edit,
        operation.kind == "link",
    )
    value = link_value(state)
    held = team_links.link_holding(store, row.seq, older, operation.relation)
    takes_its_place = _takes_its_place(applying, row, operation, link_value(held), older)
    _set_register(applying, operation, value)
    if not takes_its_place:
        return
    if held:
        memory_links.undo_link(store, held.number, operation.at)
    if value:
        link, at = link_of_value(row.seq, older, operation.relation, value)
        if not would_circle(store, link.newer, link.older, link.relation):
            memory_links.set_link(store, link, at)
            if operation.is_edit:
                note_conflict(store, link, at)
            return
    settle_circles(store, project, operation.relation)


def note_conflict(store: Store, link: NewLink, at: int) -> None:
    """Link two edits of one version as disagreeing, alike on each machine; both stay."""
    for other, other_at in team_links.edits_of(store, link.older, link.newer):
        ends = sorted((other, link.newer), key=lambda seq: rows_by_seq(store, [seq])[0].id)
        if not would_circle(store, ends[1], ends[0], "disagrees"):
            said = NewLink(ends[1], ends[0], "disagrees", "text", CONFLICT)
            memory_links.add(store, said, max(at, other_at))


def _takes_its_place(
    applying: Applying, row: Row, operation: TeamOperation, current: str, older: int | None = None
) -> bool:
    store, project = applying.store, applying.project.home
    known = known_values(store, project, row.id).get(operation.field)
    if older is None:
        pending = team_pending.pending_memory(store, project, row.seq)
    else:
        pending = team_pending.pending_link(store, project, row.seq, older, operation.relation)
    is_changed_here = pending is not None and current != (known.value if known else "")
    changed_at = pending.stamp if pending else NEVER
    return holds(operation.stamp, known, is_changed_here=is_changed_here, changed_at=changed_at)


def _set_register(applying: Applying, operation: TeamOperation, value: str) -> None:
    register = (operation.id, operation.field, operation.stamp, value)
    team_registers.advance_registers(applying.store, applying.project.home, [register])


def _merge(applying: Applying, operation: TeamOperation, arrived: Parked) -> Applied:
    """Add another key to the project, unless the sender is untrusted."""
    store, project = applying.store, applying.project
    known = team_tables.project_with_key(store, operation.other)
    why = ""
    if (login := team_trust.untrusted_login(store, operation.replica)) and not (known and known.home == project.home):
        why = f"{login} would make this project one with another: palimp team trust {login}"
    elif known and known.home != project.home:
        why = f"{known.root} is the same project, they say: `palimp projects link` makes both one here"
    elif known is None and len(keys_of(store, project.home)) >= KEYS_MAX:
        why = f"a project has {KEYS_MAX} names at most"
    if why:
        team_heard.park(store, project.project, arrived, "", why)
        return Applied()
    if known is None:
        add_key(store, project.home, operation.other, applying.now_ms)
    go_on_as(store, operation.other if operation.goes_on else project.key, operation.stamp)
    return Applied(merged=int(known is None))


def _pass_over(applying: Applying, arrived: Parked) -> Applied:
    """Skip an operation on a moved memory; park it if a merge is pending."""
    store, project = applying.store, applying.project.project
    if team_heard.has_parked_merge(store, project):
        team_heard.park(store, project, arrived, "", "its memory stands in another project here")
    return Applied()


def _stranger_to(applying: Applying, seq: int, operation: TeamOperation) -> str:
    login = team_trust.untrusted_login(applying.store, operation.replica)
    return "" if not login or team_trust.is_author(applying.store, seq, login) else login


def _erase(applying: Applying, operation: TeamOperation, arrived: Parked) -> Applied:
    store = applying.store
    found = team_links.memory_with_id(store, operation.id)
    if found is None and team_trust.untrusted_login(store, operation.replica):
        # It may be its own; no reason is told, for then nothing waits.
        team_heard.park(store, applying.project.project, arrived, operation.id, "")
        return Applied()
    if found and (login := _stranger_to(applying, found.seq, operation)):
        why = f"{login} would delete {shown_of(operation.id)} for good, which is not theirs: palimp team trust {login}"
        team_heard.park(store, applying.project.project, arrived, "", why)
        return Applied()
    is_here = found is not None and found.project == applying.project.home
    if found and not is_here and team_heard.has_parked_merge(store, applying.project.project):
        return _pass_over(applying, arrived)
    if found and is_here:
        [row] = rows_by_seq(store, [found.seq])
        memory_rows.erase(store, row.seq, shown_of(row.id))
        erase_from_digests(store, row.project_id, row.content)
        note_erasure(store, applying.now_ms)
    forget_texts(store, applying.project, operation.id, operation.stamp)
    set_erased_hash(store, operation.id, operation.erased_text)
    return Applied(erased=int(is_here))
