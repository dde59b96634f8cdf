"""SQL of documents: former texts, and present sections for ranked search."""

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from palimp_daemon.git.worktree import FileState
from palimp_daemon.search.engine import Expression
from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.irregular_forms import base_form
from palimp_daemon.search.match_positions import NO_STEMS, SearchStems, positions_by_stem, search_stems
from palimp_daemon.search.memory_ranking import Word, covered_share, whole_of, word_weight
from palimp_daemon.search.plan import plan_of
from palimp_daemon.search.ranking import FEW_ROWS, RERANKED_MAX, Candidate, Ranked, lift_few, rank_candidates
from palimp_daemon.search.stems import WORD
from palimp_daemon.search.terms import match_expression, parse_query
from palimp_daemon.store.store import Store, newest_memory
from palimp_daemon.store.tables.words.stem_counts import frequencies
from palimp_protocol.limits import DOC_HISTORY_BYTES_MAX, DOC_VERSIONS_MAX


class SectionText(NamedTuple):
    """A section of a document."""

    heading: str
    line: int
    text: str


class ReadDocument(NamedTuple):
    """A document as read."""

    slug: str
    title: str
    state: FileState
    text: str
    sections: Sequence[SectionText]


class FoundSection(NamedTuple):
    """A section matching a query."""

    slug: str
    title: str
    heading: str
    line: int
    text: str
    changed_at: int
    """Unix milliseconds."""
    rank: Ranked
    covered: float = 0.0
    """Part of the question found word for word in the section, its heading and the document's title."""


class FoundSections(NamedTuple):
    """The best sections, number of matches, and stems to mark."""

    best: list[FoundSection]
    total: int
    wanted: SearchStems


# --- former texts --------------------------------------------------------------------------------


class Former(NamedTuple):
    """A document's text about to be replaced; *done*: edited or deleted."""

    tree: str
    slug: str
    title: str
    text: str
    done: str


def keep_version(store: Store, former: Former, now_ms: int) -> int:
    """Keep a *former* text, drop the oldest over the bound; return its number."""
    tree, slug, title, text, done = former
    newest = store.rows(
        "SELECT packed, id FROM doc_versions WHERE tree = ? AND slug = ? ORDER BY id DESC LIMIT 1", (tree, slug)
    )
    packed = zlib.compress(text.encode())
    if newest and newest[0][0] == packed and done != "deleted":
        return newest[0][1]  # a write that was sent again
    number = store.insert(
        "doc_versions (tree, slug, title, done, at, length, packed)",
        (tree, slug, title, done, now_ms, len(text), packed),
    )
    store.execute(
        "DELETE FROM doc_versions WHERE tree = ? AND slug = ? AND id NOT IN"
        " (SELECT id FROM doc_versions WHERE tree = ? AND slug = ? ORDER BY id DESC LIMIT ?)",
        (tree, slug, tree, slug, DOC_VERSIONS_MAX),
    )
    store.execute(
        "DELETE FROM doc_versions WHERE id IN (SELECT id FROM (SELECT id, sum(length(packed)) OVER"
        " (ORDER BY id DESC) AS behind FROM doc_versions WHERE tree = ?) WHERE behind > ?)",
        (tree, DOC_HISTORY_BYTES_MAX),
    )
    return number


def forget_version(store: Store, number: int) -> None:
    """Delete the former text *number*."""
    store.execute("DELETE FROM doc_versions WHERE id = ?", (number,))


def versions(store: Store, tree: str, slug: str | None) -> list[tuple[int, str, str, str, int, int]]:
    """Return id, slug, title, replacement, time, and characters of former texts, newest first."""
    return store.rows(
        "SELECT id, slug, title, done, at, length FROM doc_versions WHERE tree = ? AND (? IS NULL OR slug = ?)"
        " ORDER BY id DESC",
        (tree, slug, slug),
    )


def version_text(store: Store, tree: str, slug: str, version: int | None) -> tuple[str, str] | None:
    """Return title and text of *slug*'s *version*, or its newest."""
    found = store.rows(
        "SELECT title, packed FROM doc_versions WHERE tree = ? AND slug = ? AND (? IS NULL OR id = ?)"
        " ORDER BY id DESC LIMIT 1",
        (tree, slug, version, version),
    )
    return (found[0][0], zlib.decompress(found[0][1]).decode()) if found else None


def erase_versions(store: Store, tree: str, slug: str, numbers: Sequence[int]) -> list[tuple[int, str]]:
    """Delete *slug*'s former texts *numbers* (empty: all); return numbers and titles.

    Indexed sections go, too: they may be of one.
    """
    found: list[tuple[int, str]] = store.rows(
        "SELECT id, title FROM doc_versions WHERE tree = ? AND slug = ?"
        " AND (? OR id IN (SELECT value FROM json_each(?))) ORDER BY id DESC",
        (tree, slug, not numbers, json.dumps(list(numbers))),
    )
    if found:
        ids = json.dumps([number for number, _ in found])
        store.execute("DELETE FROM doc_versions WHERE id IN (SELECT value FROM json_each(?))", (ids,))
        store.execute("DELETE FROM documents WHERE tree = ? AND slug = ?", (tree, slug))
    return found


# --- sections ------------------------------------------------------------------------------------


def states(store: Store, tree: str) -> dict[str, tuple[FileState, str]]:
    """Return *tree*'s documents' file states and titles, by slug."""
    found = store.rows("SELECT slug, mtime_ns, size, title FROM documents WHERE tree = ?", (tree,))
    return {slug: (FileState(mtime_ns, size), title) for slug, mtime_ns, size, title in found}


