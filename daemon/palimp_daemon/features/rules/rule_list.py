"""List the rules of a project with their checks and counts, and turn checks off and on."""

from typing import Final

from palimp_daemon.features.memories.names import one_named
from palimp_daemon.features.rules.derived_checks import decoded_checks
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, project_row
from palimp_daemon.store.tables.memories import Row, newest, shown_id
from palimp_daemon.store.tables.rule_checks import RULE_KINDS, checks_among, turn_checks
from palimp_daemon.store.tables.rule_counts import RuleCounts, counts_among
from palimp_daemon.store.tables.unasked import unasked
from palimp_daemon.text.rules.in_words import in_words
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.rule_messages import Rule, RuleList, Rules

LISTED_MAX: Final = 500
"""Rules that are listed, the newest: more are read by nobody."""


def list_rules(context: RequestContext, request: Rules) -> RuleList:
    """Return the rules that *request* names, or all that hold; turn their checks before, if it says so.

    Raises:
        PalimpError: an id names no memory, or several; or one whose checks are to be turned has none.
    """
    store = context.store
    rows = _rows(context, request)
    seqs = [row.seq for row in rows]
    known = checks_among(store, seqs)
    changed = 0
    if request.turn:
        _refuse_without_checks(rows, known)
        changed = sum(is_off is not (request.turn == "off") for _, is_off in known.values())
        turn_checks(store, seqs, is_off=request.turn == "off")
        known = checks_among(store, seqs)
    counts = counts_among(store, seqs)
    rules = [_rule(row, known.get(row.seq, ("[]", False)), counts.get(row.seq, RuleCounts())) for row in rows]
    return RuleList(rules=sorted(rules, key=lambda each: -(each.broken + each.broken_told)), changed=changed)


def _rows(context: RequestContext, request: Rules) -> list[Row]:
    store = context.store
    if request.ids:
        return [one_named(context, each) for each in dict.fromkeys(request.ids)]
    own = project_row(store, context.caller)
    projects = sorted({GLOBAL_PROJECT, GLOBAL_PROJECT if own is None else own})
    found, _ = newest(store, unasked(projects, RULE_KINDS), LISTED_MAX)
    return found


def _refuse_without_checks(rows: list[Row], known: dict[int, tuple[str, bool]]) -> None:
    for row in rows:
        if row.seq not in known:
            text = f"Nothing is checked of {shown_id(row)}: it is told as text."
            raise PalimpError(ErrorCode.BAD_REQUEST, text, "`palimp rules` shows the rules with checks.")


def _rule(row: Row, known: tuple[str, bool], counts: RuleCounts) -> Rule:
    checks, is_off = decoded_checks(known[0]), known[1]
    return Rule(
        id=shown_id(row),
        kind=row.kind,
        title=row.title,
        text=row.content,
        checks=[*checks],
        in_words=[in_words(each) for each in checks],
        is_off=is_off,
        told=counts.told,
        kept=counts.kept,
        broken=counts.broken,
        broken_told=counts.broken_told,
        broken_at=counts.broken_at,
        act=counts.act,
    )
