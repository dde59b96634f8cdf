"""Decode long JSON documents entry by entry: the decoder holds the interpreter."""

import json
import re
from typing import Any, Final

DEPTH_MAX: Final = 3
"""Levels at which objects are searched for lists of records, which are decoded whole."""

_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_decoded_at: Final = json.JSONDecoder().raw_decode


def json_value(text: str) -> Any:
    """Parse JSON as `json.loads` does.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested too deeply.
    """
    value, end = _value(text, _after_space(text, 0), DEPTH_MAX)
    if _after_space(text, end) < len(text):
        raise ValueError("there is more behind it")
    return value


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    opening = text[at : at + 1]
    if depth and opening == "[":
        return _list(text, at)
    return _object(text, at, depth) if depth and opening == "{" else _decoded_at(text, at)


def _list(text: str, at: int) -> tuple[list[Any], int]:
    entries: list[Any] = []
    at = _after_space(text, at + 1)
    while text[at : at + 1] != "]" or entries:
        entry, at = _decoded_at(text, at)
        entries.append(entry)
        at, is_last = _after_entry(text, at, "]")
        if is_last:
            return entries, at
    return entries, at + 1


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    fields: dict[str, Any] = {}
    at = _after_space(text, at + 1)
    if text[at : at + 1] == "}":
        return fields, at + 1
    while True:
        name, at = _decoded_at(text, at)
        at = _after_space(text, at)
        if not isinstance(name, str) or text[at : at + 1] != ":":
            raise ValueError("a name is missing")
        fields[name], at = _value(text, _after_space(text, at + 1), depth - 1)
        at, is_last = _after_entry(text, at, "}")
        if is_last:
            return fields, at


def _after_entry(text: str, at: int, closing: str) -> tuple[int, bool]:
    """Return (index after the entry ending at *at*, whether it was the last)."""
    at = _after_space(text, at)
    sign = text[at : at + 1]
    if sign not in (closing, ","):
        raise ValueError("a comma is missing")
    return (at + 1, True) if sign == closing else (_after_space(text, at + 1), False)


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
