"""Tell how far a prompt only asks for what is there, or for nothing that could be done otherwise.

"Explain this function", "rename `a` to `b`", "fix the typo": no decision bears on such a prompt, which is told by its
first verb or by its object; so it needs more in common with a memory (`search.prompt_need`), a question less
(QUESTION_PART). Verbs that may change how something works (replace, remove, translate, run) are not among them.
"""

import re
from functools import cache
from typing import Final

from palimp_daemon.languages.language import either, sections

BEGINNING_CHARACTERS: Final = 300
"""Of a prompt: what is asked stands at its beginning."""

QUESTION_PART: Final = 0.7
"""Of a prompt that only reads, what a question is: as many that need a memory as that need none lie above its bound."""


def reading_part(prompt: str) -> float:
    """Return how far *prompt* only asks for what is there, or tidies it: from 0 to 1."""
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
