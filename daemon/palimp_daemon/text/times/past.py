"""Find out whether a question asks for a former state.

Its answer shows replaced memories first; a question about the present must not get it. Patterns, on the folded
question: a word for the past beside a past tense, the question's own verb in one ("which broker did we use"), "why did
we drop ...", or a span of weeks beside one. Causes ("why did the job fail") and decisions ("what did we agree on") are
no former states.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from palimp_daemon.text.times.question_time import QUESTION_CHARACTERS_MAX, has_long_span
from palimp_daemon.text.times.question_words import fold
from palimp_daemon.text.times.tense import languages_of

_NP: Final = r"(?:\w\S*\s+){0,6}?"
_CHANGED: Final = (
    r"change|drop|leave|give up|move|switch|replace|abandon|remove|retire|deprecate|discard|get rid|stop|revert|reject|"
    r"raise|lower|migrate"
)
_CHANGED_PARTICIPLE: Final = (
    r"changed|dropped|left|given up|moved|switched|replaced|abandoned|retired|deprecated|discarded|reverted|raised|"
    r"lowered|migrated"
)
_NOT_A_STATE: Final = (
    r"decided|agreed|settled|fixed|solved|resolved|noted|recorded|written|learn(?:ed|t)|said|made|taken|found|chosen|"
    r"changed|done|added|wrong|broken|missing|(?:the\s+|our\s+)?(?:\w+\s+)?(?:reason|decision|problem|"
    r"cause|bug|error|issue|fix|solution|outcome|"
    r"result|conclusion|answer|name)"
)

_ASKS_WHY: Final[Mapping[str, tuple[str, ...]]] = {
    "english": (
        r"\bwhy\b.*\bno longer\b|\bwhy\b.*\bany ?more\b",
        rf"\bwhy\s+(?:did|have|had|has)\s+(?:we|you|they|i|the team|the user|the project|somebody|"
        rf"someone)\s+{_NP}(?:{_CHANGED}|{_CHANGED_PARTICIPLE}|gave)\b",
        rf"\bwhy\s+(?:was|were|is|are|has|have|had)\s+{_NP}(?:been\s+)?(?:{_CHANGED_PARTICIPLE})\b(?!\s+by\b)",
    ),
    "german": (
        r"\bwarum\b.*\b(?:nicht mehr|kein\w* \w+ mehr|aufgegeben|abgeschafft|verworfen|gewechselt|umgestellt|"
        r"ersetzt|geandert)\b",
    ),
    "french": (r"\bpourquoi\b.*\b(?:abandonne|remplace|change|quitte|ne\b.*\bplus)\w*\b",),
    "spanish": (r"\bpor que\b.*\b(?:abandon\w+|dejamos|cambiamos|cambio|reemplaz\w+|ya no)\b",),
    "portuguese": (r"\bpor que\b.*\b(?:abandon\w+|deixamos|trocamos|mudamos|mudou|substitu\w+|nao \w+ mais)\b",),
    "italian": (r"\bperche\b.*\b(?:abbandon\w+|lasciato|cambiato|sostituit\w+|non \w+ piu)\b",),
    "dutch": (r"\bwaarom\b.*\b(?:niet meer|opgegeven|vervangen|overgestapt|afgeschaft|veranderd|gewijzigd)\b",),
}
"""Questions about the reason of a change."""

_ASKS: Final[Mapping[str, tuple[str, ...]]] = {
    "english": (
        # a word for the past beside a verb in a past tense, in either order
        r"(?:^|[,.;:]\s*)(?:and\s+)?(?:so\s+)?(?:in\s+)?(?:what|which|who|where|how|when)\b.*\b(?:was|were|did|had)\b"
        r".*\b(?:before|until|till|originally|formerly|previously|initially|at first|back then|in the past|"
        r"in the beginning|"
        r"at the (?:very )?(?:start|beginning|outset)(?! of (?:a|an|each|every)\b)|to begin with|earlier on|"
        r"once upon a time)\b",
        r"\b(?:originally|formerly|previously|initially|before|until)\b.*\b(?:what|which|who|where|"
        r"how)\s+(?:\w+\s+){0,3}(?:was|were|did|had)\b",
        r"\b(?:we|they|it|there|you|i|people|that)\s+used\s+to\b|\bdid\b.*\buse\s+to\b",
        # the question's own verb is in a past tense, and what it asks for is a state
        rf"^(?:in\s+|on\s+|to\s+|at\s+|from\s+|by\s+)?(?:what|which|who|where)\b(?!.*\b(?:again|fail\w*|"
        rf"crash\w*)\b)(?:\s+\w\S*){{0,4}}?\s+(?:was|were)\s+(?!{_NOT_A_STATE})(?:the|our|its|their|in|behind|"
        rf"used|allowed|responsible)\b"
        rf"(?!.*\b(?:{_NOT_A_STATE})\b)",
        r"^(?:in\s+|on\s+|with\s+)?(?:what|which)\b(?:\s+\w\S*){0,4}?\s+did\s+(?:we|they|\w+\s+\w+|"
        r"the\s+\w+\s+\w+)\s+(?:use|have|run|support|require)\b",
        r"\b(?:what|which|who|how|where)\b.*\b(?:was|were|did|had)\b.*\b(?:the|our)\s+(?:old|former|previous|"
        r"original|initial|earlier)\b",
        r"\b(?:what|which)\s+(?:\w+\s+){0,2}(?:did|had)\b.*\breplaced?\b",
        r"^who\s+\w{3,}ed\b.*\b(?:before|until|till|originally|formerly|previously|initially|at first|"
        r"in the beginning)\b",
    ),
    "german": (
        r"\b(?:was|welche\w*|wer|wo|womit|wie|wann|worauf|wohin|woher)\b.*\b(?:war|waren|wurden?|hatten?|galt|"
        r"galten|lief|liefen|"
        r"benutzten|verwendeten|nutzten|gab|haben|stand|standen|lag|lagen|hiess|kam|kamen|lieferten|machten?|"
        r"durfte|durften|musste|mussten)\b.*\b(?:fruher|ursprunglich|damals|vorher|zuvor|"
        r"anfangs|zuerst|vor|bevor|bis|zu beginn|am anfang)\b(?!\s+(?:kurzem|dem merge|jedem))",
        r"\b(?:fruher|ursprunglich|damals|ehemals|anfangs)\b.*\b(?:war|waren|wurden?|hatten?|galt|lief|"
        r"benutzten|haben)\b",
    ),
    "french": (
        r"\b(?:avait(?:-on)?|avaient|avions(?:-nous)?|etait|etaient(?:-ils)?|faisait|utilisait(?:-on)?|"
        r"utilisions(?:-nous)?|\w{3,}ait(?:-on)?|\w{3,}aient(?:-ils)?)\b.*\b(?:avant|auparavant|autrefois|"
        r"a l'origine|au debut|au depart|jusqu'en|jusqu'a|jusqu'au|initialement|precedemment)\b",
        r"\b(?:a l'origine|auparavant|autrefois|initialement|avant)\b.*\b(?:avait|etait|utilisait|avions|"
        r"utilisions)\w*\b",
    ),
    "spanish": (
        r"\b(?:era|eran|habia|fue|tenia|teniamos|tenian|usabamos|usaba|estaba|\w{3,}(?:aba|aban|abamos|"
        r"iamos))\b.*\b(?:antes|originalmente|"
        r"al principio|al inicio|anteriormente|hasta|inicialmente)\b",
        r"\b(?:antes|originalmente|anteriormente|inicialmente|al principio)\b.*\b(?:era|usabamos|usaba|"
        r"teniamos|tenia|habia|estaba)\b",
    ),
    "portuguese": (
        r"\b(?:era|eram|havia|foi|tinha|tinhamos|tinham|usavamos|usava|estava|\w{3,}(?:ava|avam|avamos|"
        r"iamos))\b.*\b(?:antes|originalmente|"
        r"no inicio|no comeco|anteriormente|ate|inicialmente)\b",
        r"\b(?:antes|originalmente|anteriormente|inicialmente|no inicio)\b.*\b(?:era|usavamos|usava|tinhamos|"
        r"tinha|havia|estava)\b",
    ),
    "italian": (
        r"\b(?:era|erano|c'era|aveva|avevamo|avevano|usavamo|usava|stava|\w{3,}(?:ava|avano|avamo|evamo|eva|"
        r"evano))\b.*\b(?:prima|originariamente|"
        r"all'inizio|inizialmente|in precedenza|fino a|in origine)\b",
        r"\b(?:prima|originariamente|inizialmente|in origine|in precedenza)\b.*\b(?:era|usavamo|usava|avevamo|aveva)\b",
    ),
    "dutch": (
        r"\b(?:was|waren|had|hadden|gebruikten|gebruikte|werd|werden|gold|liep|deed|deden)\b.*\b(?:voor|"
        r"voorheen|vroeger|oorspronkelijk|"
        r"eerst|aanvankelijk|tot|in het begin|destijds)\b",
        r"\b(?:voorheen|vroeger|oorspronkelijk|destijds)\b.*\b(?:was|had|hadden|gebruikten|werd)\b",
    ),
}
"""Questions about a former state."""


_RECORDED: Final[Mapping[str, str]] = {
    "english": r"(?:did|have|had)\s+(?:we|you|i|they)\s+(?:\w+\s+)?(?:decided?|agreed?|note|write|fix|learn|settle|"
    r"choose|say|said|know|find|change|do|record)\b"
    r"|(?:was|were|got|been)\s+(?:\w+ly\s+)?(?:decided|agreed|settled|fixed|noted|recorded|written|said|"
    r"learnt|learned|made|taken|solved|resolved)\b"
    r"|(?:newest|latest|most recent|first|oldest|last)\s+(?:decision|fix|note|rule)\b|^(?:was|were)\s+(?:there|any)\b"
    r"|did\s+the\s+user\s+(?:state|say|want|ask|tell)\b"
    r"|^(?:what|which \w+)\s+(?:has\s+|have\s+)?(?:changed|happened|date|came)\b",
    "german": r"entschieden|beschlossen|notiert|behoben|festgelegt|vereinbart|aufgeschrieben|gelernt|geschah|fielen|"
    r"geandert|korrigiert|besprochen",
    "french": r"decide|note|corrige|fait|change|convenu|appris",
    "spanish": r"decid\w+|anot\w+|correg\w+|corrigio|cambio|cambiado|acord\w+|paso",
    "portuguese": r"decid\w+|anot\w+|corrig\w+|mudou|combin\w+|aconteceu",
    "italian": r"deciso|annotato|corretto|cambiato|concordato|successo",
    "dutch": r"besloten|genoteerd|opgelost|veranderd|afgesproken|gebeurde",
}
"""Questions about notes of any time; these are about no former state."""

_WAS: Final[Mapping[str, str]] = {
    "english": r"(?:was|were|did|had|used)\b|^who\s+\w{3,}ed\b|^which\s+\w+\s+\w{3,}ed\b",
    "german": r"(?:war|waren|wurden?|hatten?|galt|galten|lief|liefen|begann|lag|lagen|stand|durften?|mussten?|"
    r"benutzten|verwendeten)\b",
    "french": r"(?:\w{2,}ait|\w{2,}aient|\w{2,}ions)\b",
    "spanish": r"(?:era|eran|habia|fue|\w{3,}(?:aba|aban|abamos|iamos)|ten\w*ia\w*|empezaba|hacia)\b",
    "portuguese": r"(?:era|eram|havia|foi|\w{3,}(?:ava|avam|avamos)|tinham?|tinhamos|fazia\w*)\b",
    "italian": r"(?:era|erano|\w{2,}(?:ava|avano|avamo|evamo|eva|evano|iva|ivano))\b",
    "dutch": r"(?:was|waren|had|hadden|werd|werden|gold|liep|deed|deden|gebruikten)\b",
}
"""Verbs of state in a past tense."""

_UNSPACED_ASKS: Final = re.compile(
    r"(?:以前|当初|もともと|元々|かつて|最初)は.*(?:でし?た|ました|だった|いた)|の前は.*(?:でし?た|ました|だった)|なぜ.*(?:やめ|変え|変更し|廃止|切り替え)"
    r"|(?:以前|之前|原来|原先|最初|曾经|过去|当初).*(?:用|是|有|叫|怎么|什么|哪)|为什么.*(?:放弃|不再|换掉|更换|弃用|改成|改用)"
)
_WHY: Final = re.compile(r"\b(?:why|warum|pourquoi|por que|perche|waarom)\b")
_UNSPACED_NOW: Final = re.compile(r"(?:合并|提交|部署|发布|上线|推送)之前")
_NOW: Final = re.compile(r"^(?:do|does|is|are|may|can|must|should|shall|will)\b", re.IGNORECASE)


def asks_for_past(question: str) -> bool:
    """Tell whether *question* asks for a former state; False if in doubt."""
    text = " ".join(fold(question[:QUESTION_CHARACTERS_MAX]).split()).lstrip("¿¡\"' ")
    if _UNSPACED_ASKS.search(text):
        return not _UNSPACED_NOW.search(text)
    if _NOW.search(text):
        return False
    return any(_asks_in(language, text, question) for language in languages_of(text))


def _asks_in(language: str, text: str, question: str) -> bool:
    if any(pattern.search(text) for pattern in _asks(language, why=True)):
        return True
    if re.search(rf"\b(?:{_RECORDED[language]})", text):
        return False
    if any(pattern.search(text) for pattern in _asks(language)):
        return True
    return not _WHY.search(text) and re.search(rf"\b(?:{_WAS[language]})", text) is not None and has_long_span(question)


@cache
def _asks(language: str, *, why: bool = False) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in (_ASKS_WHY if why else _ASKS)[language])
