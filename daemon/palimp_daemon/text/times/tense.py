"""Guess the language of a question, and whether it is about the past or the present.

"On Monday" is a past day beside a past tense or a noun for notes ("decisions"), and a custom beside a present tense
alone ("does the job run on Monday").
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

_FUNCTION_WORDS: Final[Mapping[str, str]] = {
    "english": "the what which did do does is are was were how who when where why we in on of for and to a an not this",
    "german": "der die das was welche welcher welches wir wie wer wann wo warum haben hat ist sind im am und fur "
    "den wurde war",
    "french": "le la les que quoi quel quelle quels nous on est sont qui ou pourquoi en du et pour des avons a une "
    "un l' d' avait",
    "spanish": "el la los las de que cual cuales quien como cuando donde por en del y para se un una teniamos fue esta",
    "portuguese": "o os as de que qual quais quem como quando onde em do da no na e para foi um uma tinhamos nos era",
    "italian": "il lo la gli che cosa quale quali chi come quando dove perche in del della e per abbiamo un una era "
    "l' e'",
    "dutch": "de het wat welke we wie hoe wanneer waar waarom hebben is zijn in op van en voor een hadden werd was er",
}
"""Function words that give a language away; English wins a tie."""

_MADE: Final = r"decisions?|fixe[sd]|fix|notes|findings|learnings|bugs fixed|corrections|entries"


class _Tense(NamedTuple):
    """Patterns of one language for the past, and for the present or the future."""

    past: str
    present: str


_TENSES: Final[Mapping[str, _Tense]] = {
    "english": _Tense(
        r"was|were|did|had|(?:has|have|was|were) (?:been|\w+ed)|has (?:been|got)|have we|has anything|got|"
        r"went|came|took|made|wrote|said|chose|gave|found|broke|began|ran|kept|"
        r"learnt|knew|thought|told|happened|changed|decided|fixed|noted|agreed|recorded|" + _MADE,
        r"is|are|am|be|do|does|can|could|may|might|must|should|shall|will|would|need|needs|have to|has to",
    ),
    "german": _Tense(
        r"war|waren|wurden?|hatten?|habe|haben|fiel|fielen|galt|galten|gab|stand|standen|begann|lief|liefen|"
        r"geschah|hat sich|entschieden|beschlossen|notiert|behoben|geandert|gefixt|getroffen|entscheidung(?:en)?|"
        r"korrekturen|notizen|fixes",
        r"ist|sind|darf|durfen|muss|mussen|soll|sollen|kann|konnen|wird|werden|lauft|gilt|brauche|brauchen|gibt",
    ),
    "french": _Tense(
        r"avons|avez|ai|ont|a-t-on|a-t-il|avait(?:-on)?|avaient|avions|qu'avons-nous|qu'a-t-on|a|etait|etaient|fut|"
        r"\w{2,}aient(?:-ils)?|\w{3,}ait|decisions?|corrections?|notes",
        r"est|sont|doit|doivent|peut|peuvent|faut|puis-je|sera|seront|tourne",
    ),
    "spanish": _Tense(
        r"fue|fueron|era|eran|habia|hubo|estaba|estaban|teniamos|tenia|hicimos|\w{2,}(?:imos|amos|aron|ieron|aba|aban|"
        r"abamos|ia|ian|iamos)|ha|hemos|paso|cambio|corrigio|decidio|anoto|se \w{3,}o|decision(?:es)?|"
        r"correcciones|notas",
        r"es|son|debe|deben|puede|pueden|puedo|hay que|sera|necesito|corre",
    ),
    "portuguese": _Tense(
        r"foi|foram|era|eram|havia|estava|estavam|tinhamos|tinha|fizemos|\w{2,}(?:imos|amos|aram|eram|iram|ava|avam|"
        r"ia|iam|iamos)|mudou|aconteceu|decidiu|\w{3,}(?:ou|eu|iu)|decis(?:ao|oes)|correcoes|notas",
        r"e|sao|deve|devem|pode|podem|posso|sera|preciso|roda",
    ),
    "italian": _Tense(
        r"abbiamo|hanno|ho|ha|era|erano|avevamo|aveva|avevano|fu|furono|e stat[oa]|sono stat[ie]|e cambiato|e successo|"
        r"\w{3,}(?:ava|avano|eva|evano|iva|ivano)|decision[ei]|correzioni|note",
        r"e|sono|deve|devono|puo|possono|posso|sara|serve|gira",
    ),
    "dutch": _Tense(
        r"hebben|heb|heeft|had|hadden|was|waren|werd|werden|gebeurde|deed|deden|gold|"
        r"besloten|genoteerd|opgelost|veranderd|gewijzigd|beslissing(?:en)?|besluiten|fixes|notities",
        r"is|zijn|mag|mogen|moet|moeten|kan|kunnen|zal|zullen|wordt|draait",
    ),
}

_WHY: Final = re.compile(r"\b(?:why|warum|wieso|pourquoi|por que|perche|waarom)\b")
_DECIDED: Final = re.compile(r"\b(?:deci|agree|entsch|beschl|beslo)")
_ATTRIBUTE: Final = re.compile(
    r"\b(?:(?:that|which|who)\s+(?!was|were|had|did)\w+(?<!ed)|dated|due|valid|older|newer|expir\w+|data|orders?|invoices?|queries|"
    r"rows?|logs?|records|events?|totals?|partitions?|tickets?)\s*(?:than|from)?\s*,?\s*$"
)
_CUSTOM: Final = re.compile(r"\b\w{3,}ing\s*$")
_UNSPACED_PAST: Final = re.compile(
    r"た(?:[もこかの。？?！!、点件何バ修決]|$)|した|ました|でした|了|过|用的是|修复|修正|決定|决定"
)


def language_of(text: str) -> str:
    """Return the language of the folded *text* by its function words; English without any."""
    return languages_of(text)[0]


def languages_of(text: str) -> list[str]:
    """Return the languages with most function words in the folded *text*; English alone in a tie, or without any."""
    words = set(re.findall(r"[ld]'|[\w']+", text))
    counts = {name: len(words & votes) for name, votes in _votes().items()}
    most = max(counts.values())
    return [name for name, count in counts.items() if count == most] if counts["english"] < most else ["english"]


def asks_why(text: str) -> bool:
    """Tell whether the folded *text* asks for a reason: a time beside that says when something happened."""
    return _WHY.search(text) is not None and not _DECIDED.search(text)


def belongs_to_noun(before: str, *, is_weekday: bool) -> bool:
    """Tell whether the folded text *before* a time ends with a noun that the time belongs to: `orders of`."""
    return _ATTRIBUTE.search(before) is not None or (is_weekday and _CUSTOM.search(before) is not None)


def tells_of_past(text: str, language: str) -> bool:
    """Tell whether the folded *text* tells of something past, in the words of *language*."""
    if language == "unspaced":
        return _UNSPACED_PAST.search(text) is not None
    past, present = _tenses(language)
    if past.search(text) is not None:
        return True
    # "renamed" alone is past, "is renamed" is a custom
    return language == "english" and not present.search(text) and re.search(r"\b[a-z]{3,}ed\b", text) is not None


def tells_of_present(text: str, language: str) -> bool:
    """Tell whether the folded *text* tells of the present or the future."""
    return language != "unspaced" and _tenses(language)[1].search(text) is not None


@cache
def _votes() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in _FUNCTION_WORDS.items()}


@cache
def _tenses(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    past, present = _TENSES[language]
    return re.compile(rf"\b(?:{past})\b"), re.compile(rf"\b(?:{present})\b")
