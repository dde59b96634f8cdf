"""Decode requests and replies from JSON, and encode errors.

NUL is refused, since SQLite's string functions stop there; lone surrogates become U+FFFD.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast, get_args

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from palimp_protocol.decoders import decoder_of
from palimp_protocol.errors import ArgumentError, ErrorCode, PalimpError
from palimp_protocol.messages.caller import Call
from palimp_protocol.operations import Operation
from palimp_protocol.operations.operation import FOR_TERMINALS
from palimp_protocol.surrogates import mend_surrogates, mended_argument, mended_json
from palimp_protocol.text import encodable
from palimp_protocol.wire.lenient_arguments import lenient

T = TypeVar("T")
S = TypeVar("S", bound=Struct)


def decode_call(body: bytes) -> Call:
    """Return the call in a REQUEST frame's *body*.

    Raises:
        PalimpError: it is no call; the text says where.
    """
    return _decode(lambda: _mending(_CALL, body), "request")


def decode_arguments(operation: Operation, arguments: bytes) -> Any:
    """Return *operation*'s request from JSON *arguments*.

    Raises:
        PalimpError: an argument is wrong; the text names it.
    """
    decoder = decoder_of(operation.request)
    given = lambda: msgspec.json.decode(arguments)  # noqa: E731  only when something is wrong with them
    return _clean(_decode(lambda: _mending(decoder, arguments), operation.name, operation, given))


def convert_arguments(operation: Operation, arguments: dict[str, Any]) -> Any:
    """Return *operation*'s request from parsed *arguments*, leniently.

    Raises:
        PalimpError: as `decode_arguments`.
    """
    read = lenient(arguments, operation.request)
    decoder_of(operation.request)  # so that msgspec knows the class: `convert` would describe it
    convert = lambda: msgspec.convert(read, operation.request, strict=False)  # noqa: E731  as above
    return _clean(_decode(convert, operation.name, operation, lambda: read))


def encode_call(call: Call, request: Struct) -> bytes:
    """Return a REQUEST frame's body, lone surrogates mended.

    Raises:
        PalimpError: a text holds bytes of another encoding.
    """
    try:
        return msgspec.json.encode(replace(call, arguments=msgspec.Raw(msgspec.json.encode(request))))
    except UnicodeEncodeError:
        arguments = _each_text(msgspec.to_builtins(request), _mended_argument)
        caller = _each_text(msgspec.to_builtins(call.caller), mend_surrogates)
    body = {"operation": call.operation, "arguments": arguments, "caller": caller, "store": call.store}
    return msgspec.json.encode(body)


def _mended_argument(text: str) -> str:
    try:
        return mended_argument(text)
    except UnicodeDecodeError:
        place = next(place for place, character in enumerate(text, 1) if "\ud800" <= character <= "\udfff")
        said = f"The input is no UTF-8 text (character {place} of it)."
        raise PalimpError(ErrorCode.BAD_REQUEST, said, "Convert it first (iconv), or leave that out.") from None


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each_text(each, change) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {change(key): _each_text(each, change) for key, each in cast("dict[str, Any]", value).items()}
    return value


def decode_reply(operation: Operation, body: bytes) -> Any:
    """Return *operation*'s reply in a REPLY frame's *body*."""
    return decoder_of(operation.reply).decode(body)


def decode_error(body: bytes) -> PalimpError:
    """Return the error in an ERROR frame's *body*; unknown codes, of newer daemons, are refusals."""
    fields = decoder_of(dict[str, str]).decode(body)
    known = fields.get("code", "") in set(ErrorCode)
    code = ErrorCode(fields["code"]) if known else ErrorCode.REFUSED
    return PalimpError(code, fields.get("text", ""), fields.get("hint", ""))


def encode_error(error: PalimpError) -> bytes:
    """Return *error* as an ERROR frame's body, escaped."""
    text, hint = encodable(error.text), encodable(error.hint)
    return msgspec.json.encode({"code": error.code, "text": text, "hint": hint})


_CALL = decoder_of(Call)


