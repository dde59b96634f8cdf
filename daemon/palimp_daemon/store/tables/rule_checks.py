"""SQL of `rule_checks` and `rules_derived`: memories that are rules with checks.

Checks are derived in the background, by number, again when the derivation changes; a person's own stay.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.enforced_here import note_enforced
from palimp_daemon.store.tables.steps import Step, note
from palimp_daemon.store.tables.unasked import UNASKED
from palimp_protocol.decoders import decoder_of
from palimp_protocol.messages.rule_messages import AT_BREACH, AtBreach, Check

RULE_KINDS: Final = ("preference", "correction")
"""Kinds of standing rules, which a session's start shows in full."""

DERIVED_KINDS: Final = (*RULE_KINDS, "decision")
"""Kinds of memories with checks derived from their words; decisions count as rules if they demand something."""

RULES_MAX: Final = 1_000
"""Rules checked at an act, the newest; projects have tens."""


CACHED_MAX: Final = 4_096
"""Rules with decoded checks cached."""

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = decoder_of(tuple[Check, ...])


@lru_cache(maxsize=CACHED_MAX)
def decoded_checks(checks: str) -> tuple[Check, ...]:
    """Decode stored checks; none if a newer palimp wrote them."""
    try:
        return _DECODER.decode(checks)
    except msgspec.DecodeError:
        return ()


def encode_checks(checks: Sequence[Check]) -> str:
    """Encode *checks* for the store."""
    return _ENCODER.encode(checks).decode()


class RuleText(NamedTuple):
    """A memory that may be a rule."""

    seq: int
    kind: str
    text: str
    own: str | None = None
    """A person's checks for the text before a person reworded it."""


class RuleInForce(NamedTuple):
    """A rule in force that can be checked."""

    seq: int
    checks: str
    """JSON."""
    at_breach: AtBreach = "remind"
    project: int = 0


class KnownChecks(NamedTuple):
    """The checks of a rule, and the consequence of a breach."""

    checks: str = "[]"
    """JSON."""
    at_breach: AtBreach = "remind"
    is_own: bool = False
    """Whether a person made them."""


_BEFORE: Final = (
    "(SELECT l.older FROM memory_links l WHERE l.newer = m.seq AND l.is_edit AND l.said_by = 'user'"
    " AND l.undone_at IS NULL ORDER BY l.id DESC LIMIT 1)"
)
"""The memory that a person reworded as memory *m*."""


def texts_to_derive(store: Store, version: int, after: int, limit: int) -> list[RuleText]:
    """Return the next memories not read by the derivation *version*."""
    known = store.value("SELECT seq FROM rules_derived WHERE version = ?", (version,)) or 0
    return store.records(
        RuleText,
        "SELECT m.seq, m.kind, CASE WHEN m.kind IN (SELECT value FROM json_each(?)) THEN m.content ELSE '' END,"
        f" (SELECT c.own FROM rule_checks c WHERE c.seq = {_BEFORE})"
        " FROM memories m WHERE m.seq > ? ORDER BY m.seq LIMIT ?",
        (json.dumps(DERIVED_KINDS), max(known, after), limit),
    )


def keep_checks(store: Store, derived: Sequence[tuple[int, str]], version: int, up_to: int) -> None:
    """Store the checks *derived* by *version* from memories *up_to* a number."""
    if not store.value("SELECT EXISTS (SELECT 1 FROM rules_derived WHERE version = ?)", (version,)):
        store.execute("DELETE FROM rule_checks WHERE at_breach = 0 AND own IS NULL")
    keep_derived(store, derived)
    store.execute("INSERT OR REPLACE INTO rules_derived (one, seq, version) VALUES (1, ?, ?)", (up_to, version))


def keep_derived(store: Store, derived: Sequence[tuple[int, str]]) -> None:
    """Store *derived* checks, with a person's settings of the former wording."""
    for seq, checks in derived:
        store.execute(
            "INSERT INTO rule_checks (seq, checks, at_breach, own)"
            " SELECT m.seq, ?2, coalesce(c.at_breach, 0), c.own FROM memories m"
            f" LEFT JOIN rule_checks c ON c.seq = {_BEFORE} WHERE m.seq = ?1"
            " ON CONFLICT (seq) DO UPDATE SET checks = excluded.checks",
            (seq, checks),
        )


