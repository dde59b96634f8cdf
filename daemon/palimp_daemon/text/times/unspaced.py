"""Find common times in Japanese, Chinese and Korean by patterns.

A suffix (以来, 之前, まで) makes a bound of the point before it.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import UnspacedTimes, either, sections
from palimp_daemon.text.times import spans
from palimp_daemon.text.times.spans import Span

UNSPACED: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
"""A character that may be Japanese, Chinese or Korean."""


class SpanMention(NamedTuple):
    """A span, named by the characters from *begin* on, before *end*."""

    span: Span
    begin: int
    end: int


_UNITS: Final = {
    spans.HOUR: "時間|小时|小時|시간",
    spans.DAY: "日|天|일",
    spans.WEEK: "週間?|周|个?星期|个?礼拜|주일?",
    spans.MONTH: "[かヶケカ个ヵ箇]?月|개월|달",
    spans.YEAR: "年|년|해",
}
"""Patterns of counted units."""
_DIGITS: Final = {digit: number for number, digit in enumerate("〇一二三四五六七八九十")} | {"两": 2, "兩": 2}
_KOREAN_NUMBERS: Final = {"한": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "몇": 3}
_KOREAN_DAYS: Final = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "열흘": 10}
"""Counts of days in one word."""
_NUMBER: Final = r"[0-9０-９]{1,3}|[一二三四五六七八九十两]{1,2}"
_YEAR: Final = r"(?:(?P<year>(?:19|20)\d\d)\s*[年년]\s*)?"
_MONTH: Final = r"(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])\s*[月월]"


def _count_pattern(name: str) -> str:
    units = "|".join(f"(?P<{name}_{unit}>{pattern})" for unit, pattern in _UNITS.items())
    # "한 일" is a thing done, and no day
    number = rf"(?P<{name}_number>{_NUMBER}|(?:{'|'.join(_KOREAN_NUMBERS)})(?!\s*일))"
    return rf"(?:{number}\s*(?:{units})|(?P<{name}_days>{'|'.join(_KOREAN_DAYS)}))"


@cache
def _sections() -> tuple[UnspacedTimes, ...]:
    return tuple(sections(lambda language: language.unspaced_times, has_whole_words=False).values())


@cache
def _patterns_of_units() -> dict[tuple[str, int], str]:
    return {
        (unit, back): either(*(each.named[unit][back] for each in _sections()))
        for unit in (spans.DAY, spans.WEEK, spans.MONTH, spans.YEAR)
        for back in (2, 1, 0)
    }


@cache
def _time() -> re.Pattern[str]:
    point = "|".join(
        (
            *(f"(?P<named{number}>{pattern})" for number, pattern in enumerate(_patterns_of_units().values())),
            rf"(?P<ago>{_count_pattern('ago')}(?:間?(?<!\d月)前(?!端)|\s?전(?=[에의까부은는,.?\s]|$)))",
            rf"(?P<last>(?:過去|过去|最近|直近|近|지난|최근)的?\s*{_count_pattern('last')}[間간]?)",
            rf"(?P<date>(?<![\d.]){_YEAR}{_MONTH}份?(?:\s*(?P<day>\d{{1,2}}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])\s*[日号號일])?)",
            r"(?P<only_year>(?<!\d)(?:19|20)\d\d[年년])",
        )
    )
    words = _sections()
    since, before = either(*(each.since for each in words)), either(*(each.before for each in words))
    until = either(*(each.until for each in words))
    bound = rf"(?:(?P<since>{since})|(?P<before>{before})|(?P<until>{until}))?"
    return re.compile(rf"(?P<from>自从?|从|從)?(?:{point}){bound}")


def times(text: str, today: date) -> Iterator[SpanMention]:
    """Yield the times in *text*; ValueError for invalid days."""
    for match in _time().finditer(text):
        span = _span(match, today)
        if match["before"]:
            span = Span(None, span.begin, span.is_exact)
        elif match["until"]:
            span = Span(None, span.end, span.is_exact)
        elif match["since"] or match["from"]:
            span = Span(span.begin, None, span.is_exact)
        yield SpanMention(span, match.start(), match.end())


def _span(match: re.Match[str], today: date) -> Span:
    if match["ago"]:
        return spans.ago(*_count_of(match, "ago"), today)
    if match["last"]:
        return spans.last(*_count_of(match, "last"), today)
    if match["only_year"]:
        return spans.year(int(match["only_year"][:4]))
    if match["date"]:
        year = int(match["year"]) if match["year"] else None
        month = _number(match["month"])
        if match["day"]:
            return spans.day_of_month(_number(match["day"]), month, today, year)
        return spans.month(month, today, year)
    for number, (unit, back) in enumerate(_patterns_of_units()):
        if match[f"named{number}"]:
            return spans.around(unit, today, back)
    raise ValueError("No point was read.")


def _count_of(match: re.Match[str], name: str) -> tuple[int, str]:
    if days := match[f"{name}_days"]:
        return _KOREAN_DAYS[days], spans.DAY
    return _number(match[f"{name}_number"]), next(unit for unit in _UNITS if match[f"{name}_{unit}"])


def _number(text: str) -> int:
    if text[0].isdigit() and text[0] not in _DIGITS:
        return int(text)
    if text in _KOREAN_NUMBERS:
        return _KOREAN_NUMBERS[text]
    tens, ten, ones = text.rpartition("十")
    value = (_DIGITS[tens] if tens else 1) * 10 if ten else 0
    return value + (_DIGITS[ones] if ones else 0) if len(ones) < 2 else _DIGITS[ones[0]] * 10 + _DIGITS[ones[1]]
