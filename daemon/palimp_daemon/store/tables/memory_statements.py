"""Memories as they are held beside one another: their telling words, kind, session and time (`search.replacement`)."""

from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase, digits
from typing import Final

from palimp_daemon.runtime.sql import in_list, rows
from palimp_daemon.search.cjk import UNSPACED_RUN, pieces_of
from palimp_daemon.search.replacement import Statement
from palimp_daemon.search.stems import Stems
from palimp_daemon.search.terms import QUESTION_WORDS, STOP_WORDS
from palimp_daemon.store.store import Store
from palimp_daemon.text.titles import with_title

COMPARED_CHARACTERS: Final = 2_000
"""What is read of each: a bound on what a comparison costs."""


def statements_of(store: Store, seqs: Sequence[int]) -> dict[int, Statement]:
    """Return the memories *seqs* as statements, by number."""
    if not seqs:
        return {}
    places, values = in_list(seqs)
    said = f"m.title, substr(m.content, 1, {COMPARED_CHARACTERS})"
    statement = f"SELECT m.seq, {said}, m.kind, m.session_id, m.created_at FROM memories m WHERE m.seq IN {places}"
    return {
        seq: Statement(telling_words(with_title(title, text), store.stems), kind, session, created_at)
        for seq, title, text, kind, session, created_at in rows(store.connection, statement, values)
    }


def telling_words(text: str, stems: Stems) -> frozenset[str]:
    """Return the stems of *text* that say something: without stop words and single letters.

    Of scripts that do not separate words, pairs of characters.
    """
    found = frozenset(stems.of_text(text)) - _silent_stems(stems)
    is_spaced = text.isascii() or not UNSPACED_RUN.search(text)
    return found if is_spaced else found.union(piece.text for piece in pieces_of(text))


@lru_cache(maxsize=2)
def _silent_stems(stems: Stems) -> frozenset[str]:
    """Return the stems of stop words, letters, digits, and nothing, which is what an engine makes of a mark."""
    return frozenset([*stems.of_words(sorted(STOP_WORDS | QUESTION_WORDS)), *ascii_lowercase, *digits, ""])
