"""What took the place of what a question asks for: "which warehouse did we have before Snowflake".

The name after *before* is of the memories that are not meant: what is asked for held until the first of them was saved.
Only a name counts, told by a capital letter: "before the release" names a moment, and no memory of it need say when.
"""

import re
from typing import Final, NamedTuple

from palimp_daemon.text.times.reading import QUESTION_CHARACTERS_MAX

_BEFORE: Final = (
    r"(?i:before|vor(?:\s+(?:dem|der|den))?|avant(?:\s+l[ea])?|prima\s+d(?:i|el|ella)|"
    r"antes\s+d(?:e(?:\s+l[ao])?|el|o|a))"
)
_NAME: Final = r"(?:[^\W\d_a-z][\w.+#-]*|[a-z]+[A-Z][\w.+#-]*)"
_CAME: Final = r"(?:\s+(?:was|were|came|got)\b(?:\s+\w+)?)?"
_SUCCESSOR: Final = re.compile(rf"\b{_BEFORE}\s+(?P<name>{_NAME}(?:\s+{_NAME}){{0,3}}){_CAME}(?=\s*[?.!,;:)]|\s*$)")


class Successor(NamedTuple):
    """A *name*, and the *rest* of the question."""

    name: str
    rest: str


def successor_in(question: str) -> Successor | None:
    """Return the name before whose time *question* asks for something; None where it asks for no such thing."""
    found = _SUCCESSOR.search(question[:QUESTION_CHARACTERS_MAX])
    if found is None:
        return None
    rest = f"{question[: found.start()]} {question[found.end() :]}".strip()
    return Successor(found["name"].rstrip(".-"), rest)
