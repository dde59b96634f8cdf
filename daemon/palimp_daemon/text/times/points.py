"""Points of time in languages that separate words: yesterday, last week, July 2026.

Without a year: the most recent one before today.
"""

from collections.abc import Callable
from datetime import date
from typing import Final, NamedTuple, cast

from palimp_daemon.text.times import spans
from palimp_daemon.text.times.phrases import Phrases
from palimp_daemon.text.times.question_words import date_at, day_number_at, number_at, quarter_at, year_at
from palimp_daemon.text.times.spans import Span
from palimp_daemon.text.times.time_words import Role, times


class Point(NamedTuple):
    """A named span; *following* is the number of the next word. Flags: see `grammar`."""

    span: Span
    following: int
    is_bare: bool = False
    needs_past: bool = False
    weekday: int | None = None
    is_name: bool = False


POINT_ROLES: Final = frozenset(
    {Role.MONTH, Role.WEEKDAY, Role.UNIT, Role.SEASON, Role.WEEKEND, Role.DAYS_BACK, Role.UNITS_BACK}
)
"""Every time without digits has one of these."""


class Points:
    """Reads points in *phrases*, as of *today*. Methods raise ValueError for invalid days."""

    def __init__(self, phrases: Phrases, today: date) -> None:
        self._phrases = phrases
        self._words = phrases.words
        self._language = phrases.language
        self._today = today
        self._read: dict[int, Point | None] = {}

    def at(self, at: int) -> Point | None:
        """Return the point at the word *at*."""
        if at not in self._read:
            self._read[at] = self._part(at) or self._whole(at)
        return self._read[at]

    def _whole(self, at: int) -> Point | None:
        rules: tuple[Callable[[int], Point | None], ...] = (
            self._days_back,
            self._digits,
            self._week_of,
            self.week_of_month,
            self._day_of_month,
            self._month,
            self._week_of_year,
            self._unit,
            self._named_with_last,
        )
        return next((found for rule in rules if (found := rule(at))), None)

    def _days_back(self, at: int) -> Point | None:
        if taken := self._phrases.take(at, Role.DAYS_BACK):
            back = cast("int", taken.phrase.value)
            return Point(spans.around(spans.DAY, self._today, back), taken.following, needs_past=back == 0)
        if taken := self._phrases.take(at, Role.UNITS_BACK):
            unit, back = cast("tuple[str, int]", taken.phrase.value)
            return Point(spans.around(unit, self._today, back), taken.following)
        return None

    def _part(self, at: int) -> Point | None:
        taken = self._phrases.take(at, Role.PART)
        if not taken:
            return None
        inner = taken.following
        point = self._whole(self._phrases.skip_in(inner))
        start = self._phrases.skip(inner, Role.FILLER)
        if not point and start > inner and (unit := self._phrases.take(start, Role.UNIT)):
            if unit.phrase.value in (spans.HOUR, spans.DAY):
                return None
            point = Point(spans.around(cast("str", unit.phrase.value), self._today), unit.following)
        share = cast("tuple[float, float]", taken.phrase.value)
        if not point or point.span.unit == spans.DAY or not point.span.begin:
            return None
        span = spans.part(point.span, share)
        if span.begin and span.begin > self._today and point.span.unit == spans.YEAR:
            span = spans.part(spans.year(point.span.begin.year - 1), share)
        return Point(span, point.following, needs_past=point.needs_past)

    def _digits(self, at: int) -> Point | None:
        found = date_at(self._words, at, self._language)
        if not found:
            return self._quarter_in_digits(at)
        year, month, day = found
        span = (
            spans.day_of_month(day, month, self._today, year or None) if day else spans.month(month, self._today, year)
        )
        return Point(span, at + 1, is_bare=True)

    def _quarter_in_digits(self, at: int) -> Point | None:
        found = quarter_at(self._words, at)
        if not found:
            return None
        number, year = found
        following = at + 1
        if not year and (behind := year_at(self._words, self._phrases.skip(following, Role.FILLER))):
            year, following = cast("int", behind.phrase.value), behind.following
        return Point(spans.quarter(number, self._today, year), following, is_bare=year is None)

    def _day_of_month(self, at: int) -> Point | None:
        day = day_number_at(self._words, at)
        if day:
            month = self._phrases.take(self._phrases.skip(day.following, Role.FILLER), Role.MONTH)
            behind = month
        else:
            month = self._phrases.take(at, Role.MONTH)
            behind = day = month and day_number_at(self._words, self._phrases.skip(month.following, Role.FILLER))
        if not day or not month or not behind:
            return None
        year, following = self._year_behind(behind.following)
        span = spans.day_of_month(cast("int", day.phrase.value), cast("int", month.phrase.value), self._today, year)
        if (day.phrase.value, month.phrase.value, year) == (29, 2, None):  # a subject of many bugs, and seldom a time
            return Point(span, following, is_bare=True, is_name=True)
        is_bare = month.phrase.is_doubtful and day.phrase.is_doubtful and (year is None or self._language == "english")
        return Point(span, following, is_bare)

    def _week_of(self, at: int) -> Point | None:
        unit = self._phrases.take(at, Role.UNIT)
        start = self._phrases.skip(unit.following, Role.FILLER) if unit and unit.phrase.value == spans.WEEK else at
        day = self._day_of_month(start) or self._digits(start) if unit and start > unit.following else None
        return day._replace(span=spans.around(spans.WEEK, day.span.begin)) if day and day.span.begin else None

    def week_of_month(self, at: int) -> Point | None:
        """Return the week of a month at *at*: "first week of October"."""
        ordinal, last = self._phrases.take(at, Role.ORDINAL), self._phrases.take(at, Role.LAST)
        counted = ordinal or last
        unit = counted and self._phrases.take(counted.following, Role.UNIT)
        if not unit or unit.phrase.value != spans.WEEK:
            return None
        start = self._phrases.skip_in(unit.following)
        month = self._month(start) if start > unit.following else None
        if not month:
            return None
        number = cast("int", ordinal.phrase.value) if ordinal else None
        return Point(spans.week_of_month(number, month.span), month.following)

    def _week_of_year(self, at: int) -> Point | None:
        unit = self._phrases.take(at, Role.UNIT)
        number = number_at(self._words, unit.following) if unit and unit.phrase.value == spans.WEEK else None
        if not number or self._phrases.skip_in(number.following) > number.following:  # the second week of something
            return None
        return Point(spans.week_of_year(cast("int", number.phrase.value), self._today), number.following)

    def _month(self, at: int) -> Point | None:
        if (unit := self._phrases.take(at, Role.UNIT)) and unit.phrase.value == spans.MONTH:
            inner = self._phrases.skip(unit.following, Role.FILLER)
            return self._month(inner) if inner > unit.following else None
        newest = self._phrases.skip_last(at)
        start = newest if newest > at else self._phrases.skip(at, Role.THIS)
        taken = self._phrases.take(start, Role.MONTH)
        if not taken:
            return None
        number, following = cast("int", taken.phrase.value), taken.following
        year, following = self._year_behind(following)
        may_follow = year is None and times()[self._language].last_is_behind
        behind = self._phrases.skip_last(following) if may_follow else following
        is_last = newest > at or behind > following
        following = behind
        span = spans.month(number, self._today, year)
        if is_last and span.begin and span.end and span.end > self._today:
            span = spans.month(number, self._today, span.begin.year - 1)
        is_bare = not (is_last or start > at) and (year is None or taken.phrase.is_doubtful)
        return Point(span, following, is_bare, is_name=is_bare and taken.phrase.is_doubtful and year is None)

    def _unit(self, at: int) -> Point | None:
        if start := self._phrases.skip_last(at, none=0):
            unit, back = self._phrases.take(start, Role.UNIT), 1
        elif start := self._phrases.skip(at, Role.THIS, none=0):
            unit, back = self._phrases.take(start, Role.UNIT), 0
        else:
            unit, back = self._phrases.take(at, Role.UNIT), 1
            behind = unit and self._phrases.skip_last(unit.following, none=0)
            unit = unit._replace(following=behind) if unit and behind else None
        if not unit or unit.phrase.value in (spans.HOUR, spans.DAY):
            return None
        if back and self._phrases.is_past(start - 1) and start:
            return Point(spans.last(1, cast("str", unit.phrase.value), self._today), unit.following)
        return Point(
            spans.around(cast("str", unit.phrase.value), self._today, back), unit.following, needs_past=back == 0
        )

    def _named_with_last(self, at: int) -> Point | None:
        newest = self._phrases.skip_last(at)
        start = newest if newest > at else self._phrases.skip(at, Role.THIS)
        found = self._named_span(start)
        if not found:
            return None
        behind = self._phrases.skip_last(found.following) if times()[self._language].last_is_behind else found.following
        is_last = newest > at or behind > found.following
        return found._replace(following=behind, is_bare=not is_last and start == at, needs_past=not is_last)

    def _named_span(self, at: int) -> Point | None:
        if taken := self._phrases.take(at, Role.WEEKDAY):
            number = cast("int", taken.phrase.value)
            return Point(spans.weekday(number, self._today), taken.following, weekday=number)
        if taken := self._phrases.take(at, Role.WEEKEND):
            return Point(spans.weekend(self._today), taken.following)
        if taken := self._phrases.take(at, Role.SEASON):
            year, following = self._year_behind(taken.following)
            return Point(spans.season(cast("str", taken.phrase.value), self._today, year), following)
        ordinal = self._phrases.take(at, Role.ORDINAL)
        unit = ordinal and self._phrases.take(ordinal.following, Role.UNIT)
        if ordinal and unit and unit.phrase.value == spans.QUARTER:
            year, following = self._year_behind(unit.following)
            return Point(spans.quarter(cast("int", ordinal.phrase.value), self._today, year), following)
        if (year_ := year_at(self._words, at)) and cast("int", year_.phrase.value) <= self._today.year:
            return Point(spans.year(cast("int", year_.phrase.value)), year_.following)
        return None

    def _year_behind(self, at: int) -> tuple[int | None, int]:
        start = at
        if at < len(self._words) and self._words[at].text == ",":
            start = at + 1
        taken = year_at(self._words, self._phrases.skip(start, Role.FILLER))
        return (cast("int", taken.phrase.value), taken.following) if taken else (None, at)
