"""Find values in a JSON text with comments and spare commas.

It may have tens of megabytes (Claude Code's history), so only objects on the way are listed: msgspec checks the text,
and a regular expression skips values, in linear time and memory.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from palimp_protocol.decoders import decoder_of

BOM: Final = b"\xef\xbb\xbf"

_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_PLAIN: Final = re.compile(rb"[^ \t\r\n,\]}]++")
_FLAT: Final = rb'[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+"'
"""Strings, and all that is no bracket."""

NESTED_AT_ONCE: Final = 4
"""Levels of nesting that one step of the regular expression covers."""


def _to_bracket() -> re.Pattern[bytes]:
    inner = _FLAT
    for _ in range(NESTED_AT_ONCE):
        inner = _FLAT + rb"|[{\[](?:" + inner + rb")*+[}\]]"
    return re.compile(rb"(?:" + inner + rb")*+", re.DOTALL)


_TO_BRACKET: Final = _to_bracket()

_NEXT_COMMENT: Final = re.compile(rb'(?:[^"/]++|"(?:[^"\\]++|\\.)*+"|/(?![/*]))*+(//[^\n]*+|/\*.*?\*/)', re.DOTALL)
_NEXT_SPARE_COMMA: Final = re.compile(rb'(?:[^",]++|"(?:[^"\\]++|\\.)*+"|,(?![ \t\r\n]*+[\]}]))*+(,)', re.DOTALL)
"""From any place outside a string to the end of the next one."""

_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""Half a surrogate pair may stand alone, as in JavaScript's cut emoji; msgspec rejects it."""

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
"""Msgspec's messages on malformed JSON, and ours."""

Path = tuple[str, ...]
"""Names from the top level down."""


class JsonTextError(ValueError):
    """The text is no JSON; the message says where."""


class JsonShapeError(JsonTextError):
    """Another value stands where something is to be put in."""


@dataclass
class Value:
    """A value's place; of an object or a list also its entries': name (or value), value, end."""

    start: int
    end: int
    is_object: bool
    is_list: bool
    entries: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    by_name: dict[str, int] = field(default_factory=dict[str, int])
    """Place in *entries*; of a repeated name the last, as parsers take it."""


# --- checking ------------------------------------------------------------------------------------


def structure_of(text: bytes) -> bytes:
    """Return *text* as JSON at the same places, with spare commas, and spaces for comments.

    Raises:
        JsonTextError: it is no JSON.
    """
    if _problem(text) is None:
        return text
    structure = _SURROGATE.sub(rb"\\u0020", b"   " + text[len(BOM) :] if text.startswith(BOM) else text)
    if _problem(structure) is None:
        return structure
    structure = _blank_out(structure, _NEXT_COMMENT)
    if problem := _problem(_without_spare_commas(structure)):
        raise _explain_problem(text, problem)
    return structure


def _blank_out(text: bytes, of_next: re.Pattern[bytes]) -> bytes:
    pieces: list[bytes] = []
    at = 0
    while match := of_next.match(text, at):
        start, end = match.span(1)
        is_kept = text[start:end] == b"," and text[before_space(text, start) - 1 : before_space(text, start)] in (
            b"[",
            b"{",
            b",",
            b":",
        )
        pieces += (text[at:start], text[start:end] if is_kept else b" " * (end - start))
        at = end
    return b"".join([*pieces, text[at:]]) if pieces else text


def _without_spare_commas(structure: bytes) -> bytes:
    return _blank_out(structure, _NEXT_SPARE_COMMA)


def _problem(text: bytes) -> str | None:
    try:
        decoder_of(msgspec.Raw).decode(text)
    except RecursionError:
        return "nested"
    except msgspec.DecodeError as error:
        return str(error)
    return None


def _explain_problem(text: bytes, problem: str) -> JsonTextError:
    if problem == "nested":
        return JsonTextError("too many values are nested in one another")
    at = re.search(r"\(byte (\d+)\)", problem)
    said = next((ours for theirs, ours in _SAID if theirs in problem), problem)
    return error_at(text, int(at[1]) if at else len(text), said)


def error_at(text: bytes, at: int, what: str) -> JsonTextError:
    """Return the error *what* with the line and column of *at*."""
    begin = text.rfind(b"\n", 0, at) + 1
    column = len(text[begin:at].removeprefix(BOM).decode("utf-8", "replace")) + 1
    line = text.count(b"\n", 0, at) + 1
    return JsonTextError(f"line {line}, column {column}: {what}")


# --- scanning: what was checked is not checked again ---------------------------------------------


def skip_space(structure: bytes, at: int) -> int:
    """Return the next place without white space."""
    match = _SPACE.match(structure, at)
    return match.end() if match else at


def _end_of(structure: bytes, at: int) -> int:
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


def _value(structure: bytes, start: int, end: int) -> Value:
    kind = structure[start : start + 1]
    found = Value(start, end, is_object=kind == b"{", is_list=kind == b"[")
    if not (found.is_object or found.is_list):
        return found
    lengths = _lengths(structure, start, end)
    at = skip_space(structure, start + 1)
    while structure[at] not in b"}]":
        begin = at
        if found.is_object:
            after = _end_of(structure, at)
            found.by_name[json.loads(structure[at:after])] = len(found.entries)
            at = skip_space(structure, skip_space(structure, after) + 1)  # behind the colon
        after = at + lengths[len(found.entries)] if lengths else _end_of(structure, at)
        found.entries.append((begin, at, after))
        at = skip_space(structure, after)
        if structure[at] == ord(","):
            at = skip_space(structure, at + 1)
    return found


def _lengths(structure: bytes, start: int, end: int) -> list[int]:
    """Return entries' lengths by msgspec, much faster; empty at spare commas or a repeated name."""
    kind = dict[str, msgspec.Raw] if structure[start : start + 1] == b"{" else list[msgspec.Raw]
    try:
        found = decoder_of(kind).decode(memoryview(structure)[start:end])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []
    if isinstance(found, list):
        return [len(memoryview(value)) for value in found]
    lengths = [len(memoryview(value)) for value in found.values()]
    return [] if _has_name_twice(structure, start, end, lengths) else lengths


def _has_name_twice(structure: bytes, start: int, end: int, lengths: list[int]) -> bool:
    at = skip_space(structure, start + 1)
    for length in lengths:
        if structure[at : at + 1] != b'"':
            return True
        at = skip_space(structure, skip_space(structure, _end_of(structure, at)) + 1) + length
        at = skip_space(structure, at)
        if structure[at : at + 1] not in (b",", b"}"):
            return True
        at = skip_space(structure, at + 1) if structure[at : at + 1] == b"," else at
    return at != end - 1


def way_along(structure: bytes, path: Path) -> list[Value]:
    """Return the values along *path*, the whole first: one more than names, if all exist."""
    start, end = skip_space(structure, 0), len(structure.rstrip(b" \t\r\n"))
    way = [_value(structure, start, end)]
    for name in path:
        if name not in way[-1].by_name:
            break
        _, start, end = way[-1].entries[way[-1].by_name[name]]
        way.append(_value(structure, start, end))
    return way


def load_value(text: bytes, value: Value) -> Any:
    """Return *value* in *text*.

    Raises:
        JsonTextError: it is nested too deeply.
    """
    piece = _without_spare_commas(_blank_out(text[value.start : value.end], _NEXT_COMMENT))
    try:
        return json.loads(piece)
    except RecursionError:
        raise _explain_problem(text, "nested") from None


def before_space(text: bytes, start: int) -> int:
    """Return the beginning of white space before *start*."""
    while start and text[start - 1] in b" \t\r\n":
        start -= 1
    return start
