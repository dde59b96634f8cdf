"""How far a prompt only asks for what is there, or for nothing that could be done otherwise.

Theory
------
"Explain this function", "list all TODO comments", "rename `a` to `b`", "fix the typo": what such a prompt is about may
be what a memory is about, and yet no decision bears on it, since nothing is decided. That is told by the verb that the
prompt begins with, or by the thing that it is about (a typo, a regular expression). A prompt that does so may need a
memory all the same: then it has more in common with it (`search.prompt_need`). A question needs one sooner ("why do we
not use MySQL?"), so that it counts QUESTION_PART.

Verbs that may as well change how something works (replace, remove, translate, run) are not among them. What developers
write in other languages than English begins as often with what is to be changed, so that fewer are told.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

BEGINNING_CHARACTERS: Final = 300
"""Of a prompt: what is asked stands at its beginning."""

QUESTION_PART: Final = 0.7
"""Of a prompt that only reads, what a question is: as many that need a memory as that need none lie above its bound."""

_POLITE: Final = (
    "please|pls|can you|could you|would you|can we|let'?s|lets|now|just|then|next|quickly|i want to|i'd like to"
    "|help me(?: to)?|and|so|ok|okay|hey|hi|also|bitte|kannst du|könntest du|mal|peux-tu|pouvez-vous|s'il te plaît"
    "|por favor|puedes|podrías|pode|você pode|per favore|puoi|alsjeblieft|kun je|kan je"
)
"""What stands before the verb."""

_VERBS: Final[Mapping[str, str]] = {
    "english, asking": "explain describe summarize summarise outline show list find locate search grep count print"
    " display compare diff draw sketch diagram plot visualize visualise trace tell give read look",
    "english, tidying": "rename reformat format indent align sort reorder alphabetize alphabetise lint tidy extract"
    " inline split shorten deduplicate turn convert rewrite reword rephrase",
    "german": "erkläre erklär beschreibe zeige zeig liste finde suche zähle vergleiche zeichne benenne formatiere"
    " sortiere",
    "french": "explique expliquez décris résume montre montrez liste trouve cherche compte compare dessine renomme"
    " renommez formate trie reformate",
    "spanish": "explica explícame describe resume muestra muéstrame lista busca cuenta compara dibuja renombra"
    " formatea ordena",
    "portuguese": "explique descreva resuma mostre liste encontre procure conte compare desenhe renomeie"
    " formate ordene",
    "italian": "spiega spiegami descrivi riassumi mostra mostrami elenca trova cerca conta confronta disegna rinomina"
    " formatta ordina",
    "dutch": "leg-uit beschrijf toon laat-zien zoek vind tel vergelijk teken hernoem sorteer",
    "russian": "объясни опиши покажи перечисли найди посчитай сравни нарисуй переименуй отсортируй",
}
"""By which a prompt begins that asks, or tidies."""

_QUESTIONS: Final = (
    "what what's which why how where who when is are does do did has have was warum wieso weshalb wie wo wer wann"
    " welche welcher welches quel quelle quels quelles pourquoi comment où qui quand qué por-qué cómo dónde quién"
    " cuándo cuál por-que onde quem quando qual perché come dove chi quale waarom hoe waar wie wanneer welke"
    " почему как где кто когда какой какие"
)
"""By which a question begins."""

_THINGS: Final = (
    r"typos?|misspel\w+|spelling|whitespace|docstrings?|unused (?:imports?|variables?)|magic numbers?"
    r"|named constants?|regex(?:es|p)?|regular expressions?|one-liner|snippet|copyright|(?:show|tell|give) me"
    r"|list (?:them|all)|find out why|tippfehler|rechtschreib\w+|faute de frappe|coquille|errata|опечатк\w+"
)
"""Anywhere at the beginning: what is the same whatever was decided."""

_UNSPACED: Final = re.compile(
    r"解释|解釋|说明一下|列出|显示所有|查找|统计|重命名|排序|错别字|画一"
    r"|説明して|一覧|列挙|名前を変更|リネーム|並べ替え|誤字|数えて"
    r"|설명해|나열해|이름을 바꿔|정렬해|오타|알려줘|보여줘"
)
_UNSPACED_QUESTIONS: Final = re.compile(r"为什么|什么是|なぜ|どうして|とは何|教えて|왜")


def reading_part(prompt: str) -> float:
    """Return how far *prompt* only asks for what is there, or tidies it: from 0 to 1."""
    beginning = prompt[:BEGINNING_CHARACTERS]
    if _beginning(_VERBS_OF_ALL).match(beginning) or _things().search(beginning) or _UNSPACED.search(beginning):
        return 1.0
    is_question = _beginning(_QUESTIONS).match(beginning) or _UNSPACED_QUESTIONS.search(beginning)
    return QUESTION_PART if is_question else 0.0


_VERBS_OF_ALL: Final = " ".join(_VERBS.values())


@cache
def _beginning(words: str) -> re.Pattern[str]:
    """Return what matches a text that begins with one of *words*, in which a hyphen stands for a space."""
    either = "|".join(re.escape(word).replace("\\-", " ") for word in words.split())
    return re.compile(rf"(?i)\W*(?:(?:{_POLITE})\b[\s,.:;!-]*)*(?:{either})(?!\w)")


@cache
def _things() -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w)(?:{_THINGS})(?!\w)")
