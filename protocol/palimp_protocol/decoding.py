"""From bytes to requests and replies, and from errors to bytes.

Every function here is total: what cannot be decoded is a `PalimpError` that names what is wrong and, where
that can be known, lists what would be right. msgspec refuses unknown names, wrong types, NaN and lone
surrogates; added here is the refusal of NUL, at which SQLite's string functions stop.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast, get_args

import msgspec
from msgspec import Struct

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import ERROR_CHARACTERS_MAX
from palimp_protocol.operations import Call
from palimp_protocol.plain import encodable
from palimp_protocol.table import Operation

T = TypeVar("T")
S = TypeVar("S", bound=Struct)


def decode_call(body: bytes) -> Call:
    """Return the call in the *body* of a REQUEST frame.

    Raises:
        PalimpError: it is not a call; the text says where.
    """
    return _decoded(lambda: _CALL.decode(body), "request")


def decode_arguments(operation: Operation, arguments: bytes) -> Any:
    """Return *operation*'s request from JSON *arguments*.

    Raises:
        PalimpError: an argument is missing, unknown, mistyped or out of bounds; the text names it.
    """
    decoder = _decoder_of(operation.request)
    return _clean(_decoded(lambda: decoder.decode(arguments), operation.name, operation))


def convert_arguments(operation: Operation, arguments: dict[str, Any]) -> Any:
    """Return *operation*'s request from parsed *arguments*; numbers and booleans may come as strings.

    Raises:
        PalimpError: as `decode_arguments`.
    """
    convert = lambda: msgspec.convert(arguments, operation.request, strict=False)  # noqa: E731  as above
    return _clean(_decoded(convert, operation.name, operation))


def decode_reply(operation: Operation, body: bytes) -> Any:
    """Return *operation*'s reply from the *body* of a REPLY frame."""
    return msgspec.json.decode(body, type=operation.reply)


def decode_error(body: bytes) -> PalimpError:
    """Return the failure in the *body* of an ERROR frame; codes of newer daemons count as refusals."""
    fields = msgspec.json.decode(body, type=dict[str, str])
    known = fields.get("code", "") in set(ErrorCode)
    code = ErrorCode(fields["code"]) if known else ErrorCode.REFUSED
    return PalimpError(code, fields.get("text", ""), fields.get("hint", ""))


def encode_error(error: PalimpError) -> bytes:
    """Return *error* as the body of an ERROR frame.

    Total: a text that quotes what cannot be encoded, or more than fits a frame, is written out and cut.
    """
    text, hint = (_sendable(each) for each in (error.text, error.hint))
    return msgspec.json.encode({"code": error.code, "text": text, "hint": hint})


def _sendable(text: str) -> str:
    cut = text if len(text) <= ERROR_CHARACTERS_MAX else f"{text[:ERROR_CHARACTERS_MAX]}…"
    return encodable(cut)


_CALL = msgspec.json.Decoder(Call)


@cache
def _decoder_of(request: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(request)


def _decoded(decode: Callable[[], T], what: str, operation: Operation | None = None) -> T:
    try:
        return decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        text = _explain(error)
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{what}: {text}", _hint(operation, text)) from None


def _hint(operation: Operation | None, text: str) -> str:
    """Return the names or values that would be right where *text* says that one is not."""
    if operation and "unknown field" in text:
        return f"There are: {', '.join(operation.request.__struct_fields__)}."
    if operation and "invalid enum value" in text:
        for field in msgspec.structs.fields(operation.request):
            if field.name == text.split(":", maxsplit=1)[0]:
                return f"Choose one of {', '.join(_choices(field.type))}."
    return ""


def _choices(kind: Any) -> list[str]:
    """Return the values of the Literal in a type such as `Literal["a", "b"] | None`."""
    inner = get_args(kind)
    return [each for each in inner if isinstance(each, str)] or [choice for each in inner for choice in _choices(each)]


def _explain(error: Exception) -> str:
    """Turn msgspec's `Expected `int` <= 50 - at `$.limit`` into `limit: expected `int` <= 50.`."""
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply."
    text, _, place = str(error).partition(" - at ")
    text = text[:1].lower() + text[1:]
    where = place.strip("`").removeprefix("$").removeprefix(".")
    return f"{where}: {text}." if where else f"{text}."


def _clean(request: S) -> S:
    """Return *request* if no string in it holds a NUL, at which SQLite's string functions stop."""
    for name in request.__struct_fields__:
        value: Any = getattr(request, name)
        for text in cast("list[Any]", value) if isinstance(value, list) else (value,):
            if isinstance(text, str) and "\0" in text:
                raise PalimpError(ErrorCode.BAD_REQUEST, f"{name}: the text holds a NUL character.", "Send it without.")
    return request
