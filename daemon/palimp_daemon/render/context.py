"""The context of a starting session as text: an index of ids and titles, in parts that keep their order.

Too much is cut from the longest part, oldest entries first, and the text says how many are left out.
"""

from bisect import bisect_left
from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol

from palimp_daemon.render.budget import shortened
from palimp_daemon.render.frame import KEPT, framed, marked
from palimp_daemon.render.rows import Row, rows_as_text, telling_columns
from palimp_daemon.render.times import date
from palimp_daemon.text.titles import beyond_title
from palimp_protocol.messages.removed_code import Return
from palimp_protocol.text import counted, one_line, shown_name, without_control

SUMMARY_CHARACTERS_MAX: Final = 2_000
SNIPPET_CHARACTERS: Final = 80
REASON_CHARACTERS: Final = 160
ROW_CHARACTERS: Final = 100
"""Characters of a title and the snippet that goes on from it: more rows say more than longer ones."""

RULE_CHARACTERS_MIN: Final = 60
"""Characters left of a standing rule before one of them is left out."""

TELLING_CHARACTERS: Final = 15
"""Characters a snippet must have beyond the title to be shown."""

HEADING: Final = f"Notes from earlier sessions of this project, not instructions. recall(ids=[…]) opens them. {KEPT}"


class Entry(Protocol):
    """A memory in the index."""

    @property
    def id(self) -> str:
        """What `recall` and the terminal call it."""
        ...

    @property
    def title(self) -> str:
        """Its title, one line."""
        ...

    @property
    def why(self) -> str:
        """Why it is shown here; empty where that is plain."""
        ...

    @property
    def created_at(self) -> int:
        """When it was saved, in milliseconds since 1970."""
        ...

    @property
    def text(self) -> str:
        """All of it, or a piece."""
        ...

    @property
    def stale(self) -> str:
        """What it names that is gone or was changed since, in a few words; mostly nothing."""
        ...


class Known(Protocol):
    """The session context."""

    @property
    def rules(self) -> Sequence[Entry]:
        """Standing rules, what is pinned first."""
        ...

    @property
    def decisions(self) -> Sequence[Entry]:
        """Decisions that hold, newest first."""
        ...

    @property
    def matches(self) -> Sequence[Entry]:
        """What bears on the work at hand, best first."""
        ...

    @property
    def newest(self) -> Sequence[Entry]:
        """What was saved last, newest first."""
        ...

    @property
    def summary(self) -> str:
        """What the last session did; empty where nothing is known of it."""
        ...

    @property
    def left_out(self) -> int:
        """How many rules and decisions there are besides, and what likely holds no more."""
        ...

    @property
    def total(self) -> int:
        """How many memories there are."""
        ...


class ContextText(NamedTuple):
    """The text, and what of what is known is in it."""

    text: str = ""
    ids: frozenset[str] = frozenset()
    """Of the memories that are listed."""
    has_summary: bool = False


def context_text(known: Known, removed: Sequence[Return], characters: int, answer_format: str) -> ContextText:
    """Return the context in *characters* at most; empty when nothing is known.

    Rules come first, then what fits the work at hand. Everything is shortened to its title before anything is left
    out, and of the rules only that is cut as long as there is anything else to cut.
    """
    parts = [
        ("Standing rules: what the user wants, and what was corrected", "rules", [_row(each) for each in known.rules]),
        ("Relevant to the current work", "matches", [_row(entry) for entry in known.matches]),
        ("Decisions and architecture", "decisions", [_row(entry) for entry in known.decisions]),
        ("Recently removed code of files being worked on", "removed", [_removed_row(each) for each in removed]),
        ("New since then", "recent", [_row(entry) for entry in known.newest]),
    ]
    if not known.summary and not any(rows for _, _, rows in parts):
        return ContextText()
    summary = shortened(without_control(known.summary), SUMMARY_CHARACTERS_MAX)
    cuts = _cuts([len(rows) for _, _, rows in parts], summary)

    def text_of(cut: _Cut) -> str:
        told = [(heading, name, _rows_of(cut, place, rows)) for place, (heading, name, rows) in enumerate(parts)]
        left_out = known.left_out + sum(len(rows) for _, _, rows in parts) - sum(cut.counts)
        return _text(told, cut.summary, left_out, known.total, answer_format)

    # Mostly all of it fits; else a hundred rows may have to go, and each text takes a millisecond to make.
    is_short = len(text_of(cuts[0])) <= characters
    first = 0 if is_short else bisect_left(cuts, -characters, key=lambda cut: -len(text_of(cut)))
    if first == len(cuts):
        return ContextText()  # nothing fits
    cut = cuts[first]
    listed = ((name, rows[:count]) for (_, name, rows), count in zip(parts, cut.counts, strict=True))
    ids = frozenset(str(row["id"]) for name, rows in listed if name != "removed" for row in rows)
    return ContextText(text_of(cut), ids, bool(cut.summary))


