"""Spans of local days, half open; None is no bound.

Rough spans ("two weeks ago") are wider than their words: too narrow a filter hides the answer.
"""

from datetime import date, timedelta
from typing import Final, NamedTuple

HOUR, DAY, WEEK, MONTH, QUARTER, YEAR = "hour", "day", "week", "month", "quarter", "year"

DAY_HOURS: Final = 24

SEASON_MONTHS: Final = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""First months of meteorological seasons, northern hemisphere: most people live there."""

FIRST_THIRD, MIDDLE, LAST_THIRD = (0.0, 1 / 3), (0.3, 0.7), (0.65, 1.0)
FIRST_HALF, SECOND_HALF = (0.0, 0.5), (0.5, 1.0)
"""Parts of a span, as shares of its length."""

AGO_SLACK_DAYS: Final = {DAY: 0, WEEK: 4, MONTH: 15, QUARTER: 45, YEAR: 183}
"""Days on either side that "so many units ago" may mean."""


class Span(NamedTuple):
    """Local days from *begin* on, before *end*; None for no bound."""

    begin: date | None
    end: date | None
    is_exact: bool = True
    unit: str = DAY


def day(of: date) -> Span:
    """Return the span of one day."""
    return Span(of, of + timedelta(1))


def around(unit: str, today: date, back: int = 0) -> Span:
    """Return the calendar's *unit* with *today*, or *back* units before."""
    if unit in (HOUR, DAY):
        return day(today - timedelta(back))._replace(unit=unit)
    if unit == WEEK:
        begin = today - timedelta(today.weekday() + 7 * back)
        return Span(begin, begin + timedelta(7), unit=WEEK)
    months = {MONTH: 1, QUARTER: 3, YEAR: 12}[unit]
    begin = months_later(date(today.year, (today.month - 1) // months * months + 1, 1), -back * months)
    return Span(begin, months_later(begin, months), unit=unit)


def month(number: int, today: date, year: int | None = None) -> Span:
    """Return a month; without *year* the most recent one."""
    begin = date(year or today.year, number, 1)
    if year is None and begin > today:
        begin = date(today.year - 1, number, 1)
    return Span(begin, months_later(begin, 1), unit=MONTH)


def day_of_month(number: int, month_number: int, today: date, year: int | None = None) -> Span:
    """Return a day of a month; without *year* the most recent one. ValueError for an invalid day."""
    for candidate in [year] if year else range(today.year, today.year - 5, -1):  # 29 February is every fourth year
        try:
            found = date(candidate, month_number, number)
        except ValueError:
            continue
        if year or found <= today:
            return day(found)
    raise ValueError("There is no such day.")


def week_of_year(number: int, today: date) -> Span:
    """Return the most recent ISO week *number* that has begun; ValueError for an invalid one."""
    begin = date.fromisocalendar(today.year, number, 1)
    return around(WEEK, begin if begin <= today else date.fromisocalendar(today.year - 1, number, 1))


def weekday(number: int, today: date) -> Span:
    """Return the most recent such weekday before *today*; Monday is 0."""
    return day(today - timedelta((today.weekday() - number - 1) % 7 + 1))


def weekend(today: date) -> Span:
    """Return the most recent weekend that has begun."""
    saturday = today - timedelta((today.weekday() - 5) % 7)
    return Span(saturday, saturday + timedelta(2))


def week_of_month(number: int | None, of: Span) -> Span:
    """Return week *number* of a month, None for the last: from its first day on, or by the calendar.

    Raises:
        ValueError: the month lacks a bound.
    """
    if of.begin is None or of.end is None:
        raise ValueError("Only a bounded span has weeks.")
    if number is None:
        seventh = of.end - timedelta(7)
        return Span(seventh - timedelta(seventh.weekday()), of.end, is_exact=False, unit=WEEK)
    begin = of.begin + timedelta(7 * (number - 1))
    seventh = begin + timedelta(6)
    return Span(begin, seventh + timedelta(7 - seventh.weekday()), is_exact=False, unit=WEEK)


def season(name: str, today: date, year: int | None = None) -> Span:
    """Return a season; without *year* the most recent one that has begun."""
    begin = date(year or today.year, SEASON_MONTHS[name], 1)
    if year is None and begin > today:
        begin = date(today.year - 1, begin.month, 1)
    return Span(begin, months_later(begin, 3), is_exact=False, unit=QUARTER)


def quarter(number: int, today: date, year: int | None = None) -> Span:
    """Return a quarter; without *year* the most recent one that has begun."""
    begin = date(year or today.year, 3 * number - 2, 1)
    if year is None and begin > today:
        begin = date(today.year - 1, begin.month, 1)
    return Span(begin, months_later(begin, 3), unit=QUARTER)


def year(number: int) -> Span:
    """Return a year."""
    return Span(date(number, 1, 1), date(number + 1, 1, 1), unit=YEAR)


def last(count: int, unit: str, today: date) -> Span:
    """Return the last *count* units, today included."""
    return Span(_back(count, unit, today), today + timedelta(1), False, unit if unit == HOUR else DAY)  # noqa: FBT003  named in Span


def ago(count: int, unit: str, today: date) -> Span:
    """Return the days around the one *count* units before *today*."""
    then = _back(count, unit, today)
    if unit == HOUR:  # three hours ago may have been yesterday
        return Span(then, today - timedelta(count // DAY_HOURS - 1), is_exact=False, unit=HOUR)
    slack = timedelta(AGO_SLACK_DAYS[unit] or (count + 2) // 7)  # ten days ago may be nine or eleven
    return Span(then - slack, min(then + slack, today) + timedelta(1), is_exact=not slack)


def part(of: Span, share: tuple[float, float]) -> Span:
    """Return the days between two shares of a span; ValueError if it lacks a bound."""
    if of.begin is None or of.end is None:
        raise ValueError("Only a bounded span has parts.")
    days = (of.end - of.begin).days
    if share in (FIRST_HALF, SECOND_HALF) and of.unit in (MONTH, YEAR):  # to the fifteenth, to the end of June
        middle = months_later(of.begin, 6) if of.unit == YEAR else of.begin + timedelta(15)
        return Span(of.begin, middle) if share == FIRST_HALF else Span(middle, of.end)
    if of.unit == YEAR:
        begin, end = (months_later(of.begin, round(12 * at)) for at in share)
        return Span(begin, end, is_exact=False)
    begin, end = of.begin + timedelta(int(days * share[0])), of.begin + timedelta(-(-days * share[1] // 1))
    return Span(begin, end, is_exact=False)


def months_later(first: date, months: int) -> date:
    """Return the same day of another month, or its last; ValueError outside years 1 to 9999."""
    index = first.year * 12 + first.month - 1 + months
    following = date((index + 1) // 12, (index + 1) % 12 + 1, 1)
    return date(index // 12, index % 12 + 1, min(first.day, (following - timedelta(1)).day))


def _back(count: int, unit: str, today: date) -> date:
    if unit == HOUR:
        return today - timedelta(-(-count // DAY_HOURS))
    if unit in (DAY, WEEK):
        return today - timedelta(count * (7 if unit == WEEK else 1))
    return months_later(today, -count * {MONTH: 1, QUARTER: 3, YEAR: 12}[unit])
