"""One member in the text of a JSON file: set or taken out, with everything else as it was, to the byte.

Theory
------
Clients and people write these files: with comments, trailing commas, an order that means something, tabs, CRLF, numbers
that a parser would round. So nothing is parsed and written again: a scanner finds where the values stand, and text is
put in or cut out there, indented as its neighbours are.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

DEPTH_MAX: Final = 100
"""Nested values; settings have a handful."""

_TRIVIA: Final = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_PLAIN: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")

DEFAULT_INDENT: Final = "  "

Path = tuple[str, ...]


class JsonTextError(ValueError):
    """The text is no JSON; the message says where."""


@dataclass
class Node:
    """A value in a text: where it stands, and the members of an object or the items of an array."""

    start: int
    end: int
    kind: str
    """object, array or value."""
    members: dict[str, tuple[int, "Node"]] = field(default_factory=dict[str, tuple[int, "Node"]])
    """By name: where the name stands, and the value."""
    items: list["Node"] = field(default_factory=list["Node"])


def parsed(text: str) -> Node:
    """Return the value that *text* is; comments and trailing commas are allowed.

    Raises:
        JsonTextError: it is none.
    """
    node = _value(text, _skip(text, 0), 0)
    if _skip(text, node.end) != len(text):
        raise _error(text, _skip(text, node.end), "there is more after the value")
    return node


def value_at(text: str, path: Path) -> Any:
    """Return the value at *path* of *text*; None when there is none.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    node = _at(parsed(text), path)
    return None if node is None else _loaded(text, node)


def items_at(text: str, path: Path) -> list[Any]:
    """Return the items of the array at *path*; none when there is no array."""
    node = _at(parsed(text), path)
    return [_loaded(text, item) for item in node.items] if node else []


def with_member(text: str, path: Path, value: Any) -> str:
    """Return *text* with the member at *path* set to *value*; objects on the way are made.

    Raises:
        JsonTextError: *text* is no JSON, or something on the way is no object.
    """
    root, made = parsed(text), len(path)
    while made > 1 and _at(root, path[: made - 1]) is None:
        made -= 1
    parent = _at(root, path[: made - 1])
    assert parent is not None  # noqa: S101  the root is there
    if parent.kind != "object":
        raise _error(text, parent.start, f"{'.'.join(path[: made - 1]) or 'the value'} is no object")
    name = path[made - 1]
    for inner in reversed(path[made:]):
        value = {inner: value}
    if name in parent.members:
        node = parent.members[name][1]
        return text[: node.start] + _written(text, value, _indent_of(text, node.start)) + text[node.end :]
    entries = [(start, node.end) for start, node in parent.members.values()]
    return _inserted(text, parent, entries, f"{json.dumps(name, ensure_ascii=False)}: ", value)


def with_item(text: str, path: Path, value: Any) -> str:
    """Return *text* with *value* at the end of the array at *path*, which is made if need be.

    Raises:
        JsonTextError: *text* is no JSON, or there is something else at *path*.
    """
    node = _at(parsed(text), path)
    if node is None:
        return with_member(text, path, [value])
    if node.kind != "array":
        raise _error(text, node.start, f"{'.'.join(path)} is no list")
    return _inserted(text, node, [(item.start, item.end) for item in node.items], "", value)


def without_member(text: str, path: Path) -> str:
    """Return *text* without the member at *path*, if it is there.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    parent = _at(parsed(text), path[:-1])
    if parent is None or path[-1] not in parent.members:
        return text
    start, node = parent.members[path[-1]]
    return _cut(text, parent, start, node.end)


def without_item(text: str, path: Path, index: int) -> str:
    """Return *text* without the item numbered *index* of the array at *path*.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    parent = _at(parsed(text), path)
    assert parent is not None  # noqa: S101  whoever has an index has looked
    item = parent.items[index]
    return _cut(text, parent, item.start, item.end)


# --- scanning ------------------------------------------------------------------------------------


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEPTH_MAX:
        raise _error(text, at, f"more than {DEPTH_MAX} values are nested")
    if text[at : at + 1] == "{":
        return _container(text, at, depth, "object", "}")
    if text[at : at + 1] == "[":
        return _container(text, at, depth, "array", "]")
    match = _STRING.match(text, at) or _PLAIN.match(text, at)
    if not match or not match[0]:
        raise _error(text, at, "a value is missing")
    return Node(at, match.end(), "value")


