"""Match words written joined or apart: `utf8` and `UTF-8`, `10MB` and `10 MB`, `1,200`; `4` and `four`.

The index has words as written; queries ask for both, texts are read for both. Words are cut only where letters meet
digits, numbers only at grouped thousands.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

NAME_LETTERS_MIN: Final = 3
"""Least letters of a name found with its number (`node20`): `mb` or `v` are too vague."""

VERSIONED_LETTERS_MIN: Final = 4
"""Least letters of a name with a version (`userv2`), unlike `conv2d` and `ipv6`."""

SUFFIX: Final = "js"
"""Optional ending of a library's name: `Vue.js 3` and `vue3` are the same."""

CHARACTERS_MAX: Final = 24
"""Longest word cut or joined, in characters; longer ones are keys and hashes."""

GROUPED_DIGITS_MIN: Final = 4
GROUPED_DIGITS_MAX: Final = 15
"""Digits of a number whose thousands may be grouped; longer ones are ids."""

GROUP_DIGITS: Final = 3
"""Last digits of such a number, together in every grouping."""

INDIAN_DIGITS_MIN: Final = 6
"""Digits from which Indian grouping is possible: 1,00,000."""

_LETTER: Final = "[A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1fff]"
"""A letter of a script with spaces between words, and no particles after foreign words."""

_EITHER: Final = f"(?:{_LETTER}|[0-9])"
_BETWEEN: Final = r"(?:[^\w\n]{1,3}|_)"
"""Allowed between two parts; the engines ignore it in phrases."""

_NAME_AND_NUMBER: Final = re.compile(
    rf"(?<!{_EITHER})({_EITHER}{{0,20}}{_LETTER})(?:\.{SUFFIX})?{_BETWEEN}([vV]?[0-9]{_EITHER}{{0,10}})(?!{_EITHER})"
)
"""`UTF-8`, `Node 20`, `Node.js 20`, `user_v2`."""

_NUMBER_AND_UNIT: Final = re.compile(rf"(?<!{_EITHER})([0-9]{{1,12}}){_BETWEEN}({_LETTER}{{1,12}})(?!{_EITHER})")
_WHOLE: Final = re.compile(rf"({_LETTER}+)([0-9]+{_LETTER}*)|([0-9]+)({_LETTER}+)")
_VERSION_LAST: Final = re.compile(rf"({_LETTER}{{2,}})(v[0-9]+)")
_NAME: Final = re.compile(
    rf"(?<!{_EITHER})(?:({_LETTER}{{{NAME_LETTERS_MIN},20}})[0-9]+{_LETTER}{{0,12}}"
    rf"|[0-9]+({_LETTER}{{{NAME_LETTERS_MIN},20}}))(?!{_EITHER})"
)
_DIGIT: Final = re.compile("[0-9]")
_NUMBERS: Final = re.compile("[0-9]+")
_NAMED_NUMBER: Final = re.compile(f"{_LETTER}+ [0-9]+")
UNITS: Final = {
    "ms": "milliseconds",
    **dict.fromkeys(("s", "sec", "secs"), "seconds"),
    **dict.fromkeys(("min", "mins"), "minutes"),
    **dict.fromkeys(("h", "hr", "hrs"), "hours"),
    "d": "days",
    **dict.fromkeys(("w", "wk", "wks"), "weeks"),
    "kb": "kilobytes",
    "mb": "megabytes",
    "gb": "gigabytes",
    "tb": "terabytes",
}
"""Units' short names behind a number, and their long ones."""

_NUMBER_WORDS: Final = "three four five six seven eight nine ten eleven twelve"
NUMBERS: Final = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split(), 3)}
"""`one` and `two` seldom count."""

_IN_WORDS: Final = NUMBERS | {number: word for word, number in NUMBERS.items()}

_MARKED: Final = re.compile(
    r"(?<![\w.,])(?:[0-9]{1,3}(?P<sign>[,_'’])[0-9]{3}(?:(?P=sign)[0-9]{3})*|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})"
    r"(?![\w]|,[0-9])"
)
"""A number with thousands grouped by signs that are rare in other numbers."""

