"""Find all kinds of secrets in a text.

Patterns over whole texts are RE2 (linear time); others read a bounded number of characters. Placeholders, variables and
calls stay.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets import assignments, blocks, command_lines, short_codes, tokens, urls
from palimp_daemon.text.secrets.secret_span import Span

_STATES_BYTES: Final = 32 * 1024 * 1024
"""Bytes for the states of all patterns."""

DETECTORS: Final[tuple[Callable[[str], Iterator[Span]], ...]] = (
    blocks.blocks,
    tokens.tokens,
    urls.url_passwords,
    urls.webhooks,
    short_codes.pins,
    command_lines.command_lines,
    command_lines.requests,
    command_lines.shapes,
    assignments.assignments,
    tokens.unlisted_tokens,
)
"""All detectors; the first to find a place names its kind."""

_LEADS: Final = (
    *blocks.LEADS,
    *tokens.LEADS,
    *urls.LEADS,
    *short_codes.LEADS,
    *command_lines.LEADS,
    *assignments.LEADS,
)
_COUNTS: Final = re.compile(r"\{\d{2,}")
"""Counted repetition, which multiplies the states of combined patterns."""


def _any_of(patterns: Iterable[str]) -> Any:
    return linear("|".join(f"(?:{re.sub(r'[(][?]P<[a-z]+>', '(?:', each)})" for each in patterns), _STATES_BYTES)


_LEAD: Final = (
    _any_of(lead for lead in _LEADS if not _COUNTS.search(lead)),
    _any_of(lead for lead in _LEADS if _COUNTS.search(lead)),
)
"""Pre-filters: any text with a find matches one. Two searches instead of twenty."""


def may_hold_secrets(text: str) -> bool:
    """Tell whether *text* has a lead that some detector needs."""
    return any(lead.search(text) for lead in _LEAD)


def secrets_in(text: str) -> list[Span]:
    """Return the secrets in *text*, in order, merged if they overlap or touch."""
    if not may_hold_secrets(text):
        return []
    found = [
        (span.start, rank, span)
        for rank, detector in enumerate(DETECTORS)
        for span in detector(text)
        if span.end > span.start
    ]
    merged: list[tuple[int, Span]] = []
    for _, rank, span in sorted(found):
        if merged and span.start < merged[-1][1].end:
            known_rank, known = merged[-1]
            kind = span.kind if rank < known_rank else known.kind
            merged[-1] = (min(rank, known_rank), Span(known.start, max(known.end, span.end), kind))
        else:
            merged.append((rank, span))
    return [span for _, span in merged]
