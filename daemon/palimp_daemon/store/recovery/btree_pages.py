"""Parse rows out of leaf pages (sqlite.org/fileformat2.html) without schema or b-trees.

One lost page hides all below it, page 1 the database. A leaf names no table and may be out of use;
`store.recovery.orphan_rows` decides.
"""

from collections.abc import Iterator
from mmap import mmap
from typing import Final, NamedTuple

PAGE_BYTES: Final = 4096
"""SQLite's default since 2016, used by palimp's databases."""

FIRST_PAGE_HEADER_BYTES: Final = 100
"""Bytes on page 1 before the header common to all pages."""

_LEAF: Final = 0x0D
_LEAF_HEADER_BYTES: Final = 8
_CHAIN_PLACES: Final = PAGE_BYTES - 4
"""Bytes of a row on an overflow page, after the next one's number."""
_LOCAL_MAX: Final = PAGE_BYTES - 35
_LOCAL_MIN: Final = (PAGE_BYTES - 12) * 32 // 255 - 23
_INTEGER_BYTES: Final = (0, 1, 2, 3, 4, 6, 8)

Bytes = bytes | mmap
Cell = int | float | str | bytes | None


class LeafRow(NamedTuple):
    """A row of a leaf: rowid and columns, None for the rowid's own."""

    number: int
    cells: "list[Cell]"


def leaf_rows(file: "Bytes") -> "Iterator[LeafRow]":
    """Yield the well-formed rows of every leaf of *file*."""
    for page in range(len(file) // PAGE_BYTES):
        at = page * PAGE_BYTES
        header = at + (0 if page else FIRST_PAGE_HEADER_BYTES)
        if file[header] != _LEAF:
            continue
        for place in range(_number(file, header + 3, 2)):
            pointer = header + _LEAF_HEADER_BYTES + 2 * place
            if pointer + 2 > at + PAGE_BYTES:
                break
            try:
                yield _row(file, at + _number(file, pointer, 2))
            except (IndexError, ValueError):
                continue  # damaged itself


def _row(file: "Bytes", at: int) -> LeafRow:
    """Parse the row at *at*.

    Raises:
        IndexError, ValueError: there is none.
    """
    length, at = _varint(file, at)
    number, at = _varint(file, at)
    payload = _payload(file, at, length)
    header, place = _varint(payload, 0)
    cells: list[Cell] = []
    body = header
    while place < header:
        kind, place = _varint(payload, place)
        cell, body = _cell(payload, body, kind)
        cells.append(cell)
    if body != length:
        raise ValueError("its columns are not as long as it is")
    return LeafRow(number - 2**64 if number >= 2**63 else number, cells)


def _payload(file: "Bytes", at: int, length: int) -> bytes:
    if not 0 < length <= len(file):
        raise ValueError("it is longer than the database")
    if length <= _LOCAL_MAX:
        return _bytes(file, at, length)
    local = _LOCAL_MIN + (length - _LOCAL_MIN) % _CHAIN_PLACES
    local = local if local <= _LOCAL_MAX else _LOCAL_MIN
    parts, left, following = [_bytes(file, at, local)], length - local, _number(file, at + local, 4)
    while left and following:  # a row whose end is lost is shorter than its columns are, which is noticed there
        page = (following - 1) * PAGE_BYTES
        parts.append(_bytes(file, page + 4, min(left, _CHAIN_PLACES)))
        left -= len(parts[-1])
        following = _number(file, page, 4)
    return b"".join(parts)


def _cell(payload: bytes, at: int, kind: int) -> "tuple[Cell, int]":
    if kind in (0, 8, 9):
        return (None if kind == 0 else kind - 8), at
    if kind >= 12:
        end = at + (kind - 12) // 2
        whole = _bytes(payload, at, end - at)
        return (whole.decode("utf-8", "replace") if kind % 2 else whole), end
    if kind == 7:
        return 0.0, at + 8  # palimp has none: it fits no table
    if kind > 9:
        raise ValueError("no such type")
    size = _INTEGER_BYTES[kind]
    return int.from_bytes(_bytes(payload, at, size), "big", signed=True), at + size


def _varint(data: "Bytes", at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _number(data: "Bytes", at: int, size: int) -> int:
    return int.from_bytes(_bytes(data, at, size), "big")


def _bytes(data: "Bytes", at: int, size: int) -> bytes:
    found = bytes(data[at : at + size])
    if len(found) != size:
        raise ValueError("the file ends before it does")
    return found
