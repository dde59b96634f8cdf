"""Find the window of time in a question, and the words to search for."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple

from palimp_daemon.text.times.orders import Order, order_in
from palimp_daemon.text.times.past import asks_for_past
from palimp_daemon.text.times.question_time import QUESTION_CHARACTERS_MAX, Reading, read
from palimp_daemon.text.times.subjects import kinds_of, subject_of

BEGINNING_MS: Final = 0
"""Begin of a window without one: before every memory."""

OPEN_END_MS: Final = 253_402_214_400_000
"""End of a window without one: the last day of the year 9999."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Window(NamedTuple):
    """The time in a question.

    begin_ms, end_ms: Unix milliseconds, half open. phrase: the words for the time; empty if it is only an order. rest:
    the question without the phrase. subject: the words of the rest to search for; empty: it is nothing but a time.
    order: the order that the question asks for, if any. kinds: the kinds of memories that it names; empty: any.
    is_former_state: it asks for a state at that time (see `past`), not for notes of it. is_exact: the words name
    calendar days, not rough spans ("two weeks ago", "in spring").
    """

    begin_ms: int
    end_ms: int
    phrase: str
    rest: str
    subject: str
    order: Order | None
    kinds: tuple[str, ...]
    is_former_state: bool
    is_exact: bool

    @property
    def has_begin(self) -> bool:
        """Whether it excludes anything before its begin."""
        return self.begin_ms > BEGINNING_MS

    @property
    def has_end(self) -> bool:
        """Whether it excludes anything from its end on."""
        return self.end_ms < OPEN_END_MS


def window_in(question: str, now: datetime) -> Window | None:
    """Return the window that *question* names, in the time zone of *now*; None if none or doubtful.

    Text behind QUESTION_CHARACTERS_MAX is in the rest, unread.

    Raises:
        ValueError: *now* has no time zone.
    """
    if now.tzinfo is None:
        raise ValueError("now: it has no zone.")
    question_read = question[:QUESTION_CHARACTERS_MAX]
    reading = read(question, now.date())
    bounds = _bounds(reading, now) if reading else None
    phrase, rest = _cut(question, reading.begin, reading.end) if reading and bounds else ("", question)
    ordered = order_in(rest[:QUESTION_CHARACTERS_MAX])
    if not bounds and not ordered:
        return None
    begin_ms, end_ms = bounds or (BEGINNING_MS, OPEN_END_MS)
    asked = _cut(rest, ordered.begin, ordered.end)[1] if ordered else rest
    language = reading.language if reading and bounds else ordered.language if ordered else "english"
    return Window(
        begin_ms,
        end_ms,
        phrase,
        rest,
        subject_of(asked, language),
        ordered.order if ordered else None,
        kinds_of(question_read),
        asks_for_past(question),
        reading.span.is_exact if reading and bounds else True,
    )


def _bounds(reading: Reading, now: datetime) -> tuple[int, int] | None:
    try:
        begin = _midnight(reading.span.begin, now) if reading.span.begin else BEGINNING_MS
        end = _midnight(reading.span.end, now) if reading.span.end else OPEN_END_MS
    except (ValueError, OverflowError):
        return None
    return (max(begin, BEGINNING_MS), min(end, OPEN_END_MS)) if begin < end and end > BEGINNING_MS else None


def _midnight(day: date, now: datetime) -> int:
    return (datetime.combine(day, time(), tzinfo=now.tzinfo) - _EPOCH) // timedelta(milliseconds=1)


def _cut(text: str, begin: int, end: int) -> tuple[str, str]:
    before, after = text[:begin].rstrip(), text[end:].lstrip()
    joined = (
        f"{before}{after}" if after[:1] in {"", "?", ".", "!", ",", ";", ":"} or not before else f"{before} {after}"
    )
    return text[begin:end], joined
