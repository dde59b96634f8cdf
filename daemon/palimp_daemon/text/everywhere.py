"""Recognise texts for all of a user's projects."""

import re
from functools import cache

from palimp_daemon.languages.language import either, sections


@cache
def _pattern() -> re.Pattern[str]:
    spaced = either(*sections(lambda language: language.everywhere).values())
    unspaced = either(*sections(lambda language: language.everywhere, has_whole_words=False).values())
    return re.compile(rf"(?i)(?<!\w)(?:{spaced})(?!\w)|{unspaced}")


def is_for_all_projects(text: str) -> bool:
    """Tell whether *text* says that it holds in all projects."""
    return bool(_pattern().search(text))