def _mending(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended = mended_json(body)
        if mended == body:
            raise
        return decoder.decode(mended)


def _decode(
    decode: Callable[[], T], what: str, operation: Operation | None = None, given: Callable[[], Any] = lambda: None
) -> T:
    try:
        return decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        if isinstance(error, RecursionError):
            raise ArgumentError(what, "", "the JSON is nested too deeply.") from None
        text, _, place = str(error).partition(" - at ")
        path = place.strip("`").removeprefix("$").removeprefix(".")
        field = _FIELD.match(path)
        value = _value_at(given, path) if isinstance(error, msgspec.ValidationError) else None
        problem = wrongness(text, _bounds(operation, path), value)
        problem = f"has an entry that {problem}" if "[" in path else problem
        raise ArgumentError(what, field[0] if field else "", problem, _hint(operation, str(error), path)) from None


_FIELD: Final = re.compile(r"[^\[.]+")


def _hint(operation: Operation | None, text: str, path: str) -> str:
    if operation and "unknown field" in text:
        names = [name for name in operation.request.__struct_fields__ if name not in FOR_TERMINALS]
        return f"There are: {', '.join(names)}." if names else "It takes none."
    if operation and "invalid enum value" in text.lower():
        for field in msgspec.structs.fields(operation.request):
            if field.name == path:
                return f"Choose one of {', '.join(_choices(field.type))}."
    return ""


def _value_at(given: Callable[[], Any], path: str) -> Any:
    try:
        value = given()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    for name, index in re.findall(r"([^\[\].]+)|\[(\d+)\]", path):
        if isinstance(value, dict):
            value = cast("dict[str, Any]", value).get(name)
        elif isinstance(value, list) and index:
            value = cast("list[Any]", value)[int(index)]
        else:
            return None
    return value


def _bounds(operation: Operation | None, path: str) -> tuple[float | None, float | None]:
    if operation is None:
        return None, None
    for field in inspect.type_info(operation.request).fields:  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        if field.encode_name == path.partition("[")[0]:  # pyright: ignore[reportUnknownMemberType]
            return _bounds_of(cast("Any", field.type), is_item="[" in path)  # pyright: ignore[reportUnknownMemberType]
    return None, None


def _bounds_of(kind: Any, *, is_item: bool) -> tuple[float | None, float | None]:
    while hasattr(kind, "type"):  # a description is wrapped around it
        kind = kind.type
    for each in getattr(kind, "types", (kind,)):
        if hasattr(each, "type"):
            return _bounds_of(each, is_item=is_item)
        if is_item and hasattr(each, "item_type"):
            return _bounds_of(each.item_type, is_item=False)
        for least, most in (("ge", "le"), ("min_length", "max_length")):
            found = (getattr(each, least, None), getattr(each, most, None))
            if any(map(_is_bound, found)):
                return found
    return None, None


def _choices(kind: Any) -> list[str]:
    inner = get_args(kind)
    return [each for each in inner if isinstance(each, str)] or [choice for each in inner for choice in _choices(each)]


_KINDS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}

SHOWN_CHARACTERS: Final = 60
"""Characters shown of a wrong value."""


def wrongness(text: str, bounds: tuple[float | None, float | None], value: Any) -> str:
    """Return msgspec's *text* to follow the argument's name; *bounds* are (least, most)."""
    for pattern, sentence in _SENTENCES:
        if match := re.match(pattern, text):
            return sentence(match, bounds, value)
    return f"{text[:1].lower()}{text[1:]}."


def _of_number(_: re.Match[str], bounds: tuple[float | None, float | None], value: Any) -> str:
    return (
        f"must be {_span(bounds)}{_got(value)}." if any(map(_is_bound, bounds)) else f"is out of bounds{_got(value)}."
    )


def _of_length(match: re.Match[str], bounds: tuple[float | None, float | None], value: Any) -> str:
    if bounds[0] == 1 and not value:
        return "must not be empty."
    unit = "characters" if match[1] == "str" else "entries"
    got = f" (got {len(cast('str | list[Any]', value)):,})" if isinstance(value, str | list) else ""
    span = _span(bounds if (bounds[0] or 0) > 1 else (None, bounds[1]))
    return f"must have {span} {unit}{got}."


def _of_kind(match: re.Match[str], _: tuple[float | None, float | None], value: Any) -> str:
    wanted = " or ".join(_KINDS.get(kind, kind) for kind in match[1].split(" | ") if kind != "null")
    return f"must be {wanted}, not {_KINDS.get(match[2], match[2])}{_got(value)}."


_SENTENCES: Final[tuple[tuple[str, Callable[[re.Match[str], tuple[float | None, float | None], Any], str]], ...]] = (
    (r"Expected `(int|float)` (?:>=|<=|>|<)", _of_number),
    (r"Expected `(str|array)` of length", _of_length),
    (r"Expected `([^`]+)`, got `([^`]+)`", _of_kind),
    (r"Expected `str` matching regex", lambda _, __, value: f"has not the right form{_got(value)}."),
    (r"Invalid enum value (.*)", lambda match, _, __: f"cannot be {match[1][:SHOWN_CHARACTERS]}."),
    (r"Object contains unknown field `(.*)`", lambda match, _, __: f"there is no argument {match[1]!r:.60}."),
    (r"Object missing required field `(.*)`", lambda match, _, __: f"{match[1]} is missing."),
)
"""Patterns of msgspec's texts, and functions that turn them into sentences."""


def _is_bound(bound: float | None) -> bool:
    return bound is not None


def _span(bounds: tuple[float | None, float | None]) -> str:
    least, most = bounds
    if least is not None and most is not None:
        return f"between {least:,} and {most:,}"
    return f"at most {most:,}" if most is not None else f"at least {least or 0:,}"


def _got(value: Any) -> str:
    if value is None:
        return ""
    shown = msgspec.json.encode(value).decode(errors="replace")
    return f" (got {shown if len(shown) <= SHOWN_CHARACTERS else shown[:SHOWN_CHARACTERS] + '…'})"


def _clean(request: S) -> S:
    for name in request.__struct_fields__:
        value: Any = getattr(request, name)
        for text in cast("list[Any]", value) if isinstance(value, list) else (value,):
            if isinstance(text, str) and "\0" in text:
                raise PalimpError(ErrorCode.BAD_REQUEST, f"{name}: the text holds a NUL character.", "Send it without.")
    return request
