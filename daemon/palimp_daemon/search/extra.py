"""Extra words: what is indexed of a memory besides what it says.

Base forms of irregular words, words hidden in identifiers, the date in words ("2026 november sunday", so
that a question about a month finds it), and the title once more where it was taken from the text.
They stand in a column of their own, with a weight below that of the text.
"""

import string
from datetime import UTC, date, datetime
from typing import Final

from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.irregular import BASE_FORMS

MONTHS: Final = tuple("january february march april may june july august september october november december".split())  # noqa: SIM905
DAYS: Final = tuple("monday tuesday wednesday thursday friday saturday sunday".split())  # noqa: SIM905

_APART: Final = str.maketrans(dict.fromkeys(string.punctuation, " "))


def extra_words(title: str, content: str, created_at_ms: int) -> str:
    """Return the extra words of a memory, between single spaces."""
    found = BASE_FORMS.keys() & set(content.lower().translate(_APART).split())
    words = [BASE_FORMS[form] for form in sorted(found)]
    words += hidden_words(f"{title} {content}")
    words += date_words(datetime.fromtimestamp(created_at_ms / 1000, UTC).astimezone().date())
    if title.rstrip("…") in content:
        words.append(title.rstrip("…"))
    return " ".join(words)


def date_words(day: date) -> list[str]:
    """Return the year, the month and the weekday of *day*."""
    return [str(day.year), MONTHS[day.month - 1], DAYS[day.weekday()]]
