"""Find memories for a prompt in Chinese, Japanese or Korean: they share two rare, separate pairs of characters."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from palimp_daemon.languages.language import sections
from palimp_daemon.runtime.sql import value
from palimp_daemon.search.cjk import Piece
from palimp_daemon.search.engine import Expression
from palimp_daemon.search.terms import match_expression
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import Row

PIECES_MIN: Final = 2

PIECES_MAX: Final = 64
"""Pieces counted per prompt, a few milliseconds; only long prompts share more."""

COUNTED_MAX: Final = 300
"""Memories counted for a piece; in more, it says little."""


def sharing_two(
    store: Store, pieces: Sequence[Piece], rows: Sequence[Row], is_telling: Callable[[int], bool]
) -> set[int]:
    """Return the *rows* that share PIECES_MIN *pieces* without overlap; *is_telling* judges frequencies."""
    counts: dict[str, int] = {}
    found: set[int] = set()
    for row in rows:
        text = f"{row.title} {row.content} {row.tags}"
        apart, ends_at = 0, 0
        for piece in pieces:
            if piece.start < ends_at or piece.text in _of_everything() or piece.text not in text:
                continue
            if piece.text not in counts:
                if len(counts) >= PIECES_MAX:
                    break
                own = store.engine.own(Expression(match_expression([" ".join(piece.text)])))
                counted = f"SELECT count(*) FROM (SELECT 1 FROM memories_fts f WHERE {own.sql} LIMIT {COUNTED_MAX})"
                counts[piece.text] = value(store.connection, counted, own.values)
            if is_telling(counts[piece.text]):
                apart, ends_at = apart + 1, piece.start + len(piece.text)
                if apart >= PIECES_MIN:
                    found.add(row.seq)
                    break
    return found


@cache
def _of_everything() -> frozenset[str]:
    pieces = sections(lambda language: language.of_everything, has_whole_words=False)
    return frozenset(piece for each in pieces.values() for piece in each.split())
