"""Find the one time of a question, in any language.

The longest reading wins, then the question's own language. Two times are doubtful unless nested; so is a time in a
question that is not about the past.
"""

from datetime import date, timedelta
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from palimp_daemon.languages.language_of import languages_of
from palimp_daemon.text.times import spans, unspaced
from palimp_daemon.text.times.grammar import Reader, Time
from palimp_daemon.text.times.points import POINT_ROLES
from palimp_daemon.text.times.question_words import Word, fold, words_of
from palimp_daemon.text.times.spans import Span
from palimp_daemon.text.times.subjects import has_subject, kinds_of
from palimp_daemon.text.times.tense import asks_for_news, asks_why, belongs_to_noun, tells_of_past, tells_of_present
from palimp_daemon.text.times.time_words import phrases_of, times

QUESTION_CHARACTERS_MAX: Final = 1000
"""Characters read of a question: no time stands behind them."""

TIMES_MAX: Final = 8
"""Times of a question, each looked at with all around it; more are those of a pasted log or table, and none is sure."""

LONG_DAYS: Final = 20
"""Days of the shortest span that asks for a state, not an event."""

_SOME_DAY: Final = date(2999, 12, 31)


class Reading(NamedTuple):
    """A span of days, named by the characters from *begin* on, before *end*."""

    span: Span
    begin: int
    end: int
    language: str


def read(question: str, today: date) -> Reading | None:
    """Return the one sure time in *question* as of *today*."""
    text = fold(question[:QUESTION_CHARACTERS_MAX])
    found = _read_unspaced(text, question, today) if unspaced.UNSPACED.search(text) else None
    found = found or _read_spaced(text, question, today)
    return found if found and _is_past(found.span, today) else None


def has_long_span(question: str) -> bool:
    """Tell whether *question* names a span of LONG_DAYS or without a beginning."""
    found = read(question, _SOME_DAY)
    if not found:
        return False
    begin, end = found.span.begin, found.span.end
    return begin is None or (end is not None and (end - begin).days >= LONG_DAYS)


def _is_past(span: Span, today: date) -> bool:
    if span.begin and span.end and span.begin >= span.end:
        return False
    return span.begin <= today if span.begin else span.end is not None


def _read_unspaced(text: str, question: str, today: date) -> Reading | None:
    try:
        found = list(unspaced.times(text, today))
    except (ValueError, OverflowError):  # a day that no calendar has
        return None
    if len(found) != 1:
        return None
    time = found[0]
    reading = Reading(time.span, time.begin, time.end, "unspaced")
    is_told = tells_of_past(text, "unspaced") or not has_subject(_without(question, reading), "unspaced")
    return reading if is_told else None


def _read_spaced(text: str, question: str, today: date) -> Reading | None:
    words = words_of(question[:QUESTION_CHARACTERS_MAX])
    if not any(word.text in _point_words() or word.text[0].isdigit() or word.text[-1].isdigit() for word in words):
        return None
    own = languages_of(text)[0]
    best: Reading | None = None
    for name in sorted(times(), key=lambda name: name != own):
        reading = _read_in(name, words, text, question, today)
        if reading and (not best or reading.end - reading.begin > best.end - best.begin):
            best = reading
    return best


def _read_in(name: str, words: list[Word], text: str, question: str, today: date) -> Reading | None:
    try:
        found = list(islice(Reader(words, name, today).times(), TIMES_MAX + 1))
    except (ValueError, OverflowError):  # a day that no calendar has
        return None
    if len(found) > TIMES_MAX:
        return None
    readings = [
        (time, Reading(time.span, words[time.first].begin, words[time.following - 1].end, name)) for time in found
    ]
    told = [reading for time, reading in readings if _is_told(time, reading, text, question)]
    if len(told) == 1:
        return told[0]
    return _join(readings) if told and len(told) == len(readings) else None


def _join(readings: list[tuple[Time, Reading]]) -> Reading | None:
    (first, one), (second, other), *more = readings
    if more or second.first != first.following:
        return None
    for narrow, wide in ((first, second), (second, first)):
        if narrow.weekday is not None and wide.span.unit == spans.WEEK and wide.span.begin:
            return one._replace(span=spans.day(wide.span.begin + timedelta(narrow.weekday)), end=other.end)
    begins = [span.begin for span in (one.span, other.span) if span.begin]
    ends = [span.end for span in (one.span, other.span) if span.end]
    span = Span(max(begins, default=None), min(ends, default=None), is_exact=False)
    return one._replace(span=span, end=other.end)


def _is_told(time: Time, reading: Reading, text: str, question: str) -> bool:
    around = text[: reading.begin] + " " + text[reading.end :]
    if not has_subject(_without(question, reading), reading.language) or asks_for_news(around, reading.language):
        return True
    if reading.span.unit == spans.HOUR and not kinds_of(question):  # "logins that failed in the last 24 hours"
        return False
    if time.is_bare or asks_why(around) or belongs_to_noun(text[: reading.begin], is_weekday=time.weekday is not None):
        return False
    if not tells_of_past(around, reading.language):
        return False
    return not time.needs_past or not tells_of_present(around, reading.language)


def _without(question: str, reading: Reading) -> str:
    return question[: reading.begin] + " " + question[reading.end :]


@cache
def _point_words() -> frozenset[str]:
    return frozenset(
        max(phrase.split(), key=len)
        for name in times()
        for phrase, meanings in phrases_of(name).items()
        if any(meaning.role in POINT_ROLES for meaning in meanings)
    )
