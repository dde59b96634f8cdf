"""Compare the language of a commit message with the wanted one."""

import re
from functools import cache
from typing import Final, get_args

from palimp_daemon.languages.language import NAMES, either, language_called, sections_of_all
from palimp_daemon.languages.language_of import UNSPACED, language_of
from palimp_protocol.messages.rule_messages import Language

_PROSE_MIN: Final = 2
"""Common words of its language that a message must have."""

KANA: Final = re.compile(r"[\u3040-\u30ff]")
HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@cache
def languages_named() -> dict[Language, re.Pattern[str]]:
    """Return the pattern of each language's names, in all languages."""
    rules = sections_of_all(lambda language: language.rules)
    return {
        name: re.compile(either(*(each.languages.get(name, "") for each in rules)), re.IGNORECASE)
        for name in get_args(Language)
    }


def is_in_another(message: str, wanted: str) -> bool:
    """Tell whether *message* is surely not in *wanted*; names and short ones never are."""
    unspaced = "japanese" if KANA.search(message) else "chinese" if HAN.search(message) else ""
    latin = sum(word.isascii() for word in _WORD.findall(message))
    if wanted in UNSPACED:
        # A title in Japanese may have no kana.
        return latin > _PROSE_MIN if not unspaced else (unspaced, wanted) == ("japanese", "chinese")
    if unspaced:
        return latin <= _PROSE_MIN  # a message about a word is in English all the same
    language = language_of(message)
    if language not in NAMES or language == wanted:
        return False
    common = {*(language_called(language).function_words or "").split()}
    return language != "english" or len(common & {*message.lower().split()}) >= _PROSE_MIN
