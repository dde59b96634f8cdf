"""Find topics: names that several texts share, but not nearly all.

With capitals only tags, code, and words with an inner capital, digit or mark, or capitalized after another, count.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from palimp_daemon.search.stems import Stems, cut_words
from palimp_daemon.search.telling_words import silent_stems

CHARACTERS_MAX: Final = 400
"""Characters read of each text: its beginning tells the subject."""

LENGTH_MIN: Final = 3
TEXTS_MIN: Final = 2
"""Least number of texts that share a topic."""

EVERYWHERE: Final = 0.5
"""Share of the texts from which a word has no weight, if there are more than EVERYWHERE_TEXTS."""
EVERYWHERE_TEXTS: Final = 12

_CODE: Final = re.compile(r"`([^`\n]+)`")
_BEHIND_A_WORD: Final = re.compile(r"(?<=[\w,;)\]][ ])[^\W\d_][\w-]*|(?<=[\w,;)\]][ ][(\"'\[])[^\W\d_][\w-]*")
_MARKED: Final = re.compile(r"\w+(?:[._/:-]\w+)+")


def topics_of(texts: Iterable[tuple[str, Sequence[str]]], stems: Stems, limit: int) -> list[tuple[str, int]]:
    """Return the names in most of *texts* (each with tags), commonest spelling, with the number of texts."""
    shared: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    names: set[str] = set()
    count = 0
    for text, tags in texts:
        count += 1
        beginning = f"{' '.join(tags)}\n{text[:CHARACTERS_MAX]}"
        for stem, word in _words(beginning, stems).items():
            shared[stem] += 1
            written.setdefault(stem, Counter())[word] += 1
        names |= _names_in(text[:CHARACTERS_MAX], tags, stems)
    most = count * EVERYWHERE if count > EVERYWHERE_TEXTS else count
    found = [(stem, times) for stem, times in shared.items() if TEXTS_MIN <= times <= most]
    found = [(stem, times) for stem, times in found if stem in names or stem.upper() == stem.lower()]
    found.sort(key=lambda entry: (-entry[1], entry[0]))
    return [
        (min(written[stem].items(), key=lambda item: (-item[1], item[0]))[0], times) for stem, times in found[:limit]
    ]


def _words(text: str, stems: Stems) -> dict[str, str]:
    words = [word for word in cut_words(text.lower()) if len(word) >= LENGTH_MIN and not word.isdigit()]
    silent = silent_stems(text, stems)
    return {stem: word for stem, word in zip(stems.of_words(words), words, strict=True) if stem not in silent}


def _names_in(text: str, tags: Sequence[str], stems: Stems) -> set[str]:
    named = [*tags, *_CODE.findall(text), *_MARKED.findall(text)]
    named += [word for word in _BEHIND_A_WORD.findall(text) if word[:1].isupper()]
    named += [word for word in cut_words(text) if _is_built(word)]
    return set(_words(" ".join(named), stems))


def _is_built(word: str) -> bool:
    has_digit = any(letter.isdigit() for letter in word)
    return any(letter.isupper() for letter in word[1:]) or (has_digit and not word.isdigit())
