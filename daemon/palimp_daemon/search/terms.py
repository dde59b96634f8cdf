"""From any text to a MATCH expression that cannot be a syntax error.

Theory
------
Models and people write questions. Joining their words with AND finds next to nothing; OR without the stop
words, each word quoted, finds the evidence among the first ten for most. Quoting makes every operator of
the query language (`NOT`, `*`, `col:`, `^`) a plain word.

Words are cut at everything that is neither letter, digit nor underscore. A quoted `snake_case` is cut
again by the engine's tokenizer and so matches as a phrase.
"""

import re
from collections.abc import Sequence
from typing import Final

from palimp_protocol.limits import QUERY_WORDS_MAX

STOP_WORDS: Final = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by can
    could did do does doing down during each few for from further had has have having he her here hers him his
    how i if in into is it its itself just me more most my myself no nor not now of off on once only or other
    our ours out over own same she should so some such than that the their theirs them then there these they
    this those through to too under until up very was we were what when where which while who whom why will
    with would you your yours
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""English words that say nothing about a memory. Without them a search finds more and is much faster."""

_WORD: Final = re.compile(r"\w+")


def query_words(text: str) -> list[str]:
    """Return the words of *text* worth searching for, in order, each once, at most QUERY_WORDS_MAX.

    When it has stop words only, those are searched for; when it has no words, the list is empty.
    """
    words = list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word.strip("_")))
    telling = [word for word in words if word not in STOP_WORDS]
    return (telling or words)[:QUERY_WORDS_MAX]


def match_expression(words: Sequence[str]) -> str:
    """Return the MATCH expression that finds any of *words*. `_WORD` leaves no quote to escape."""
    return " OR ".join(f'"{word}"' for word in words)
