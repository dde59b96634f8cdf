"""How far a prompt only asks for what is there, or for nothing that could be done otherwise.

Theory
------
"Explain this function", "list all TODO comments", "rename `a` to `b`", "fix the typo": what such a prompt is about may
be what a memory is about, and yet no decision bears on it, since nothing is decided. That is told by the verb that the
prompt begins with, or by the thing that it is about (a typo, a regular expression). A prompt that does so may need a
memory all the same: then it has more in common with it (`search.prompt_need`). A question needs one sooner ("why do we
not use MySQL?"), so that it counts QUESTION_PART.

Verbs that may as well change how something works (replace, remove, translate, run) are not among them. What developers
write in other languages than English begins as often with what is to be changed, so that fewer are told.
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
    """Return the patterns of prompts that only read, and of questions."""
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
    """Return what matches a text that begins with one of *words*, in which a hyphen stands for a space."""
    either_word = "|".join(re.escape(word).replace("\\-", " ") for word in words.split())
    return re.compile(rf"(?i)\A\W*(?:(?:{polite})\b[\s,.:;!-]*)*(?:{either_word})(?!\w)")
