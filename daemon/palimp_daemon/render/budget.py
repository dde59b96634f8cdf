"""Token budgets, and the sentence on the parts left out."""

from collections.abc import Sequence
from typing import Final

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, LIST_TOKENS_MAX
from palimp_protocol.text import one_line

SENTENCES_TOKENS_MAX = 500
"""Tokens of remarks beside an answer: each of thousands of documents may cause one."""

BESIDE_CHARACTERS: Final = 400
"""Characters reserved for the frame, the footer and a sentence on cuts."""

CUT_WORD_CHARACTERS = 40
"""Characters before a cut searched for a word's end."""


def tokens_in(text: str) -> int:
    """Estimate the tokens of *text*, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def fitting(parts: Sequence[str], budget_tokens: int) -> int:
    """Count the *parts*, on separate lines, that fit the budget."""
    return fitting_characters(parts, budget_tokens * CHARACTERS_PER_TOKEN)


def fitting_characters(parts: Sequence[str], room: int) -> int:
    """Count the *parts*, on separate lines, that fit *room* characters."""
    for count, part in enumerate(parts):
        room -= len(part) + 1
        if room < 0:
            return count
    return len(parts)


def fitting_rows(lines: Sequence[str], ids: Sequence[str]) -> int:
    """Count the *lines* that fit LIST_TOKENS_MAX beside a sentence with the other *ids*."""
    if sum(len(line) + 1 for line in lines) + BESIDE_CHARACTERS <= LIST_TOKENS_MAX * CHARACTERS_PER_TOKEN:
        return len(lines)
    return fitting(lines, LIST_TOKENS_MAX - tokens_in(left_out(ids)) - BESIDE_CHARACTERS // CHARACTERS_PER_TOKEN)


def left_out(ids: Sequence[str]) -> str:
    """Return the sentence that lists the *ids* left out."""
    return f"{len(ids):,} left out to keep {LIST_TOKENS_MAX:,} tokens; recall(ids=[…]) shows them: {', '.join(ids)}"


def few(sentences: Sequence[str]) -> list[str]:
    """Return the *sentences* that fit SENTENCES_TOKENS_MAX, and count the others."""
    sentences = [one_line(sentence) for sentence in sentences]
    count = max(1, fitting(sentences, SENTENCES_TOKENS_MAX))
    more = len(sentences) - count
    return [*sentences[:count], *([f"… and {more:,} more like these."] if more > 0 else [])]


def cut(text: str, characters: int) -> str:
    """Cut *text* to *characters*, or a little less between words."""
    if len(text) <= characters:
        return text
    head = text[:characters]
    for back in range(1, min(CUT_WORD_CHARACTERS, characters)):
        if head[-back].isspace():
            return head[:-back].rstrip()
    return head


def shorten(text: str, characters: int) -> str:
    """Cut *text* between words to *characters*, with an ellipsis."""
    return text if len(text) <= characters else cut(text, characters - 1) + "…"
