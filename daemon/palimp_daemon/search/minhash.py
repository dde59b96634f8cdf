"""Sign texts with a few hashes to find near-duplicates, by k index seeks.

Bottom-k MinHash (Cohen and Kaplan, 2007): the k smallest hashes of pairs of adjacent words without stop words. Texts
with shared hashes are then compared word by word.
"""

import hashlib
import re
import unicodedata
import zlib
from itertools import pairwise
from typing import Final

from palimp_daemon.search.terms import STOP_WORDS
from palimp_daemon.search.words import words_in

SIGNATURE_SIZE: Final = 4
"""Hashes kept."""

CHARACTERS_MAX: Final = 2_000
"""Characters compared of a text: enough to detect duplicates at a bounded cost."""

SHARED_MIN: Final = 2
"""Hashes shared by texts to be compared: of texts with 8 in 10 pairs in common, 97 in 100 do."""

SIMILARITY_MIN: Final = 0.75
"""Jaccard similarity of the words of near-duplicates."""

KEY_MIN: Final = 1 << 62
"""Least key of a whole text; hashes of word pairs are below 2**32."""

_INNER_SPACE: Final = re.compile(r"(?<=\S)[^\S\n]+")

_STOP_WORDS: Final = frozenset(word.encode() for word in STOP_WORDS)
_LEFT: Final = 0x85EBCA6B
_RIGHT: Final = 0x9E3779B1
"""Odd numbers with well-mixed bits: the first multiplier of MurmurHash3's finalizer, and 2³² divided by the golden
ratio (Knuth, TAOCP 6.4). They differ, so a pair and its reverse do."""
_MASK: Final = 0xFFFFFFFF


def words_of(text: str) -> list[bytes]:
    """Return the lower-case words at the beginning of *text*, without stop words if possible."""
    words = words_in(text[:CHARACTERS_MAX])
    return [word for word in words if word not in _STOP_WORDS] or words


def normalize(text: str) -> str:
    """Return *text* for tests of equality: NFC, single spaces within lines, none at their ends.

    Indentation stays, as it has a meaning.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    lines = (line.rstrip() for line in _INNER_SPACE.sub(" ", text.replace("\r\n", "\n")).split("\n"))
    return "\n".join(lines).strip()


def without_spaces(text: str) -> str:
    """Return *text* as NFC without spaces; where this differs, `normalize` does."""
    return "".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())


def text_key(kind: str, text: str) -> int:
    """Return the key of *kind* and normalized *text*: 62 bits of a hash, and KEY_MIN."""
    hashed = hashlib.blake2b(f"{kind}\n{normalize(text)}".encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(hashed) >> 2 | KEY_MIN


def minhash_signature(words: list[bytes]) -> list[int]:
    """Return the SIGNATURE_SIZE smallest hashes of the pairs in *words*."""
    hashes = list(map(zlib.crc32, words))
    pairs = {(left * _LEFT + right * _RIGHT) & _MASK for left, right in pairwise(hashes)}
    return sorted(pairs or {value * _RIGHT & _MASK for value in hashes})[:SIGNATURE_SIZE]


def similarity(one: list[bytes], other: list[bytes]) -> float:
    """Return the Jaccard similarity of two lists of words, 0 to 1."""
    left, right = set(one), set(other)
    return len(left & right) / len(left | right) if left or right else 1.0
