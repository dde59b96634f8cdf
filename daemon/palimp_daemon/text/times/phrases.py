"""Phrases of a question by position and role: tokens of `grammar` and `points`."""

from collections.abc import Set as AbstractSet
from typing import Final

from palimp_daemon.text.times.question_words import Taken, Word, number_at, phrases_at
from palimp_daemon.text.times.time_words import Role

ARTICLES_MAX: Final = 3
"""Filler words between a preposition and a span: `of the`, `in the`."""


class Phrases:
    """The phrases of *words* in one *language*; positions are numbers of words."""

    def __init__(self, words: list[Word], language: str) -> None:
        self.words = words
        self.language = language
        self._found = phrases_at(words, language)

    def roles(self, at: int) -> AbstractSet[Role]:
        """Return the roles of phrases that begin at *at*."""
        return self._found[at].keys()

    def has_any(self, roles: AbstractSet[Role]) -> bool:
        """Tell whether any phrase has one of *roles*."""
        return any(roles & found.keys() for found in self._found)

    def take(self, at: int, role: Role) -> Taken | None:
        """Return the phrase with *role* at *at*."""
        return self._found[at].get(role) if at < len(self._found) else None

    def number(self, at: int) -> Taken | None:
        """Return the number at *at*, in digits or words."""
        return number_at(self.words, at) or self.take(at, Role.NUMBER)

    def skip(self, at: int, role: Role, none: int | None = None) -> int:
        """Return the word behind *role* at *at* (up to ARTICLES_MAX fillers), else *none* or *at*."""
        following = at
        for _ in range(ARTICLES_MAX if role is Role.FILLER else 1):
            taken = self.take(following, role)
            if not taken:
                break
            following = taken.following
        return following if following > at or none is None else none

    def skip_in(self, at: int) -> int:
        """Return the word behind articles and prepositions."""
        return self.skip(self.skip(self.skip(at, Role.FILLER), Role.IN), Role.FILLER)

    def skip_last(self, at: int, none: int | None = None) -> int:
        """Return the word behind `last` or `past`."""
        following = self.skip(at, Role.LAST)
        following = following if following > at else self.skip(at, Role.PAST)
        return following if following > at or none is None else none

    def has_article(self, preposition: int, noun: int) -> bool:
        """Tell whether `in the` stands before *noun*: `last week` is a stretch then."""
        is_last = noun > 0 and self.words[noun - 1].text == "the" and self.words[noun].text == "last"
        return self.language == "english" and 0 < preposition < noun and is_last

    def is_past(self, at: int) -> bool:
        """Tell whether the word *at* is `past`."""
        return at >= 0 and self.take(at, Role.PAST) is not None
