"""Parse times in languages that separate words, by recursive descent.

A *point* is a named span; a *time* is a point, or bounded by one or two. `needs_past` (today, in spring) counts only in
a question about the past, `is_bare` (May, 2025) only alone in the question.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple, cast

from palimp_daemon.text.times import spans
from palimp_daemon.text.times.phrases import Phrases
from palimp_daemon.text.times.points import POINT_ROLES, Point, Points
from palimp_daemon.text.times.question_words import AFTER_NUMBER, Word, day_number_at, quarter_at, year_at
from palimp_daemon.text.times.spans import Span
from palimp_daemon.text.times.subjects import leads_in
from palimp_daemon.text.times.time_words import Role


class Time(NamedTuple):
    """A span, named by the words from *first* on, before *following*."""

    span: Span
    first: int
    following: int
    is_bare: bool = False
    needs_past: bool = False
    weekday: int | None = None


_BEHIND_WEEKDAY: Final = frozenset(
    "last past morning afternoon evening night noon before after since until because while during".split()  # noqa: SIM905  a list of quoted words would be longer
)
"""English words that continue a time after `the Monday`, besides prepositions."""

_OPENED_AND_JOINED: Final = (
    (Role.BETWEEN, Role.AND),
    (Role.FROM, Role.TO),
    (Role.IN, Role.AND),
    (Role.IN, Role.TO),
)
"""Pairs of words that make one time of two points."""


class Reader:
    """Reads times in *words* as of *today*. Methods raise ValueError for invalid days."""

    def __init__(self, words: list[Word], language: str, today: date) -> None:
        self._words = words
        self._language = language
        self._today = today
        self._phrases = Phrases(words, language)
        self._points = Points(self._phrases, today)

    def times(self) -> Iterator[Time]:
        """Yield the times of the question, in order, without overlap."""
        has_digits = any(word.text[-1].isdigit() or word.text[0].isdigit() for word in self._words)
        at = 0 if has_digits or self._phrases.has_any(POINT_ROLES) else len(self._words)
        while at < len(self._words):
            found = (
                self._time(at)
                if self._phrases.roles(at) or self._words[at].text[0].isdigit() or quarter_at(self._words, at)
                else None
            )
            if found and found.following > at:
                yield found
                at = found.following
            else:
                at += 1

    def _time(self, at: int) -> Time | None:
        for rule in (self._between, self._since, self._until, self._ago, self._lasting, self._within, self._alone):
            if found := rule(at):
                return found
        return None

    # --- times ---------------------------------------------------------------------------------

    def _between(self, at: int) -> Time | None:
        for opening, joining in _OPENED_AND_JOINED:
            start = self._phrases.skip(at, opening)
            if start == at:
                continue
            inner = self._phrases.skip(start, Role.FILLER)
            first = self._points.at(inner) or self._day_before_month(inner)
            if not first or (joined := self._phrases.skip(first.following, joining)) == first.following:
                continue
            if found := self._from_to(inner, first, self._phrases.skip(joined, Role.FILLER)):
                return Time(found.span, at, found.following, needs_past=first.needs_past)
        return None

    def _from_to(self, start: int, first: Point, joined: int) -> Point | None:
        last = self._points.at(joined)
        if not last or not last.span.begin or not last.span.end:
            return None
        earlier = Points(self._phrases, last.span.begin)
        first = earlier.at(start) or Point(spans.day(last.span.begin.replace(day=self._day(start))), first.following)
        if not first.span.begin or first.span.begin >= last.span.end:
            return None
        return Point(Span(first.span.begin, last.span.end, unit=last.span.unit), last.following)

    def _day_before_month(self, at: int) -> Point | None:
        taken = day_number_at(self._words, at)
        return Point(spans.day(self._today), taken.following) if taken else None

    def _day(self, at: int) -> int:
        taken = day_number_at(self._words, at)
        if not taken:
            raise ValueError("There is no day of a month.")
        return cast("int", taken.phrase.value)

    def _since(self, at: int) -> Time | None:
        for role in (Role.SINCE, Role.AFTER):
            start = self._phrases.skip(at, role)
            if start == at:
                continue
            inner = self._phrases.skip(self._phrases.skip(start, Role.FILLER), Role.AGO)  # "depuis il y a ..."
            if role is Role.SINCE and self._language != "english" and (counted := self._count_and_unit(inner)):
                count, unit, following = counted
                return Time(spans.last(count, unit, self._today)._replace(end=None), at, following)
            point = self._points.at(self._phrases.skip_in(start))
            if not point:
                continue
            begin = point.span.begin if role is Role.SINCE else point.span.end
            return Time(Span(begin, None, point.span.is_exact), at, point.following)
        return None

    def _until(self, at: int) -> Time | None:
        for role in (Role.BEFORE, Role.UNTIL):
            start = self._phrases.skip(at, role)
            if start == at or (role is Role.BEFORE and self._count_and_unit(self._phrases.skip(start, Role.FILLER))):
                continue
            if point := self._points.at(self._phrases.skip_in(start)):
                end = point.span.begin if role is Role.BEFORE else point.span.end
                return Time(Span(None, end, point.span.is_exact), at, point.following, needs_past=True)
        return None

    def _within(self, at: int) -> Time | None:
        start = self._phrases.skip(at, Role.IN)
        if start == at:
            return None
        # "since the beginning of July" and "am 27. Mai": articles and a second preposition may stand between
        point = self._points.at(self._phrases.skip_in(start))
        if not point or self._is_counted(point):
            return None
        is_leap_day = point.is_name and point.span.unit == spans.DAY
        is_bare = is_leap_day or self._words[point.following - 1].is_possessive or self._is_before_noun(start, point)
        return Time(point.span, at, point.following, is_bare, point.needs_past, weekday=point.weekday)

    def _alone(self, at: int) -> Time | None:
        start = self._phrases.skip(at, Role.FILLER)
        point = self._points.at(start)
        if point and not point.is_name:
            is_bare = point.is_bare or self._words[point.following - 1].is_possessive or self._names(start > at, point)
            return Time(point.span, at, point.following, is_bare, point.needs_past, weekday=point.weekday)
        return None

    def _names(self, has_article: bool, point: Point) -> bool:  # noqa: FBT001  read in one place
        following = self._words[point.following :][:1]
        return self._language == "english" and has_article and any(word.text.isalpha() for word in following)

    def _is_before_noun(self, start: int, point: Point) -> bool:
        first, following = self._phrases.skip_in(start), self._words[point.following :][:1]
        is_named = self._language == "english" and point.weekday is not None and self._words[first - 1].text == "the"
        goes_on = any(word.text in _BEHIND_WEEKDAY or leads_in(word.text, "english") for word in following)
        return is_named and not goes_on and any(word.text.isalpha() for word in following)

    def _is_counted(self, point: Point) -> bool:
        is_year = year_at(self._words, point.following - 1) and point.span.unit == spans.YEAR
        return bool(is_year) and (
            point.following < len(self._words)
            and self._language == "english"
            and self._words[point.following].text not in AFTER_NUMBER
        )

    # --- counted units ----------------------------------------------------------------------------

    def _ago(self, at: int) -> Time | None:
        for start in (
            self._phrases.skip(at, Role.AGO),
            self._phrases.skip(at, Role.BEFORE) if self._language == "german" else at,
        ):
            counted = self._count_and_unit(start)
            if not counted:
                continue
            count, unit, following = counted
            if start == at and (following := self._phrases.skip(following, Role.AGO)) == counted[2]:
                continue
            return Time(spans.ago(count, unit, self._today), at, following)
        return None

    def _lasting(self, at: int) -> Time | None:
        inside = self._phrases.skip(at, Role.IN)
        start = self._phrases.skip(inside, Role.FILLER)
        if self._points.week_of_month(start):
            return None
        number = self._phrases.number(start)
        newest = self._phrases.skip_last(number.following if number else start)
        if newest == (number.following if number else start):
            return None
        if not number:
            number = self._phrases.number(newest)
            newest = number.following if number else newest
        unit = self._phrases.take(newest, Role.UNIT)
        if not unit or not (number or self._phrases.is_past(newest - 1) or self._phrases.has_article(inside, start)):
            return None
        if not number and not self._phrases.is_past(newest - 1):
            # "in the last month": the one before this one, or up to now
            whole = spans.around(cast("str", unit.phrase.value), self._today, 1)
            span = Span(whole.begin, self._today + timedelta(1), is_exact=False, unit=whole.unit)
            return Time(span, at, unit.following)
        count = cast("int", number.phrase.value) if number else 1
        span = spans.last(count, cast("str", unit.phrase.value), self._today)
        return Time(span, at, unit.following, needs_past=inside == at)

    def _count_and_unit(self, at: int) -> tuple[int, str, int] | None:
        number = self._phrases.number(at)
        unit = number and self._phrases.take(number.following, Role.UNIT)
        if not number or not unit:
            return None
        return cast("int", number.phrase.value), cast("str", unit.phrase.value), unit.following
