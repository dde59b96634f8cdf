"""Set or remove one member in a JSON text, changing no other byte.

`json_structure` finds the places.
"""

import json
import re
from typing import Any, Final, cast

from palimp_clients.install.json_structure import (
    JsonShapeError,
    Path,
    Value,
    before_space,
    error_at,
    load_value,
    skip_space,
    structure_of,
    way_along,
)

DEFAULT_INDENT: Final = "  "

_INDENT: Final = re.compile(rb"[ \t]*+")


def value_at(text: bytes, path: Path) -> Any:
    """Return the value at *path*, or None.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    structure = structure_of(text)
    way = way_along(structure, path)
    return load_value(text, way[-1]) if len(way) > len(path) else None


def items_at(text: bytes, path: Path) -> list[Any]:
    """Return the items of the array at *path*, if any."""
    value = value_at(text, path)
    return cast("list[Any]", value) if isinstance(value, list) else []


def with_member(text: bytes, path: Path, value: Any) -> bytes:
    """Return *text* with *value* at *path*, making objects.

    Raises:
        JsonTextError: *text* is no JSON, or has another value on the way.
    """
    structure = structure_of(text)
    way = way_along(structure, path)
    if len(way) > len(path):
        start, end = way[-1].start, way[-1].end
        return text[:start] + _write_value(text, value, _indent_of(text, start)) + text[end:]
    parent, made = way[-1], len(way) - 1
    if made and _is_null(text, parent):
        for inner in reversed(path[made:]):
            value = {inner: value}
        return with_member(text, path[:made], value)
    if not parent.is_object:
        what = f"{'.'.join(path[:made]) or 'the value'} is no object"
        raise JsonShapeError(str(error_at(text, parent.start, what)))
    for inner in reversed(path[made + 1 :]):
        value = {inner: value}
    return _insert_value(text, structure, parent, f"{json.dumps(path[made], ensure_ascii=False)}: ".encode(), value)


def with_item(text: bytes, path: Path, value: Any) -> bytes:
    """Return *text* with *value* last in the array at *path*.

    Raises:
        JsonTextError: *text* is no JSON, or has something else at *path*.
    """
    structure = structure_of(text)
    way = way_along(structure, path)
    if len(way) <= len(path) or _is_null(text, way[-1]):
        return with_member(text, path, [value])
    if not way[-1].is_list:
        raise JsonShapeError(str(error_at(text, way[-1].start, f"{'.'.join(path)} is no list")))
    return _insert_value(text, structure, way[-1], b"", value)


def _is_null(text: bytes, value: Value) -> bool:
    return text[value.start : value.end].strip() == b"null"


def with_item_at(text: bytes, path: Path, index: int, value: Any) -> bytes:
    """Return *text* with *value* as item *index* at *path*.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    start, _, end = way_along(structure_of(text), path)[-1].entries[index]
    return text[:start] + _write_value(text, value, _indent_of(text, start)) + text[end:]


def without_member(text: bytes, path: Path) -> bytes:
    """Return *text* without any member at *path*.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    structure = structure_of(text)
    way = way_along(structure, path)
    return _cut(text, structure, way[-2], way[-2].by_name[path[-1]]) if len(way) > len(path) else text


def without_item(text: bytes, path: Path, index: int) -> bytes:
    """Return *text* without item *index* at *path*.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    structure = structure_of(text)
    return _cut(text, structure, way_along(structure, path)[-1], index)


# --- writing -------------------------------------------------------------------------------------


def _insert_value(text: bytes, structure: bytes, parent: Value, label: bytes, value: Any) -> bytes:
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    outer = _indent_of(text, parent.start)
    if not parent.entries:
        inner = outer + _unit_of(text)
        trivia = text[parent.start + 1 : parent.end - 1].rstrip()  # comments in an empty object stay
        entry = newline + inner + label + _write_value(text, value, inner) + newline + outer
        return b"".join([text[: parent.start + 1], trivia, entry, text[parent.end - 1 :]])
    first, last = parent.entries[0][0], parent.entries[-1][2]
    is_flat = b"\n" not in text[parent.start : first]
    inner = outer if is_flat else _indent_of(text, first)
    written = json.dumps(value, ensure_ascii=False).encode() if is_flat else _write_value(text, value, inner)
    tail = text[last : parent.end - 1]
    after = skip_space(structure, last)
    has_comma = structure[after : after + 1] == b","
    kept = tail.rstrip()
    is_beside = is_flat and b"/" not in kept  # behind a comment it would be a part of it
    entry = (b" " if is_beside else newline + inner) + label + written + (b"," if has_comma else b"")
    comma = b"" if has_comma else b","
    return b"".join([text[:last], comma, kept, entry, tail[len(kept) :], text[parent.end - 1 :]])


def _cut(text: bytes, structure: bytes, parent: Value, index: int) -> bytes:
    start, _, end = parent.entries[index]
    after = skip_space(structure, end)
    begin = before_space(text, start)
    head, gap = text[:begin], text[begin:start]
    is_behind_comment = structure[begin - 1 : begin] != text[begin - 1 : begin]
    if structure[after : after + 1] == b",":
        rest = text[after + 1 :]
    elif index == 0:
        inside = text[end : parent.end - 1]
        rest = (inside if inside.strip() or is_behind_comment else b"") + text[parent.end - 1 :]
    else:
        comma = skip_space(structure, parent.entries[index - 1][2])  # the one before it was only there because of it
        head, rest = text[:comma] + text[comma + 1 : begin], text[end:]
    # What follows would become a part of a comment that goes to the end of its line.
    is_swallowed = is_behind_comment and not rest.lstrip(b" \t\r").startswith(b"\n")
    return head + (gap if is_swallowed else b"") + rest


def _indent_of(text: bytes, at: int) -> bytes:
    match = _INDENT.match(text, text.rfind(b"\n", 0, at) + 1)
    return match[0] if match else b""


def _unit_of(text: bytes) -> bytes:
    match = re.search(rb"[{\[]\r?\n([ \t]+)", text)
    if not match:
        return DEFAULT_INDENT.encode()
    outer = _indent_of(text, match.start())
    return match[1][len(outer) :] or DEFAULT_INDENT.encode()


def _write_value(text: bytes, value: Any, indent: bytes) -> bytes:
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit_of(text).decode()).encode().split(b"\n")
    return (newline + indent).join(lines)
