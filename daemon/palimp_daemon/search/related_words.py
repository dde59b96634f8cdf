"""Look up related words in a precomputed table: `photo` for `picture`.

They count less with distance (docs/adr/0020). `related_words.bin` is made by `tools/related_words/build.py` from
all-MiniLM-L6-v2 (Apache License 2.0), little-endian:

    8 bytes   FORMAT
    4 bytes   CRC-32 of the rest
    4 bytes   number of words
    4 bytes   for each word, in alphabetical order: offset of its record in the file
    records   1 byte length of the word, the word, 1 byte number of related words; for each, nearest first, 2 bytes
              number of the word and 1 byte cosine in COSINE_STEPS

It is searched in place: a dictionary would take thirty times the memory.
"""

import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from struct import Struct
from typing import Final

RELATED_MAX: Final = 12
"""Related words of one word: 20 or 30 of them find no more than 12 (docs/adr/0020)."""

FORMAT: Final = b"palimp 1"
"""Beginning of the file; its number changes with the format."""

COSINE_STEPS: Final = 255
"""Units of a cosine of 1 in one byte."""

WORD_CHARACTERS_MAX: Final = 30
"""Longer words are not looked up; the table has none."""

HEADER: Final = Struct("<8sII")
PLACE: Final = Struct("<I")
NEIGHBOUR: Final = Struct("<HB")


class RelatedWords:
    """The table in the bytes *content*; empty if they are none."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._length = _length(content)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return (self._word(number).decode() for number in range(self._length))

    def of(self, word: str) -> list[tuple[str, float]]:
        """Return the related words of *word* with their cosines, nearest first."""
        if len(word) > WORD_CHARACTERS_MAX or not (word.isascii() and word.isalpha()):
            return []
        wanted = word.encode()
        number = bisect_left(range(self._length), wanted, key=self._word)
        if number == self._length or self._word(number) != wanted:
            return []
        at = self._place(number) + 1 + len(wanted)
        end = at + 1 + self._content[at] * NEIGHBOUR.size
        found = NEIGHBOUR.iter_unpack(self._content[at + 1 : end])
        return [(self._word(other).decode(), cosine / COSINE_STEPS) for other, cosine in found]

    def _place(self, number: int) -> int:
        place: int = PLACE.unpack_from(self._content, HEADER.size + number * PLACE.size)[0]
        return place

    def _word(self, number: int) -> bytes:
        start = self._place(number)
        return self._content[start + 1 : start + 1 + self._content[start]]


def _length(content: bytes) -> int:
    if len(content) < HEADER.size:
        return 0
    form, checksum, length = HEADER.unpack_from(content)
    return length if form == FORMAT and checksum == zlib.crc32(content[HEADER.size - 4 :]) else 0


@cache
def packaged_table() -> RelatedWords:
    """Return the packaged table, read once; empty if unreadable."""
    try:
        return RelatedWords(Path(__file__).with_suffix(".bin").read_bytes())
    except OSError:
        return RelatedWords(b"")


@lru_cache(maxsize=1024)
def related_words(word: str) -> Sequence[tuple[str, float]]:
    """Return up to RELATED_MAX related words of *word* with their cosines, nearest first.

    *word* is lower case and unstemmed; only common English words have any.
    """
    return packaged_table().of(word)[:RELATED_MAX]
