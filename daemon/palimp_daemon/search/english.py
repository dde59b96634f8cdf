"""English words, so that one that a project never used is not taken for a slip.

They are the whole words among the pieces of BERT's vocabulary, about 20,000, which the embedder has anyway.
"""

from functools import cache
from importlib import resources


def is_english(word: str) -> bool:
    """Tell whether *word*, in lower case, is a frequent English word."""
    return word.isascii() and word.isalpha() and f"\n{word}\n".encode() in _words()


@cache
def _words() -> bytes:
    """Return the pieces, one a line: 230 kB, of which one is found within 50 µs."""
    return resources.files("palimp_daemon").joinpath("embedding", "worker", "vocabulary.txt").read_bytes()
