"""Measure how far a prompt only reads ("explain this function") or tidies ("fix the typo").

Such a prompt needs more in common with a memory (`search.prompt_need`). Verbs that may change how something works
(replace, remove, translate, run) do not count.
"""

import re
from functools import cache
from typing import Final

from palimp_daemon.languages.language import either, sections

BEGINNING_CHARACTERS: Final = 300
"""Characters read of a prompt: its request stands first."""

QUESTION_PART: Final = 0.7
"""Reading part of a question. Above the bound that it sets, as many need a memory as need none."""


def reading_part(prompt: str) -> float:
    """Return from 0 to 1 how far *prompt* only reads or tidies."""
    beginning = prompt[:BEGINNING_CHARACTERS]
    reads, asks = _patterns()
    if any(pattern.search(beginning) for pattern in reads):
        return 1.0
    return QUESTION_PART if any(pattern.search(beginning) for pattern in asks) else 0.0


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]:
    spaced = sections(lambda language: language.reading).values()
    unspaced = sections(lambda language: language.reading, has_whole_words=False).values()
    polite = either(*(each.polite for each in spaced))
    things = either(*(each.things for each in spaced))
    return (
        (
            _beginning(" ".join(each.verbs for each in spaced), polite),
            re.compile(rf"(?i)(?<!\w)(?:{things})(?!\w)"),
            re.compile(either(*(each.things for each in unspaced))),
        ),
        (
            _beginning(" ".join(each.questions for each in spaced), polite),
            re.compile(either(*(each.question_signs for each in unspaced))),
        ),
    )


def _beginning(words: str, polite: str) -> re.Pattern[str]:
    either_word = "|".join(re.escape(word).replace("\\-", " ") for word in words.split())
    return re.compile(rf"(?i)\A\W*(?:(?:{polite})\b[\s,.:;!-]*)*(?:{either_word})(?!\w)")
