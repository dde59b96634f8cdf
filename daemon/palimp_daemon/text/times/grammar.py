"""How the words of a time go together, in every language that separates words: a parser by recursive descent.

Theory
------
A *point* is a span that has a name (yesterday, last week, July 2026, 27 May, the end of August); a *time* is one, or
what is since, before or between points. Word order differs (last week, semana pasada), so that a point is tried in
each of them.

A time is believed where the question tells of something past; `needs_past` says that it must tell of nothing present
besides (today, on Monday, in spring, before June), since those are said of customs and plans as well.

A name that may be something else (May, March, Sunday, 2025, 2026-01-31) is none without a preposition, an ordinal or a
year beside it; `is_bare` says that there is none, and that the rest of the question has to be empty then. The names
of people are none even then.
"""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple, cast

from palimp_daemon.text.times import spans
from palimp_daemon.text.times.languages import Role
from palimp_daemon.text.times.spans import Span
from palimp_daemon.text.times.words import (
    Taken,
    Word,
    date_at,
    day_number_at,
    number_at,
    phrases_at,
    quarter_at,
    year_at,
)

ARTICLES_MAX: Final = 3
"""Words without a meaning of their own between a preposition and a span: `of the`, `in the`."""


class Point(NamedTuple):
    """A span with a name, the number of the word after it, and what it needs to be believed."""

    span: Span
    following: int
    is_bare: bool = False
    needs_past: bool = False
    weekday: int | None = None
    is_name: bool = False


class Time(NamedTuple):
    """A time in a question: its span, the words *first* to *following*, and what it needs; see the module."""

    span: Span
    first: int
    following: int
    is_bare: bool = False
    needs_past: bool = False
    weekday: int | None = None


_LAST_BEHIND: Final = frozenset({"french", "spanish", "portuguese", "italian"})
"""Where `last` stands behind the day or month: `lundi dernier`."""

_DOTTED_LANGUAGES: Final = frozenset({"german", "dutch", "italian"})
"""Where `27.5.` without a year is a date."""

_AFTER_YEAR: Final = frozenset(
    [
        "did",
        "was",
        "were",
        "we",
        "had",
        "and",
        "or",
        "about",
        "on",
        "for",
        "with",
        "the",
        "by",
        "there",
        "what",
        "which",
        "who",
        "how",
        ",",
        "?",
        "!",
        ";",
        ")",
        ".",
        ":",
    ]
)
"""English words that may follow a bare year; behind another one it counts something."""


POINT_ROLES: Final = frozenset(
    {Role.MONTH, Role.WEEKDAY, Role.UNIT, Role.SEASON, Role.WEEKEND, Role.DAYS_BACK, Role.UNITS_BACK}
)
"""One of these is in every time that has no digits."""


