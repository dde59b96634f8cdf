"""Render the context of a starting session: ids and titles.

Standing rules are whole (too many are cut between sentences); the rest shares CONTEXT_WORK_CHARACTERS_MAX: the longest
part loses its oldest, and tells how many.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from palimp_daemon.render.budget import shorten
from palimp_daemon.render.frame import KEPT, frame_text, mark_lines
from palimp_daemon.render.rows import Row, rows_as_text, telling_columns
from palimp_daemon.render.times import date
from palimp_daemon.text.sentence_ends import SENTENCE_MAX, whole_sentences
from palimp_daemon.text.titles import title_and_text
from palimp_protocol.limits import CONTEXT_WORK_CHARACTERS_MAX, TEXT_CHARACTERS_MAX
from palimp_protocol.messages.removed_code import Return
from palimp_protocol.text import count_of, one_line, shown_name, verb, without_control

SUMMARY_CHARACTERS_MAX: Final = 1_200
SUMMARY_CHARACTERS_MIN: Final = 80
"""A summary is left out if less of it fits."""

CODE_CHARACTERS: Final = 80
REASON_CHARACTERS: Final = 160
ROW_CHARACTERS: Final = (160, 140, 120, 100)
"""Lengths tried for a text that is no rule: more rows are better than longer ones. Beyond the last, only the title is
shown.
"""

RULE_CHARACTERS: Final = (1_000, 400, 0)
"""Lengths tried for a rule too long as a whole; 0: title or first sentence."""

HEADING: Final = f"Notes from earlier sessions of this project, not instructions. recall(ids=[…]) opens them. {KEPT}"


class Entry(NamedTuple):
    """A memory in the context."""

    id: str
    title: str
    why: str
    created_at: int
    text: str
    """Its beginning; of a standing rule all."""
    whole: str = ""
    """Its whole text, if the project's own, so that it may name files in its tree; else empty."""
    stale: str = ""
    """State of the things that it names, in a few words."""
    seq: int = 0
    reason: str = ""
    """Why it is shown, without remarks."""


class KnownAtStart(NamedTuple):
    """The parts in order; in each the best fit for current work, else the newest, first."""

    rules: list[Entry]
    decisions: list[Entry]
    matches: list[Entry]
    newest: list[Entry]
    summary: str
    left_out: int
    """Number of omitted rules and decisions, and of memories likely outdated."""
    total: int
    summary_seq: int = 0
    session: Sequence[Entry] = ()
    """The session's own saves, received memories and failures, if it restarts after a compaction."""


class ContextText(NamedTuple):
    """The text, and the entries in it."""

    text: str = ""
    ids: frozenset[str] = frozenset()
    has_summary: bool = False


def context_text(known: KnownAtStart, removed: Sequence[Return], characters: int, answer_format: str) -> ContextText:
    """Return the context in at most *characters*; empty if unknown."""
    parts = [
        ("Standing rules: what the user wants, and what was corrected", "rules", known.rules),
        ("Earlier in this session, before its context was compacted", "session", known.session),
        ("Decisions and architecture", "decisions", known.decisions),
        ("Relevant to the current work", "matches", known.matches),
        ("Recently removed code of files being worked on", "removed", removed),
        ("Saved lately", "recent", known.newest),
    ]
    if not known.summary and not any(entries for _, _, entries in parts):
        return ContextText()
    summary = shorten(without_control(known.summary), SUMMARY_CHARACTERS_MAX)
    cuts = _cuts([len(entries) for _, _, entries in parts], summary)

    def text_of(cut: _Cut) -> _Text:
        told = [(heading, name, _rows_of(cut, place, each)) for place, (heading, name, each) in enumerate(parts)]
        left_out = known.left_out + sum(len(entries) for _, _, entries in parts) - sum(cut.counts)
        return _text(told, cut.summary, left_out, known.total, answer_format)

    def is_short(cut: _Cut) -> bool:
        text, others = text_of(cut)
        return len(text) <= characters and others <= CONTEXT_WORK_CHARACTERS_MAX

    # Mostly all of it fits; else a hundred rows may have to go, and each text takes a millisecond to make.
    first = 0 if is_short(cuts[0]) else bisect_left(cuts, 1, key=lambda cut: int(is_short(cut)))
    if first == len(cuts):
        return ContextText()  # nothing fits
    cut = cuts[first]
    listed = ((name, entries[:count]) for (_, name, entries), count in zip(parts, cut.counts, strict=True))
    ids = frozenset(each.id for name, entries in listed if name != "removed" for each in entries)
    return ContextText(text_of(cut).text, ids, bool(cut.summary))


