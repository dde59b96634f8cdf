"""A query that stands in a memory word for word: a message that a program printed, mostly.

Who pastes a message looks for what is known of it. A newer memory that replaced that one does not say it and is not it,
however likely it replaced it: it is named beside it.
"""

from collections.abc import Iterable
from typing import Final

QUOTED_CHARACTERS_MIN: Final = 30
"""Of a query: a shorter one is a name or a few words, which many memories have."""


def is_quotation(query: str, texts: Iterable[str]) -> bool:
    """Tell whether one of *texts* has all of *query*, whatever the case of its letters and its white space."""
    quoted = _compared(query)
    return len(quoted) >= QUOTED_CHARACTERS_MIN and any(quoted in _compared(text) for text in texts)


def _compared(text: str) -> str:
    return " ".join(text.casefold().split())
