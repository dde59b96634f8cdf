"""Word a captured memory: verbatim, with its most telling sentence, without an opening, as title."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from palimp_daemon.features.capture.rules import fixes
from palimp_daemon.features.capture.rules.cues import WORDS_MIN, InAnyLanguage
from palimp_daemon.features.capture.rules.shared_words import length_in_words
from palimp_daemon.features.capture.rules.signs import is_noncommittal, signs_of
from palimp_daemon.languages.language import either, sections_of_all
from palimp_daemon.text.titles import shorten_title

SHORT_COSTS: Final = 10
"""Exceeds all signs of a sentence: "Done." is a title only among short sentences."""

_TELLING: Final = frozenset(
    [
        "standing",
        "always",
        "must",
        "we_do",
        "no_longer",
        "wish",
        "specific",
        "number",
        "right",
        "label",
        "imperative",
        "thing",
    ]
)
"""Signs of an informative sentence."""

_MARKDOWN: Final = re.compile(r"^\s*(?:#{1,6}\s+|[-*+>•]\s+|\d+[.)]\s+)+")

_PRONOUN: Final = InAnyLanguage(lambda words: words.pronoun)


_JOINING: Final = InAnyLanguage(lambda words: rf"^(?:{words.joining})\b[\s,]+(?=\w)" if words.joining else "")


def without_joining(quote: str) -> str:
    """Return *quote* without a conjunction at its beginning."""
    joining = _JOINING.search(quote)
    return quote[joining.end() :] if joining else quote


def begins_with_pronoun(sentence: str) -> bool:
    """Tell whether *sentence* begins with a word referring to an earlier one."""
    return bool(_PRONOUN.search(without_opening(sentence)))


def without_opening(sentence: str) -> str:
    """Return *sentence* without a mere opening, unless nothing remains."""
    rest = _opening().sub("", sentence)
    return rest if length_in_words(rest) >= WORDS_MIN else sentence


@cache
def _opening() -> re.Pattern[str]:
    words = either(*(each.opening for each in sections_of_all(lambda language: language.capture)))
    return re.compile(rf"^\W*(?:\b(?:{words})\b[\s,;:!.…–—-]++)+(?=\S)", re.IGNORECASE)


def title_of(sentences: Sequence[str]) -> str:
    """Return the most telling of *sentences* as title."""
    return _as_title(max(sentences, key=lambda each: _tells(without_opening(each))))


def title_of_fix(sentences: Sequence[str]) -> str:
    """Return the one of *sentences* best on the fault, as title."""
    return _as_title(fixes.most_telling(sentences))


def _as_title(sentence: str) -> str:
    return shorten_title(_MARKDOWN.sub("", " ".join(without_opening(sentence).split())).rstrip(" .,;:…。"))


def _tells(sentence: str) -> int:
    signs = signs_of(sentence)
    told = len(signs & _TELLING) - 3 * bool(_PRONOUN.search(sentence)) - 3 * is_noncommittal(sentence)
    return told - SHORT_COSTS * (length_in_words(sentence) < WORDS_MIN)