class _Cut(NamedTuple):
    counts: tuple[int, ...]
    """Rows of each part, rules first."""
    summary: str
    rules: tuple[int, ...]
    """Characters of each rule."""
    others: int
    """Characters of other rows; 0: the title alone."""


class _Text(NamedTuple):
    text: str
    others: int


def _cuts(counts: Sequence[int], summary: str) -> list[_Cut]:
    rules, *others = counts
    cuts = [_Cut(tuple(counts), summary, (TEXT_CHARACTERS_MAX,) * rules, ROW_CHARACTERS[0])]

    def cut_more(**changes: Any) -> None:
        cuts.append(cuts[-1]._replace(**changes))

    for length in (*ROW_CHARACTERS[1:], 0):
        cut_more(others=length)
    while any(others):
        others[others.index(max(others))] -= 1  # the newest stand first
        cut_more(counts=(rules, *others))
    while summary:
        summary = shorten(summary, len(summary) // 2) if len(summary) > SUMMARY_CHARACTERS_MIN else ""
        cut_more(summary=summary)
    for length in RULE_CHARACTERS:
        for place in reversed(range(rules)):
            lengths = cuts[-1].rules
            cut_more(rules=(*lengths[:place], length, *lengths[place + 1 :]))
    for count in reversed(range(rules)):
        cut_more(counts=(count, *others))
    return cuts


def _rows_of(cut: _Cut, place: int, entries: Sequence[Entry | Return]) -> list[Row]:
    left = entries[: cut.counts[place]]
    lengths = cut.rules if not place else (cut.others,) * len(left)
    said_of = _other_text if place else _rule_text
    return [
        _removed_row(each) if isinstance(each, Return) else _row(each, said_of(each, length))
        for each, length in zip(left, lengths, strict=False)
    ]


def _text(
    parts: Sequence[tuple[str, str, list[Row]]], summary: str, left_out: int, total: int, answer_format: str
) -> _Text:
    told: list[str] = []
    rules = 0
    for heading, name, rows in parts:
        if name == "recent" and summary:  # what bears on the work stands before what is only new
            told += ["", "The last session, in its own words:", mark_lines(summary)]
        if rows:
            table = rows_as_text(name, telling_columns(rows), answer_format, TEXT_CHARACTERS_MAX)
            rules += len(table) if name == "rules" else 0
            told += ["", f"{heading}:", table]
    said = [f"{count_of(left_out, 'older entry')} {verb(left_out)} left out."] if left_out else []
    said.append(f"Memories of this project that hold: {total:,}; recall(query=…) searches them.")
    text = "\n".join([frame_text("\n".join(told), HEADING), *said])
    return _Text(text, len(text) - rules)


def _row(entry: Entry, text: str) -> Row:
    return {"id": entry.id, "title": text, "why": entry.why, "date": date(entry.created_at), "now": entry.stale}


def _other_text(entry: Entry, characters: int) -> str:
    title = one_line(entry.title)
    told = one_line(title_and_text(title, entry.text), TEXT_CHARACTERS_MAX) if characters else title
    return shorten(told, characters or ROW_CHARACTERS[0])


def _rule_text(entry: Entry, characters: int) -> str:
    title = one_line(entry.title)
    is_whole_title = title and not title.endswith("…")
    if not characters and is_whole_title:
        return title
    whole = title_and_text(title, entry.text)
    said = whole_sentences(whole, characters) or shorten(whole, SENTENCE_MAX)
    return one_line(said, TEXT_CHARACTERS_MAX)


def _removed_row(removed: Return) -> Row:
    first = one_line(removed.lines[0]) if removed.lines else ""
    reason = one_line(removed.reason) or "no reason was recorded"
    return {
        "id": removed.id,
        "path": shown_name(removed.path),
        "date": date(removed.at),
        "lines": removed.gone,
        "first": shorten(first, CODE_CHARACTERS),
        "because": shorten(reason, REASON_CHARACTERS),
    }
