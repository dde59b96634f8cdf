"""From bytes to requests and replies, and from errors to bytes.

Every function here is total: what cannot be decoded is a `PalimpError` that names what is wrong and, where
that can be known, lists what would be right. msgspec refuses unknown names, wrong types and NaN. Added here are the
refusal of NUL, at which SQLite's string functions stop, and U+FFFD in the place of lone surrogates, which msgspec would
refuse (`surrogates`).
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.lenience import lenient
from palimp_protocol.limits import ERROR_CHARACTERS_MAX
from palimp_protocol.operations import Call
from palimp_protocol.plain import encodable
from palimp_protocol.surrogates import mended, mended_argument, mended_json
from palimp_protocol.table import Operation

T = TypeVar("T")
S = TypeVar("S", bound=Struct)


def decode_call(body: bytes) -> Call:
    """Return the call in the *body* of a REQUEST frame.

    Raises:
        PalimpError: it is not a call; the text says where.
    """
    return _decoded(lambda: _mending(_CALL, body), "request")


def decode_arguments(operation: Operation, arguments: bytes) -> Any:
    """Return *operation*'s request from JSON *arguments*.

    Raises:
        PalimpError: an argument is missing, unknown, mistyped or out of bounds; the text names it.
    """
    decoder = _decoder_of(operation.request)
    return _clean(_decoded(lambda: _mending(decoder, arguments), operation.name, operation))


def convert_arguments(operation: Operation, arguments: dict[str, Any]) -> Any:
    """Return *operation*'s request from parsed *arguments*, which are read leniently (`lenience`).

    Raises:
        PalimpError: as `decode_arguments`.
    """
    read = lenient(arguments, operation.request)
    convert = lambda: msgspec.convert(read, operation.request, strict=False)  # noqa: E731  as above
    return _clean(_decoded(convert, operation.name, operation))


def encode_call(call: Call, request: Struct) -> bytes:
    """Return the body of a REQUEST frame: *call* with *request* as its arguments, lone surrogates mended.

    Raises:
        PalimpError: a text holds bytes of another encoding.
    """
    try:
        return msgspec.json.encode(replace(call, arguments=msgspec.Raw(msgspec.json.encode(request))))
    except UnicodeEncodeError:
        arguments = _each_text(msgspec.to_builtins(request), _mended_argument)
        caller = _each_text(msgspec.to_builtins(call.caller), mended)
    body = {"operation": call.operation, "arguments": arguments, "caller": caller, "store": call.store}
    return msgspec.json.encode(body)


def _mended_argument(text: str) -> str:
    try:
        return mended_argument(text)
    except UnicodeDecodeError:
        place = next(place for place, character in enumerate(text, 1) if "\ud800" <= character <= "\udfff")
        said = f"What was given is no UTF-8 text (character {place} of it)."
        raise PalimpError(ErrorCode.BAD_REQUEST, said, "Convert it first (iconv), or leave that out.") from None


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """Return *value*, as JSON knows values, with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each_text(each, change) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {change(key): _each_text(each, change) for key, each in cast("dict[str, Any]", value).items()}
    return value


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


def _mending(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Return what *decoder* makes of *body*; mended, if it is refused as it is (which is rare)."""
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        mended = mended_json(body)
        if mended == body:
            raise
        return decoder.decode(mended)


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