def _container(text: str, start: int, depth: int, kind: str, close: str) -> Node:
    node = Node(start, start, kind)
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        begin = at
        name = ""
        if kind == "object":
            name, at = _name(text, at)
        inner = _value(text, at, depth + 1)
        if kind == "object":
            node.members[name] = (begin, inner)
        else:
            node.items.append(inner)
        at = _skip(text, inner.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != close:
            raise _error(text, at, f"a comma or {close} is missing")
    node.end = at + 1
    return node


def _name(text: str, at: int) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if not match:
        raise _error(text, at, "a name in quotes is missing")
    at = _skip(text, match.end())
    if text[at : at + 1] != ":":
        raise _error(text, at, "a colon is missing")
    return json.loads(match[0]), _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    """Return where the next thing begins that is neither white space nor a comment."""
    match = _TRIVIA.match(text, at)
    return match.end() if match else at


def _at(node: Node, path: Path) -> Node | None:
    for name in path:
        if name not in node.members:
            return None
        node = node.members[name][1]
    return node


def _loaded(text: str, node: Node) -> Any:
    if node.kind == "object":
        return {name: _loaded(text, inner) for name, (_, inner) in node.members.items()}
    if node.kind == "array":
        return [_loaded(text, inner) for inner in node.items]
    return json.loads(text[node.start : node.end])


def _error(text: str, at: int, what: str) -> JsonTextError:
    line = text.count("\n", 0, at) + 1
    return JsonTextError(f"line {line}, column {at - text.rfind(chr(10), 0, at)}: {what}")


# --- writing -------------------------------------------------------------------------------------


def _inserted(text: str, parent: Node, entries: list[tuple[int, int]], label: str, value: Any) -> str:
    """Return *text* with a new entry at the end of *parent*, indented as its neighbours are."""
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_of(text, parent.start)
    if not entries:
        inner = outer + _unit_of(text)
        trivia = text[parent.start + 1 : parent.end - 1].rstrip()  # comments in an empty object stay
        entry = f"{newline}{inner}{label}{_written(text, value, inner)}{newline}{outer}"
        return text[: parent.start + 1] + trivia + entry + text[parent.end - 1 :]
    first, last = entries[0][0], entries[-1][1]
    is_flat = "\n" not in text[parent.start : first]
    inner = outer if is_flat else _indent_of(text, first)
    written = _written(text, value, inner) if not is_flat else json.dumps(value, ensure_ascii=False)
    tail = text[last : parent.end - 1]
    has_comma = text[_skip(text, last) : _skip(text, last) + 1] == ","
    kept = tail.rstrip()
    entry = f" {label}{written}" if is_flat and not kept.endswith("*/") else f"{newline}{inner}{label}{written}"
    entry += "," if has_comma else ""
    return text[:last] + ("" if has_comma else ",") + kept + entry + tail[len(kept) :] + text[parent.end - 1 :]


def _cut(text: str, parent: Node, start: int, end: int) -> str:
    """Return *text* without what stands from *start* to *end* in *parent*, its comma and its line."""
    after = _skip(text, end)
    begin = _before(text, start)
    if text[after : after + 1] == ",":
        return text[:begin] + text[after + 1 :]
    ends = [node.end for _, node in parent.members.values()] + [node.end for node in parent.items]
    before = max((each for each in ends if each < start), default=None)
    if before is None:
        inside = text[end : parent.end - 1]
        return text[:begin] + (inside if inside.strip() else "") + text[parent.end - 1 :]
    comma = _skip(text, before)  # the one before it was only there because of it
    return text[:comma] + text[comma + 1 : begin] + text[end:]


def _before(text: str, start: int) -> int:
    """Return where the white space in front of *start* begins."""
    while start and text[start - 1] in " \t\r\n":
        start -= 1
    return start


def _indent_of(text: str, at: int) -> str:
    """Return the white space at the beginning of the line of *at*."""
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit_of(text: str) -> str:
    """Return by what one level is indented in *text*."""
    match = re.search(r"[{\[]\r?\n([ \t]+)", text)
    if not match:
        return DEFAULT_INDENT
    outer = _indent_of(text, match.start())
    return match[1][len(outer) :] or DEFAULT_INDENT


def _written(text: str, value: Any, indent: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit_of(text)).split("\n")
    return f"{newline}{indent}".join(lines)
