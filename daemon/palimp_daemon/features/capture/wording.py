"""How a captured memory reads: a title that names what it is about, and words that can be understood alone.

What was said stays as it was said. A title leaves out what only opens a sentence ("no no,", "ok listen,"), and where
the sentence begins with a word that stands for something ("it", "that"), what it stands for is looked for in what was
said before.
"""

import re
from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.capture.rules import fixes
from palimp_daemon.features.capture.rules.cues import WORDS_MIN, AnyOf
from palimp_daemon.features.capture.rules.signs import is_noncommittal, signs_of
from palimp_daemon.features.capture.rules.words import length_in_words
from palimp_daemon.text.titles import SENTENCE_CHARACTERS_MAX, shortened

SYMPTOM_CHARACTERS_MAX: Final = 60
"""Characters of what was wrong, in the title of a fix."""

ALONE_CHARACTERS_MIN: Final = 30
"""A sentence up to this long has the one beside it in the title, too."""

_TELLING: Final = frozenset(
    [
        "standing",
        "always",
        "must",
        "we_do",
        "no_longer",
        "wish",
        "specific",
        "number",
        "right",
        "label",
        "imperative",
        "thing",
    ]
)
"""Signs of a sentence that tells something by itself."""

_MARKDOWN: Final = re.compile(r"^\s*(?:#{1,6}\s+|[-*+>•]\s+|\d+[.)]\s+)+")

_OPENING: Final = re.compile(
    r"^\W*(?:\b(?:ok(?:ay)?|oh|ah|hm+|hey|hi|well|so|no|nope|nein|non|não|yes|yeah|yep|listen|hold on|wait|sorry|ugh"
    r"|uh|right|sure|great|good|perfect|exactly|agreed"
    r"|understood|got it|noted|clear|confirmed|settled|fine|alright|thanks?|thank you|please note|kindly note that"
    r"|dear assistant|done|found|looking|hence|therefore"
    r"|then|and|but|also|excellent|correct|you(?:['’]re| are) right|that(?:['’]s| is) wrong|that value is wrong|stop"
    r"|almost|actually|nö|also|ja|oui|si|sí|sim)\b[\s,;:!.…–—-]++)+(?=\S)",
    re.IGNORECASE,
)
_PRONOUN: Final = AnyOf(
    r"^(?!it is (?:not )?(?:the|an?|only)\b[^,.]*\b(?:who|that|which)\b|c['’]est [^,.]* qu"
    r"|ce n['’]est [^,.]* qu)(?:it|its|it['’]s|this|that|that['’]s|they|they['’]re|them|these|those|he|she|there"
    r"|the (?:same|other|former|latter|first|second) one|both|neither|which"
    r"|das|es|dies\w*|die sind|ça|cela|c['’]est|ce n['’]est|il|elle|ils|elles|eso|esto|ello|isso|isto|ele|ela)\b",
    r"^(?:それ|これ|あれ|そう|这|那|它|他们)",
)
_NAME: Final = re.compile(r"`[^`\n]{2,40}`|\b\w+(?:[_./]\w+)+(?:\(\))?|\b[a-z]+[A-Z]\w+|\b[A-Z][A-Z0-9]{1,}\b")


def begins_with_pronoun(sentence: str) -> bool:
    """Tell whether *sentence* begins with a word that stands for something said before it."""
    return bool(_PRONOUN.search(without_opening(sentence)))


def without_opening(sentence: str) -> str:
    """Return *sentence* without what only opens it; all of it, if nothing else would be left."""
    rest = _OPENING.sub("", sentence)
    return rest if length_in_words(rest) >= WORDS_MIN else sentence


def title_of(sentences: Sequence[str], before: str) -> str:
    """Return a title that names what *sentences*, at least one, are about; they answer *before*."""
    told = [" ".join(without_opening(each).split()) for each in sentences]
    best = max(range(len(told)), key=lambda number: _tells(told[number]))
    title = _plain(told[best])
    needs_more = bool(_PRONOUN.search(title)) or len(title) <= ALONE_CHARACTERS_MIN
    if needs_more and best and _fits(told[best - 1], title):
        title = f"{_plain(told[best - 1])} – {title}"
    elif needs_more and best + 1 < len(told) and not _PRONOUN.search(title) and _fits(title, told[best + 1]):
        title = f"{title} – {_plain(told[best + 1])}"
    elif _PRONOUN.search(title) and (subject := _subject_of(" ".join(sentences), before)):
        title = f"{subject}: {title}"
    return shortened(_capitalized(title))


def title_of_fix(sentences: Sequence[str], trouble: str) -> str:
    """Return a title of a fix: what was wrong, *trouble*, in the words of who told of it, and why."""
    why = _plain(" ".join(without_opening(fixes.most_telling(sentences)).split()))
    symptom = _plain(" ".join(without_opening(trouble).split()))
    if not symptom or len(symptom) > SYMPTOM_CHARACTERS_MAX:
        return shortened(_capitalized(why))
    return shortened(f"{_capitalized(symptom)}: {why}")


def _tells(sentence: str) -> int:
    """Return how much *sentence* tells by itself."""
    signs = signs_of(sentence)
    told = len(signs & _TELLING) - 3 * bool(_PRONOUN.search(sentence)) - 3 * is_noncommittal(sentence)
    return told - 3 * (length_in_words(sentence) < WORDS_MIN)


def _fits(one: str, other: str) -> bool:
    return len(one) + len(other) < SENTENCE_CHARACTERS_MAX


def _plain(sentence: str) -> str:
    return _MARKDOWN.sub("", sentence).rstrip(" .,;:!…。！")


def _capitalized(title: str) -> str:
    """Return *title* with a capital letter in front, unless it begins with a name."""
    is_word = title.split(" ", 1)[0].strip(",:").isalpha()
    return title[:1].upper() + title[1:] if is_word and " " in title else title


def _subject_of(said: str, before: str) -> str:
    """Return a name that *before* holds and *said* does not say: what a pronoun most likely stands for."""
    names = [each.strip("`") for each in _NAME.findall(before)]
    return next((name for name in names if name.lower() not in said.lower()), "")
