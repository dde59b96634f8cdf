"""The one time that a question has, read in whatever language it is in.

Theory
------
Every language reads the question, since each knows its own words only; what covers most of it wins, and then the
language of the question itself. Two times are one where one is a part of the other ("on Monday last week"); two
that have no day in common are doubtful. So is one in a question that does not tell of something past, which may be
about a custom (on Monday), a plan (in December) or a thing in the code (the last 30 days).
"""

from datetime import date
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.text.times import spans, unspaced
from palimp_daemon.text.times.grammar import Reader, Time, weekday_of_week
from palimp_daemon.text.times.languages import LANGUAGES, phrases_of
from palimp_daemon.text.times.points import POINT_ROLES
from palimp_daemon.text.times.spans import Span
from palimp_daemon.text.times.subjects import has_subject
from palimp_daemon.text.times.tense import asks_why, belongs_to_noun, language_of, tells_of_past, tells_of_present
from palimp_daemon.text.times.words import Word, folded, words_of

QUESTION_CHARACTERS_MAX: Final = 1000
"""What is read of a question; nobody says a time behind that, and reading stays quick."""

LONG_DAYS: Final = 20
"""Days that a span has at least in which something was the case, and not just done."""

_SOME_DAY: Final = date(2999, 12, 31)
"""A day on which every span that is said has begun; how long it is, is the same on any."""


class Reading(NamedTuple):
    """A span of days, and the characters from *begin* on, before *end*, of the question that name it."""

    span: Span
    begin: int
    end: int
    language: str


def read(question: str, today: date) -> Reading | None:
    """Return the time in *question* as of *today*; None where there is none, more than one, or a doubtful one."""
    text = folded(question[:QUESTION_CHARACTERS_MAX])
    found = _unspaced(text, question, today) if unspaced.UNSPACED.search(text) else None
    found = found or _spaced(text, question, today)
    return found if found and _is_past(found.span, today) else None


def has_long_span(question: str) -> bool:
    """Tell whether *question* has a time in it that is longer than a few days."""
    found = read(question, _SOME_DAY)
    if not found:
        return False
    begin, end = found.span.begin, found.span.end
    return begin is None or (end is not None and (end - begin).days >= LONG_DAYS)


def _is_past(span: Span, today: date) -> bool:
    """Tell whether *span* is a span, and has begun."""
    if span.begin and span.end and span.begin >= span.end:
        return False
    return span.begin <= today if span.begin else span.end is not None


def _unspaced(text: str, question: str, today: date) -> Reading | None:
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


def _spaced(text: str, question: str, today: date) -> Reading | None:
    words = words_of(question[:QUESTION_CHARACTERS_MAX])
    if not any(word.text in _point_words() or word.text[0].isdigit() or _has_digit(word) for word in words):
        return None
    own = language_of(text)
    best: Reading | None = None
    for name in sorted(LANGUAGES, key=lambda name: name != own):
        reading = _read_in(name, words, text, question, today)
        if reading and (not best or reading.end - reading.begin > best.end - best.begin):
            best = reading
    return best


def _read_in(name: str, words: list[Word], text: str, question: str, today: date) -> Reading | None:
    try:
        times = list(Reader(words, name, today).times())
    except (ValueError, OverflowError):  # a day that no calendar has
        return None
    readings = [
        (time, Reading(time.span, words[time.first].begin, words[time.following - 1].end, name)) for time in times
    ]
    told = [reading for time, reading in readings if _is_told(time, reading, text, question)]
    if len(told) < len(readings) or not told:
        return told[0] if len(told) == 1 else None
    if len(told) == 1:
        return told[0]
    return _joined(readings)


def _joined(readings: list[tuple[Time, Reading]]) -> Reading | None:
    """Return two times that stand side by side as one."""
    (first, one), (second, other), *more = readings
    if more or second.first != first.following:
        return None
    for narrow, wide in ((first, second), (second, first)):
        if narrow.weekday is not None and wide.span.unit == spans.WEEK:
            return one._replace(span=weekday_of_week(narrow.weekday, wide.span), end=other.end)
    begins = [span.begin for span in (one.span, other.span) if span.begin]
    ends = [span.end for span in (one.span, other.span) if span.end]
    span = Span(max(begins, default=None), min(ends, default=None), is_exact=False)
    return one._replace(span=span, end=other.end)


def _is_told(time: Time, reading: Reading, text: str, question: str) -> bool:
    """Tell whether the rest of the question goes with the time."""
    around = text[: reading.begin] + " " + text[reading.end :]
    if not has_subject(_without(question, reading), reading.language):
        return True
    if time.is_bare or asks_why(around) or belongs_to_noun(text[: reading.begin], is_weekday=time.weekday is not None):
        return False
    if not tells_of_past(around, reading.language):
        return False
    return not time.needs_past or not tells_of_present(around, reading.language)


def _without(question: str, reading: Reading) -> str:
    return question[: reading.begin] + " " + question[reading.end :]


def _has_digit(word: Word) -> bool:
    return word.text[-1].isdigit()


@cache
def _point_words() -> frozenset[str]:
    """Return the words of which every time has one, so that most questions are not read at all."""
    return frozenset(
        max(phrase.split(), key=len)
        for name in LANGUAGES
        for phrase, meanings in phrases_of(name).items()
        if any(meaning.role in POINT_ROLES for meaning in meanings)
    )
