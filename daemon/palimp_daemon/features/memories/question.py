"""Read a time, an order, a past state or a kind from a question's words.

"What did we decide in July" filters by time; "which limit did we have in July" asks for a past state, and only orders.
Arguments take precedence.
"""

from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Final, NamedTuple

from palimp_daemon.features.memories.time_span import NEVER_MS
from palimp_daemon.runtime.local_zone import LOCAL_ZONE
from palimp_daemon.text.memory_kinds import KINDS_CALLED_DECISION
from palimp_protocol.messages.memory_messages import Recall
from palimp_protocol.text import one_line, quote_text

if TYPE_CHECKING:
    from palimp_daemon.text.times.orders import Order
    from palimp_daemon.text.times.succession import Successor
    from palimp_daemon.text.times.window import Window

_MONTH_MS: Final = 31 * 86_400_000


class Question(NamedTuple):
    """A parsed question; times are Unix milliseconds, spans half open."""

    text: str
    """The text searched for; empty: a list by the other fields."""
    noted: tuple[int, int] | None = None
    """The span in which it was noted."""
    held_at: int | None = None
    """When it held: memories noted later come behind earlier ones."""
    kinds: tuple[str, ...] = ()
    """Its kinds; empty: any."""
    order: "Order | None" = None
    is_past: bool = False
    """Whether it asks for a former state, so that newer memories get no precedence."""
    read_as: str = ""
    """A sentence on the time understood from its words; empty: none."""
    is_beginning: bool = False
    """Whether it asks since when something holds; the oldest equal answer comes first."""
    successor: "Successor | None" = None

    @property
    def is_of_past(self) -> bool:
        """Whether it asks for another time, or an order in time."""
        return self.is_past or self.is_beginning or self.held_at is not None or self.order is not None

    @property
    def notes(self) -> list[str]:
        """Sentences on how the question was read."""
        return [self.read_as] if self.read_as else []


def question_of(request: Recall, now_ms: int, zone: tzinfo = LOCAL_ZONE) -> Question:
    """Parse the query of *request*, with days in *zone*."""
    # Read with the first question: a daemon starts without the languages.
    from palimp_daemon.text.times.orders import without_beginning  # noqa: PLC0415
    from palimp_daemon.text.times.past import asks_for_past  # noqa: PLC0415
    from palimp_daemon.text.times.succession import successor_in  # noqa: PLC0415
    from palimp_daemon.text.times.window import window_in  # noqa: PLC0415

    text = request.query or ""
    if request.since or request.until or request.as_of:
        return Question(text)
    window = window_in(text, datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone))
    if window is None and (rest := without_beginning(text)):
        return Question(rest, is_beginning=True)
    if window is None:
        is_past = asks_for_past(text)
        return Question(text, is_past=is_past, successor=successor_in(text) if is_past else None)
    if window.phrase and window.is_former_state:
        read_as = f"{_read(window, zone)}: what held then comes first."
        return Question(window.rest, held_at=_held_at(window), read_as=read_as)
    noted = (window.begin_ms, min(window.end_ms, NEVER_MS)) if window.phrase else None
    kinds = KINDS_CALLED_DECISION if "decision" in window.kinds else window.kinds
    read_as = f"{_read(window, zone)}." if noted else ""
    return Question(window.subject, noted, None, kinds, window.order, window.is_former_state, read_as)


def held_before(question: Question, first_ms: int, zone: tzinfo = LOCAL_ZONE) -> Question:
    """Return *question* for the time before *first_ms*, when its successor was first named."""
    assert question.successor is not None  # noqa: S101  whoever calls has looked its name up
    name, rest = question.successor
    read_as = f"Before {name}: what was saved before {_day(first_ms, zone)}, when a memory first named it, comes first."
    return question._replace(text=rest, held_at=first_ms, read_as=read_as)


def _held_at(window: "Window") -> int:
    """Return the end of a window up to a month; the middle of a longer one.

    "Until October" has no beginning, and means a month before its end.
    """
    if not window.has_begin:
        return window.end_ms - _MONTH_MS
    if not window.has_end:
        return window.begin_ms + _MONTH_MS
    length = window.end_ms - window.begin_ms
    return window.end_ms if length <= _MONTH_MS else window.begin_ms + length // 2


def _read(window: "Window", zone: tzinfo) -> str:
    first, last = _day(window.begin_ms, zone), _day(window.end_ms - 1, zone)
    if not window.has_begin:
        days = f"until {last}"
    elif not window.has_end:
        days = f"since {first}"
    else:
        days = first if first == last else f"{first} to {last}"
    return f"Read {quote_text(one_line(window.phrase))} as {days}"


def _day(milliseconds: int, zone: tzinfo) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(zone).date().isoformat()
