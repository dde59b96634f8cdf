"""`sessions`: list them, or show one's acts and context."""

from collections.abc import Mapping
from typing import Final, get_args

from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id
from palimp_daemon.store.tables.rule_counts import broken_in
from palimp_daemon.store.tables.sessions.given import GivenRow, failures_told_to, given_to, sessions_given
from palimp_daemon.store.tables.sessions.session_rows import (
    Event,
    SessionRow,
    events_of,
    newest_sessions,
    sessions_named,
)
from palimp_protocol.errors import NotFoundError, RequestError
from palimp_protocol.limits import SESSION_EVENTS_MAX, SESSION_GIVEN_MAX
from palimp_protocol.messages.session_messages import (
    Breach,
    Given,
    Outcome,
    SessionEvent,
    SessionList,
    Sessions,
    SessionSummary,
)
from palimp_protocol.text import shown_name

FAILED: Final = "failed in an earlier session"
"""The reason shown with a command."""


_OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
"""In the order of the numbers in `store.tables.sessions.usage_counts`."""


def list_sessions(context: RequestContext, request: Sessions) -> SessionList:
    """List the sessions of the caller's project, or show the named one.

    Raises:
        PalimpError: the name is unknown or ambiguous.
    """
    if request.given is not None:
        return _sessions_given(context, request.given, request.limit)
    project = project_row(context.store, context.caller)
    if request.session is None:
        found, total = ([], 0) if project is None else newest_sessions(context.store, project, request.limit)
        return SessionList(sessions=[_summary(context, row) for row in found], total=total)
    named = [] if project is None else sessions_named(context.store, project, request.session)
    if not named:
        raise NotFoundError(
            f"No session of this project is called {shown_name(request.session)}.", "`palimp sessions` lists them."
        )
    if len(named) > 1:
        names = ", ".join(row.key for row in named)
        raise RequestError(f"{shown_name(request.session)} fits several: {names}", "Say more of its name.")
    is_person = context.caller.session is None  # who may want to see what was taken out
    events = events_of(context.store, named[0].id, SESSION_EVENTS_MAX + 1, has_purged=is_person)
    own = [each.number for each in events if each.what != "removed-code"]
    ids = {row.seq: shown_id(row) for row in rows_by_seq(context.store, own)}
    notes = [f"Only the last {SESSION_EVENTS_MAX} are shown."] if len(events) > SESSION_EVENTS_MAX else []
    given = _given_memories(context, named[0].id)
    if sum(bool(each.id) for each in given) >= SESSION_GIVEN_MAX:
        notes.append(f"Only the last {SESSION_GIVEN_MAX} memories that it was given are kept.")
    return SessionList(
        sessions=[_summary(context, named[0])],
        total=1,
        events=[
            SessionEvent(at=each.at, what=each.what, id=_id_of_event(each, ids), title=each.title)
            for each in events[-SESSION_EVENTS_MAX:]
        ],
        given=given,
        broken=_broken(context, named[0].id),
        notes=notes,
    )


def _sessions_given(context: RequestContext, name: str, limit: int) -> SessionList:
    rows, unknown = rows_of_names(context, [name])
    if not rows:
        raise NotFoundError(f"{unknown[0]}.", "`palimp list` shows memories with their ids.")
    project = project_row(context.store, context.caller)
    found = [] if project is None else sessions_given(context.store, project, rows[0].seq, limit)
    shown = {"id": shown_id(rows[0]), "title": rows[0].title}
    given = [
        Given(
            at=each.noted.at,
            occasion=each.noted.occasion,
            why=_why(each.noted),
            session=each.session,
            client=each.client,
            outcome=_OUTCOMES[each.outcome],
            **shown,
        )
        for each in found
    ]
    return SessionList(sessions=[], total=len({each.session for each in given}), given=given)


def _given_memories(context: RequestContext, session: int) -> list[Given]:
    noted = given_to(context.store, session)
    rows = {row.seq: row for row in rows_by_seq(context.store, sorted({each.seq for each in noted}))}
    given = [
        Given(
            at=each.at,
            occasion=each.occasion,
            id=shown_id(rows[each.seq]),
            title=rows[each.seq].title,
            why=_why(each),
        )
        for each in noted
        if each.seq in rows
    ]
    failures = failures_told_to(context.store, session, SESSION_GIVEN_MAX)
    given += [Given(at=each.at, occasion="action", id="", title=each.command, why=FAILED) for each in failures]
    return sorted(given, key=lambda each: each.at)


def _broken(context: RequestContext, session: int) -> list[Breach]:
    broken = broken_in(context.store, session)
    rows = {row.seq: row for row in rows_by_seq(context.store, [seq for seq, _ in broken])}
    return [
        Breach(
            at=counts.broken_at,
            id=shown_id(rows[seq]),
            title=rows[seq].title,
            times=counts.broken + counts.broken_told,
            times_told=counts.broken_told,
            act=counts.act,
        )
        for seq, counts in broken
        if seq in rows
    ]


def _why(given: GivenRow) -> str:
    if given.occasion == "prompt":
        return "bears on the prompt"
    return f"names {given.why}" if given.occasion == "action" else given.why


def _id_of_event(event: Event, ids: Mapping[int, str]) -> str:
    return f"h{event.number}" if event.what == "removed-code" else ids[event.number]


def _summary(context: RequestContext, row: SessionRow) -> SessionSummary:
    project = context.caller.project
    return SessionSummary(
        key=row.key,
        client=row.client,
        project=project.name if project else "",
        started_at=row.started_at,
        seen_at=row.seen_at,
        ended_at=row.ended_at,
        turns=row.turns,
        saves=row.saves,
        recalls=row.recalls,
        removed=row.removed,
        about=row.about,
    )
