"""Read Claude Code's own memory files: their index and type."""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final, cast

INDEX: Final = "MEMORY.md"
"""Index of the notes, a line each; in older versions it held them."""

TYPE: Final = re.compile(r"[a-z][a-z_-]{0,30}")

_NOTE: Final = r"(?:\[[^\[\]\n]*\]\((?!\w+:)[^()\n]+\.md\)|\[\[[^\[\]\n]+\]\])"
_INDEX_LINE: Final = re.compile(rf"^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)[*_]{{0,3}}{_NOTE}.*\n?", re.MULTILINE)
_NAMED_NOTE: Final = re.compile(_NOTE)
_RULE_OF_TABLE: Final = re.compile(r"[-:| \t]+")
_HEADING: Final = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


def without_index(text: str) -> str:
    """Drop an index's lines and tables of notes; headings alone become empty."""
    text = _INDEX_LINE.sub("", _without_tables(text))
    return text if _HEADING.sub("", text).strip() else ""


def _without_tables(text: str) -> str:
    kept: list[str] = []
    lines = text.splitlines(keepends=True)
    for is_table, part in groupby(lines, key=lambda line: line.lstrip().startswith("|")):
        rows = list(part)
        if is_table and len(rows) > 2 and _RULE_OF_TABLE.fullmatch(rows[1].strip()):
            left = [row for row in rows[2:] if not _NAMED_NOTE.search(row)]
            rows = [*rows[:2], *left] if left else []
        kept += rows
    return "".join(kept)


def type_in(facts: Mapping[str, Any]) -> str:
    """Return a note's type from its front matter, or ""."""
    below: Any = facts.get("metadata")
    for given in (cast("dict[str, Any]", below) if isinstance(below, dict) else {}, facts):
        kind: Any = given.get("type")
        if isinstance(kind, str) and TYPE.fullmatch(kind):
            return kind
    return ""
