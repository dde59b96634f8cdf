"""Read and write Protobuf's wire format, enough to change an ONNX file; unknown fields are kept.

Source: protobuf.dev/programming-guides/encoding.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

VARINT: Final = 0
BYTES: Final = 2
"""Wire types: an integer; data with a length (texts, messages, packed data)."""

VARINT_BYTES_MAX: Final = 10
"""Bytes of an integer: 64 bits, seven in each byte."""

_FIXED_BYTES: Final = {1: 8, 5: 4}


class Field(NamedTuple):
    """A field of a message."""

    number: int
    kind: int
    value: int | bytes | memoryview


class WireFormatError(ValueError):
    """The bytes are no message."""


def fields(message: bytes | memoryview) -> list[Field]:
    """Parse *message* into fields; those with a length are views of it.

    Raises:
        WireFormatError: it is not in the wire format.
    """
    view = memoryview(message)
    found: list[Field] = []
    at = 0
    while at < len(view):
        tag, at = _varint(view, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = _varint(view, at)
            found.append(Field(number, kind, value))
            continue
        if kind == BYTES:
            length, at = _varint(view, at)
        elif kind in _FIXED_BYTES:
            length = _FIXED_BYTES[kind]
        else:
            raise WireFormatError(f"There is no kind {kind} of fields.")
        if at + length > len(view):
            raise WireFormatError("A field goes beyond the end.")
        found.append(Field(number, kind, view[at : at + length]))
        at += length
    return found


def message(fields: Iterable[Field]) -> bytes:
    """Encode *fields*."""
    parts: list[bytes | memoryview] = []
    for number, kind, value in fields:
        parts.append(_as_varint(number << 3 | kind))
        if isinstance(value, int):
            parts.append(_as_varint(value))
        else:
            if kind == BYTES:
                parts.append(_as_varint(len(value)))
            parts.append(value)
    return b"".join(parts)


def number(number: int, value: int) -> Field:
    """Make an integer field; *value* is not negative."""
    return Field(number, VARINT, value)


def text(number: int, value: str) -> Field:
    """Make a text field."""
    return Field(number, BYTES, value.encode())


def data(number: int, value: bytes) -> Field:
    """Make a field that holds a message or other bytes."""
    return Field(number, BYTES, value)


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for place, byte in enumerate(view[at : at + VARINT_BYTES_MAX]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise WireFormatError("A number has no end.")


def _as_varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
