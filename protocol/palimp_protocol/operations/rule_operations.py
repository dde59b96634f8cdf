"""The operation on rules, for the terminal."""

from typing import Final

from palimp_protocol.messages.access import Access
from palimp_protocol.messages.rule_messages import MendRule, RuleList, Rules
from palimp_protocol.operations.operation import Operation, writes


def _access(request: Rules) -> Access:
    return Access.WRITE if request.at_breach else Access.READ


RULE_OPERATIONS: Final = (
    Operation(
        name="rules",
        title="List rules and their checks",
        request=Rules,
        reply=RuleList,
        access=_access,
        is_tool=False,
        description=(
            "List the standing rules of the project (preferences and corrections): what is checked of each before an"
            " agent acts, and how often it was told, kept and broken. Or set what happens at a breach."
        ),
    ),
    Operation(
        name="mend_rule",
        title="Make the checks of a rule by hand",
        request=MendRule,
        reply=RuleList,
        access=writes,
        is_tool=False,
        description="Give a rule checks that a person made instead of those derived of its words, or save such a rule.",
    ),
)
