"""Detect a query that is in a memory word for word, mostly a program's message.

A newer memory that replaced that one lacks the message, so it does not pass it.
"""

from collections.abc import Iterable
from typing import Final

QUOTED_CHARACTERS_MIN: Final = 30
"""Characters of a query: shorter ones are names or a few words, found in many memories."""


def is_quotation(query: str, texts: Iterable[str]) -> bool:
    """Tell whether one of *texts* contains *query*, ignoring case and white space."""
    quoted = _comparable(query)
    return len(quoted) >= QUOTED_CHARACTERS_MIN and any(quoted in _comparable(text) for text in texts)


def _comparable(text: str) -> str:
    return " ".join(text.casefold().split())
