"""Find the rules an act keeps and breaks."""

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from palimp_daemon.features.rules.rule_list import qualifiers
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, project_row, scope_rows, session_row
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id
from palimp_daemon.store.tables.rule_checks import RuleInForce, decoded_checks, rules_in_force
from palimp_daemon.store.tables.rule_counts import rules_told
from palimp_daemon.text.rules.contradictions import contradicts, is_narrower
from palimp_daemon.text.rules.verdicts import Act, verdict_of
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Similar
from palimp_protocol.messages.rule_messages import AtBreach

Manner = Literal["remind", "refuse", "ask"]
"""Beside the act, instead of it, or by asking the user."""


class Judged(NamedTuple):
    """Rules kept and broken by an act."""

    kept: list[RuleInForce]
    broken: list[RuleInForce]
    disputed: dict[int, list[int]]
    """By broken rule, rules that ask for the same act and are no narrower."""


class Breach(NamedTuple):
    """A rule that an act would break."""

    seq: int
    id: str
    """As shown."""
    text: str
    at_breach: AtBreach
    is_told: bool
    qualified_by: tuple[Similar, ...] = ()
    """Memories that narrow it or disagree with it."""

    @property
    def is_held(self) -> bool:
        """Whether a breach is refused or asked about: a person wants it, and nothing narrows the rule."""
        return self.at_breach in ("refuse", "ask") and not self.qualified_by


class Telling(NamedTuple):
    """The breaches to tell a session, and the manner."""

    manner: Manner
    breaches: list[Breach]


def judged_rules(caller: Caller, act: Act, store: Store) -> Judged:
    """Sort the rules in force into those *act* keeps and breaks."""
    judged = Judged([], [], {})
    for rule in rules_in_force(store, scope_rows(store, caller, "all")):
        verdict = verdict_of(decoded_checks(rule.checks), act)
        if verdict:
            (judged.broken if verdict == "broken" else judged.kept).append(rule)
    for rule in [*judged.broken]:
        others = [each for each in judged.kept if _contradicts(rule, each)]
        if any(_is_narrower(each, rule) for each in others):
            judged.broken.remove(rule)  # npm is for docs/ there
        elif others:
            judged.disputed[rule.seq] = [each.seq for each in others if not _is_narrower(rule, each)]
    return judged


def _contradicts(one: RuleInForce, other: RuleInForce) -> bool:
    return contradicts(decoded_checks(one.checks), decoded_checks(other.checks))


def _is_narrower(one: RuleInForce, other: RuleInForce) -> bool:
    checks = (decoded_checks(one.checks), decoded_checks(other.checks))
    own = (one.project != GLOBAL_PROJECT, other.project != GLOBAL_PROJECT)
    return is_narrower(*checks, is_own=own[0], is_other_own=own[1])


def breaches_of(caller: Caller, act: Act, told: Collection[int] | None, store: Store) -> list[Breach]:
    """Return the rules that *act* would break; the session was *told* some (None: as stored)."""
    judged = judged_rules(caller, act, store)
    broken = judged.broken
    if not broken:
        return []
    own = project_row(store, caller)
    if told is None and own is not None and (session := session_row(store, caller, own)) is not None:
        told = rules_told(store, session)
    others = {seq for seqs in judged.disputed.values() for seq in seqs}
    rows = {row.seq: row for row in rows_by_seq(store, [*(each.seq for each in broken), *others])}
    held = [rows[each.seq] for each in broken if each.at_breach != "remind"]
    qualified = qualifiers(store, held) if held else {}
    return [
        Breach(
            each.seq,
            shown_id(rows[each.seq]),
            rows[each.seq].content,
            each.at_breach,
            each.seq in (told or ()),
            (
                *qualified.get(each.seq, ()),
                *(Similar(shown_id(rows[seq]), rows[seq].title) for seq in judged.disputed.get(each.seq, ())),
            ),
        )
        for each in broken
    ]


def telling_of(breaches: Sequence[Breach], refused: Collection[int], most: int, *, can_ask: bool) -> Telling | None:
    """Choose *most* of *breaches* at most to tell, and the manner; None: nothing.

    A *refused* act sent again passes. A narrowed or disputed rule is told, not enforced.
    """
    held = [each for each in breaches if each.is_held]
    asked = [each for each in held if each.at_breach == "ask"] if can_ask else []
    denied = [each for each in held if each not in asked and each.seq not in refused]
    left = [each for each in breaches if not each.is_told and each not in held]
    if denied:
        return Telling("refuse", [*denied, *left][:most])
    if asked:
        return Telling("ask", asked[:most])
    return Telling("remind", left[:most]) if left else None
