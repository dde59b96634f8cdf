"""One member in the text of a JSON file: set or taken out, with everything else as it was, to the byte.

Theory
------
Clients and people write these files: with comments, trailing commas, an order that means something, tabs, CRLF, numbers
that a parser would round. So nothing is parsed and written again: a scanner finds where the values stand, and bytes are
put in or cut out there, indented as their neighbours are.

Such a file may have tens of megabytes (Claude Code keeps its history in one), so nothing is built from what is not
asked for. msgspec checks the whole text without making a value of it; then one regular expression skips whole values
from bracket to bracket, and only the objects on the way to the member are listed. Every function takes time that grows
with the length of the text, and memory for a few copies of it.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

DEFAULT_INDENT: Final = "  "
BOM: Final = b"\xef\xbb\xbf"

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_INDENT: Final = re.compile(rb"[ \t]*+")
_PLAIN: Final = re.compile(rb"[^ \t\r\n,\]}]++")
_TO_BRACKET: Final = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Everything up to the next bracket that is in no string."""

_STRING_OR_COMMENT: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|//[^\n]*+|/\*.*?\*/', re.DOTALL)
_STRING_OR_COMMA: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[{,:][ \t\r\n]*+,|,(?=[ \t\r\n]*+[\]}])', re.DOTALL)
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""Half a pair of surrogates may stand alone: what JavaScript leaves of a cut emoji. msgspec does not skip it."""

_SAID: Final = (
    ("expected ':'", "a colon is missing"),
    ("expected '\"'", "a name in quotes is missing"),
    ("expected ',' or '}'", "a comma or } is missing"),
    ("expected ',' or ']'", "a comma or ] is missing"),
    ("trailing comma", "there is a comma too many"),
    ("trailing characters", "there is more after the value"),
    ("invalid character", "a value is missing, or a character does not belong here"),
    ("truncated", "it ends in the middle of a value"),
)
"""What msgspec says of malformed JSON, and what people are told."""

Path = tuple[str, ...]


class JsonTextError(ValueError):
    """The text is no JSON; the message says where."""


@dataclass
class _Container:
    """An object or a list in a text: where it stands, and its entries: where name (or value), value and end stand."""

    start: int
    is_object: bool
    end: int = 0
    entries: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    by_name: dict[str, int] = field(default_factory=dict[str, int])
    """The place in *entries*; of a name that stands twice the last, which is the one that parsers take."""


def check(text: bytes) -> None:
    """Make sure that *text* is JSON; comments and trailing commas are allowed.

    Raises:
        JsonTextError: it is not.
    """
    _structure(text)


def value_at(text: bytes, path: Path) -> Any:
    """Return the value at *path* of *text*; None when there is none.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    structure = _structure(text)
    at = _at(structure, path)
    return None if at is None else _loaded(structure, at, _end_of(structure, at))


def items_at(text: bytes, path: Path) -> list[Any]:
    """Return the items of the array at *path*; none when there is no array."""
    structure = _structure(text)
    found = _container_at(structure, path)
    return [_loaded(structure, start, end) for _, start, end in found.entries] if found and not found.is_object else []


def with_member(text: bytes, path: Path, value: Any) -> bytes:
    """Return *text* with the member at *path* set to *value*; objects on the way are made.

    Raises:
        JsonTextError: *text* is no JSON, or something on the way is no object.
    """
    structure, made = _structure(text), len(path)
    while made > 1 and _at(structure, path[: made - 1]) is None:
        made -= 1
    parent = _container_at(structure, path[: made - 1])
    if parent is None or not parent.is_object:
        at = _at(structure, path[: made - 1]) or 0
        raise _error(text, at, f"{'.'.join(path[: made - 1]) or 'the value'} is no object")
    name = path[made - 1]
    for inner in reversed(path[made:]):
        value = {inner: value}
    if name in parent.by_name:
        _, start, end = parent.entries[parent.by_name[name]]
        return text[:start] + _written(text, value, _indent_of(text, start)) + text[end:]
    return _inserted(text, structure, parent, f"{json.dumps(name, ensure_ascii=False)}: ".encode(), value)


