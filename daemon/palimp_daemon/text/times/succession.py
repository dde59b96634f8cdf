"""Find the successor in questions for a predecessor: "which warehouse did we have before Snowflake".

The answer held until the first memory with that name. Without a capital ("before the release") it is a moment.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import either, sections
from palimp_daemon.text.times.question_time import QUESTION_CHARACTERS_MAX

_NAME: Final = r"(?:[^\W\d_a-z][\w.+#-]*|[a-z]+[A-Z][\w.+#-]*)"
_CAME: Final = r"(?:\s+(?:was|were|came|got)\b(?:\s+\w+)?)?"


class Successor(NamedTuple):
    """A *name*, and the *rest* of the question."""

    name: str
    rest: str


def successor_in(question: str) -> Successor | None:
    """Return the successor that *question* names."""
    found = _successor().search(question[:QUESTION_CHARACTERS_MAX])
    if found is None:
        return None
    rest = f"{question[: found.start()]} {question[found.end() :]}".strip()
    return Successor(found["name"].rstrip(".-"), rest)


@cache
def _successor() -> re.Pattern[str]:
    before = either(*(each.predecessor for each in sections(lambda language: language.past).values()))
    return re.compile(rf"\b(?i:{before})\s+(?P<name>{_NAME}(?:\s+{_NAME}){{0,3}}){_CAME}(?=\s*[?.!,;:)]|\s*$)")
