"""The operation on rules. For the terminal: what is checked is for a person to see and to change."""

from typing import Final

from palimp_protocol.messages.access import Access
from palimp_protocol.messages.rule_messages import RuleList, Rules
from palimp_protocol.operations.operation import Operation


def _access(request: Rules) -> Access:
    return Access.WRITE if request.turn else Access.READ


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
            " agent acts, and how often it was told, kept and broken. Or take the checks of some off, or put them on."
        ),
    ),
)