def update_sections(store: Store, tree: str, changed: Sequence[ReadDocument], gone: Sequence[str]) -> None:
    """Update *tree*'s sections from its files."""
    for slug in gone:
        store.execute("DELETE FROM documents WHERE tree = ? AND slug = ?", (tree, slug))
    for document in changed:
        digest = hashlib.blake2b(f"{document.title}\n{document.text}".encode(), digest_size=16).digest()
        known = store.rows("SELECT id, hash FROM documents WHERE tree = ? AND slug = ?", (tree, document.slug))
        if known and known[0][1] == digest:  # touched, not changed
            store.execute("UPDATE documents SET mtime_ns = ?, size = ? WHERE id = ?", (*document.state, known[0][0]))
            continue
        store.execute("DELETE FROM documents WHERE tree = ? AND slug = ?", (tree, document.slug))
        number = store.insert(
            "documents (tree, slug, title, mtime_ns, size, hash)",
            (tree, document.slug, document.title, *document.state, digest),
        )
        store.connection.executemany(
            "INSERT INTO sections (document_id, heading, line, content, extra) VALUES (?, ?, ?, ?, ?)",
            [(number, *section, _extra(document.title, section)) for section in document.sections],
        )


def indexed_trees(store: Store) -> list[str]:
    """Return folders with indexed documents."""
    return store.column("SELECT DISTINCT tree FROM documents")


def forget_documents(store: Store, tree: str, limit: int) -> bool:
    """Forget sections, not former texts, of *limit* documents; tell whether more remain."""
    some = "SELECT id FROM documents WHERE tree = ? LIMIT ?"
    store.execute(f"DELETE FROM documents WHERE id IN ({some})", (tree, limit))
    return bool(store.rows(some, (tree, 1)))


class SectionSearch(NamedTuple):
    """A search for *text* in *tree*, or only in *slug*."""

    tree: str
    text: str
    limit: int
    slug: str | None = None


def find_sections(store: Store, asked: SectionSearch, now_ms: int) -> FoundSections:
    """Return the best sections."""
    query, engine, limit = parse_query(asked.text), store.engine, asked.limit
    stems = {term: store.stems.of_term(term) for term in (*query.required, *query.terms)}
    wanted = search_stems((stem for each in stems.values() for stem in each), store.stems)
    # The plan needs the weights of words only; sections are few, and every word may select.
    newest = newest_memory(store)
    spellings = {term: store.stems.of_term(term) for term in query.spellings}
    selecting = wanted.stems.union(*spellings.values())
    known = frequencies(store, selecting, newest)
    plan = plan_of(query, {**spellings, **stems}, dict.fromkeys(selecting, 1) | known, newest or 1)
    fold = [engine.fold(term).strip() for term in (*plan.selecting, *plan.ordering)]
    required = [engine.fold(phrase).strip() for phrase in plan.required]
    expression = Expression(match_expression([term for term in fold if term], required), len(required))
    if not expression.match:
        return FoundSections([], 0, NO_STEMS)
    score = engine.score.replace("memories_fts", "sections_fts")
    best = store.rows(
        # Numbers only, as long as all that fit are looked at: their texts together may be hundreds of megabytes.
        f"SELECT id, score, count(*) OVER () FROM (SELECT s.id AS id, {score} AS score FROM sections_fts"
        f" JOIN sections s ON s.id = sections_fts.{engine.key} JOIN documents d ON d.id = s.document_id"
        " WHERE sections_fts MATCH ? AND d.tree = ? AND (? IS NULL OR d.slug = ?) LIMIT -1)"
        " ORDER BY score DESC, id LIMIT ?",
        (expression.match, asked.tree, asked.slug, asked.slug, max(limit, RERANKED_MAX)),
    )
    total = best[0][2] if best else 0
    scores = {number: score for number, score, _ in best}
    found = store.rows(
        "SELECT s.id, 0.0, d.slug, d.title, s.heading, s.line, s.content, d.mtime_ns FROM json_each(?) wanted"
        " CROSS JOIN sections s ON s.id = wanted.value JOIN documents d ON d.id = s.document_id ORDER BY wanted.key",
        (json.dumps(list(scores)),),
    )
    by_id = {row[0]: row for row in found}
    in_order = [stem for term in query.terms if " " not in term for stem in stems[term]]
    candidates = [
        Candidate(
            number,
            scores[number],
            positions_by_stem(content, wanted, store.stems),
            None,
            mtime_ns // 1_000_000,
            is_superseded=False,
        )
        for number, *_, content, mtime_ns in found
    ]
    few = store.value("SELECT count(*) FROM (SELECT 1 FROM sections LIMIT ?)", (FEW_ROWS,))
    candidates = lift_few(candidates, few)
    words = [Word(word_weight(known.get(stem, 0), newest), {}, stem) for stem in dict.fromkeys(in_order)]
    best_ranks = rank_candidates(candidates, in_order, (), plan.idf, now_ms, limit)
    return FoundSections([_section(store, by_id[rank.seq], rank, words, wanted) for rank in best_ranks], total, wanted)


def _section(
    store: Store, row: tuple[Any, ...], rank: Ranked, words: Sequence[Word], wanted: SearchStems
) -> FoundSection:
    slug, title, heading, line, text, mtime_ns = row[2:8]
    stems = positions_by_stem(f"{title}\n{heading}\n{text}", wanted, store.stems).keys()
    part = covered_share(stems, words, whole_of(words))
    return FoundSection(slug, title, heading, line, text, mtime_ns // 1_000_000, rank, part)


def _extra(title: str, section: SectionText) -> str:
    words = {word.lower() for word in WORD.findall(section.text)}
    bases = sorted({base_form(word) for word in words} - words)
    return " ".join([*bases, *hidden_words(f"{section.heading} {section.text}"), title])


Known = Mapping[str, tuple[FileState, str]]
"""State and text of documents, by slug."""
