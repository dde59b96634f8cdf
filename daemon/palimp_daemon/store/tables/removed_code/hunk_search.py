"""Search removed code: code, reason, path."""

from typing import NamedTuple

from palimp_daemon.search.irregular_forms import base_form
from palimp_daemon.search.match_positions import NO_STEMS, SearchStems, search_stems
from palimp_daemon.search.stems import WORD
from palimp_daemon.search.terms import match_expression, parse_query
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.removed_code.hunks import Known, hunks_by_ids


class FoundHunks(NamedTuple):
    """The best hunks with scores (None: only common words), their total, stems to mark."""

    best: list[tuple[Known, float | None]]
    total: int
    wanted: SearchStems


def find_hunks(store: Store, project: int, text: str, limit: int) -> FoundHunks:
    """Return the best hunks for *text*."""
    query, engine = parse_query(text), store.engine
    # Of code, no base forms are indexed: what is asked for may stand there as it was written.
    written = [word for word in WORD.findall(text.lower()) if base_form(word) != word]
    terms = [folded for term in (*query.terms, *query.spellings, *written) if (folded := engine.fold(term).strip())]
    # Words are indexed once each, out of order, so a phrase is asked for by its words.
    words = list(dict.fromkeys(word for term in (*terms, *map(engine.fold, query.required)) for word in term.split()))
    if not words:
        return FoundHunks([], 0, NO_STEMS)
    found = store.rows(
        "SELECT id, score, count(*) OVER () FROM (SELECT h.id AS id,"
        f" {engine.score.replace('memories_fts', 'hunks_fts')} AS score, c.at AS at FROM hunks_fts"
        f" JOIN hunks h ON h.id = hunks_fts.{engine.key} JOIN changes c ON c.id = h.change_id"
        " WHERE hunks_fts MATCH ? AND c.project_id = ? LIMIT -1) ORDER BY score DESC, at DESC LIMIT ?",
        (match_expression(words), project, limit),
    )
    known = {hunk.id: hunk for hunk in hunks_by_ids(store, [row[0] for row in found])}
    best = [(known[hunk_id], round(score, 3) or None) for hunk_id, score, _ in found]
    stems = (stem for term in (*query.terms, *query.required, *written) for stem in store.stems.of_term(term))
    return FoundHunks(best, found[0][2] if found else 0, search_stems(stems, store.stems))
