"""Read tools' arguments leniently, where they have one meaning: models are less strict than the schema.

An empty text or `"null"` is left out, a text becomes its list (JSON, else split at commas), list items become texts,
quotes around one of a few words go.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple, cast

import msgspec
from msgspec import Struct, inspect

_NOTHING: Final = frozenset({"", "null", "none", "undefined"})
"""Texts for nothing; where any text is possible, only the empty one is, if it could not be meant."""


class _Expected(NamedTuple):
    is_text: bool
    takes_empty: bool
    is_list: bool
    is_choice: bool
    has_default: bool


def lenient(arguments: Mapping[str, Any], request: type[Struct]) -> dict[str, Any]:
    """Return *arguments* as *request* takes them, if unambiguous."""
    expected = _expected_of(request)
    read: dict[str, Any] = {}
    for name, value in arguments.items():
        about = expected.get(name)
        if about is None:
            read[name] = value
        elif not (about.has_default and _is_nothing(value, about)):
            read[name] = _read(value, about)
    return read


@cache
def _expected_of(request: type[Struct]) -> Mapping[str, _Expected]:
    about = cast("inspect.StructType", inspect.type_info(request))
    return {field.encode_name: _expectation(field) for field in about.fields}


def _expectation(field: inspect.Field) -> _Expected:
    kinds = list(_kinds(field.type))
    return _Expected(
        is_text=any(isinstance(kind, inspect.StrType) for kind in kinds),
        takes_empty=any(isinstance(kind, inspect.StrType) and not kind.min_length for kind in kinds),
        is_list=any(isinstance(kind, inspect.ListType) for kind in kinds),
        is_choice=any(isinstance(kind, inspect.LiteralType) for kind in kinds),
        has_default=not field.required,
    )


def _kinds(kind: inspect.Type) -> list[inspect.Type]:
    if isinstance(kind, inspect.Metadata):
        return _kinds(kind.type)
    return [each for one in kind.types for each in _kinds(one)] if isinstance(kind, inspect.UnionType) else [kind]


def _is_nothing(value: Any, about: _Expected) -> bool:
    if not isinstance(value, str):
        return value is None
    text = value.strip().lower()
    return text in _NOTHING if not about.is_text else not text and not about.takes_empty


def _read(value: Any, about: _Expected) -> Any:
    if about.is_list:
        listed = _as_list(value) if isinstance(value, str) else value
        return [_as_text(each) for each in cast("list[Any]", listed)] if isinstance(listed, list) else listed
    if about.is_choice and isinstance(value, str):
        text = _from_json(value)
        return text if isinstance(text, str) else value
    return value.strip() if isinstance(value, str) and not about.is_text else value


def _as_list(text: str) -> list[Any]:
    found = _from_json(text)
    if isinstance(found, list):
        return cast("list[Any]", found)
    if isinstance(found, str) and found != text:  # a list that was written as JSON twice
        return _as_list(found)
    inner = text.strip().removeprefix("[").removesuffix("]")  # [api, 'db'], as no JSON has it
    return [part for each in inner.split(",") if (part := each.strip().strip("\"'").strip())]


def _as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | int | float) else value


_JSON = msgspec.json.Decoder(float_hook=str)
"""Keeps numbers as written: `[12e4567]` is the beginning of a hash, not infinity."""


def _from_json(text: str) -> Any:
    try:
        return _JSON.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
