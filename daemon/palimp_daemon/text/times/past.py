"""Tell whether a question asks for a former state; replaced memories come first then.

Not for a cause ("why did the job fail") or a decision.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import Past, either, one_line, sections
from palimp_daemon.languages.language_of import languages_of
from palimp_daemon.text.times.question_time import QUESTION_CHARACTERS_MAX, has_long_span
from palimp_daemon.text.times.question_words import fold

_NOW: Final = re.compile(r"^(?:do|does|is|are|may|can|must|should|shall|will)\b", re.IGNORECASE)


def asks_for_past(question: str) -> bool:
    """Tell whether *question* surely asks for a former state."""
    text = " ".join(fold(question[:QUESTION_CHARACTERS_MAX]).split()).lstrip("¿¡\"' ")
    asks, asks_not = _unspaced_patterns()
    if asks.search(text):
        return not asks_not.search(text)
    if _NOW.search(text):
        return False
    return any(_asks_in(language, text, question) for language in languages_of(text))


class _Patterns(NamedTuple):
    course: re.Pattern[str]
    asks_why: tuple[re.Pattern[str], ...]
    recorded: re.Pattern[str]
    asks: tuple[re.Pattern[str], ...]
    was: re.Pattern[str]


def _asks_in(language: str, text: str, question: str) -> bool:
    patterns = _patterns(language)
    if any(pattern.search(text) for pattern in (patterns.course, *patterns.asks_why)):
        return True
    if patterns.recorded.search(text):
        return False
    if any(pattern.search(text) for pattern in patterns.asks):
        return True
    return not _why().search(text) and patterns.was.search(text) is not None and has_long_span(question)


def _sections() -> dict[str, Past]:
    return sections(lambda language: language.past)


@cache
def _patterns(language: str) -> _Patterns:
    words = _sections()[language]
    return _Patterns(
        re.compile(one_line(words.course)),
        tuple(re.compile(_fill_pattern(pattern, words)) for pattern in words.asks_why),
        re.compile(rf"\b(?:{one_line(words.recorded)})"),
        tuple(re.compile(_fill_pattern(pattern, words)) for pattern in words.asks),
        re.compile(rf"\b(?:{one_line(words.was)})"),
    )


def _fill_pattern(pattern: str, words: Past) -> str:
    pattern = one_line(pattern)
    for name, part in words.parts.items():
        pattern = pattern.replace(f"<{name}>", one_line(part))
    return pattern


@cache
def _why() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{either(*(each.why for each in _sections().values()))})\b")


@cache
def _unspaced_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    found = sections(lambda language: language.past, has_whole_words=False).values()
    asks, asks_not = (pattern for each in found for pattern in each.asks), (p for each in found for p in each.asks_not)
    return re.compile(either(*asks)), re.compile(either(*asks_not))
