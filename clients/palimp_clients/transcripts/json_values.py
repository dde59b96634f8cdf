"""JSON decoded on demand: the rest, most of a transcript, stays `Raw`.

A damaged line (NULs of a power cut, half a line before the next, half a character) is mended and tried again.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

import msgspec

from palimp_protocol.decoders import decoder_of
from palimp_protocol.surrogates import mended_json

T = TypeVar("T")
Fields = Mapping[str, msgspec.Raw]

NO_FIELDS: Final[Fields] = {}

NOTHING: Final = msgspec.Raw(b"")

GLUED_MAX: Final = 8
"""Places tried in a damaged line at which another may begin."""

_BEGINNING_BYTES: Final = 8
"""Bytes that mark the beginning of a line within another: `{"type":`."""

_CONTROLS: Final = bytes(max(byte, 32) for byte in range(256))
"""Turns control characters into spaces: JSON allows them only between values, if at all."""

_OBJECT: Final = decoder_of(dict[str, msgspec.Raw])
_LIST: Final = decoder_of(list[msgspec.Raw])
_TEXT: Final = decoder_of(str)
_NUMBER: Final = decoder_of(float)


class LineDecoder(Generic[T]):
    """Decodes lines as one type, counting failures in *skipped*."""

    def __init__(self, kind: type[T]) -> None:
        self._decoder: msgspec.json.Decoder[T] = decoder_of(kind)
        self.skipped = 0

    def __call__(self, line: bytes) -> T | None:
        """Return the content of *line*; None, counted: unreadable."""
        try:
            return self._decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._decode_damaged(line)

    def skip(self) -> None:
        """Count an unreadable thing that is no line."""
        self.skipped += 1

    def _decode_damaged(self, line: bytes) -> T | None:
        line = mended_json(utf_8(line)).removeprefix(b"\xef\xbb\xbf").strip(b"\0 \t\r\n")
        if not line:
            return None  # nothing was in it that could be lost
        found = _decode(self._decoder, line)
        if found is None:
            line = line.translate(_CONTROLS)
            found = _decode(self._decoder, line)
        if found is None:
            self.skipped += 1
            found = self._second(line)
        return found

    def _second(self, line: bytes) -> T | None:
        """Return the rest after half a line: a client was killed, and the next wrote on."""
        start = 0
        for _ in range(GLUED_MAX):
            start = line.find(line[:_BEGINNING_BYTES], start + 1)
            if start < 0:
                return None
            if (found := _decode(self._decoder, line[start:])) is not None:
                return found
        return None


def entries_of(lines: Iterable[bytes]) -> Iterator[Fields]:
    """Yield *lines* that are objects, values undecoded."""
    decoded = LineDecoder(dict[str, msgspec.Raw])
    for line in lines:
        if entry := decoded(line):
            yield entry


def first_texts(lines: Iterable[bytes], *names: str) -> list[str]:
    """Return each field's first text, or ""; stop once all are found."""
    found = dict.fromkeys(names, "")
    for entry in entries_of(lines):
        found = {name: text or text_in(entry, name) for name, text in found.items()}
        if all(found.values()):
            break
    return [found[name] for name in names]


def utf_8(data: bytes) -> bytes:
    """Return *data* with U+FFFD for non-UTF-8 bytes; surrogates stay for `mended_json`."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode()
    return data


def text_of(raw: msgspec.Raw) -> str:
    """Return a text, else empty."""
    try:
        return _TEXT.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return (_decode(_TEXT, mended_json(utf_8(bytes(raw)))) or "") if is_text(raw) else ""


def text_as_raw(text: str) -> msgspec.Raw:
    """Return *text* as in a line."""
    return msgspec.Raw(msgspec.json.encode(text.encode(errors="replace").decode()))


def is_text(raw: msgspec.Raw) -> bool:
    """Tell whether a value is a text."""
    return bytes(memoryview(raw)[:1]) == b'"'


def is_true(raw: msgspec.Raw) -> bool:
    """Tell whether a value is `true`."""
    return bytes(memoryview(raw)[:5]) == b"true"


def object_of(raw: msgspec.Raw) -> Fields:
    """Return an object, values undecoded; else empty."""
    try:
        return _OBJECT.decode(raw)
    except RecursionError:
        return NO_FIELDS
    except (msgspec.DecodeError, UnicodeDecodeError):  # a name may be damaged
        is_object = bytes(memoryview(raw)[:1]) == b"{"
        return (_decode(_OBJECT, mended_json(utf_8(bytes(raw)))) or NO_FIELDS) if is_object else NO_FIELDS


def list_of(raw: msgspec.Raw) -> list[msgspec.Raw]:
    """Return a list, values undecoded; else empty."""
    return _decode(_LIST, raw) or []


def field_of(fields: Fields, *names: str) -> msgspec.Raw:
    """Return a field, or a nested one, along *names*; else NOTHING."""
    found = NOTHING
    for name in names:
        found = fields.get(name, NOTHING)
        fields = object_of(found) if name is not names[-1] else fields
    return found


def text_in(fields: Fields, *names: str) -> str:
    """Return the text of `field_of`, or empty."""
    return text_of(field_of(fields, *names))


def ms_of(raw: msgspec.Raw) -> int:
    """Return Unix milliseconds of ISO 8601 text or a number; else 0."""
    if not is_text(raw):
        return count_of(raw)
    try:
        time = datetime.fromisoformat(text_of(raw))
        return max(0, int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000))
    except (ValueError, OverflowError):
        return 0


def count_of(raw: msgspec.Raw) -> int:
    """Return a non-negative number without its fraction; else 0."""
    number = _decode(_NUMBER, raw) or 0.0
    return int(number) if math.isfinite(number) and number > 0 else 0


def _decode(decoder: msgspec.json.Decoder[Any], data: bytes | msgspec.Raw) -> Any:
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
