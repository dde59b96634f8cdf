"""Make the extra words of a memory, indexed in a column of lower weight.

Base and long forms, words within identifiers, a title taken from the text, and artificial words for the date of saving,
else "march test" would find memories saved in March.
"""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

from palimp_daemon.search.folding import apart_by_script
from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.irregular_forms import BASE_FORMS
from palimp_daemon.search.version_words import date_words
from palimp_daemon.search.words import words_in
from palimp_daemon.text.titles import title_from_text

MINUTES_KEPT: Final = 64
"""Minutes with a cached date: saves come in order, imports do not."""

_MINUTE_MS: Final = 60_000

_BASE_FORMS: Final = {form.encode(): base for form, base in BASE_FORMS.items()}


def extra_words(title: str, content: str, created_at_ms: int) -> str:
    """Return a memory's extra words, separated by single spaces."""
    return with_date(extra_of_text(title, content), created_at_ms)


def extra_of_text(title: str, content: str) -> str:
    """Return the extra words of a memory without those of its date."""
    irregular = _BASE_FORMS.keys() & words_in(apart_by_script(content).replace("_", " "))
    words = [_BASE_FORMS[form] for form in sorted(irregular)]
    words += hidden_words(f"{title} {content}")
    if title.rstrip("…") in content:
        words.append(title.rstrip("…"))
    return " ".join(words)


class IndexedWords(NamedTuple):
    """Title and extra words made from a text, without its date."""

    title: str
    extra: str


def words_of(text: str) -> IndexedWords:
    """Return the indexed words of an untitled text."""
    title = title_from_text(text)
    return IndexedWords(title, extra_of_text(title, text))


def with_date(extra: str, created_at_ms: int) -> str:
    """Add the words of the date to *extra*."""
    return f"{_date_at(created_at_ms // _MINUTE_MS)} {extra}"


@lru_cache(MINUTES_KEPT)
def _date_at(minute: int) -> str:
    """Return the words of the local date; no zone's day begins within a minute."""
    return " ".join(date_words(datetime.fromtimestamp(minute * 60, UTC).astimezone().date()))
