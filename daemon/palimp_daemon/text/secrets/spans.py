"""Where a secret stands in a text: what every detector of secrets yields."""

from typing import NamedTuple


class Span(NamedTuple):
    """The characters from *start* to *end* of a text are a secret of this *kind*."""

    start: int
    end: int
    kind: str
