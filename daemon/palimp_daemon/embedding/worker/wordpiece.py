"""Tokenize a text as BERT's uncased tokenizer: WordPiece (Devlin et al., 2018).

`vocabulary.txt` is BERT's (Google, Apache License 2.0). The tokenizers library would bring a client of a model hub.
"""

import re
import unicodedata
from functools import lru_cache
from importlib import resources
from typing import Final

CLS: Final = 101
SEP: Final = 102
UNKNOWN: Final = 100

WORD_CHARACTERS_MAX: Final = 100
"""Characters of a word; a longer one is unknown, as in BERT."""

_WORD: Final = re.compile(r"[^\W_]+|[^\w\s]|_")
_HAN: Final = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, int]:
    """Load the number of each piece."""
    text = resources.files("palimp_daemon.embedding.worker").joinpath("vocabulary.txt").read_text(encoding="utf-8")
    return {piece: number for number, piece in enumerate(text.splitlines())}


def token_numbers(text: str, length_max: int) -> list[int]:
    """Tokenize *text* into at most *length_max* numbers, including CLS and SEP."""
    numbers = [CLS]
    for word in _WORD.findall(_plain(text)):
        numbers += _pieces(word)
        if len(numbers) >= length_max:
            break
    return [*numbers[: length_max - 1], SEP]


def _plain(text: str) -> str:
    spaced = _HAN.sub(r" \1 ", text).lower()
    return "".join(mark for mark in unicodedata.normalize("NFD", spaced) if unicodedata.category(mark) != "Mn")


@lru_cache(maxsize=20_000)
def _pieces(word: str) -> tuple[int, ...]:
    if len(word) > WORD_CHARACTERS_MAX:
        return (UNKNOWN,)
    known = vocabulary()
    numbers: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in known), None)
        if end is None:
            return (UNKNOWN,)
        numbers.append(known[prefix + word[start:end]])
        start = end
    return tuple(numbers)
