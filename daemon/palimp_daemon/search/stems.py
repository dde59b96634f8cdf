"""Split text into words and cache their stems, as the engine's index has them."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

from palimp_daemon.search.characters import MARKS, SYMBOLS
from palimp_daemon.search.folding import apart_by_script
from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.irregular_forms import BASE_FORMS, base_form
from palimp_daemon.search.joined_words import NUMBERS, parts_of

WORDS_MAX: Final = 50_000
"""Words cached of each kind, a few megabytes: about a user's vocabulary."""

WORD: Final = re.compile(f"(?:[^\\W_]+|[{MARKS}]+)+|[{SYMBOLS}]")
"""A word as both engines cut it: letters, digits and the marks that follow them; or a symbol."""

ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+")
"""The same for most texts, three times faster."""


CHANGED_ENDS: Final = "eil"
"""Replacements of a last letter by Porter's rules: `happy`, `happi`; `hoping`, `hope`; `-bility`, `-bl`."""


def porter_opening(stem: str) -> str:
    """Return the common beginning of all words with Porter's *stem*."""
    return stem[:-1] if len(stem) > 1 and stem[-1] in CHANGED_ENDS else stem


def cut_words(text: str) -> list[str]:
    """Return the words of *text* as both engines cut it, in order."""
    return ASCII_WORD.findall(text) if text.isascii() else WORD.findall(apart_by_script(text))


class Stems:
    """Cached stems by an engine's *tokenize*; *opening* returns the common beginning of a stem's words."""

    def __init__(self, tokenize: Callable[[str], list[str]], opening: Callable[[str], str] = porter_opening) -> None:
        self._tokenize = tokenize
        self.opening = opening
        self._stem: dict[str, str] = {}
        self._meanings: dict[str, frozenset[str]] = {}

    def of_text(self, text: str) -> Sequence[str]:
        """Return the stem of each word of *text*, in order."""
        # Of ASCII the engine cuts the same words, as fast as known ones are looked up and much faster than new ones.
        return self._tokenize(text) if text.isascii() else self.of_words(cut_words(text.lower()))

    def of_words(self, words: Sequence[str]) -> Sequence[str]:
        """Return the stems of *words*, which must be lower case and cut as by the engine."""
        stems = tuple(map(self._stem.get, words))
        if None in stems:
            if len(self._stem) + len(words) > WORDS_MAX:
                self._stem.clear()
            self._learn([word for word in dict.fromkeys(words) if word not in self._stem])
            return tuple(map(self._stem.__getitem__, words))
        return stems  # pyright: ignore[reportReturnType]  None is not among them

    def _learn(self, words: list[str]) -> None:
        # Of letters and digits in ASCII no engine makes more, or fewer, than one token; of others there may be none.
        plain = [word for word in words if word.isascii()]
        self._stem.update(zip(plain, self._tokenize(" ".join(plain)), strict=True))
        for word in words:
            if not word.isascii():
                self._stem[word] = "".join(self._tokenize(word)[:1])

    def of_term(self, term: str) -> list[str]:
        """Return the index's stems of *term*, one word or several."""
        return self._tokenize(term)

    def of_word(self, word: str) -> frozenset[str]:
        """Return all stems that find *word*: its own, its base form's, hidden words', its parts'."""
        if (known := self._meanings.get(word)) is not None:
            return known
        if len(self._meanings) >= WORDS_MAX:
            self._meanings.clear()
        others = " ".join((word, base_form(word.lower()), *hidden_words(word), *parts_of(word)))
        return self._meanings.setdefault(word, frozenset(self._tokenize(others)))

    def found_by(self, text: str) -> set[str]:
        """Return all stems that find words of *text*."""
        return set[str]().union(*map(self.of_word, cut_words(text)))

    def irregular_forms(self, stem: str) -> Sequence[str]:
        """Return the lower-case irregular forms of the word with *stem*."""
        return self._irregular_forms.get(stem, ())

    @cached_property
    def _irregular_forms(self) -> dict[str, list[str]]:
        forms: dict[str, list[str]] = {}
        for form, stem in zip(BASE_FORMS, self._tokenize(" ".join(BASE_FORMS.values())), strict=True):
            forms.setdefault(stem, []).append(form)
        for word, number in NUMBERS.items():
            forms[number] = [word]
            forms.setdefault("".join(self._tokenize(word)), []).append(number)
        return forms
