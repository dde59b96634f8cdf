"""How a captured memory reads: as it was said, and under a title that is its most telling sentence.

A title leaves out what only opens a sentence ("no no,", "ok listen,") and changes no letter of the rest: `npm` and
`iOS` are written as they are.
"""

import re
from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.capture.rules import fixes
from palimp_daemon.features.capture.rules.cues import WORDS_MIN, AnyOf
from palimp_daemon.features.capture.rules.shared_words import length_in_words
from palimp_daemon.features.capture.rules.signs import is_noncommittal, signs_of
from palimp_daemon.text.titles import shortened

SHORT_COSTS: Final = 10
"""More than all signs of a sentence: one like "Done." or "Perfect." names nothing while there is another."""

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


def begins_with_pronoun(sentence: str) -> bool:
    """Tell whether *sentence* begins with a word that stands for something said before it."""
    return bool(_PRONOUN.search(without_opening(sentence)))


def without_opening(sentence: str) -> str:
    """Return *sentence* without what only opens it; all of it, if nothing else would be left."""
    rest = _OPENING.sub("", sentence)
    return rest if length_in_words(rest) >= WORDS_MIN else sentence


def title_of(sentences: Sequence[str]) -> str:
    """Return the most telling of *sentences*, at least one, as a title, in its own letters."""
    return _as_title(max(sentences, key=lambda each: _tells(without_opening(each))))


def title_of_fix(sentences: Sequence[str]) -> str:
    """Return the one of *sentences*, at least one, that tells best what was wrong, as a title."""
    return _as_title(fixes.most_telling(sentences))


def _as_title(sentence: str) -> str:
    return shortened(_MARKDOWN.sub("", " ".join(without_opening(sentence).split())).rstrip(" .,;:…。"))


def _tells(sentence: str) -> int:
    """Return how much *sentence* tells by itself."""
    signs = signs_of(sentence)
    told = len(signs & _TELLING) - 3 * bool(_PRONOUN.search(sentence)) - 3 * is_noncommittal(sentence)
    return told - SHORT_COSTS * (length_in_words(sentence) < WORDS_MIN)
