"""Render rules that an act would break, a line each."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.render.frame import frame_text
from palimp_protocol.text import one_line, quote_text

HEADING: Final = (
    "What you are about to do goes against what the user asked for in an earlier session. Unless they have said"
    " otherwise since, do it in another way. This is told once."
)

REFUSAL: Final = "palimp refused this: the user wants to be sure that a rule is kept."

AGAIN: Final = (
    "Do it in another way. If the user asked for exactly this, send the same call again: it will pass, and counts as a"
    " breach."
)

QUESTION: Final = "palimp: a rule that you saved says otherwise."
"""Shown to the user."""

RULE_CHARACTERS: Final = 240
"""Characters of a rule, some 60 tokens; recall shows it whole."""


class BrokenRule(NamedTuple):
    """A rule that an act would break."""

    id: str
    text: str
    qualified_by: Sequence[tuple[str, str]] = ()
    """Id and title of memories that narrow or contradict it."""


def reminder_text(rules: Sequence[BrokenRule]) -> str:
    """Return the note on *rules* beside the act."""
    return frame_text("\n".join(map(_line, rules)), HEADING)


def refusal_text(rules: Sequence[BrokenRule]) -> str:
    """Return the refusal of an act because of *rules*."""
    return "\n".join([REFUSAL, frame_text("\n".join(map(_line, rules))), AGAIN])


def question_text(rules: Sequence[BrokenRule]) -> str:
    """Return the question to the user about *rules*."""
    return "\n".join([QUESTION, *map(_line, rules)])


def _line(rule: BrokenRule) -> str:
    line = f"{rule.id} {one_line(rule.text, RULE_CHARACTERS)}"
    beside = ", ".join(f"{number} {quote_text(title)}" for number, title in rule.qualified_by)
    return f"{line} (but see {beside})" if beside else line
