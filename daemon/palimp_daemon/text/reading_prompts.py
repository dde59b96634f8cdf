"""Whether a prompt only asks for what is there, or for nothing that could be done otherwise.

Theory
------
"Explain this function", "list all TODO comments", "rename `a` to `b`", "fix the typo": what such a prompt is about may
be what a memory is about, and yet no decision bears on it, since nothing is decided. That is told by the verb that the
prompt begins with, or by the thing that it is about (a typo, a regular expression). A prompt that does so may need a
memory all the same ("why do we not use MySQL?"): then it has more in common with it (`search.prompt_need`).

Verbs that may as well change how something works (replace, remove, translate, run) are not among them. What developers
write in other languages than English begins as often with what is to be changed, so that fewer are told.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

BEGINNING_CHARACTERS: Final = 300
"""Of a prompt: what is asked stands at its beginning."""

_POLITE: Final = (
    "please|pls|can you|could you|would you|can we|let'?s|lets|now|just|then|next|quickly|i want to|i'd like to"
    "|help me(?: to)?|and|so|ok|okay|hey|hi|also|bitte|kannst du|könntest du|mal|peux-tu|pouvez-vous|s'il te plaît"
    "|por favor|puedes|podrías|pode|você pode|per favore|puoi|alsjeblieft|kun je|kan je"
)
"""What stands before the verb."""

_VERBS: Final[Mapping[str, str]] = {
    "english, asking": "explain describe summarize summarise outline show list find locate search grep count print"
    " display compare diff draw sketch diagram plot visualize visualise trace tell give read look what what's which why"
    " how where who when is are does do did has have",
    "english, tidying": "rename reformat format indent align sort reorder alphabetize alphabetise lint tidy extract"
    " inline split shorten deduplicate turn convert rewrite reword rephrase",
    "german": "erkläre erklär beschreibe zeige zeig liste finde suche zähle vergleiche zeichne was warum wieso weshalb"
    " wie wo wer wann welche welcher welches benenne formatiere sortiere",
    "french": "explique expliquez décris résume montre montrez liste trouve cherche compte compare dessine quel quelle"
    " quels quelles pourquoi comment où qui quand renomme renommez formate trie reformate",
    "spanish": "explica explícame describe resume muestra muéstrame lista busca cuenta compara dibuja qué por-qué cómo"
    " dónde quién cuándo cuál renombra formatea ordena",
    "portuguese": "explique descreva resuma mostre liste encontre procure conte compare desenhe por-que como onde"
    " quem quando qual renomeie formate ordene",
    "italian": "spiega spiegami descrivi riassumi mostra mostrami elenca trova cerca conta confronta disegna perché"
    " come dove chi quando quale rinomina formatta ordina",
    "dutch": "leg-uit beschrijf toon laat-zien zoek vind tel vergelijk teken waarom hoe waar wie wanneer welke hernoem"
    " sorteer",
    "russian": "объясни опиши покажи перечисли найди посчитай сравни нарисуй почему как где кто когда какой какие"
    " переименуй отсортируй",
}
"""By which a prompt begins that asks, or tidies."""

_THINGS: Final = (
    r"typos?|misspel\w+|spelling|whitespace|docstrings?|unused (?:imports?|variables?)|magic numbers?"
    r"|named constants?|regex(?:es|p)?|regular expressions?|one-liner|snippet|copyright|(?:show|tell|give) me"
    r"|list (?:them|all)|find out why|tippfehler|rechtschreib\w+|faute de frappe|coquille|errata|опечатк\w+"
)
"""Anywhere at the beginning: what is the same whatever was decided."""

_UNSPACED: Final = re.compile(
    r"解释|解釋|说明一下|列出|显示所有|查找|统计|重命名|排序|错别字|为什么|什么是|画一"
    r"|説明して|一覧|列挙|名前を変更|リネーム|並べ替え|誤字|なぜ|どうして|とは何|教えて|数えて"
    r"|설명해|나열해|이름을 바꿔|정렬해|오타|알려줘|보여줘|왜"
)


def only_reads(prompt: str) -> bool:
    """Tell whether *prompt* asks for what is there, or tidies it, so that no decision is likely to bear on it."""
    beginning = prompt[:BEGINNING_CHARACTERS]
    return bool(_asking().match(beginning) or _things().search(beginning) or _UNSPACED.search(beginning))


@cache
def _asking() -> re.Pattern[str]:
    verbs = "|".join(re.escape(verb).replace("\\-", " ") for verbs in _VERBS.values() for verb in verbs.split())
    return re.compile(rf"(?i)\W*(?:(?:{_POLITE})\b[\s,]*)*(?:{verbs})(?!\w)")


@cache
def _things() -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w)(?:{_THINGS})(?!\w)")
