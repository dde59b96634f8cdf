"""Recognize English words, so that a word new to a project is not taken for a misspelling.

Known are the whole words of the embedder's BERT vocabulary (about 20,000) and their regular forms.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Final

BASE_LETTERS_MIN: Final = 4
"""Letters left without an ending: with fewer, nearly everything is a word."""

HEAD_LETTERS: Final = 2
"""Initial letters by which words are grouped: some dozen share two."""

_DOUBLING: Final = re.compile("[^aeiou]*[aeiou][^aeiouwxy]")
"""Words that double their last letter before an ending: *flap*, *flapping*."""

_ONE_ENDING: Final = re.compile(".*([^aeiou]y|[^e]e)")
"""Words that change or lose their last letter before an ending."""


def is_english(word: str) -> bool:
    """Tell whether the lower-case *word* is a frequent English word or its regular form."""
    return word.isascii() and word.isalpha() and (_is_listed(word) or any(map(_is_listed, _bases(word))))


def _is_listed(word: str) -> bool:
    return f"\n{word}\n".encode() in _words().get(word[:HEAD_LETTERS].encode(), b"")


def _bases(word: str) -> list[str]:
    bases = [word.removesuffix("s")] if word.endswith("s") and not word.endswith("ss") else []
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            bases.append(f"{stem}e")
            if len(stem) > 1 and stem[-1] == stem[-2]:
                bases.append(stem[:-1])
            if not (_DOUBLING.fullmatch(stem) or _ONE_ENDING.fullmatch(stem)):
                bases.append(stem)
    return [base for base in bases if len(base) >= BASE_LETTERS_MIN]


@cache
def _words() -> Mapping[bytes, bytes]:
    """Return the words by first letters, one per line: fewer objects than words (230 kB)."""
    listed = resources.files("palimp_daemon").joinpath("embedding", "worker", "vocabulary.txt").read_bytes()
    words = sorted(word for word in listed.splitlines() if word.isalpha())
    heads = groupby(words, key=lambda word: word[:HEAD_LETTERS])
    return {head: b"\n%b\n" % b"\n".join(same) for head, same in heads}
