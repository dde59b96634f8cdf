"""SQL of `usage`: numbers of memories given to sessions, by week and moment, and of their use.

`given` forgets rows after 90 days; these stay.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_protocol.limits import USAGE_WEEKS_MAX
from palimp_protocol.messages.usage_messages import Moment, SavedCount, UsageCount

CLIENTS_MAX: Final = 12
"""Clients counted apart per week and project; people use three, but programs can take any name."""

OTHERS: Final = "others"

JUDGED_MAX: Final = 60
"""Memories given in one turn that are looked up at its end, the newest: some milliseconds."""

NOTHING_CAME, WORDS_WRITTEN, OPENED = 1, 2, 3

_DAY_MS: Final = 86_400_000


_INTO: Final = "INSERT INTO usage (project_id, week, client, moment, times, characters, memories, used)"
_ADDED: Final = (
    "ON CONFLICT DO UPDATE SET times = times + excluded.times, characters = characters + excluded.characters,"
    " memories = memories + excluded.memories, used = used + excluded.used"
)


class Amount(NamedTuple):
    """An amount given at one or several moments."""

    times: int = 0
    characters: int = 0
    memories: int = 0
    used: int = 0

    def plus(self, other: "Amount") -> "Amount":
        """Return the sum."""
        return Amount(*(one + another for one, another in zip(self, other, strict=True)))


class GivenLately(NamedTuple):
    """A given memory with no outcome yet."""

    number: int
    seq: int
    moment: Moment
    at: int
    why: str


def week_of(at_ms: int) -> int:
    """Return a time's Monday in UTC, in days since 1970 (a Thursday)."""
    day = at_ms // _DAY_MS
    return day - (day + 3) % 7


def add_usage(store: Store, session: int, moment: Moment, amount: Amount, at_ms: int) -> None:
    """Add *amount* to the client and project in the week of *at_ms*."""
    found = store.rows("SELECT project_id, client FROM sessions WHERE id = ?", (session,))
    if not found:
        return
    project, client = found[0]
    week = week_of(at_ms)
    clients = store.column("SELECT DISTINCT client FROM usage WHERE project_id = ? AND week = ?", (project, week))
    if not clients:  # a week begins
        statement = "DELETE FROM usage WHERE project_id = ? AND week < ?"
        store.execute(statement, (project, week - 7 * USAGE_WEEKS_MAX))
    counted_as = client if client in clients or len(clients) < CLIENTS_MAX else OTHERS
    store.execute(
        f"{_INTO} VALUES (?, ?, ?, ?, ?, ?, ?, ?) {_ADDED}",
        (project, week, counted_as, moment, *amount),
    )


def usage_since(store: Store, project: int | None, since_ms: int) -> list[UsageCount]:
    """Return counts by week, client and moment; None: all projects."""
    return store.records(
        UsageCount,
        "SELECT week, client, moment, sum(times), sum(characters), sum(memories), sum(used) FROM usage"
        " WHERE week >= ?1 AND (?2 IS NULL OR project_id = ?2) GROUP BY week, client, moment ORDER BY week, client",
        (week_of(since_ms), project),
    )


def saved_since(store: Store, project: int | None, since_ms: int) -> list[SavedCount]:
    """Return numbers of saved memories by week; None: all projects."""
    return store.records(
        SavedCount,
        "SELECT day - (day + 3) % 7 AS week, count(*) FROM"
        f" (SELECT created_at / {_DAY_MS} AS day FROM memories WHERE ?2 IS NULL OR project_id = ?2)"
        " WHERE day >= ?1 GROUP BY week ORDER BY week",
        (week_of(since_ms), project),
    )


def given_lately(store: Store, session: int) -> list[GivenLately]:
    """Return the last JUDGED_MAX given memories without outcome, oldest first."""
    found = store.rows(
        "SELECT number, seq, occasion, at, why FROM given WHERE session_id = ? AND outcome = 0"
        " ORDER BY number DESC LIMIT ?",
        (session, JUDGED_MAX),
    )
    return [GivenLately(*row) for row in reversed(found)]


def note_outcomes(store: Store, session: int, looked_at: Sequence[GivenLately], used: Collection[int]) -> None:
    """Note the outcomes of memories *looked_at*, those *used* by number."""
    for each in looked_at:
        outcome = WORDS_WRITTEN if each.number in used else NOTHING_CAME
        _note_outcome(store, session, each, outcome, is_new=True)
    store.execute("UPDATE given SET outcome = ? WHERE session_id = ? AND outcome = 0", (NOTHING_CAME, session))


def note_opened(store: Store, session: int, ids: Collection[str]) -> None:
    """Note that the session opened memories (shown *ids*) given to it."""
    for shown in ids:
        found = store.rows(
            "SELECT g.number, g.seq, g.occasion, g.at, g.why, g.outcome FROM given g JOIN memories m ON m.seq = g.seq"
            " WHERE g.session_id = ? AND substr(m.id, 1, ?) = ? AND g.outcome < ? ORDER BY g.number DESC LIMIT 1",
            (session, len(shown), shown, OPENED),
        )
        for *given, outcome in found:
            _note_outcome(store, session, GivenLately(*given), OPENED, is_new=outcome < WORDS_WRITTEN)


def _note_outcome(store: Store, session: int, given: GivenLately, outcome: int, *, is_new: bool) -> None:
    store.execute("UPDATE given SET outcome = ? WHERE session_id = ? AND number = ?", (outcome, session, given.number))
    if is_new and outcome >= WORDS_WRITTEN:
        add_usage(store, session, given.moment, Amount(used=1), given.at)


def used_most(store: Store, project: int | None, limit: int) -> list[tuple[int, int, int]]:
    """Return (number, times given, times used), most used first; None: all projects."""
    return store.rows(
        "SELECT g.seq, count(*), count(*) FILTER (WHERE g.outcome >= ?1) AS used FROM given g"
        " JOIN sessions s ON s.id = g.session_id WHERE ?2 IS NULL OR s.project_id = ?2"
        " GROUP BY g.seq HAVING used > 0 ORDER BY used DESC, g.seq DESC LIMIT ?3",
        (WORDS_WRITTEN, project, limit),
    )


def join_usage(store: Store, left: int, former: int) -> None:
    """Give the counts of *left* to the same project *former*."""
    store.execute(
        f"{_INTO} SELECT ?2, week, client, moment, times, characters, memories, used FROM usage WHERE project_id = ?1"
        f" {_ADDED}",
        (left, former),
    )
    store.execute("DELETE FROM usage WHERE project_id = ?", (left,))


def weekly_total(store: Store, now_ms: int) -> Amount:
    """Return the sum of texts given in the week of *now_ms*."""
    return store.records(
        Amount,
        "SELECT coalesce(sum(times), 0), coalesce(sum(characters), 0), coalesce(sum(memories), 0),"
        " coalesce(sum(used), 0) FROM usage WHERE week = ? AND moment <> 'silent'",
        (week_of(now_ms),),
    )[0]
