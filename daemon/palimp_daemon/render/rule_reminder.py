"""Rules that an act would break, as a session is told of them: a line each."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.render.frame import framed
from palimp_protocol.text import one_line

HEADING: Final = (
    "What you are about to do goes against what the user asked for in an earlier session. Unless they have said"
    " otherwise since, do it in another way. This is told once."
)

RULE_CHARACTERS: Final = 240
"""Characters of a rule: some 60 tokens; recall shows it whole."""


class Reminded(NamedTuple):
    """A rule that an act would break."""

    seq: int
    id: str
    """As it is shown."""
    text: str


def reminder_text(rules: Sequence[Reminded]) -> str:
    """Return what is told of *rules* before the act."""
    return framed("\n".join(f"{each.id} {one_line(each.text, RULE_CHARACTERS)}" for each in rules), HEADING)
