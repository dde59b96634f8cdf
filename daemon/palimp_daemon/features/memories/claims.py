"""Claims in a memory's text to replace another: "Replaces m1rv7je2"."""

import re
from typing import Final, NamedTuple

CLAIMING: Final = ("supersed", "replac", "obsolet", "overrid", "instead of", "in place of")
"""Beginnings of words for replacing another memory."""

_CLAIM: Final = re.compile(
    r"(?i)\b(?:supersed\w+|replac\w+|obsolet\w+|overrid\w+|instead of|in place of)"
    r"(?:\s+(?:the|memory|decision|finding|note|by))*\s*[`(\[\"']?\s*(m[0-9a-z]{7,11})\b"
)


class Claim(NamedTuple):
    """An id that a text claims to replace."""

    id: str
    words: str


def claims_in(text: str) -> list[Claim]:
    """Return the claims of *text*, each id once."""
    lowered = text.lower()
    if not any(beginning in lowered for beginning in CLAIMING):
        return []
    found = {match[1]: Claim(match[1], " ".join(match[0].split())) for match in _CLAIM.finditer(text)}
    return list(found.values())
