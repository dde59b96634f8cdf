"""Index version numbers and dates as words: `1.2.3` finds `v1.2.3-rc.4`, exact ones first.

A version has a word for itself and each prefix of two or more numbers; a query, for both. Words are hashes in
consonants, which no stemmer cuts.
"""

import re
import zlib
from datetime import date
from typing import Final

NUMBERS_MAX: Final = 6
"""Numbers distinguished in a version; dates and addresses have four."""

_VERSION: Final = re.compile(
    r"(?<![\d.])(\d{1,10}(?:\.\d{1,10}){1,8})((?:[-+.]?[a-z][0-9a-z]{0,20}(?:[.-][0-9a-z]{1,20}){0,4})?)(?![0-9a-z])",
    re.IGNORECASE,
)
_HINT: Final = re.compile(r"\d\.\d")

_SPELLED_WITH: Final = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrtvw")
_WHOLE, _BEGINNING, _DAY = "zv", "zw", "zx"
MONTHS: Final = tuple("january february march april may june july august september october november december".split())  # noqa: SIM905
_MONTH_OR_YEAR: Final = re.compile(rf"\b(?:{'|'.join(MONTHS)}|(?:19|20)\d\d)\b")

_LENGTH: Final = 10
_VOWELS: Final = re.compile("[aeiou0-9]")


def version_words(text: str) -> list[str]:
    """Return the index words of the versions in *text*."""
    words: list[str] = []
    for numbers, suffix in _versions_in(text):
        parts = numbers.split(".")
        beginnings = [".".join(parts[:count]) for count in range(2, min(len(parts), NUMBERS_MAX) + 1)]
        whole = numbers + suffix
        words.append(_word(_WHOLE, whole))
        words += [_word(_BEGINNING, each) for each in dict.fromkeys([*beginnings, whole])]
    return words


def version_terms(text: str) -> list[str]:
    """Return the words to look up for versions in a query."""
    return [_word(kind, numbers + suffix) for numbers, suffix in _versions_in(text) for kind in (_WHOLE, _BEGINNING)]


def day_word(day: date) -> str:
    """Return the index word of *day*."""
    return _word(_DAY, day.isoformat())


def date_words(day: date) -> list[str]:
    """Return the index words of *day*, its month and its year."""
    return [day_word(day), _word(_DAY, MONTHS[day.month - 1]), _word(_DAY, str(day.year))]


def date_terms(text: str) -> list[str]:
    """Return the index words of the months and years named in *text*."""
    return [_word(_DAY, word) for word in _MONTH_OR_YEAR.findall(text.lower())]


def is_version_word(word: str) -> bool:
    """Tell whether *word* is an index word of a version or date."""
    return len(word) == _LENGTH and word.startswith((_WHOLE, _BEGINNING, _DAY)) and not _VOWELS.search(word)


def _versions_in(text: str) -> list[tuple[str, str]]:
    if not _HINT.search(text):
        return []
    return [(match[1], match[2].lower()) for match in _VERSION.finditer(text)]


def _word(kind: str, version: str) -> str:
    return kind + f"{zlib.crc32(version.encode()):08x}".translate(_SPELLED_WITH)
