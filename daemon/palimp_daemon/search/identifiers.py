"""Find words hidden in names, paths, scripts without spaces, and inflected forms; index and query alike."""

import re
from itertools import filterfalse
from typing import Final

from palimp_daemon.search.cjk import unspaced_characters
from palimp_daemon.search.cyrillic_greek import inflected_stems
from palimp_daemon.search.folding import caseless, compatible
from palimp_daemon.search.joined_words import names_in
from palimp_daemon.search.version_words import version_words

PART_CHARACTERS_MIN: Final = 3
"""Shorter pieces of a camelCase name (`OS`, `i`) are too vague."""

_OTHER_SCRIPTS: Final = re.compile(
    "[\u00b5\u0345\u0370-\u1fff\u2100-\u214f\u2460-\u24ff\u2c80-\u2dff\u2e80-\uffff\U00010000-\U0001efff\U0001f100-\U0001f2ff"
    "\U0001fb00-\U0010ffff]"
)
"""Characters that may be, or stand for, non-Latin letters. Most texts beyond ASCII have none, and folding takes a third
of a millisecond."""

_RUN: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


def camel_parts(word: str) -> list[str]:
    """Return the parts of a camelCase word worth searching for, in lower case."""
    if not _CAMEL.search(word):
        return []
    return [part.lower() for part in _PART.findall(word) if len(part) >= PART_CHARACTERS_MIN]


def hidden_words(text: str) -> list[str]:
    """Return the words that a tokenizer misses: parts of names, versions, unspaced characters, foreign stems."""
    mixed = " ".join(filterfalse(str.islower, text.split()))  # most words are, and this is in each save
    parts = [part for word in _RUN.findall(mixed) for part in camel_parts(word)] + version_words(text)
    parts += names_in(text)
    if text.isascii() or not _OTHER_SCRIPTS.search(text):
        return parts
    return [*parts, *unspaced_characters(compatible(text)), *inflected_stems(caseless(text))]
