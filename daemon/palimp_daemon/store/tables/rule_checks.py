"""SQL of the tables `rule_checks` and `rules_derived`: which memories are rules that can be checked.

A row is there for a memory that gives a check, and for no other. Checks are derived in the background, in the order of
numbers, and anew when the derivation changes; what a person took off stays off.
"""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.unasked import UNASKED

RULE_KINDS: Final = ("preference", "correction")
"""Kinds of memories that are rules: the standing ones, which a start tells whole."""

RULES_MAX: Final = 1_000
"""Rules that are checked at an act, the newest: a project has tens."""


class RuleText(NamedTuple):
    """A memory that may be a rule."""

    seq: int
    kind: str
    text: str


class RuleInForce(NamedTuple):
    """A rule that holds and can be checked."""

    seq: int
    checks: str
    """JSON."""


def texts_to_derive(store: Store, version: int, after: int, limit: int) -> list[RuleText]:
    """Return the next *limit* memories, of all kinds, whose checks are to be derived by the derivation *version*.

    They are behind the number *after*, and behind those that it is known to have read.
    """
    known = value(store.connection, "SELECT seq FROM rules_derived WHERE version = ?", (version,)) or 0
    found = rows(
        store.connection,
        "SELECT seq, kind, CASE WHEN kind IN (SELECT value FROM json_each(?)) THEN content ELSE '' END"
        " FROM memories WHERE seq > ? ORDER BY seq LIMIT ?",
        (json.dumps(RULE_KINDS), max(known, after), limit),
    )
    return [RuleText(*row) for row in found]


def keep_checks(store: Store, derived: Sequence[tuple[int, str]], version: int, up_to: int) -> None:
    """Keep the checks *derived* of each rule by the derivation *version*, which has read memories *up_to* a number."""
    connection = store.connection
    if not value(connection, "SELECT EXISTS (SELECT 1 FROM rules_derived WHERE version = ?)", (version,)):
        connection.execute("DELETE FROM rule_checks WHERE NOT is_off")
    for seq, checks in derived:
        connection.execute(
            "INSERT INTO rule_checks (seq, checks) SELECT seq, ?2 FROM memories WHERE seq = ?1"
            " ON CONFLICT (seq) DO UPDATE SET checks = excluded.checks",
            (seq, checks),
        )
    connection.execute("INSERT OR REPLACE INTO rules_derived (one, seq, version) VALUES (1, ?, ?)", (up_to, version))


def rules_in_force(store: Store, projects: Sequence[int]) -> list[RuleInForce]:
    """Return the rules of *projects* that hold and are not off, the newest first."""
    # Crossed, so that SQLite reads the few rules and not the many memories first.
    found = rows(
        store.connection,
        "SELECT c.seq, c.checks FROM rule_checks c CROSS JOIN memories m ON m.seq = c.seq"
        f" WHERE NOT c.is_off AND m.project_id IN (SELECT value FROM json_each(?)) AND {UNASKED.sql}"
        " ORDER BY c.seq DESC LIMIT ?",
        (json.dumps(list(projects)), *UNASKED.values, RULES_MAX),
    )
    return [RuleInForce(*row) for row in found]


def checks_among(store: Store, seqs: Sequence[int]) -> dict[int, tuple[str, bool]]:
    """Return {number: (checks as JSON, whether they are off)} of those of the memories *seqs* that have any."""
    found = rows(
        store.connection,
        "SELECT seq, checks, is_off FROM rule_checks WHERE seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(seqs)),),
    )
    return {seq: (checks, bool(is_off)) for seq, checks, is_off in found}


def turn_checks(store: Store, seqs: Sequence[int], *, is_off: bool) -> None:
    """Take the checks of the rules *seqs* off, or put them on again."""
    store.connection.execute(
        "UPDATE rule_checks SET is_off = ? WHERE seq IN (SELECT value FROM json_each(?))",
        (is_off, json.dumps(list(seqs))),
    )
