"""The context of a starting session as text: an index of ids and titles, in parts that keep their order.

Too much is cut from the longest part, oldest entries first, and the text says how many are left out.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

from palimp_daemon.render.budget import shortened
from palimp_daemon.render.frame import KEPT, framed, marked
from palimp_daemon.render.rows import Row, rows_as_text, telling_columns
from palimp_daemon.render.times import date
from palimp_daemon.text.titles import title_and_text
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.messages.removed_code import Return
from palimp_protocol.text import counted, one_line, shown_name, verb, without_control

SUMMARY_CHARACTERS_MAX: Final = 2_000
SUMMARY_CHARACTERS_MIN: Final = 80
"""A summary that has no room for more is left out."""

CODE_CHARACTERS: Final = 80
REASON_CHARACTERS: Final = 160
ROW_CHARACTERS: Final = 160
"""Characters of a text, where it is no rule: more rows say more than longer ones."""

RULE_CHARACTERS: Final = (1_000, 400, ROW_CHARACTERS)
"""Characters of a standing rule, where not all of them can be told whole: as many as there is room for."""

RULE_CHARACTERS_MIN: Final = 60
"""Characters left of a standing rule before one of them is left out."""

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

    Rules come first, whole if there is room, then what fits the work at hand. Everything is shortened to its title
    before anything is left out, and rules are left out last.
    """
    parts = [
        ("Standing rules: what the user wants, and what was corrected", "rules", known.rules),
        ("Relevant to the current work", "matches", known.matches),
        ("Decisions and architecture", "decisions", known.decisions),
        ("Recently removed code of files being worked on", "removed", removed),
        ("New since then", "recent", known.newest),
    ]
    if not known.summary and not any(entries for _, _, entries in parts):
        return ContextText()
    summary = shortened(without_control(known.summary), SUMMARY_CHARACTERS_MAX)
    cuts = _cuts([len(entries) for _, _, entries in parts], summary)

    def text_of(cut: _Cut) -> str:
        told = [(heading, name, _rows_of(cut, place, each)) for place, (heading, name, each) in enumerate(parts)]
        left_out = known.left_out + sum(len(entries) for _, _, entries in parts) - sum(cut.counts)
        return _text(told, cut.summary, left_out, known.total, answer_format)

    # Mostly all of it fits; else a hundred rows may have to go, and each text takes a millisecond to make.
    is_short = len(text_of(cuts[0])) <= characters
    first = 0 if is_short else bisect_left(cuts, -characters, key=lambda cut: -len(text_of(cut)))
    if first == len(cuts):
        return ContextText()  # nothing fits
    cut = cuts[first]
    listed = ((name, entries[:count]) for (_, name, entries), count in zip(parts, cut.counts, strict=True))
    ids = frozenset(each.id for name, entries in listed if name != "removed" for each in entries)
    return ContextText(text_of(cut), ids, bool(cut.summary))


class _Length(NamedTuple):
    """How much of a row is told: so many *characters* of its text, or of its title alone."""

    characters: int
    is_title: bool = False


_TITLE: Final = _Length(ROW_CHARACTERS, is_title=True)


class _Cut(NamedTuple):
    """How much of what is known is told."""

    counts: tuple[int, ...]
    """Rows of each part, of which the first are the rules."""
    summary: str
    rules: _Length
    others: _Length


def _cuts(counts: Sequence[int], summary: str) -> list[_Cut]:
    """Return how parts with *counts* of rows, of which the first are the rules, and *summary* are cut: ever more."""
    cuts = [_Cut(tuple(counts), summary, _Length(TEXT_CHARACTERS_MAX), _Length(ROW_CHARACTERS))]

    def cut_more(**changes: Any) -> None:
        cuts.append(cuts[-1]._replace(**changes))

    longest, *shorter = RULE_CHARACTERS
    cut_more(rules=_Length(longest))
    cut_more(others=_TITLE)
    for length in (*map(_Length, shorter), _TITLE):
        cut_more(rules=length)
    rules, *others = counts
    while any(others):
        others[others.index(max(others))] -= 1  # the newest stand first
        cut_more(counts=(rules, *others))
    while summary:
        summary = shortened(summary, len(summary) // 2) if len(summary) > SUMMARY_CHARACTERS_MIN else ""
        cut_more(summary=summary)
    cut_more(rules=_Length(RULE_CHARACTERS_MIN, is_title=True))
    for count in reversed(range(rules)):
        cut_more(counts=(count, *others))
    return cuts


def _rows_of(cut: _Cut, place: int, entries: Sequence[Entry | Return]) -> list[Row]:
    """Return what *cut* leaves of *entries*, the part at *place*, as rows."""
    length = cut.others if place else cut.rules
    return [
        _removed_row(each) if isinstance(each, Return) else _row(each, length) for each in entries[: cut.counts[place]]
    ]


def _text(
    parts: Sequence[tuple[str, str, list[Row]]], summary: str, left_out: int, total: int, answer_format: str
) -> str:
    lines: list[str] = []
    for heading, name, rows in parts:
        if rows:
            lines += ["", f"{heading}:", rows_as_text(name, telling_columns(rows), answer_format, TEXT_CHARACTERS_MAX)]
    if summary:
        lines += ["", "The last session, in its own words:", marked(summary)]
    said = [f"{counted(left_out, 'older entry')} {verb(left_out)} left out."] if left_out else []
    said.append(f"Memories of this project that hold: {total:,}; recall(query=…) searches them.")
    return "\n".join([framed("\n".join(lines), HEADING), *said])


def _row(entry: Entry, length: _Length) -> Row:
    """Return *entry* as a row with *length* of what it says."""
    title = one_line(entry.title)
    told = title if length.is_title else one_line(title_and_text(title, entry.text), TEXT_CHARACTERS_MAX)
    text = shortened(told, length.characters)
    return {"id": entry.id, "title": text, "why": entry.why, "date": date(entry.created_at), "now": entry.stale}


def _removed_row(removed: Return) -> Row:
    first = one_line(removed.lines[0]) if removed.lines else ""
    reason = one_line(removed.reason) or "no reason was recorded"
    return {
        "id": removed.id,
        "path": shown_name(removed.path),
        "date": date(removed.at),
        "lines": removed.gone,
        "first": shortened(first, CODE_CHARACTERS),
        "because": shortened(reason, REASON_CHARACTERS),
    }
