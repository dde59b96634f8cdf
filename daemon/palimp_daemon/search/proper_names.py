"""Find names in a question that no other words stand for: products, companies, standards, places.

Without them an answer is unlikely (`search.silence`). Names have capitals: `MQTT`, `iPad` or, in an English sentence, a
capitalized later word.
"""

import re
from itertools import islice
from typing import Final

from palimp_daemon.languages.language_of import ENGLISH, language_of
from palimp_daemon.search.terms import STOP_WORDS, TERMS_READ_MAX

LETTERS_MIN: Final = 2
"""Letters of a name: "I" is none, and single letters are too vague."""

_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE_END: Final = re.compile(r"[.!?:;\n]")


def proper_names(text: str, project: str = "") -> list[str]:
    """Return the distinct names in *text* as written, in order, words separated by single spaces.

    Not words also written in lower case, nor parts of *project*'s name.
    """
    matches = list(islice(_WORD.finditer(text), TERMS_READ_MAX))
    words = {match[0] for match in matches}
    if all(map(str.islower, words)):
        return []
    is_sentence = _is_english_sentence(text, [match[0] for match in matches])
    names: list[str] = []
    end, is_behind_name = 0, False
    for match in matches:
        word, between = match[0], text[end : match.start()]
        is_first = end == 0 or bool(_SENTENCE_END.search(between))
        is_capitalized = is_sentence and not is_first and word[0].isupper()
        is_name = word.lower() not in words and len(word) >= LETTERS_MIN and (is_capitalized or _has_capital(word[1:]))
        if is_name and is_behind_name and between == " ":
            names[-1] += f" {word}"
        elif is_name:
            names.append(word)
        end, is_behind_name = match.end(), is_name
    own = _letters(project)
    return [name for name in dict.fromkeys(names) if _letters(name) not in own]


def _letters(name: str) -> str:
    return "".join(_WORD.findall(name.lower()))


def _has_capital(letters: str) -> bool:
    return any(map(str.isupper, letters))


def _is_english_sentence(text: str, words: list[str]) -> bool:
    small = [word for word in words[1:] if word.islower()]
    is_heading = 2 * len(small) <= len(words) - 1 and STOP_WORDS.issuperset(small)
    has_stop_word = any(word.lower() in STOP_WORDS for word in words)
    return has_stop_word and not is_heading and language_of(text) == ENGLISH
