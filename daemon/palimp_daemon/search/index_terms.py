"""Make the extra words that are indexed of a memory besides what it says.

Base forms of irregular words, long forms of short ones, words within identifiers, words for the day, month and year
of saving (so that `2026-11-22` finds it), and a title taken from the text once more: in a column with a lower weight.
Those of the date are words that nobody writes; else "march test" would find what was saved in March.
"""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from palimp_daemon.search.folding import apart_by_script
from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.irregular_forms import BASE_FORMS
from palimp_daemon.search.versions import date_words
from palimp_daemon.search.words import words_in
from palimp_daemon.text.titles import title_from_text

MINUTES_KEPT: Final = 64
"""Minutes whose date is remembered: of those that are saved now, one after the other; an import has others."""

_MINUTE_MS: Final = 60_000

_BASE_FORMS: Final = {form.encode(): base for form, base in BASE_FORMS.items()}


def extra_words(title: str, content: str, created_at_ms: int) -> str:
    """Return the extra words of a memory, between single spaces."""
    return dated(extra_of_text(title, content), created_at_ms)


def extra_of_text(title: str, content: str) -> str:
    """Return the extra words that follow from what a memory says: all but its date."""
    irregular = _BASE_FORMS.keys() & words_in(apart_by_script(content).replace("_", " "))
    words = [_BASE_FORMS[form] for form in sorted(irregular)]
    words += hidden_words(f"{title} {content}")
    if title.rstrip("…") in content:
        words.append(title.rstrip("…"))
    return " ".join(words)


class IndexedWords(NamedTuple):
    """What is made of a text to index it, but for its date."""

    title: str
    extra: str


def words_of(text: str) -> IndexedWords:
    """Return what is indexed of a *text* that has no title of its own."""
    title = title_from_text(text)
    return IndexedWords(title, extra_of_text(title, text))


def dated(extra: str, created_at_ms: int) -> str:
    """Return *extra* with the words of its date."""
    return f"{_date_at(created_at_ms // _MINUTE_MS)} {extra}"


@lru_cache(MINUTES_KEPT)
def _date_at(minute: int) -> str:
    """Return the words of the local date at a *minute* since 1970: no zone's days begin within one."""
    return " ".join(date_words(datetime.fromtimestamp(minute * 60, UTC).astimezone().date()))
