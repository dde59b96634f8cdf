"""Whether a memory was used: whether what an agent wrote has its words, and had them from nowhere else that is known.

This cannot tell a memory that was read and heeded from one that happens to say what the agent would have written
anyway; it counts, it decides nothing.
"""

from typing import Final

from palimp_daemon.search.stems import Stems
from palimp_daemon.search.telling_words import telling_words_of_language

SHARED_MIN: Final = 3
"""Words that both have at least: two are shared by chance in a page of code."""

SHARED_PART: Final = 0.3
"""The part of the memory's telling words that was written at least; a long one names much besides."""

CHARACTERS_MAX: Final = 2_000
"""Characters of a memory that are compared: what it is about stands at its beginning."""


def is_written_again(memory: str, written: frozenset[str], known: str, stems: Stems) -> bool:
    """Tell whether the telling words *written* are of *memory* and not in *known*, enough of them.

    *known* is what the agent had from elsewhere: the prompt, and the act that brought the memory up.
    """
    if len(written) < SHARED_MIN:
        return False
    own = telling_words_of_language(memory[:CHARACTERS_MAX], stems)
    new = own - frozenset(stems.of_text(known))
    shared = new & written
    return len(shared) >= SHARED_MIN and len(shared) >= SHARED_PART * len(new)
