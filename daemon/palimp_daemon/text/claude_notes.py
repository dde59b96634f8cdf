"""Read Claude Code's own memory files: their index and type."""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

INDEX: Final = "MEMORY.md"
"""Index of the notes, a line each; in older versions it held them."""

TYPE: Final = re.compile(r"[a-z][a-z_-]{0,30}")

_INDEX_LINE: Final = re.compile(
    r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[^\]\n]*\]\((?!\w+:)[^)\n]+\.md\)|\[\[[^\]\n]+\]\]).*\n?", re.MULTILINE
)
_HEADING: Final = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


def without_index(text: str) -> str:
    """Drop lines of an index that only name notes; empty if only headings remain."""
    text = _INDEX_LINE.sub("", text)
    return text if _HEADING.sub("", text).strip() else ""


def type_in(facts: Mapping[str, Any]) -> str:
    """Return a note's type from its front matter, or ""."""
    below: Any = facts.get("metadata")
    for given in (cast("dict[str, Any]", below) if isinstance(below, dict) else {}, facts):
        kind: Any = given.get("type")
        if isinstance(kind, str) and TYPE.fullmatch(kind):
            return kind
    return ""