class Reader:
    """Reads times in *words*, in one language, as of *today*. Methods raise ValueError for days that do not exist."""

    def __init__(
        self, words: list[Word], language: str, today: date, phrases: list[dict[Role, Taken]] | None = None
    ) -> None:
        self._words = words
        self._language = language
        self._today = today
        self._phrases = phrases or phrases_at(words, language)
        self._points: dict[int, Point | None] = {}

    def times(self) -> Iterator[Time]:
        """Yield the times of the question, in order; none overlaps another."""
        at = 0 if any(POINT_ROLES & found.keys() for found in self._phrases) or self._has_digits() else len(self._words)
        while at < len(self._words):
            found = (
                self._time(at)
                if self._phrases[at] or self._words[at].text[0].isdigit() or quarter_at(self._words, at)
                else None
            )
            if found and found.following > at:
                yield found
                at = found.following
            else:
                at += 1

    def _has_digits(self) -> bool:
        return any(word.text[-1].isdigit() or word.text[0].isdigit() for word in self._words)

    def _time(self, at: int) -> Time | None:
        for rule in (self._between, self._since, self._bounded, self._ago, self._lasting, self._within, self._alone):
            if found := rule(at):
                return found
        return None

    # --- times ---------------------------------------------------------------------------------

    def _between(self, at: int) -> Time | None:
        """Read `between March and August`, `from June to July`, `in May and June`."""
        for opening, joining in (
            (Role.BETWEEN, Role.AND),
            (Role.FROM, Role.TO),
            (Role.IN, Role.AND),
            (Role.IN, Role.TO),
        ):
            start = self._skip(at, opening)
            if start == at:
                continue
            first = self._point(self._skip(start, Role.FILLER)) or self._day_before_month(
                self._skip(start, Role.FILLER)
            )
            if not first or (joined := self._skip(first.following, joining)) == first.following:
                continue
            joined = self._skip(joined, Role.FILLER)
            last = self._point(joined)
            if last and (found := self._from_to(start, first, joined)):
                return Time(found.span, at, found.following, needs_past=first.needs_past)
        return None

    def _from_to(self, start: int, first: Point, joined: int) -> Point | None:
        """Return the span from the point at *start* to the one at *joined*, both as they were last."""
        last = self._point(joined)
        if not last or not last.span.begin or not last.span.end:
            return None
        earlier = Reader(self._words, self._language, last.span.begin, self._phrases)
        start = self._skip(start, Role.FILLER)
        first = earlier.point_at(start) or Point(
            spans.day(last.span.begin.replace(day=self._day(start))), first.following
        )
        if not first.span.begin or first.span.begin >= last.span.end:
            return None
        return Point(Span(first.span.begin, last.span.end, unit=last.span.unit), last.following)

    def point_at(self, at: int) -> Point | None:
        """Return the point that begins at the word *at*."""
        return self._point(at)

    def _day_before_month(self, at: int) -> Point | None:
        """Read the `3` of `between 3 and 12 June`."""
        taken = day_number_at(self._words, at)
        return Point(spans.day(self._today), taken.following) if taken else None

    def _day(self, at: int) -> int:
        taken = day_number_at(self._words, at)
        if not taken:
            raise ValueError("There is no day of a month.")
        return cast("int", taken.phrase.value)

    def _since(self, at: int) -> Time | None:
        """Read `since Tuesday`, `after 1 June`, `depuis deux semaines`."""
        for role in (Role.SINCE, Role.AFTER):
            start = self._skip(at, role)
            if start == at:
                continue
            inner = self._skip_ago(self._skip(start, Role.FILLER))
            if role is Role.SINCE and self._language != "english" and (counted := self._counted(inner)):
                count, unit, following = counted
                return Time(spans.last(count, unit, self._today)._replace(end=None), at, following)
            point = self._point(self._skip_in(start))
            if not point:
                continue
            begin = point.span.begin if role is Role.SINCE else point.span.end
            return Time(Span(begin, None, point.span.is_exact), at, point.following)
        return None

    def _bounded(self, at: int) -> Time | None:
        """Read `before June` and `until May`, which has the whole of May in it."""
        for role in (Role.BEFORE, Role.UNTIL):
            start = self._skip(at, role)
            if start == at or (role is Role.BEFORE and self._counted(self._skip(start, Role.FILLER))):
                continue
            if point := self._point(self._skip_in(start)):
                end = point.span.begin if role is Role.BEFORE else point.span.end
                return Time(Span(None, end, point.span.is_exact), at, point.following, needs_past=True)
        return None

    def _within(self, at: int) -> Time | None:
        """Read a point behind a preposition."""
        start = self._skip(at, Role.IN)
        if start == at:
            return None
        # "since the beginning of July" and "am 27. Mai": articles and a second preposition may stand between
        point = self._point(self._skip_in(start))
        if not point or self._is_counted(point):
            return None
        is_leap_day = point.is_name and point.span.unit == spans.DAY
        is_bare = is_leap_day or self._words[point.following - 1].is_possessive
        return Time(point.span, at, point.following, is_bare, point.needs_past, weekday=point.weekday)

    def _alone(self, at: int) -> Time | None:
        """Read a point without any preposition."""
        start = self._skip(at, Role.FILLER)
        point = self._point(start)
        if point and not point.is_name:
            is_bare = point.is_bare or self._words[point.following - 1].is_possessive or self._names(start > at, point)
            return Time(point.span, at, point.following, is_bare, point.needs_past, weekday=point.weekday)
        return None

    def _names(self, has_article: bool, point: Point) -> bool:  # noqa: FBT001  read in one place
        """Tell whether a point with an article in front names the thing behind: `the yesterday filter`."""
        following = self._words[point.following :][:1]
        return self._language == "english" and has_article and any(word.text.isalpha() for word in following)

    def _is_counted(self, point: Point) -> bool:
        """Tell whether a bare year counts what follows: `in 2000 rows`."""
        is_year = year_at(self._words, point.following - 1) and point.span.unit == spans.YEAR
        return bool(is_year) and (
            point.following < len(self._words)
            and self._language == "english"
            and self._words[point.following].text not in _AFTER_YEAR
        )

    # --- what is counted -----------------------------------------------------------------------

    def _ago(self, at: int) -> Time | None:
        """Read `two weeks ago`, `il y a deux semaines`, `vor zwei Tagen`."""
        for start in (self._skip(at, Role.AGO), self._skip(at, Role.BEFORE) if self._language == "german" else at):
            counted = self._counted(start)
            if not counted:
                continue
            count, unit, following = counted
            if start == at and (following := self._skip(following, Role.AGO)) == counted[2]:
                continue
            return Time(spans.ago(count, unit, self._today), at, following)
        return None

    def _lasting(self, at: int) -> Time | None:
        """Read `in the last 3 days`, `les trois derniers jours`, `the past week`."""
        inside = self._skip(at, Role.IN)
        start = self._skip(inside, Role.FILLER)
        number = self._number(start)
        newest = self._skip_last(number.following if number else start)
        if newest == (number.following if number else start):
            return None
        if not number:
            number = self._number(newest)
            newest = number.following if number else newest
        unit = self._take(newest, Role.UNIT)
        if not unit or not (number or self._is_past(newest - 1) or self._has_article(inside, start)):
            return None
        if not number and not self._is_past(newest - 1):  # "in the last month": the one before this one, or up to now
            whole = spans.around(cast("str", unit.phrase.value), self._today, 1)
            return Time(Span(whole.begin, self._today + timedelta(1), is_exact=False), at, unit.following)
        count = cast("int", number.phrase.value) if number else 1
        span = spans.last(count, cast("str", unit.phrase.value), self._today)
        return Time(span, at, unit.following, needs_past=inside == at)

    def _counted(self, at: int) -> tuple[int, str, int] | None:
        """Return number, unit, and the word behind: `two weeks`."""
        number = self._number(at)
        unit = number and self._take(number.following, Role.UNIT)
        if not number or not unit:
            return None
        return cast("int", number.phrase.value), cast("str", unit.phrase.value), unit.following

    # --- points --------------------------------------------------------------------------------

    def _point(self, at: int) -> Point | None:
        if at not in self._points:
            self._points[at] = self._part(at) or self._whole(at)
        return self._points[at]

    def _whole(self, at: int) -> Point | None:
        """Read a point that is no part of another one."""
        rules: tuple[Callable[[int], Point | None], ...] = (
            self._days_back,
            self._digits,
            self._week_of,
            self._day_of_month,
            self._month,
            self._unit,
            self._named,
        )
        return next((found for rule in rules if (found := rule(at))), None)

    def _days_back(self, at: int) -> Point | None:
        if taken := self._take(at, Role.DAYS_BACK):
            back = cast("int", taken.phrase.value)
            return Point(spans.around(spans.DAY, self._today, back), taken.following, needs_past=back == 0)
        if taken := self._take(at, Role.UNITS_BACK):
            unit, back = cast("tuple[str, int]", taken.phrase.value)
            return Point(spans.around(unit, self._today, back), taken.following)
        return None

    def _part(self, at: int) -> Point | None:
        """Read `beginning of the year`, `late July`, `mid-July`."""
        taken = self._take(at, Role.PART)
        if not taken:
            return None
        inner = taken.following
        point = self._whole(self._skip_in(inner))
        start = self._skip(inner, Role.FILLER)
        if not point and start > inner and (unit := self._take(start, Role.UNIT)):
            if unit.phrase.value == spans.DAY:
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
        """Read a date in digits."""
        found = date_at(self._words, at, self._language)
        if not found:
            return self._quarter_in_digits(at)
        year, month, day = found
        if not year and self._language not in _DOTTED_LANGUAGES:
            return None
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
        if not year and (behind := year_at(self._words, self._skip(following, Role.FILLER))):
            year, following = cast("int", behind.phrase.value), behind.following
        return Point(spans.quarter(number, self._today, year), following, is_bare=year is None)

    def _day_of_month(self, at: int) -> Point | None:
        """Read `27 May`, `27th of May 2025`, `May 27`, `27 de mayo`."""
        day = day_number_at(self._words, at)
        if day:
            month = self._take(self._skip(day.following, Role.FILLER), Role.MONTH)
            behind = month
        else:
            month = self._take(at, Role.MONTH)
            behind = day = month and day_number_at(self._words, self._skip(month.following, Role.FILLER))
        if not day or not month or not behind:
            return None
        year, following = self._year_behind(behind.following)
        span = spans.day_of_month(cast("int", day.phrase.value), cast("int", month.phrase.value), self._today, year)
        if (day.phrase.value, month.phrase.value, year) == (29, 2, None):  # a subject of many bugs, and seldom a time
            return Point(span, following, is_bare=True, is_name=True)
        is_bare = month.phrase.is_doubtful and day.phrase.is_doubtful and (year is None or self._language == "english")
        return Point(span, following, is_bare)

    def _week_of(self, at: int) -> Point | None:
        """Read `week of 6 July`."""
        unit = self._take(at, Role.UNIT)
        start = self._skip(unit.following, Role.FILLER) if unit and unit.phrase.value == spans.WEEK else at
        day = self._day_of_month(start) or self._digits(start) if unit and start > unit.following else None
        return day._replace(span=spans.around(spans.WEEK, day.span.begin)) if day and day.span.begin else None

    def _month(self, at: int) -> Point | None:
        """Read `July`, `July 2025`, `last July`, `juillet dernier`, `mois de mai`."""
        if (unit := self._take(at, Role.UNIT)) and unit.phrase.value == spans.MONTH:
            inner = self._skip(unit.following, Role.FILLER)
            return self._month(inner) if inner > unit.following else None
        newest = self._skip_last(at)
        start = newest if newest > at else self._skip(at, Role.THIS)
        taken = self._take(start, Role.MONTH)
        if not taken:
            return None
        number, following = cast("int", taken.phrase.value), taken.following
        year, following = self._year_behind(following)
        behind = self._skip_last(following) if year is None and self._language in _LAST_BEHIND else following
        is_last = newest > at or behind > following
        following = behind
        span = spans.month(number, self._today, year)
        if is_last and span.begin and span.end and span.end > self._today:
            span = spans.month(number, self._today, span.begin.year - 1)
        is_bare = not (is_last or start > at) and (year is None or taken.phrase.is_doubtful)
        return Point(span, following, is_bare, is_name=is_bare and taken.phrase.is_doubtful and year is None)

    def _unit(self, at: int) -> Point | None:
        """Read `last week`, `this month`, `semaine derniere`."""
        if start := self._skip_last(at, none=0):
            unit, back = self._take(start, Role.UNIT), 1
        elif start := self._skip(at, Role.THIS, none=0):
            unit, back = self._take(start, Role.UNIT), 0
        else:
            unit, back = self._take(at, Role.UNIT), 1
            behind = unit and self._skip_last(unit.following, none=0)
            unit = unit._replace(following=behind) if unit and behind else None
        if not unit or unit.phrase.value == spans.DAY:
            return None
        if back and self._is_past(start - 1) and start:
            return Point(spans.last(1, cast("str", unit.phrase.value), self._today), unit.following)
        return Point(
            spans.around(cast("str", unit.phrase.value), self._today, back), unit.following, needs_past=back == 0
        )

    def _named(self, at: int) -> Point | None:
        """Read a weekday, a weekend, a season, a quarter or a year, with `last` before or behind it."""
        newest = self._skip_last(at)
        start = newest if newest > at else self._skip(at, Role.THIS)
        found = self._named_span(start)
        if not found:
            return None
        behind = self._skip_last(found.following) if self._language in _LAST_BEHIND else found.following
        is_last = newest > at or behind > found.following
        return found._replace(following=behind, is_bare=not is_last and start == at, needs_past=not is_last)

    def _named_span(self, at: int) -> Point | None:
        if taken := self._take(at, Role.WEEKDAY):
            number = cast("int", taken.phrase.value)
            return Point(spans.weekday(number, self._today), taken.following, weekday=number)
        if taken := self._take(at, Role.WEEKEND):
            return Point(spans.weekend(self._today), taken.following)
        if taken := self._take(at, Role.SEASON):
            year, following = self._year_behind(taken.following)
            return Point(spans.season(cast("str", taken.phrase.value), self._today, year), following)
        ordinal = self._take(at, Role.ORDINAL)
        unit = ordinal and self._take(ordinal.following, Role.UNIT)
        if ordinal and unit and unit.phrase.value == spans.QUARTER:
            year, following = self._year_behind(unit.following)
            return Point(spans.quarter(cast("int", ordinal.phrase.value), self._today, year), following)
        if (year_ := year_at(self._words, at)) and cast("int", year_.phrase.value) <= self._today.year:
            return Point(spans.year(cast("int", year_.phrase.value)), year_.following)
        return None

    def _year_behind(self, at: int) -> tuple[int | None, int]:
        """Return the year at *at*, behind a comma or `of`, and the word after it."""
        start = at
        if at < len(self._words) and self._words[at].text == ",":
            start = at + 1
        taken = year_at(self._words, self._skip(start, Role.FILLER))
        return (cast("int", taken.phrase.value), taken.following) if taken else (None, at)

    # --- words ---------------------------------------------------------------------------------

    def _take(self, at: int, role: Role) -> Taken | None:
        return self._phrases[at].get(role) if at < len(self._phrases) else None

    def _number(self, at: int) -> Taken | None:
        return number_at(self._words, at) or self._take(at, Role.NUMBER)

    def _skip(self, at: int, role: Role, none: int | None = None) -> int:
        """Return the word behind what has *role* at *at*, any number of articles; *none* or *at* where nothing has."""
        following = at
        for _ in range(ARTICLES_MAX if role is Role.FILLER else 1):
            taken = self._take(following, role)
            if not taken:
                break
            following = taken.following
        return following if following > at or none is None else none

    def _skip_in(self, at: int) -> int:
        """Return the word behind articles and prepositions."""
        return self._skip(self._skip(self._skip(at, Role.FILLER), Role.IN), Role.FILLER)

    def _skip_ago(self, at: int) -> int:
        return self._skip(at, Role.AGO)

    def _skip_last(self, at: int, none: int | None = None) -> int:
        """Return the word behind `last` or `past`."""
        following = self._skip(at, Role.LAST)
        following = following if following > at else self._skip(at, Role.PAST)
        return following if following > at or none is None else none

    def _has_article(self, preposition: int, noun: int) -> bool:
        """Tell whether `in the` or the like is before *noun*, which in English makes `last week` a stretch of time."""
        is_last = noun > 0 and self._words[noun - 1].text == "the" and self._words[noun].text == "last"
        return self._language == "english" and 0 < preposition < noun and is_last

    def _is_past(self, at: int) -> bool:
        return at >= 0 and self._take(at, Role.PAST) is not None


def weekday_of_week(number: int, week: Span) -> Span:
    """Return the day of *week* that is this weekday; ValueError where it is no week."""
    if week.unit != spans.WEEK or not week.begin:
        raise ValueError("Only a week has weekdays.")
    return spans.day(week.begin + timedelta(number))
