"""Find the subject of a question without its time, and the kinds of memories asked for.

"What did we decide" has no subject, and lists everything.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from palimp_daemon.languages.language import Subjects, either, sections
from palimp_daemon.languages.language_of import languages_of
from palimp_daemon.text.times.question_words import fold

KINDS_NAMED: Final[Mapping[str, tuple[str, ...]]] = {
    "fix": ("fix",),
    "decision": ("decision",),
    "rule": ("decision", "preference", "correction"),
    "preference": ("preference",),
    "finding": ("finding",),
    "correction": ("correction",),
    "architecture": ("architecture",),
    "todo": ("note", "question"),
    "open_question": ("question",),
    "summary": ("summary",),
}
"""Patterns in the languages' files, with the kinds meant; the first match counts."""

KIND_CHARACTERS_MAX: Final = 60
"""Characters of a question for a kind alone ("which open questions are there?")."""

_WORD: Final = re.compile(r"[\w\-'.+#/]*\w")


def subject_of(question: str, language: str) -> str:
    """Return *question* from its first telling word on; empty: no subject."""
    if language == "unspaced":
        return question if _unspaced_lead_ins().sub("", question).strip() else ""
    text = fold(question)
    if excepted := _exception_pattern().search(text):
        question = question[: excepted.start()] + question[excepted.end() :]
        text = fold(question)
    lead_ins = _lead_ins(language)
    telling = [word for word in _WORD.finditer(text) if word[0] not in lead_ins]
    return question[telling[0].start() :].rstrip(" ?!.,;:") if telling else ""


def has_subject(question: str, language: str) -> bool:
    """Tell whether *question* has a subject."""
    return bool(subject_of(question, language))


def leads_in(word: str, language: str) -> bool:
    """Tell whether the folded *word* leads in to a subject."""
    return word in _lead_ins(language)


def kinds_of(question: str) -> tuple[str, ...]:
    """Return the kinds of memories that *question* names; empty: any."""
    text = fold(question)
    found = [(match.start(), kinds) for pattern, kinds in _kinds() if (match := pattern.search(text))]
    return min(found)[1] if found else ()


def kinds_alone(question: str) -> tuple[str, ...]:
    """Return the kinds of memories that *question* asks for alone."""
    kinds = kinds_of(question) if len(question) <= KIND_CHARACTERS_MAX else ()
    if not kinds:
        return ()
    text = fold(question)
    rest = min((match for pattern, _ in _kinds() if (match := pattern.search(text))), key=lambda match: match.start())
    left = f"{question[: rest.start()]} {question[rest.end() :]}"
    is_spaced = question.isascii() or len(question.split()) > 1
    languages = languages_of(text) if is_spaced else ["unspaced"]
    return () if any(has_subject(left, language) for language in languages) else kinds


@cache
def _sections() -> dict[str, Subjects]:
    return sections(lambda language: language.subjects)


@cache
def _unspaced_sections() -> dict[str, Subjects]:
    return sections(lambda language: language.subjects, has_whole_words=False)


@cache
def _lead_ins(language: str) -> frozenset[str]:
    return frozenset(_sections()[language].lead_ins.split())


@cache
def _unspaced_lead_ins() -> re.Pattern[str]:
    return re.compile(either(*(each.lead_ins for each in _unspaced_sections().values())) + r"|[、。,，？?！!　\s]")


@cache
def _exception_pattern() -> re.Pattern[str]:
    words = _sections().values()
    begins, to_the_end = either(*(e.excepting for e in words)), either(*(e.excepting_to_the_end for e in words))
    return re.compile(rf"[(\[](?:{begins})\b[^)\]]*[)\]]|,\s*(?:{to_the_end})\b.*$")


@cache
def _kinds() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    found: list[tuple[re.Pattern[str], tuple[str, ...]]] = []
    for name, kinds in KINDS_NAMED.items():
        words = either(*(each.kinds.get(name, "") for each in _sections().values()))
        unspaced = either(*(each.kinds.get(name, "") for each in _unspaced_sections().values()))
        found.append((re.compile(rf"\b(?:{words})\b" + (f"|{unspaced}" if unspaced else "")), kinds))
    return tuple(found)
