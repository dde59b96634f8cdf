"""Detect that a memory was used: an agent wrote words that it had from nowhere else known.

It might have written them anyway; this is for counts, never for decisions.
"""

from typing import Final

from palimp_daemon.search.stems import Stems
from palimp_daemon.search.telling_words import telling_words_of_language

SHARED_MIN: Final = 3
"""Least number of shared words: two are shared by chance in a page of code."""

SHARED_PART: Final = 0.3
"""Share of the memory's significant words that was written; long ones also name other things."""

CHARACTERS_MAX: Final = 2_000
"""Characters compared of a memory: its beginning tells the subject."""


def is_written_again(memory: str, written: frozenset[str], known: str, stems: Stems) -> bool:
    """Tell whether enough telling words *written* are in *memory* and not in *known*.

    *known*: the prompt, and the act that brought up the memory.
    """
    if len(written) < SHARED_MIN:
        return False
    own = telling_words_of_language(memory[:CHARACTERS_MAX], stems)
    new = own - frozenset(stems.of_text(known))
    shared = new & written
    return len(shared) >= SHARED_MIN and len(shared) >= SHARED_PART * len(new)
