"""Gather a digest's memories by kind, files and topics."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.features.memories.qualified import qualifiers_of
from palimp_daemon.features.memories.time_span import NEVER_MS
from palimp_daemon.search.answered import is_answered
from palimp_daemon.search.telling_words import telling_words_of_language
from palimp_daemon.search.topics import topics_of
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, project_row
from palimp_daemon.store.tables.digests import (
    LastDigest,
    Since,
    Span,
    busy_files,
    count_in,
    last_digest,
    memories_in,
    since_digest,
)
from palimp_daemon.store.tables.memory_rows import Row, shown_id
from palimp_daemon.store.tables.memory_statements import COMPARED_CHARACTERS
from palimp_daemon.store.tables.rule_counts import counts_among
from palimp_daemon.store.tables.sessions.session_rows import newest_memory_of
from palimp_daemon.store.tables.unasked import replaced_among
from palimp_daemon.text.memory_kinds import RULE_KINDS
from palimp_daemon.text.titles import beyond_title
from palimp_protocol.limits import DIGEST_DECISIONS_MAX, DIGEST_MEMORIES_MAX
from palimp_protocol.messages.caller import Caller

FILES: Final = 8
TOPICS: Final = 12
SECTION_ROWS: Final = 60
"""Memories of a section other than decisions: more than the largest budget holds."""

SECTIONS: Final = {
    "Decisions": ("decision", "architecture"),
    "Open questions": ("question",),
    "Preferences and corrections": ("preference", "correction"),
    "Fixes and findings": ("fix", "finding"),
    "Notes": ("note",),
}
"""A digest's sections, in order, with their kinds of memories."""


_QUESTIONS: Final = SECTIONS["Open questions"]
_ANSWERING: Final = [kind for kinds in SECTIONS.values() for kind in kinds if kind not in (*_QUESTIONS, "note")]
"""Kinds of memories that answer questions."""


class Line(NamedTuple):
    """A memory in a digest."""

    id: str
    title: str
    more: str
    """The part of its text that the title lacks."""
    created_at: int
    is_new: bool
    qualified: str = ""
    """A remark on memories that narrow, contradict or likely replace it, and on breaches."""


class Section(NamedTuple):
    """The newest memories of a kind, and the number of all."""

    title: str
    lines: list[Line]
    total: int


class Material(NamedTuple):
    """The material of a digest."""

    project: str
    sections: list[Section]
    files: list[tuple[str, int]]
    topics: list[tuple[str, int]]
    last: LastDigest | None
    since: Since | None
    """News since the *last* digest; None: none, or another span."""
    memories: int
    newest_seq: int


def material(caller: Caller, since_ms: int, until_ms: int, store: Store) -> Material | None:
    """Return the material of a span; None if nothing was ever saved."""
    project = project_row(store, caller)
    if project is None:
        return None
    span = Span(project, since_ms, until_ms)
    last = last_digest(store, project)
    is_whole = not since_ms and until_ms == NEVER_MS
    sections: list[Section] = []
    for title, kinds in SECTIONS.items():
        limit = DIGEST_DECISIONS_MAX if title == "Decisions" else SECTION_ROWS
        found, total = memories_in(store, span, kinds, limit)
        if kinds == _QUESTIONS:
            answered = _answered_questions(store, span, found)
            found, total = [row for row in found if row.seq not in answered], total - len(answered)
        told = qualifiers_of(store, found, [GLOBAL_PROJECT, project])
        for seq, counts in counts_among(store, [row.seq for row in found]).items():
            told[seq] = ", ".join(filter(None, (told.get(seq, ""), counts.breaches)))
        for older, newer in _replacers(store, found).items():
            told[older] = ", ".join(filter(None, (told.get(older, ""), f"likely replaced by {newer}")))
        sections.append(Section(title, [_line(row, last, told.get(row.seq, "")) for row in found], total))
    everything, _ = memories_in(
        store, span, [kind for kinds in SECTIONS.values() for kind in kinds], DIGEST_MEMORIES_MAX
    )
    return Material(
        project=caller.project.name if caller.project else "the global scope",
        sections=sections,
        files=busy_files(store, span, FILES),
        topics=topics_of([(row.content, row.tags.split()) for row in everything], store.stems, TOPICS),
        last=last,
        since=since_digest(store, project, last) if last and is_whole else None,
        memories=count_in(store, span),
        newest_seq=newest_memory_of(store, [project]),
    )


def _replacers(store: Store, rows: Sequence[Row]) -> dict[int, str]:
    ids = {row.seq: shown_id(row) for row in rows if row.kind not in RULE_KINDS}
    replaced = replaced_among(store, [row for row in rows if row.seq in ids])
    return {older: ids[newer] for older, newer in replaced.items()}


def _answered_questions(store: Store, span: Span, questions: Sequence[Row]) -> set[int]:
    if not questions:
        return set()
    found, _ = memories_in(store, span, _ANSWERING, DIGEST_MEMORIES_MAX)
    answers = [(row.seq, _words(store, row)) for row in found if row.seq > questions[-1].seq]
    asked = [(row.seq, _words(store, row)) for row in questions]
    return {seq for seq, words in asked if is_answered(words, [said for later, said in answers if later > seq])}


def _words(store: Store, row: Row) -> frozenset[str]:
    return telling_words_of_language(row.content[:COMPARED_CHARACTERS], store.stems)


def _line(row: Row, last: LastDigest | None, told: str) -> Line:
    more = beyond_title(row.title, row.content)
    more = " ".join((row.content if more is None else more).split())
    return Line(shown_id(row), row.title, more, row.created_at, last is not None and row.seq > last.seq, told)