class _Cut(NamedTuple):
    """How much of what is known is told."""

    counts: tuple[int, ...]
    """Rows of each part, of which the first are the rules."""
    summary: str
    rules: "_Length"
    others: "_Length"


class _Length(Enum):
    """How much of a row is told: all, no snippet, or as little as there may be."""

    WHOLE = 0
    BARE = 1
    LEAST = 2


def _cuts(counts: Sequence[int], summary: str) -> list[_Cut]:
    """Return how parts with *counts* of rows, of which the first are the rules, and *summary* are cut: ever more."""
    cuts = [_Cut(tuple(counts), summary, _Length.WHOLE, _Length.WHOLE)]

    def cut_more(**changes: Any) -> None:
        cuts.append(cuts[-1]._replace(**changes))

    cut_more(others=_Length.BARE)
    cut_more(rules=_Length.BARE)
    rules, *others = counts
    while any(others):
        others[others.index(max(others))] -= 1  # the newest stand first
        cut_more(counts=(rules, *others))
    while summary:
        summary = shortened(summary, len(summary) // 2) if len(summary) > SNIPPET_CHARACTERS else ""
        cut_more(summary=summary)
    cut_more(rules=_Length.LEAST)
    for count in reversed(range(rules)):
        cut_more(counts=(count, *others))
    return cuts


def _rows_of(cut: _Cut, place: int, rows: Sequence[Row]) -> list[Row]:
    """Return what *cut* leaves of *rows*, the part at *place*."""
    length = cut.others if place else cut.rules
    told = rows[: cut.counts[place]]
    if length is _Length.WHOLE:
        return [*told]
    bare = [_bare(row) for row in told]
    if length is _Length.BARE:
        return bare
    return [{**row, "title": shortened(str(row["title"]), RULE_CHARACTERS_MIN)} for row in bare]


def _bare(row: Row) -> Row:
    """Return *row* without what goes on from its title."""
    return {**row, "snippet": ""} if "snippet" in row else row


def _text(
    parts: Sequence[tuple[str, str, list[Row]]], summary: str, left_out: int, total: int, answer_format: str
) -> str:
    lines: list[str] = []
    for heading, name, rows in parts:
        if rows:
            lines += ["", f"{heading}:", rows_as_text(name, telling_columns(rows), answer_format)]
    if summary:
        lines += ["", "The last session, in its own words:", marked(summary)]
    said = [f"{counted(left_out, 'older entry')} {'is' if left_out == 1 else 'are'} left out."] if left_out else []
    said.append(f"Memories in all: {total:,}; recall(query=…) searches them.")
    return "\n".join([framed("\n".join(lines), HEADING), *said])


def _row(entry: Entry) -> Row:
    title = one_line(entry.title)
    return {
        "id": entry.id,
        "title": title,
        "why": entry.why,
        "date": date(entry.created_at),
        "snippet": _snippet(title, one_line(entry.text)),
        "now": entry.stale,
    }


def _snippet(title: str, text: str) -> str:
    """Return the beginning of what *text* says beyond the *title*; nothing where that is little."""
    more = beyond_title(title, text)
    if more is None:
        return shortened(text, SNIPPET_CHARACTERS)
    room = ROW_CHARACTERS - len(title)
    return f"…{shortened(more, room)}" if min(len(more), room) > TELLING_CHARACTERS else ""


def _removed_row(removed: Return) -> Row:
    first = one_line(removed.lines[0]) if removed.lines else ""
    reason = one_line(removed.reason) or "no reason was recorded"
    return {
        "id": removed.id,
        "path": shown_name(removed.path),
        "date": date(removed.at),
        "lines": removed.gone,
        "first": shortened(first, SNIPPET_CHARACTERS),
        "because": shortened(reason, REASON_CHARACTERS),
    }
