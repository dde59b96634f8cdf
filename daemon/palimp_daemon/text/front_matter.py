"""Parse the front matter of markdown notes: YAML between lines of dashes.

Values stay text: `no` is a word, a date a date, and no tag makes an object.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

FENCE: Final = "---"
ENDS: Final = ("---", "...")

CHARACTERS_MAX: Final = 64_000
"""Characters of front matter; more are text behind a line of dashes."""


class Parts(NamedTuple):
    """Front matter, with lower-case keys, and body."""

    facts: Mapping[str, Any]
    body: str


def parts_of(text: str, characters_max: int = CHARACTERS_MAX) -> Parts:
    """Split *text* into front matter, within *characters_max*, and body; bad YAML is read by lines."""
    first, _, rest = text.partition("\n")
    if first.strip() != FENCE:
        return Parts({}, text)
    place = 0
    while place <= characters_max:
        end = rest.find("\n", place)
        line = rest[place : end if end >= 0 else len(rest)]
        if line.rstrip() in ENDS:
            return Parts(_facts(rest[:place]), rest[end + 1 :] if end >= 0 else "")
        if end < 0:
            break
        place = end + 1
    return Parts({}, text)


def text_of(facts: Mapping[str, Any], *names: str) -> str:
    """Return the first text under *names*, stripped."""
    given = (facts.get(name) for name in names)
    return next((each.strip() for each in given if isinstance(each, str) and each.strip()), "")


def _facts(text: str) -> Mapping[str, Any]:
    import yaml  # noqa: PLC0415  only imports need it, and the daemon's start would be longer by it

    try:
        # Everything as text; objects are not made by it, nor by anything here.
        found: Any = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        return _line_by_line(text)
    if not isinstance(found, dict):
        return _line_by_line(text)
    return {str(key).lower(): value for key, value in cast("dict[Any, Any]", found).items()}


def _line_by_line(text: str) -> Mapping[str, Any]:
    pairs = (line.split(":", 1) for line in text.split("\n") if ":" in line and line[:1] not in (" ", "\t", "#", "-"))
    return {key.strip().lower(): value.strip().removeprefix("[").removesuffix("]").strip("\"'") for key, value in pairs}