def with_item(text: bytes, path: Path, value: Any) -> bytes:
    """Return *text* with *value* at the end of the array at *path*, which is made if need be.

    Raises:
        JsonTextError: *text* is no JSON, or there is something else at *path*.
    """
    structure = _structure(text)
    at = _at(structure, path)
    if at is None:
        return with_member(text, path, [value])
    found = _container_at(structure, path)
    if found is None or found.is_object:
        raise _error(text, at, f"{'.'.join(path)} is no list")
    return _inserted(text, structure, found, b"", value)


def without_member(text: bytes, path: Path) -> bytes:
    """Return *text* without the member at *path*, if it is there.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    structure = _structure(text)
    parent = _container_at(structure, path[:-1])
    if parent is None or path[-1] not in parent.by_name:
        return text
    return _cut(text, structure, parent, parent.by_name[path[-1]])


def without_item(text: bytes, path: Path, index: int) -> bytes:
    """Return *text* without the item numbered *index* of the array at *path*.

    Raises:
        JsonTextError: *text* is no JSON.
    """
    structure = _structure(text)
    parent = _container_at(structure, path)
    assert parent is not None  # noqa: S101  whoever has an index has looked
    return _cut(text, structure, parent, index)


# --- checking ------------------------------------------------------------------------------------


def _structure(text: bytes) -> bytes:
    """Return *text* with spaces where comments and a byte order mark are, so that only JSON and spare commas are left.

    Raises:
        JsonTextError: it is no JSON.
    """
    if _problem(text) is None:
        return text
    without = b"   " + text[len(BOM) :] if text.startswith(BOM) else text
    if _problem(_SURROGATE.sub(rb"\\u0020", without)) is None:
        return without
    without = _STRING_OR_COMMENT.sub(lambda match: match[0] if match[0][:1] == b'"' else b" " * len(match[0]), without)
    strict = _STRING_OR_COMMA.sub(lambda match: b" " if match[0] == b"," else match[0], without)
    if problem := _problem(_SURROGATE.sub(rb"\\u0020", strict)):
        raise _explained(text, problem)
    return without


def _problem(text: bytes) -> str | None:
    """Return what msgspec says against *text*; None: it is JSON."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except RecursionError:
        return "nested"
    except msgspec.DecodeError as error:
        return str(error)
    return None


def _explained(text: bytes, problem: str) -> JsonTextError:
    if problem == "nested":
        return JsonTextError("too many values are nested in one another")
    at = re.search(r"\(byte (\d+)\)", problem)
    said = next((ours for theirs, ours in _SAID if theirs in problem), problem)
    return _error(text, int(at[1]) if at else len(text), said)


def _error(text: bytes, at: int, what: str) -> JsonTextError:
    begin = text.rfind(b"\n", 0, at) + 1
    column = len(text[begin:at].removeprefix(BOM).decode("utf-8", "replace")) + 1
    line = text.count(b"\n", 0, at) + 1
    return JsonTextError(f"line {line}, column {column}: {what}")


# --- scanning: what was checked is not checked again ---------------------------------------------


def _skip(structure: bytes, at: int) -> int:
    """Return where the next thing begins that is no white space."""
    match = _SPACE.match(structure, at)
    return match.end() if match else at


def _end_of(structure: bytes, at: int) -> int:
    """Return where the value that begins *at* ends."""
    opening = structure[at : at + 1]
    if opening not in (b"{", b"["):
        match = (_STRING if opening == b'"' else _PLAIN).match(structure, at)
        assert match  # noqa: S101  it was checked
        return match.end()
    depth, at, to_bracket = 1, at + 1, _TO_BRACKET.match
    while depth:
        match = to_bracket(structure, at)
        assert match  # noqa: S101  it fits nothing, too
        at = match.end() + 1
        depth += 1 if structure[at - 1] in b"{[" else -1
    return at


def _container(structure: bytes, start: int) -> _Container:
    """Return what is in the object or list that begins at *start*."""
    found = _Container(start, structure[start : start + 1] == b"{")
    at = _skip(structure, start + 1)
    while structure[at] not in b"}]":
        begin = at
        if found.is_object:
            end = _end_of(structure, at)
            found.by_name[json.loads(structure[at:end])] = len(found.entries)
            at = _skip(structure, _skip(structure, end) + 1)  # behind the colon
        end = _end_of(structure, at)
        found.entries.append((begin, at, end))
        at = _skip(structure, end)
        if structure[at] == ord(","):
            at = _skip(structure, at + 1)
    found.end = at + 1
    return found


