"""Fold text for the indexes, so that every spelling of a word matches.

Unicode's NFKC_Casefold (UAX #31), then without accents and vowel points, composed again. Marks that make another letter
stay (dakuten, Indic vowel signs, Thai tones, the breve of `й`); `ı` becomes `i`, every digit ASCII. Latin letters and
digits are separated from other scripts (`使用Redis`). Symbols become words. The engines fold ASCII.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from palimp_daemon.search.characters import ACCENTS, MARKS, SYMBOLS, UNSEEN

_SYMBOL: Final = re.compile(f"[\U0001f1e6-\U0001f1ff]{{2}}|[{SYMBOLS}]|[#*](?=\ufe0f?\u20e3)")
"""A flag (two characters), a symbol, or a keycap of a sign that is no letter."""

_APART: Final = re.compile("[\u2100-\u214f\u2460-\u24ff\u3200-\u33ff\U0001f100-\U0001f2ff]|[0-9](?=\ufe0f?\u20e3)")
"""Signs for letters or digits that are words of their own: in circles, on keys, `™`, `㎏`."""

_DIGIT: Final = re.compile(r"(?![0-9])\d")
"""A decimal digit outside ASCII."""

_LEFT_UNSEEN: Final = UNSEEN | {0x200B: " "}
"""UNSEEN with a space for a possible line break."""

_LATIN: Final = "A-Za-z\u00c0-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f"
_BESIDE_LATIN: Final = (
    "\u0530-\u1c7f\u1c90-\u1cff\u2c00-\u2c5f\u2c80-\u2ddf\u3005-\ua63f\ua6a0-\ua71f\ua800-\uab2f\uab70-\ud7ff"
    "\uf900-\ufdff\ufe70-\ufefc\uff66-\uffdc\U00010d00-\U0001cfff\U00020000-\U0003ffff"
)
"""Letters and marks of scripts other than Latin, Greek and Cyrillic (signs in Latin words: `µs`). Each range has its
letters' capitals, even from other blocks."""

_SCRIPT_CHANGES: Final = re.compile(
    rf"(?<=[\d{_LATIN}])(?=[{_BESIDE_LATIN}])(?!\d)|(?<=[{_BESIDE_LATIN}])(?<!\d)(?=[\d{_LATIN}])"
)

_BETWEEN: Final = re.compile(f"(?:[^\\w{MARKS}]|_)+")
_ASCII_BETWEEN: Final = {code: " " for code in range(128) if not chr(code).isalnum()}

_SIMPLE: Final = re.compile(
    "[\x00-\x7f\u00a0-\u024f\u2010-\u2027\u2030-\u205e\u20a0-\u20c0\u2190-\u21ff\u2212\u2264\u2265]*"
)
"""Texts of characters that fold independently: Latin letters, punctuation, arrows. Most texts beyond ASCII are such,
and fold in a tenth of the time."""

_NOT_ASCII: Final = re.compile("[^\x00-\x7f]")

SIMPLE_KEPT: Final = 1_024
"""Characters with cached folding: all of _SIMPLE."""

_SPELLED_WITH: Final = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrtvw")
_PREFIX: Final = "zq"
_PREFIXED: Final = re.compile(f"{_PREFIX}[bcdfghjkmnpqrtvw]{{2,10}}")


def fold(text: str, /) -> str:
    """Return *text* as an index sees it: folded words, separated by spaces."""
    if text.isascii():
        return text.lower().translate(_ASCII_BETWEEN)
    if _SIMPLE.fullmatch(text):
        return _NOT_ASCII.sub(_folded_character, text).lower().translate(_ASCII_BETWEEN)
    return _fold_text(text)


def _fold_text(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", _decompose(_with_words_of_signs(text)).casefold())
    bare = decomposed.replace("ı", "i").replace("и\u0306", "й").translate(ACCENTS)
    return _BETWEEN.sub(" ", apart_by_script(unicodedata.normalize("NFC", _DIGIT.sub(_digit, bare))))


def apart_by_script(text: str) -> str:
    """Insert a space between Latin letters or digits and adjacent other scripts."""
    return text if text.isascii() else _SCRIPT_CHANGES.sub(" ", text)


def compatible(text: str) -> str:
    """Return *text* in composed compatibility characters, symbols as words; case and accents stay."""
    if text.isascii():
        return text
    if _SIMPLE.fullmatch(text):
        return _NOT_ASCII.sub(_compatible_character, text)
    return _compose(text)


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", _decompose(_with_words_of_signs(text)))


@lru_cache(SIMPLE_KEPT)
def _folded_by_itself(character: str) -> str:
    return _fold_text(character)


@lru_cache(SIMPLE_KEPT)
def _compatible_by_itself(character: str) -> str:
    return _compose(character)


def _folded_character(match: re.Match[str]) -> str:
    return _folded_by_itself(match[0])


def _compatible_character(match: re.Match[str]) -> str:
    return _compatible_by_itself(match[0])


def caseless(text: str) -> str:
    """Return *text* as `compatible` does, but case-folded."""
    return text.lower() if text.isascii() else compatible(unicodedata.normalize("NFKD", compatible(text)).casefold())


def symbol_word(symbol: str) -> str:
    """Return the index word of *symbol* (one or two characters): consonants, which no stemmer cuts."""
    return _PREFIX + "".join(f"{ord(character):x}" for character in symbol).translate(_SPELLED_WITH)


def symbol_of(word: str) -> str:
    """Return the symbol, of one character, with the index word *word*; empty if none."""
    if not _PREFIXED.fullmatch(word):
        return ""
    code = int(word.removeprefix(_PREFIX).translate(_READ_AS), 16)
    return chr(code) if code < 0x110000 and _SYMBOL.fullmatch(chr(code)) else ""


def is_symbol(word: str) -> bool:
    """Tell whether *word* is a symbol that is indexed as a word."""
    return not word.isascii() and _SYMBOL.fullmatch(word) is not None


_READ_AS: Final = str.maketrans("bcdfghjkmnpqrtvw", "0123456789abcdef")


def _with_words_of_signs(text: str) -> str:
    return _SYMBOL.sub(_spell_symbol, _APART.sub(_apart, text))


def _apart(match: re.Match[str]) -> str:
    is_letter = unicodedata.category(match[0])[0] == "L" and match[0] != "\u2139"  # which is an emoji
    return match[0] if is_letter else f" {match[0]} "


def _digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match[0]))


def _spell_symbol(match: re.Match[str]) -> str:
    return f" {symbol_word(match[0])} "


def _decompose(text: str) -> str:
    return unicodedata.normalize("NFKD", text.translate(_LEFT_UNSEEN))
