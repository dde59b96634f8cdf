"""Word the question that an answer needs."""

from typing import Final

from palimp_daemon.features.capture.rules import decisions
from palimp_daemon.features.capture.rules.cues import WORDS_MIN
from palimp_daemon.features.capture.rules.shared_words import length_in_words, stems
from palimp_daemon.features.capture.sentences import sentences_of
from palimp_daemon.text.messages import short

BEFORE_CHARACTERS_MAX: Final = 200
"""Characters kept of the preceding message, from its last question, or its end."""

STEMS_REPEATING: Final = 2
"""Words of a question in an answer that stands alone."""

ANSWER_WORDS_MAX: Final = 12
"""Words of an answer to the user's own question; more stand alone."""

QUESTION_MARKS: Final = ("?", "？")


def question_before(before: str, asked: str, quote: str, *, is_answer: bool) -> str:
    """Return the question of *before*, or *asked*, that *quote* needs."""
    told = end_or_question(before, quote)
    if told.endswith(QUESTION_MARKS):
        return told if is_answer or not _says_again(quote, told) else ""
    own = end_or_question(asked)
    is_own = own.endswith(QUESTION_MARKS) and length_in_words(quote) <= ANSWER_WORDS_MAX
    if is_own and not decisions.labelled_sentence(quote, [before]) and not _says_again(quote, own):
        return own
    return told if is_answer else ""


def _says_again(answer: str, question: str) -> bool:
    return len(stems(answer) & stems(question)) >= STEMS_REPEATING


def end_or_question(message: str, answer: str = "") -> str:
    """Return what *answer* names by its label in *message*, or its last question, or its end."""
    said = decisions.whole_items([each.text for each in sentences_of(message)])
    if offered := decisions.labelled_sentence(answer, said):
        return short(offered, BEFORE_CHARACTERS_MAX)
    questions = [number for number, each in enumerate(said, 1) if each.endswith(QUESTION_MARKS)]
    said = said[: questions[-1]] if questions else said
    while len(said) > 1 and len(" ".join(said)) > BEFORE_CHARACTERS_MAX:
        said.pop(0)
    told = " ".join(said)
    return short(told, BEFORE_CHARACTERS_MAX) if length_in_words(told) >= WORDS_MIN else ""
