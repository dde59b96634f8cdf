"""The words of a text as they are compared and hashed: in lower case, as UTF-8.

As bytes, because every save takes its text apart: of ASCII, which most texts are, a table and a split find the words
in a third of the time that an expression needs, and hashing wants bytes anyway.
"""

import re
from typing import Final

_WORD: Final = re.compile(r"\w+")
_APART: Final = bytes(code if chr(code).isalnum() or code == ord("_") else ord(" ") for code in range(128)).ljust(256)
"""What separates words in ASCII becomes a space; the rest of the table is never looked at."""


def words_in(text: str) -> list[bytes]:
    """Return what stands between characters that are neither letter, digit nor underscore, in order."""
    lower = text.lower()
    if lower.isascii():
        return lower.encode().translate(_APART).split()
    return [word.encode() for word in _WORD.findall(lower)]
