"""SQL of `rule_counts`: how often each session was told, kept or broke a rule."""

import json
from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_protocol.messages.rule_messages import ClientCounts

BROKEN_SHOWN_MAX: Final = 50
"""Rules shown of those that a session broke."""


SESSIONS_NAMED_MAX: Final = 5
"""Sessions of a client named beside a rule that they broke."""

DOUBTED_FROM: Final = 3
"""Acts repeated against a rule, since a person last confirmed it, after which one is asked."""

DOUBTED: Final = (
    "SELECT seq FROM rule_counts WHERE overruled > answered GROUP BY seq"
    f" HAVING sum(overruled - answered) >= {DOUBTED_FROM}"
)


class RuleCounts(NamedTuple):
    """Counts of a rule over all sessions."""

    told: int = 0
    kept: int = 0
    broken: int = 0
    """Breaches before the session was told of the rule."""
    broken_told: int = 0
    """Breaches after it."""
    refused: int = 0
    overruled: int = 0
    """Refused acts that were sent again."""
    broken_at: int = 0
    """Unix milliseconds; 0: never."""
    act: str = ""
    """The last that broke it."""

    @property
    def breaches(self) -> str:
        """Number of breaches in words; empty for none."""
        times = self.broken + self.broken_told
        return f"broken {'once' if times == 1 else f'{times:,} times'}" if times else ""


def rules_told(store: Store, session: int) -> set[int]:
    """Return the rules told before an act and not forgotten."""
    statement = "SELECT seq FROM rule_counts WHERE session_id = ? AND told > forgotten"
    return {*store.column(statement, (session,))}


def forget_rules_told(store: Store, session: int) -> None:
    """Note that *session* forgot its rules by compacting or clearing its context."""
    store.execute("UPDATE rule_counts SET forgotten = told WHERE session_id = ?", (session,))


def note_rules_told(store: Store, session: int, seqs: Sequence[int]) -> None:
    """Note that *session* was told the rules *seqs*."""
    _count(store, "told", session, seqs)


def count_kept(store: Store, session: int, seqs: Sequence[int]) -> None:
    """Count an act that keeps the rules *seqs*."""
    _count(store, "kept", session, seqs)


def _count(store: Store, column: str, session: int, seqs: Sequence[int]) -> None:
    statement = (
        f"INSERT INTO rule_counts (seq, session_id, {column}) SELECT seq, ?2, 1 FROM memories WHERE seq = ?1"
        f" ON CONFLICT DO UPDATE SET {column} = {column} + 1"
    )
    store.connection.executemany(statement, [(seq, session) for seq in seqs])


def count_refused(store: Store, session: int, seqs: Sequence[int]) -> None:
    """Count an act refused for *seqs*, which the session was told."""
    store.execute(
        "UPDATE rule_counts SET refused = refused + 1 WHERE session_id = ? AND seq IN (SELECT value FROM json_each(?))",
        (session, json.dumps(list(seqs))),
    )


def count_broken(
    store: Store, session: int, seqs: Sequence[int], act: str, now_ms: int, *, overruled: Collection[int] = ()
) -> None:
    """Count *act*, which breaks *seqs*, after a refusal for *overruled*."""
    for seq in seqs:
        store.execute(
            "INSERT INTO rule_counts (seq, session_id, broken, broken_at, act)"
            " SELECT seq, ?2, 1, ?3, ?4 FROM memories WHERE seq = ?1"
            " ON CONFLICT DO UPDATE SET broken = broken + (told = 0), broken_told = broken_told + (told > 0),"
            " overruled = overruled + ?5, broken_at = excluded.broken_at, act = excluded.act",
            (seq, session, now_ms, act, int(seq in overruled)),
        )


def doubts_among(store: Store, seqs: Sequence[int]) -> dict[int, int]:
    """Return {number: acts resent since a person's last confirmation} of doubted rules."""
    return dict(
        store.rows(
            "SELECT seq, sum(overruled - answered) FROM rule_counts WHERE overruled > answered"
            f" AND seq IN (SELECT value FROM json_each(?)) AND seq IN ({DOUBTED}) GROUP BY seq",
            (json.dumps(list(seqs)),),
        )
    )


def end_doubt(store: Store, seqs: Sequence[int]) -> None:
    """Note that a person confirmed the rules *seqs*."""
    statement = "UPDATE rule_counts SET answered = overruled WHERE seq IN (SELECT value FROM json_each(?))"
    store.execute(statement, (json.dumps(list(seqs)),))


def broken_in(store: Store, session: int) -> list[tuple[int, RuleCounts]]:
    """Return the rules that *session* broke, with counts, newest first."""
    found = store.rows(
        "SELECT seq, told, kept, broken, broken_told, refused, overruled, broken_at, act FROM rule_counts"
        " WHERE session_id = ? AND broken_at ORDER BY broken_at DESC LIMIT ?",
        (session, BROKEN_SHOWN_MAX),
    )
    return [(seq, RuleCounts(*counts)) for seq, *counts in found]


def counts_by_client(store: Store, seq: int) -> list[ClientCounts]:
    """Return the rule's counts by client name."""
    found = store.rows(
        "SELECT s.client, c.told, c.kept, c.broken, c.broken_told, c.overruled, s.key FROM rule_counts c"
        " JOIN sessions s ON s.id = c.session_id WHERE c.seq = ? ORDER BY s.client, c.broken_at DESC",
        (seq,),
    )
    counts: list[ClientCounts] = []
    for client, rows in groupby(found, key=lambda row: row[0]):
        sessions = [*rows]
        told, kept, broken, broken_told, overruled = (sum(row[place] for row in sessions) for place in range(1, 6))
        keys = [row[6] for row in sessions if row[3] or row[4]][:SESSIONS_NAMED_MAX]
        counts.append(
            ClientCounts(
                client=client,
                told=told,
                kept=kept,
                broken=broken,
                broken_told=broken_told,
                overruled=overruled,
                broken_in=keys,
            )
        )
    return counts


def counts_among(store: Store, seqs: Sequence[int]) -> dict[int, RuleCounts]:
    """Return {number: counts} of *seqs* that have any."""
    found = store.rows(
        # A bare column beside one max() is that of its row.
        "SELECT seq, sum(told), sum(kept), sum(broken), sum(broken_told), sum(refused), sum(overruled), max(broken_at),"
        " act FROM rule_counts"
        " WHERE seq IN (SELECT value FROM json_each(?)) GROUP BY seq",
        (json.dumps(list(seqs)),),
    )
    return {seq: RuleCounts(*counts) for seq, *counts in found}
