"""Find out whether a question asks for the newest or the oldest note.

"The latest" is an order only beside a noun for notes ("latest decision on the payload format"). "The last element",
"latest driver version" and "first run" are things in the code.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, Literal, NamedTuple

from palimp_daemon.text.times.question_words import fold

Order = Literal["newest", "oldest"]


class Ordered(NamedTuple):
    """An order, and the characters from *begin* on, before *end*, that ask for it."""

    order: Order
    begin: int
    end: int
    language: str


_NOUNS: Final[Mapping[str, str]] = {
    "english": r"(?:\w+\s+)?(?:decisions?|fix(?:es)?|bugs?(?:\s+fix(?:es)?)?|rules?|notes?|memor(?:y|ies)|findings?|"
    r"learnings?|preferences?|corrections?|"
    r"conventions?|agreements?|changes?|(?:thing|word|state|news|information|"
    r"info)\b|entr(?:y|ies)\s+(?:on|about|for|regarding|in))\b",
    "german": r"(?:\w+\s+)?(?:entscheidung(?:en)?|beschl(?:uss|usse)|fix(?:es)?|bugfix(?:es)?|regeln?|notiz(?:en)?|"
    r"korrektur(?:en)?|erkenntnis(?:se)?|stand)\b",
    "french": r"(?:decisions?|corrections?|corrigee?|regles?|notes?|bugs?\s+corriges?)\b",
    "spanish": r"(?:decision(?:es)?|correccion(?:es)?|arreglos?|reglas?|notas?)\b",
    "portuguese": r"(?:decis(?:ao|oes)|corre(?:cao|coes)|regras?|notas?)\b",
    "italian": r"(?:decision[ei]|correzion[ei]|regol[ae]|note?)\b",
    "dutch": r"(?:\w+\s+)?(?:beslissing(?:en)?|besluit(?:en)?|fix(?:es)?|notities?|notitie)\b",
}
_NEWEST: Final[Mapping[str, str]] = {
    "english": "latest|newest|most recent|last",
    "german": "letzten?|letzter|neueste[nrs]?|neuste[nrs]?|jungste[nrs]?|aktuellste[nrs]?",
    "french": "derniere?s?",
    "spanish": "ultim[oa]s?",
    "portuguese": "ultim[oa]s?",
    "italian": "ultim[oaie]",
    "dutch": "laatste|nieuwste|meest recente",
}
_OLDEST: Final[Mapping[str, str]] = {
    "english": "oldest|earliest|first|very first",
    "german": "alteste[nrs]?|erste[nrs]?|allererste[nrs]?|fruheste[nrs]?",
    "french": "premiere?s?",
    "spanish": "primer[oa]?s?",
    "portuguese": "primeir[oa]s?",
    "italian": "prim[oaie]",
    "dutch": "oudste|eerste",
}
_NOT_PART_OF_A_NAME: Final = (
    r"(?=\W*$|\s*[?.!,;:]|\s+(?:on|about|in|for|regarding|concerning|that|which|to|of|we|was|were|is|are|"
    r"with|from|i|you|made|"
    r"uber|zu|zum|zur|fur|im|die|das|wir|sur|pour|concernant|du|de|des|sobre|en|del|para|da|do|em|su|per|"
    r"di|over|voor|van|op|and|und)\b)"
)
"""Text behind the noun: "first decision node" is about a node."""

_NEWEST_AS_SUCH: Final = (
    r"(?P<said>latest|newest|most recent)(?=\s+(?:thing\s+|that\s+)?(?:we|you|i|was|has been)\s+(?:know|"
    r"knew|have|decided|said|noted|learned|wrote|heard|agreed|got)\b)"
    r"|(?:what(?:'s| is| was)\s+)(?P<asked>the latest)(?=\s+(?:on|about|with|regarding)\b)|"
    r"(?<!\S)(?P<alone>most recently|recently|lately)(?!\S)(?=[^a-z]*$)"
    r"|\bdid\b.*\b(?P<behind>last|most recently)(?=\s+(?:about|on|regarding|for)\b|\s*\??$)|"
    r"\b(?P<german>zuletzt)(?=\b.*(?:entschieden|getroffen|beschlossen|behoben|notiert))|"
    r"^(?P<first>(?:the\s+)?latest)(?=\s+(?:on|about)\s)"
)
_BEHIND: Final = re.compile(
    r"^(?:which|what)\s+(?:decision|fix|rule|note|finding|preference|memory)\b.*\b((?:is|was)\s+the\s+"
    r"(?:(?P<newest>newest|latest|most recent|last)|oldest|earliest|first))\s*\??$"
)
"""An order behind its noun: "which decision about caching is the newest"."""

_UNSPACED: Final = re.compile(
    r"(?P<newest>最新の|最近の|直近の|最新的?|最近的?)(?=決定|修正|メモ|ルール|决定|修复|规则|记录)|(?P<oldest>最初の|最早的?|第一个)(?=決定|修正|メモ|"
    r"ルール|决定|修复|规则|记录)"
)


def order_in(question: str) -> Ordered | None:
    """Return the order that *question* asks for, or None."""
    text = fold(question)
    if match := _UNSPACED.search(text):
        return Ordered("newest" if match["newest"] else "oldest", match.start(), match.end(), "unspaced")
    if (match := _as_such().search(text)) and (group := match.lastgroup):
        return Ordered("newest", match.start(group), match.end(group), "german" if group == "german" else "english")
    if match := _BEHIND.search(text):
        return Ordered("newest" if match["newest"] else "oldest", match.start(1), match.end(1), "english")
    for language, newest, oldest in _patterns():
        for order, pattern in (("newest", newest), ("oldest", oldest)):
            if match := pattern.search(text):
                return Ordered("newest" if order == "newest" else "oldest", match.start(1), match.end(1), language)
    return None


@cache
def _as_such() -> re.Pattern[str]:
    return re.compile(_NEWEST_AS_SUCH)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    """Return (language, pattern for newest, pattern for oldest) of each language."""
    return tuple(
        (
            name,
            re.compile(rf"\b({_NEWEST[name]})\s+{_NOUNS[name]}{_NOT_PART_OF_A_NAME}"),
            re.compile(rf"\b({_OLDEST[name]})\s+{_NOUNS[name]}{_NOT_PART_OF_A_NAME}"),
        )
        for name in _NOUNS
    )
