"""The operation on rules, for the terminal."""

from functools import partial
from typing import Final

from palimp_protocol.messages.access import Access
from palimp_protocol.messages.rule_messages import MendRule, RuleList, Rules
from palimp_protocol.operations.operation import Operation, writes


def _access(request: Rules) -> Access:
    return Access.WRITE if request.at_breach else Access.READ


_in_terminal = partial(Operation, is_tool=False)

RULE_OPERATIONS: Final = (
    _in_terminal(
        "rules",
        "List rules and their checks",
        Rules,
        RuleList,
        "List the standing rules of the project (preferences and corrections): what is checked of each before an"
        " agent acts, and how often it was told, kept and broken. Or set what happens at a breach.",
        access=_access,
    ),
    _in_terminal(
        "mend_rule",
        "Make the checks of a rule by hand",
        MendRule,
        RuleList,
        "Give a rule checks that a person made instead of those derived of its words, or save such a rule.",
        access=writes,
    ),
)
