"""Signs of a sentence in seven languages, which `weighing` adds up."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.capture.rules.cues import AnyOf, InAnyLanguage

OF_ACT: Final = (
    "standing",  # holds from now on
    "always",  # has no exception
    "must",  # obliges or forbids
    "decided",  # was decided
    "we_do",  # is what we do or use
    "no_longer",  # does not hold any more, or was chosen against
    "remember",  # is to be remembered
    "asks_you",  # asks the agent
    "wish",  # is liked or not
    "no",  # corrects somebody
    "reason",  # gives a reason
    "task",  # is to be done now
    "chat",  # says nothing of the work
    "past",  # tells how it was
    "imperative",  # begins with what to do
    "label",  # names its kind
    "our",  # is about this project or team
    "way",  # is about how code and texts are written
    "thing",  # is about the product
    "right",  # says how it is
    "muses",  # thinks aloud, or hedges
)
"""Signs of a sentence's act; their words are in the languages' `capture.signs`."""


def _of_act(name: str) -> AnyOf:
    return InAnyLanguage(lambda words: words.signs.get(name, ""))


SIGNS: Final[dict[str, AnyOf]] = {name: _of_act(name) for name in OF_ACT} | {
    "specific": AnyOf(r"`[^`]+`|\b\w+[_/.]\w+|\b[A-Z]{2,}\w*\b|\b[a-z]+[A-Z]\w+|\d"),
    "number": AnyOf(
        r"(?<![\w`#])\d[\d.,:]*(?![\w`])|\d+ ?(?:%|ms|s|min|kb|mb|gb|hours?|days?|weeks?|characters?|px|dp)"
    ),
    "hash": AnyOf(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,12}\b|#\d{2,}"),
}
"""Patterns by sign; those written here are about the sentence's content."""

_QUESTION: Final = AnyOf(r"[?？]\W*$")
_NONCOMMITTAL: Final = InAnyLanguage(lambda words: words.noncommittal)
_PASSING: Final = InAnyLanguage(lambda words: words.passing)
_WANTS: Final = InAnyLanguage(lambda words: words.wants)
_LASTING: Final = (SIGNS["standing"], SIGNS["decided"], InAnyLanguage(lambda words: words.no_exception))
_POLITE: Final = InAnyLanguage(lambda words: words.polite_question)
_ASKS_TO_REMEMBER: Final = InAnyLanguage(lambda words: words.asks_to_remember)
_REQUEST_TO_REMEMBER: Final = InAnyLanguage(lambda words: words.request_to_remember)


def asks_to_remember(sentence: str) -> bool:
    """Tell whether *sentence* asks to remember, rather than to do something."""
    return bool(_ASKS_TO_REMEMBER.search(sentence)) and not is_noncommittal(sentence)


def without_request_to_remember(sentence: str) -> str:
    """Return *sentence* without an opening request to remember."""
    found = _REQUEST_TO_REMEMBER.search(sentence)
    return sentence[found.end() :] if found else sentence


def is_noncommittal(sentence: str) -> bool:
    """Tell whether *sentence* asks, supposes, doubts or jokes."""
    return bool(_QUESTION.search(sentence) or _NONCOMMITTAL.search(sentence)) and not _POLITE.search(sentence)


def passing_of(sentences: Sequence[str]) -> list[bool]:
    """Tell of each of *sentences* whether it is of the work at hand, as all behind a wish for one thing is."""
    found: list[bool] = []
    is_specified = is_lasting = False
    for each in sentences:
        is_specified = is_specified or bool(_WANTS.search(each))
        is_lasting = is_lasting or any(signs.search(each) for signs in _LASTING)
        found.append((is_specified or bool(_PASSING.search(each))) and not is_lasting)
    return found


def signs_of(sentence: str) -> frozenset[str]:
    """Return the names of the signs in *sentence*."""
    return frozenset(name for name, patterns in SIGNS.items() if patterns.search(sentence))
