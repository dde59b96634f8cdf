"""Tell whether a question is about the past or the present."""

import re
from functools import cache
from typing import Final

from palimp_daemon.languages.language import either, one_line, sections

_DECIDED: Final = re.compile(r"\b(?:deci|agree|entsch|beschl|beslo)")
_ATTRIBUTE: Final = re.compile(
    r"\b(?:(?:that|which|who)\s+(?!was|were|had|did)\w+(?<!ed)|dated|due|valid|older|newer|expir\w+|data|orders?|invoices?|queries|"
    r"rows?|logs?|records|events?|totals?|partitions?|tickets?)\s*(?:than|from)?\s*,?\s*$"
)
_CUSTOM: Final = re.compile(r"\b\w{3,}ing\s*$")


def asks_why(text: str) -> bool:
    """Tell whether the folded *text* asks for a reason."""
    return _why().search(text) is not None and not _DECIDED.search(text)


def belongs_to_noun(before: str, *, is_weekday: bool) -> bool:
    """Tell whether the folded text *before* a time ends with a noun for it: `orders of`."""
    return _ATTRIBUTE.search(before) is not None or (is_weekday and _CUSTOM.search(before) is not None)


def asks_for_news(text: str, language: str) -> bool:
    """Tell whether the folded *text* asks for news."""
    return _news(language).search(text) is not None


def tells_of_past(text: str, language: str) -> bool:
    """Tell whether the folded *text* is about the past, in *language*."""
    if language == "unspaced":
        return _unspaced_past().search(text) is not None
    past, present = _tenses(language)
    if past.search(text) is not None:
        return True
    # "renamed" alone is past, "is renamed" is a custom
    return language == "english" and not present.search(text) and re.search(r"\b[a-z]{3,}ed\b", text) is not None


def tells_of_present(text: str, language: str) -> bool:
    """Tell whether the folded *text* is about the present or the future."""
    return language != "unspaced" and _tenses(language)[1].search(text) is not None


@cache
def _why() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{either(*(each.why for each in sections(lambda language: language.past).values()))})\b")


@cache
def _news(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{one_line(sections(lambda language: language.tenses)[language].news)})\b")


@cache
def _unspaced_past() -> re.Pattern[str]:
    tenses = sections(lambda language: language.tenses, has_whole_words=False)
    return re.compile(either(*(each.past for each in tenses.values())))


@cache
def _tenses(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    tenses = sections(lambda language: language.tenses)[language]
    return re.compile(rf"\b(?:{one_line(tenses.past)})\b"), re.compile(rf"\b(?:{one_line(tenses.present)})\b")
