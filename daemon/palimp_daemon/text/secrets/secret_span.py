"""The place of a secret in a text."""

from typing import NamedTuple


class Span(NamedTuple):
    """A secret of this *kind*, from character *start* to *end*."""

    start: int
    end: int
    kind: str