def rules_in_force(store: Store, projects: Sequence[int]) -> list[RuleInForce]:
    """Return the rules in force that are not off, newest first."""
    # Crossed, so that SQLite reads the few rules and not the many memories first.
    found = store.rows(
        "SELECT c.seq, coalesce(c.own, c.checks), c.at_breach, m.project_id"
        " FROM rule_checks c CROSS JOIN memories m ON m.seq = c.seq"
        f" WHERE c.at_breach != ? AND m.project_id IN (SELECT value FROM json_each(?)) AND {UNASKED.sql}"
        " ORDER BY c.seq DESC LIMIT ?",
        (AT_BREACH.index("off"), json.dumps(list(projects)), *UNASKED.values, RULES_MAX),
    )
    return [RuleInForce(seq, checks, _at_breach(number), project) for seq, checks, number, project in found]


def checks_among(store: Store, seqs: Sequence[int]) -> dict[int, KnownChecks]:
    """Return the checks of *seqs* that have or had any."""
    found = store.rows(
        "SELECT seq, coalesce(own, checks), at_breach, own IS NOT NULL FROM rule_checks"
        " WHERE seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)),),
    )
    return {seq: KnownChecks(checks, _at_breach(number), bool(is_own)) for seq, checks, number, is_own in found}


def numbers_at_breach(store: Store, seqs: Sequence[int]) -> dict[int, int]:
    """Return each memory's index into AT_BREACH; 0 without checks."""
    known = checks_among(store, seqs)
    return {seq: AT_BREACH.index(known[seq].at_breach) if seq in known else 0 for seq in seqs}


def set_at_breach(store: Store, seq: int, at_breach: AtBreach) -> bool:
    """Set the consequence of a breach of *seq*; False if unchanged."""
    before, after = numbers_at_breach(store, [seq])[seq], AT_BREACH.index(at_breach)
    if before == after:
        return False
    store.execute("UPDATE rule_checks SET at_breach = ? WHERE seq = ?", (after, seq))
    if at_breach in ("refuse", "ask"):
        note_enforced(store)
    note(store, Step("at_breach", seq, before, after))
    return True


def put_off(store: Store, seq: int) -> None:
    """Turn off the checks of *seq*, also if not derived yet."""
    store.execute(
        "INSERT INTO rule_checks (seq, checks, at_breach) VALUES (?1, '[]', ?2)"
        " ON CONFLICT (seq) DO UPDATE SET at_breach = ?2",
        (seq, AT_BREACH.index("off")),
    )


def own_checks(store: Store, seqs: Sequence[int]) -> dict[int, str | None]:
    """Return a person's checks as JSON."""
    numbers = json.dumps(list(seqs))
    found = store.rows("SELECT seq, own FROM rule_checks WHERE seq IN (SELECT value FROM json_each(?))", (numbers,))
    return dict.fromkeys(seqs) | dict(found)


def seqs_with_checks(store: Store, projects: Sequence[int]) -> set[int]:
    """Return the memories in force with checks."""
    return {
        *store.column(
            "SELECT c.seq FROM rule_checks c CROSS JOIN memories m ON m.seq = c.seq"
            " WHERE coalesce(c.own, c.checks) != '[]' AND m.project_id IN (SELECT value FROM json_each(?))"
            f" AND {UNASKED.sql}",
            (json.dumps(list(projects)), *UNASKED.values),
        )
    }


def set_own_checks(store: Store, seq: int, checks: str | None) -> bool:
    """Set or clear a person's checks (JSON); False if unchanged."""
    before = own_checks(store, [seq])[seq]
    if before == checks:
        return False
    store.execute(
        "INSERT INTO rule_checks (seq, checks, own) VALUES (?1, '[]', ?2) ON CONFLICT (seq) DO UPDATE SET own = ?2",
        (seq, checks),
    )
    note(store, Step("checks", seq, before, checks))
    return True


def _at_breach(number: int) -> AtBreach:
    return AT_BREACH[number] if 0 <= number < len(AT_BREACH) else "remind"