_DOTTED_OR_SPACED: Final = re.compile(
    r"(?<![\w.,])[0-9]{1,3}(?P<sign>[. \u00a0\u2009\u202f])[0-9]{3}(?:(?P=sign)[0-9]{3})*(?![\w]|[.,][0-9]{3})"
)
_SIGNS: Final = re.compile("[^0-9]")


class Joined(NamedTuple):
    """Adjacent parts from *start* to *end*, and the lower-case *word* that they form."""

    start: int
    end: int
    word: str


def joined_in(text: str) -> Iterator[Joined]:
    """Yield parts of *text* that may be one word in another spelling, unordered, overlapping."""
    if not _DIGIT.search(text):
        return
    for match in chain(_NAME_AND_NUMBER.finditer(text), _NUMBER_AND_UNIT.finditer(text)):
        word = f"{match[1]}{match[2]}".lower()
        if len(word) <= CHARACTERS_MAX:
            yield Joined(*match.span(), word)
    for match in chain(_MARKED.finditer(text), _DOTTED_OR_SPACED.finditer(text)):
        yield Joined(*match.span(), _SIGNS.sub("", match[0]))


def digits_of_joined(stems: Iterable[str]) -> frozenset[str]:
    """Return digit sequences, one of them in every text with one of *stems* in parts."""
    numbers = {
        stem: _NUMBERS.findall(stem) for stem in stems if not stem.isdecimal() or len(stem) >= GROUPED_DIGITS_MIN
    }
    return frozenset(max(found, key=len)[-GROUP_DIGITS:] for found in numbers.values() if found)


def ungroup_numbers(text: str) -> str:
    """Return *text* with `1,200`, `1_200` or `1'200` written as `1200`."""
    return _MARKED.sub(lambda match: _SIGNS.sub("", match[0]), text)


def phrases_of(word: str) -> list[str]:
    """Return the other spellings of *word* as lower-case phrases of its parts."""
    phrases = _cuts(word.lower())
    names = [phrase.split() for phrase in phrases if _NAMED_NUMBER.fullmatch(phrase)]
    return [*phrases, *(f"{name} {SUFFIX} {number}" for name, number in names), *_with_long_unit(phrases)]


def _with_long_unit(phrases: Iterable[str]) -> Iterator[str]:
    for phrase in phrases:
        number, _, unit = phrase.partition(" ")
        if number.isdecimal() and (long := UNITS.get(unit)):
            yield f"{number} {long}"


def parts_of(word: str) -> list[str]:
    """Return the parts of *word*, in lower case."""
    return [part for phrase in _cuts(word.lower()) for part in phrase.split()]


def _cuts(word: str) -> list[str]:
    if number := _IN_WORDS.get(word):
        return [number]
    if len(word) > CHARACTERS_MAX or not _DIGIT.search(word):
        return []
    if word.isdecimal():
        return _groups(word)
    found = (_WHOLE.fullmatch(word), _VERSION_LAST.fullmatch(word))
    return [" ".join(filter(None, match.groups())) for match in found if match]


def names_in(text: str) -> list[str]:
    """Return the names joined with a number in *text* (`node20`), without it, in lower case."""
    if not _DIGIT.search(text):
        return []
    names = [(match[1] or match[2]).lower() for match in _NAME.finditer(text)]
    return [name[:-1] if name.endswith("v") and len(name) > VERSIONED_LETTERS_MIN else name for name in names]


def _groups(number: str) -> list[str]:
    if not GROUPED_DIGITS_MIN <= len(number) <= GROUPED_DIGITS_MAX or number[0] == "0":
        return []
    groups = [f"{int(number):,}".replace(",", " ")]
    if len(number) >= INDIAN_DIGITS_MIN:
        thousands, last = number[:-GROUP_DIGITS], number[-GROUP_DIGITS:]
        first = len(thousands) % 2
        pairs = [thousands[at : at + 2] for at in range(first, len(thousands), 2)]
        groups.append(" ".join([*([thousands[:first]] if first else []), *pairs, last]))
    return groups
