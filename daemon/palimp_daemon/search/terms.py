"""Parse any text into query terms, quoted against syntax errors.

AND of a question's words finds next to nothing, OR without stop words most of the evidence among the first ten. An
identifier (`os.path`) gives its parts and itself as a phrase; quoted words are a required phrase.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import either, sections
from palimp_daemon.languages.language_of import saying_nothing
from palimp_daemon.search.characters import MARKS
from palimp_daemon.search.cjk import unspaced_phrases
from palimp_daemon.search.cyrillic_greek import inflected_stem
from palimp_daemon.search.folding import apart_by_script, caseless, compatible
from palimp_daemon.search.identifiers import camel_parts
from palimp_daemon.search.irregular_forms import base_form
from palimp_daemon.search.joined_words import joined_in, phrases_of, ungroup_numbers
from palimp_daemon.search.version_words import date_terms, day_word, version_terms

STOP_WORDS: Final = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but by can
    could did do does doing down during each few for from further had has have having he her here hers him his
    how i if in into is it its itself just me more most my myself no nor not now of off on once only or other
    our ours out over own same she should so some such than that the their theirs them then there these they
    this those through to too under until up very was we were what when where which while who whom why will
    with would you your yours
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""English stop words. Without them a search finds more and is much faster."""

QUESTION_WORDS: Final = frozenset("tell use used uses using work working works".split())  # noqa: SIM905
"""Verbs of questions ("how does X work", "what do we use for Y") that identify nothing."""

PHRASE_WORDS_MAX: Final = 8
"""Longer identifiers (addresses, hashes in paths) are searched for by their parts only."""

TERMS_READ_MAX: Final = 400
"""Terms read of a query; the rarest QUERY_WORDS_MAX of them are searched for."""

SPELLINGS_MAX: Final = 40
"""Other spellings searched for, a look-up each: a pasted report's first numbers."""

_LETTER: Final = f"(?:[^\\W_]|[{MARKS}])"
_CHUNK: Final = re.compile(rf"{_LETTER}+(?:[_./:\\-]+{_LETTER}+)*")
_RUN: Final = re.compile(f"{_LETTER}+")
_JOINT: Final = re.compile(r"[_./:\\]")
"""Joins the parts of an identifier."""
_HYPHEN: Final = re.compile(r"\d-|-\w*\d")
"""The same if a part has a digit (`utf-8`, `gpt-4o`, `2026-11-22`); else the words suffice."""
_QUOTED: Final = re.compile(r'["“]([^"“”]{3,200})["”]')
_SHORTENED: Final = re.compile(r"(?i)(?<!\w)[a-z]{2,6}n['’]t(?!\w)|(?<=\w)['’](?:s|re|ve|ll|d|m)(?!\w)")
"""English contractions: "don't", the end of "what's" and "Anna's". As a word, the `s` is in every other text."""
_ISO_DATE: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")


class Query(NamedTuple):
    """A parsed query."""

    terms: list[str]
    """Words and phrases (words between single spaces), lower case, each once, in order."""
    required: list[str]
    """Phrases that must occur; not among the terms."""
    spellings: Sequence[str] = ()
    """Other spellings of the terms, without weight of their own."""
    parts: Mapping[str, Sequence[str]] = {}
    """By term, the parts of a camelCase name: a text with the name has them."""


def parse_query(text: str, *, by_date: bool = False) -> Query:
    """Parse the query; with *by_date*, months and years in it also find texts of that date.

    Stop words become terms if there are no others.
    """
    text = compatible(text)
    quoted = [" ".join(_RUN.findall(phrase.lower())) for phrase in _QUOTED.findall(text)]
    required = list(dict.fromkeys(phrase for phrase in quoted if " " in phrase))
    rest = _QUOTED.sub(lambda match: " " if len(_RUN.findall(match[1])) > 1 else match[0], text)
    rest = ungroup_numbers(apart_by_script(rest))
    whole = _SHORTENED.sub(" ", rest)
    rest = whole if _RUN.search(whole) else rest
    found = list(dict.fromkeys([*_terms(rest), *(date_terms(rest) if by_date else ())]))
    foreign = {form for word in saying_nothing(rest) for form in _forms(word)}
    telling = [term for term in found if term not in STOP_WORDS and term not in foreign]
    asking = [term for term in telling if term not in QUESTION_WORDS]
    terms = (asking if required else _without_frame(asking, rest)) or telling or ([] if required else found)
    terms = [term for term in terms if term not in required][:TERMS_READ_MAX]
    parts = {term_of_word(word): list(_part_terms(word)) for word in _RUN.findall(rest) if camel_parts(word)}
    return Query(terms, required, _spellings(rest, {*terms, *required}), parts)


def _without_frame(terms: list[str], text: str) -> list[str]:
    """Leave "how many" or "decided" out of a question for one thing."""
    said = _RUN.findall(" ".join(_framing().findall(text)))
    framing = {form for word in said for form in _forms(word)}
    others = [term for term in terms if term not in framing]
    return others if len(others) == 1 else terms


@cache
def _framing() -> re.Pattern[str]:
    said = sections(lambda language: language.reading)
    return re.compile(rf"(?i)(?<![\w-])(?:{either(*(each.framing for each in said.values()))})(?![\w-])")


def _spellings(text: str, terms: AbstractSet[str]) -> list[str]:
    words = (word for word in _RUN.findall(text) if not word.isdecimal() or word in terms)  # no part of a version
    whole = [phrase for word in words for phrase in phrases_of(word)]
    spellings = dict.fromkeys([*whole, *(joined.word for joined in joined_in(text))])
    return [each for each in spellings if each not in terms][:SPELLINGS_MAX]


def _terms(text: str) -> Iterator[str]:
    yield from version_terms(text)
    for match in _CHUNK.finditer(text):
        chunk = match[0]
        words = _RUN.findall(chunk)
        is_identifier = len(words) > 1 and _JOINT.search(chunk)
        if 1 < len(words) <= PHRASE_WORDS_MAX and (is_identifier or _HYPHEN.search(chunk)):
            yield " ".join(words).lower()
        for word in words:
            if not (is_identifier and word.isdecimal() and len(word) < 3):  # the parts of a version number
                yield from _forms(word)
    for year, month, day in _ISO_DATE.findall(text):
        try:
            yield day_word(date(int(year), int(month), int(day)))
        except ValueError:
            continue  # 2026-13-45 is just numbers


def term_of_word(word: str) -> str:
    """Return the term for the whole of *word*."""
    return inflected_stem(caseless(word)) or base_form(word.lower())


def _forms(word: str) -> Iterator[str]:
    yield term_of_word(word)
    yield from _part_terms(word)
    if not word.isascii():
        yield from unspaced_phrases(word)


def _part_terms(word: str) -> Iterator[str]:
    parts = camel_parts(word)
    if len(parts) > 1:
        yield " ".join(parts)
    yield from map(base_form, parts)


def match_expression(terms: Sequence[str], required: Sequence[str] = ()) -> str:
    """Return the MATCH expression for any of *terms* and all of *required*, both without quotes."""
    must = " AND ".join(f'"{phrase}"' for phrase in required)
    may = " OR ".join(f'"{term}"' for term in (*required, *terms))
    return f"({must}) AND ({may})" if must and terms else must or may
