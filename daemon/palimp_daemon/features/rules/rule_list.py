"""List a project's rules, and set the reaction to a breach."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from palimp_daemon.features.memories.memory_names import one_named
from palimp_daemon.features.memories.recording import recording, require_person
from palimp_daemon.features.rules.derived_checks import derive
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, scope_rows
from palimp_daemon.store.tables.memory_links import qualifying_links
from palimp_daemon.store.tables.memory_rows import Row, newest, rows_by_seq, shown_id
from palimp_daemon.store.tables.rule_checks import (
    DERIVED_KINDS,
    RULE_KINDS,
    KnownChecks,
    RuleText,
    checks_among,
    decoded_checks,
    keep_derived,
    seqs_with_checks,
    set_at_breach,
)
from palimp_daemon.store.tables.rule_counts import RuleCounts, counts_among, counts_by_client
from palimp_daemon.store.tables.unasked import unasked_selection, withheld_among
from palimp_daemon.text.rules.contradictions import contradicts, is_narrower
from palimp_daemon.text.rules.in_words import in_words
from palimp_protocol.errors import RequestError
from palimp_protocol.messages.memory_messages import Similar
from palimp_protocol.messages.rule_messages import Rule, RuleList, Rules

ONLY: Final = "Only a person sets what is checked of a rule"
"""An agent must not set the checks that bind it."""

LISTED_MAX: Final = 500
"""Rules listed, the newest: nobody reads more."""


def list_rules(context: RequestContext, request: Rules) -> RuleList:
    """Return the named rules, or all, after setting the reaction to a breach.

    Raises:
        PalimpError: an id names no memory, or several; an agent asks for a change, or a memory has no checks.
    """
    store = context.store
    if request.at_breach:
        require_person(context.caller, ONLY)
    rows = _rows(context, request)
    seqs = [row.seq for row in rows]
    changed = 0
    if at_breach := request.at_breach:
        _derive_now(store, rows)
        _refuse_without_checks(rows, checks_among(store, seqs))
        with recording(context, "rule"):
            changed = sum(set_at_breach(store, seq, at_breach) for seq in seqs)
    known, counts, qualified = checks_among(store, seqs), counts_among(store, seqs), qualifiers(store, rows)
    for row, other in _contradictions(context, rows):
        qualified.setdefault(row.seq, []).append(Similar(shown_id(other), other.title))
    rules = [
        _rule(row, known.get(row.seq, KnownChecks()), counts.get(row.seq, RuleCounts()), qualified.get(row.seq, []))
        for row in rows
    ]
    if request.ids:
        rules = [replace(one, by_client=counts_by_client(store, row.seq)) for one, row in zip(rules, rows, strict=True)]
    return RuleList(rules=sorted(rules, key=lambda each: -(each.broken + each.broken_told)), changed=changed)


def qualifiers(store: Store, rows: Sequence[Row]) -> dict[int, list[Similar]]:
    """Return confirmed memories that narrow or dispute *rows*, by number."""
    projects = sorted({row.project_id for row in rows})
    found: dict[int, set[int]] = {}
    for link in qualifying_links(store, [row.seq for row in rows], projects):
        found.setdefault(link.older, set()).add(link.newer)
    seqs = sorted({each for newer in found.values() for each in newer})
    withheld = withheld_among(store, seqs)
    others = {row.seq: row for row in rows_by_seq(store, [seq for seq in seqs if seq not in withheld])}
    return {
        seq: [Similar(shown_id(others[each]), others[each].title) for each in sorted(newer) if each in others]
        for seq, newer in found.items()
    }


def _contradictions(context: RequestContext, rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    others = _rows(context, Rules())
    known = checks_among(context.store, [row.seq for row in (*rows, *others)])
    decoded = {row.seq: decoded_checks(known[row.seq].checks) for row in (*rows, *others) if row.seq in known}
    asking = [row for row in others if any(check.instead for check in decoded.get(row.seq, ()))]
    for row in rows:
        for other in asking:
            one, two = decoded.get(row.seq, ()), decoded[other.seq]
            own = (row.project_id != GLOBAL_PROJECT, other.project_id != GLOBAL_PROJECT)
            if row.seq == other.seq or not contradicts(one, two):
                continue
            if not is_narrower(one, two, is_own=own[0], is_other_own=own[1]) and not is_narrower(
                two, one, is_own=own[1], is_other_own=own[0]
            ):
                yield row, other


def _rows(context: RequestContext, request: Rules) -> list[Row]:
    store = context.store
    if request.ids:
        return [one_named(context, each) for each in dict.fromkeys(request.ids)]
    projects = scope_rows(store, context.caller, "all")
    found, _ = newest(store, unasked_selection(projects, RULE_KINDS), LISTED_MAX)
    more = seqs_with_checks(store, projects) - {row.seq for row in found}
    return [*found, *rows_by_seq(store, sorted(more))][:LISTED_MAX]


def _derive_now(store: Store, rows: list[Row]) -> None:
    known = checks_among(store, [row.seq for row in rows])
    new = [
        RuleText(row.seq, row.kind, row.content) for row in rows if row.seq not in known and row.kind in DERIVED_KINDS
    ]
    keep_derived(store, derive(new))


def _refuse_without_checks(rows: list[Row], known: dict[int, KnownChecks]) -> None:
    for row in rows:
        if not decoded_checks(known.get(row.seq, KnownChecks()).checks):
            text = f"Nothing is checked of {shown_id(row)}: it is told as text."
            hint = f"`palimp rules mend {shown_id(row)} --command 'npm *'` gives it a check."
            raise RequestError(text, hint)


def _rule(row: Row, known: KnownChecks, counts: RuleCounts, qualified_by: list[Similar]) -> Rule:
    checks = decoded_checks(known.checks)
    return Rule(
        id=shown_id(row),
        kind=row.kind,
        title=row.title,
        text=row.content,
        checks=[*checks],
        in_words=[in_words(each) for each in checks],
        is_own=known.is_own,
        at_breach=known.at_breach,
        qualified_by=qualified_by,
        **counts._asdict(),
    )
