"""Find values that a text calls outdated: "switched from Jenkins", "Jenkins -> GitLab".

`judgement.replacing` trusts them whatever the odds. Patterns: `languages/<name>.toml`.
"""

import re
from functools import cache, lru_cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import Replacing, either, one_line, sections
from palimp_daemon.languages.language_of import is_function_word
from palimp_daemon.text.replacing_words import is_exception

_LETTERS: Final = re.compile(r"[^\W\d_]+")

HINT_LETTERS: Final = 5
"""Letters of each word compared with the hints."""

_MARKED: Final = str.maketrans("", "", '`*"“”„«»')
"""Marks of code, emphasis and quotation, removed around values."""

TEXTS_KEPT: Final = 4
"""Texts with cached values: a save asks twice."""

_PUNCTUATION: Final = str.maketrans(dict.fromkeys(".,;:!?()[]{}/'’`*\"“”„«»", " "))

_WORD: Final = r"[^\s,.;:!?()]+(?:\.[^\s,.;:!?()]+)*"
_UP_TO: Final = rf"({_WORD}(?:\s+{_WORD}){{0,3}}?)"
"""A value of up to four words, as short as possible."""
_ONE_WORD: Final = r"(\w[^\s,.;:!?()]{0,60}(?:\.[^\s,.;:!?()]{1,30})?)"
"""A value of one word; its bounded length bounds the time."""
_UNSPACED_VALUE: Final = (
    r"([A-Za-z0-9][A-Za-z0-9_.+#-]*(?: [A-Za-z0-9][A-Za-z0-9_.+#-]*){0,2}|(?:[0-9][0-9.,]*)?"
    r"[\u3040-\u30ff\u4e00-\u9fff]{1,8}?)"
)


_CLAUSE_END: Final = re.compile(r"[,;()\n]|[.:!?](?=\s|$)")
_PART_END: Final = re.compile(r"[,;()\n]|[.!?](?=\s|$)")
"""End of a part of a text. No colon: it stands between a subject and its value."""
_SENTENCE_END: Final = re.compile(r"[.!?;](?=\s|$)|[。！？]|\n|$")
_ARROW: Final = re.compile(r"\s+(?:->|→)\s+")
FORMER_WORDS: Final = 3
"""Words before an arrow that may be the former value: "gh actions -> forgejo"."""


class Change(NamedTuple):
    """A former value and the new one: "50 rps -> 120 rps"."""

    former: str
    value: str

    @property
    def is_of_numbers(self) -> bool:
        """Whether both are numbers: between names an arrow may be a route."""
        return _has_digit(self.former) and _has_digit(self.value)


def changes_in(text: str) -> list[Change]:
    """Return the changes that arrows of *text* may mean, longest former values first.

    Two arrows in one clause are a route.
    """
    if "->" not in text and "→" not in text:
        return []
    sides = [_ARROW.split(clause) for clause in _CLAUSE_END.split(text.translate(_MARKED))]
    changes = [(each[0].split()[-FORMER_WORDS:], each[1].split()) for each in sides if len(each) == 2]
    return [
        Change(" ".join(before[first:]), after[0]) for before, after in changes if after for first in range(len(before))
    ]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


class _Values(NamedTuple):
    hints: frozenset[str]
    """Beginnings of words; any matching text has one."""
    behind: tuple[re.Pattern[str], ...]
    """Patterns with the value at their end."""
    before: tuple[re.Pattern[str], ...]
    """Patterns with the value first; slow: tried at each word."""
    says_so: re.Pattern[str]
    """Matches any text in which one of `before` does."""


@cache
def _sections() -> tuple[Replacing, ...]:
    return (*sections(lambda language: language.replacing).values(),)


@cache
def _values() -> tuple[_Values, ...]:
    # A value at the end of what is said, or before one of the commonest words that go on.
    goes_on = either(*(each.goes_on for each in _sections()))
    last = rf"({_WORD}(?:\s+{_WORD}){{0,2}}?)(?=\s*(?:[,;:!?()]|\.(?:\s|$)|$)|\s+(?:{goes_on})\s)"
    return tuple(_values_of(each, last) for each in _sections() if each.values)


