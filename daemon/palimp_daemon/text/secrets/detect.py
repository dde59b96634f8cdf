"""Where the secrets stand in a text: every kind that is looked for.

Patterns that run over a whole text are RE2: linear in it, whatever it is. What they find is looked at more closely
within a bounded number of characters. Kinds of a form of their own are in `secret_tokens` (vendors), `secret_blocks`
(keys), `secret_urls` and `secret_commands`; what only a name tells is in `secret_assignments`, which reads names by
`secret_names` and judges values by `secret_values`: placeholders, variables and calls stay, since a memory full of
holes helps nobody.
"""

from collections.abc import Callable, Iterator
from typing import Final

from palimp_daemon.text.secrets.assignments import assignments
from palimp_daemon.text.secrets.blocks import blocks
from palimp_daemon.text.secrets.commands import command_lines, requests, shapes
from palimp_daemon.text.secrets.spans import Span
from palimp_daemon.text.secrets.tokens import tokens
from palimp_daemon.text.secrets.urls import url_passwords

DETECTORS: Final[tuple[Callable[[str], Iterator[Span]], ...]] = (
    blocks,
    tokens,
    url_passwords,
    command_lines,
    requests,
    shapes,
    assignments,
)
"""All that look; where two find the same place, the first one names its kind."""


def secrets_in(text: str) -> list[Span]:
    """Return the secrets in *text*, in order; those that overlap or touch are one."""
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