def _at(structure: bytes, path: Path) -> int | None:
    """Return where the value at *path* begins; None when there is none."""
    at = _skip(structure, 0)
    for name in path:
        found = _container(structure, at) if structure[at : at + 1] == b"{" else None
        if found is None or name not in found.by_name:
            return None
        at = found.entries[found.by_name[name]][1]
    return at


def _container_at(structure: bytes, path: Path) -> _Container | None:
    """Return the object or list at *path*; None when there is none."""
    at = _at(structure, path)
    return _container(structure, at) if at is not None and structure[at : at + 1] in (b"{", b"[") else None


def _loaded(structure: bytes, start: int, end: int) -> Any:
    strict = _STRING_OR_COMMA.sub(lambda match: b" " if match[0] == b"," else match[0], structure[start:end])
    return json.loads(strict)


# --- writing -------------------------------------------------------------------------------------


def _inserted(text: bytes, structure: bytes, parent: _Container, label: bytes, value: Any) -> bytes:
    """Return *text* with a new entry at the end of *parent*, indented as its neighbours are."""
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    outer = _indent_of(text, parent.start)
    if not parent.entries:
        inner = outer + _unit_of(text)
        trivia = text[parent.start + 1 : parent.end - 1].rstrip()  # comments in an empty object stay
        entry = newline + inner + label + _written(text, value, inner) + newline + outer
        return text[: parent.start + 1] + trivia + entry + text[parent.end - 1 :]
    first, last = parent.entries[0][0], parent.entries[-1][2]
    is_flat = b"\n" not in text[parent.start : first]
    inner = outer if is_flat else _indent_of(text, first)
    written = json.dumps(value, ensure_ascii=False).encode() if is_flat else _written(text, value, inner)
    tail = text[last : parent.end - 1]
    after = _skip(structure, last)
    has_comma = structure[after : after + 1] == b","
    kept = tail.rstrip()
    is_beside = is_flat and b"/" not in kept  # behind a comment it would be a part of it
    entry = (b" " if is_beside else newline + inner) + label + written + (b"," if has_comma else b"")
    return text[:last] + (b"" if has_comma else b",") + kept + entry + tail[len(kept) :] + text[parent.end - 1 :]


def _cut(text: bytes, structure: bytes, parent: _Container, index: int) -> bytes:
    """Return *text* without the entry numbered *index* of *parent*, its comma and its line."""
    start, _, end = parent.entries[index]
    after = _skip(structure, end)
    begin = _before(text, start)
    head, gap = text[:begin], text[begin:start]
    is_behind_comment = structure[begin - 1 : begin] != text[begin - 1 : begin]
    if structure[after : after + 1] == b",":
        rest = text[after + 1 :]
    elif index == 0:
        inside = text[end : parent.end - 1]
        rest = (inside if inside.strip() or is_behind_comment else b"") + text[parent.end - 1 :]
    else:
        comma = _skip(structure, parent.entries[index - 1][2])  # the one before it was only there because of it
        head, rest = text[:comma] + text[comma + 1 : begin], text[end:]
    # What follows would become a part of a comment that goes to the end of its line.
    is_swallowed = is_behind_comment and not rest.lstrip(b" \t\r").startswith(b"\n")
    return head + (gap if is_swallowed else b"") + rest


def _before(text: bytes, start: int) -> int:
    """Return where the white space in front of *start* begins."""
    while start and text[start - 1] in b" \t\r\n":
        start -= 1
    return start


def _indent_of(text: bytes, at: int) -> bytes:
    """Return the white space at the beginning of the line of *at*."""
    match = _INDENT.match(text, text.rfind(b"\n", 0, at) + 1)
    return match[0] if match else b""


def _unit_of(text: bytes) -> bytes:
    """Return by what one level is indented in *text*."""
    match = re.search(rb"[{\[]\r?\n([ \t]+)", text)
    if not match:
        return DEFAULT_INDENT.encode()
    outer = _indent_of(text, match.start())
    return match[1][len(outer) :] or DEFAULT_INDENT.encode()


def _written(text: bytes, value: Any, indent: bytes) -> bytes:
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    lines = json.dumps(value, ensure_ascii=False, indent=_unit_of(text).decode()).encode().split(b"\n")
    return (newline + indent).join(lines)