def _values_of(language: Replacing, last: str) -> _Values:
    spaced = [one_line(pattern) for pattern in language.values]
    before = [pattern.removeprefix("<word>") for pattern in spaced if pattern.startswith("<word>")]
    behind = [pattern.replace("<value>", _UP_TO).replace("<last value>", last) for pattern in spaced]
    return _Values(
        frozenset(language.hints.split()),
        tuple(re.compile(rf"(?i)(?<!\w){pattern}") for pattern in behind if not pattern.startswith("<word>")),
        tuple(re.compile(rf"(?i)(?<!\w){_ONE_WORD}{pattern}") for pattern in before),
        re.compile(f"(?i) (?:{either(*before)})" if before else "(?!)"),
    )


@cache
def _unspaced_values() -> tuple[re.Pattern[str], ...]:
    unspaced = sections(lambda language: language.replacing, has_whole_words=False).values()
    patterns = [one_line(pattern) for each in unspaced for pattern in each.values]
    return tuple(re.compile(pattern.replace("<value>", _UNSPACED_VALUE)) for pattern in patterns)


@cache
def _asides() -> re.Pattern[str]:
    former = either(*(each.formerly for each in _sections()))
    return re.compile(rf"(?i)\((?:{former})(?:\s*:)?\s+{_UP_TO}\)")


@lru_cache(TEXTS_KEPT)
def values_replaced(text: str) -> tuple[str, ...]:
    """Return the values that *text* calls outdated, without surrounding marks."""
    beginnings = {word[:HINT_LETTERS] for word in text.lower().translate(_PUNCTUATION).split()}
    hinted = [values for values in _values() if not values.hints.isdisjoint(beginnings)]
    has_asides = "(" in text
    if not (hinted or has_asides) and text.isascii():
        return ()
    plain = text.translate(_MARKED)
    patterns: list[re.Pattern[str]] = []
    for values in hinted:
        patterns += [*values.behind, *(values.before if values.says_so.search(plain) else ())]
    patterns += [_asides()] if has_asides else []
    patterns += () if plain.isascii() else _unspaced_values()
    found = (match for pattern in patterns for match in pattern.finditer(plain) if not _asks(plain, match.end(1)))
    return tuple(dict.fromkeys(" ".join(match[1].split()) for match in found))


def _asks(text: str, place: int) -> bool:
    """Tell whether the sentence around *place* asks: what may be replaced still holds."""
    end = _SENTENCE_END.search(text, place)
    return end is not None and end[0] in ("?", "？")


def has_value(text: str, value: str) -> bool:
    """Tell whether *text* has *value* as whole words."""
    edges = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
    return re.search(f"{edges[0]}{re.escape(value)}{edges[1]}", text, re.IGNORECASE) is not None


def names_of_former(newer: str, older: str) -> list[str]:
    """Return the outdated values of *newer* in *older*, except numbers and everyday words."""
    former = (*values_replaced(newer), *(each.former for each in changes_of(newer, older)))
    named = (value for value in former if any(_is_name(word) for word in _LETTERS.findall(value.lower())))
    return [value for value in named if has_value(older, value)]


def parts_of_former(newer: str, older: str) -> list[str]:
    """Return the parts of *older* with a name that *newer*, if no exception, calls outdated."""
    names = names_of_former(newer, older) if newer and older else []
    if not names or is_exception(newer):
        return []
    parts = _PART_END.split(older.translate(_MARKED))
    return [part for part in parts if any(has_value(part, name) for name in names)]


def begins_with_former(newer: str, older: str) -> bool:
    """Tell whether *newer* calls a name in the first part of *older* outdated."""
    return bool(parts_of_former(newer, _PART_END.split(older, maxsplit=1)[0]))


def _is_name(word: str) -> bool:
    is_everyday = word in _everyday() or word.removesuffix("s") in _everyday()
    return len(word) > 1 and not is_everyday and not is_function_word(word)


@cache
def _everyday() -> frozenset[str]:
    return frozenset(" ".join(sections(lambda language: language.of_everything).values()).split())


def changes_of(newer: str, older: str) -> list[Change]:
    """Return the changes of *newer* with only the former value in *older*."""
    return [each for each in changes_in(newer) if has_value(older, each.former) and not has_value(older, each.value)]
