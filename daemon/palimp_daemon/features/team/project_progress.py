"""Report the progress of a shared project's exchange."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.features.team.stamps import SKEW_MS
from palimp_daemon.features.team.transport import Notice
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import team_heard, team_log, team_pending
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id
from palimp_daemon.store.tables.team_tables import SharedProject
from palimp_protocol.messages.memory_messages import Similar
from palimp_protocol.messages.team_messages import TeamHeld, TeamMember, TeamParked, TeamProject

WAITING_SHOWN_MAX: Final = 20
"""Waiting memories named; the next follow when these are gone."""

PARKED_SHOWN_MAX: Final = 100
"""Waiting operations of others that are named."""


class Heard(NamedTuple):
    """The last state heard of a project's key."""

    log: SharedProject
    vector: Mapping[str, int] | None
    """None: not read yet."""
    notices: Sequence[Notice]


def project_progress(
    store: Store, project: SharedProject, replica: str, logs: Sequence[Heard], now_ms: int
) -> TeamProject:
    """Report a project's progress, by the last state of its keys."""
    counts = team_pending.counts_of(store, project.home)
    waiting = team_pending.pending_memories(store, project.home, WAITING_SHOWN_MAX)
    shown = {row.seq: row for row in rows_by_seq(store, [each.number for each in waiting])}
    unsent = unread = parked = 0
    members: dict[str, TeamMember] = {}
    quarantine: list[TeamParked] = []
    for log, vector, notices in sorted(logs, key=lambda each: not each.log.is_main):
        heard = team_heard.heard_counters(store, log.project)
        last = team_log.last_counter(store, log.project, replica)
        erasures = team_log.erasures_logged(store, log.project, replica)
        unsent += max(0, last - vector.get(replica, 0)) if vector is not None else 0
        unread += sum(
            max(0, number - heard.get(other, 0)) for other, number in (vector or {}).items() if other != replica
        )
        parked += team_heard.count_parked(store, log.project)
        unsent += team_heard.count_refused(store, log.project)
        names = {"": "this machine", **{notice.replica: notice.name for notice in notices}}
        quarantine += [
            TeamParked(by=names.get(author, author), number=counter, why=why)
            for author, counter, why in team_heard.parked_operations(store, log.project, PARKED_SHOWN_MAX)
        ]
        for notice in notices:
            members.setdefault(notice.replica, _member(notice, last, erasures, replica, now_ms))
    return TeamProject(
        name=project.name,
        root=project.root,
        not_sent=counts.held + counts.problems + unsent,
        held=counts.held,
        not_applied=unread + parked,
        quarantine=quarantine[:PARKED_SHOWN_MAX],
        members=[*members.values()],
        waiting=[
            TeamHeld(
                memory=Similar(shown_id(shown[each.number]), shown[each.number].title),
                due=each.due,
                problem=each.problem,
            )
            for each in waiting
        ],
    )


def clock_note(ahead_ms: Sequence[int]) -> str:
    """Return a sentence on a clock *ahead_ms* of the server's; empty: it is right."""
    largest = max(ahead_ms, key=abs, default=0)
    if abs(largest) <= SKEW_MS:
        return ""
    minutes, where = abs(largest) // 60_000, "ahead of" if largest > 0 else "behind"
    return (
        f"This machine's clock is {minutes:,} minutes {where} the server's. Set it: of two edits the later one holds."
    )


def _member(notice: Notice, last: int, erasures: Sequence[int], replica: str, now_ms: int) -> TeamMember:
    applied = notice.heard.get(replica, 0)
    ahead = notice.at - now_ms
    return TeamMember(
        replica=notice.replica,
        name=notice.name,
        heard_at=notice.at,
        version=notice.version,
        unread=max(0, last - applied),
        not_erased=sum(counter > applied or counter in notice.not_erased.get(replica, ()) for counter in erasures),
        ahead_ms=ahead if ahead > SKEW_MS else 0,
    )
