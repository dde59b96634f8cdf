"""Give a memory a person's checks, as a rule."""

from typing import Final

from palimp_daemon.features.memories.memory_names import one_named
from palimp_daemon.features.memories.recording import recording, require_person
from palimp_daemon.features.memories.save import draft, store_draft
from palimp_daemon.features.rules.rule_list import ONLY, list_rules
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables.rule_checks import decoded_checks, encode_checks, own_checks, set_own_checks
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.rules.in_words import in_words
from palimp_daemon.text.rules.validity import check_without_secrets, problem_with
from palimp_protocol.errors import RequestError
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.rule_messages import CHECKS_MAX, Check, MendRule, RuleList, Rules

KIND: Final = "preference"
"""Kind of the memory saved for a rule that has none."""


def mend_rule(context: RequestContext, request: MendRule, redact: Redactor) -> RuleList:
    """Set the requested checks; return the present rule.

    Raises:
        PalimpError: an agent asks, a check is invalid, or the memory is unknown.
    """
    require_person(context.caller, ONLY)
    checks = [check_without_secrets(each, redact) for each in request.checks]
    for each in checks:
        if problem := problem_with(each):
            raise RequestError(problem, "`palimp rules add --help` has examples.")
    if request.id:
        row = one_named(context, request.id)
        with recording(context, "rule"):
            set_own_checks(context.store, row.seq, encode_checks(checks) if checks else None)
        return list_rules(context, Rules(ids=[request.id]))
    if not checks:
        hint = "`palimp add 'Use pnpm, never npm.' --kind preference` saves a rule whose words give the check."
        raise RequestError("Nothing is to be checked.", hint)
    words = " ".join(filter(None, (request.text or _sentence(checks), request.why)))
    saved = store_draft(context, draft(redact, SaveMemory(text=words, kind=KIND)))
    row = one_named(context, saved.id)
    if saved.is_known:
        with recording(context, "rule"):
            set_own_checks(context.store, row.seq, encode_checks(_with_known(context, row.seq, checks)))
    else:
        # No step of an act: whoever undoes the save takes all of it back.
        set_own_checks(context.store, row.seq, encode_checks(checks))
    return list_rules(context, Rules(ids=[saved.id]))


def _with_known(context: RequestContext, seq: int, checks: list[Check]) -> list[Check]:
    known = own_checks(context.store, [seq])[seq]
    both = [*dict.fromkeys((*decoded_checks(known or "[]"), *checks))]
    if len(both) > CHECKS_MAX:
        raise RequestError(f"A rule has at most {CHECKS_MAX} checks.", "Give the new one a text of its own.")
    return both


def _sentence(checks: list[Check]) -> str:
    words = "; ".join(in_words(each) for each in checks)
    return f"{words[:1].upper()}{words[1:]}."
