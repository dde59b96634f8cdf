"""The words with which a text says that it takes the place of something, or that it is an exception.

Theory
------
"We move from Redshift to Snowflake", "back to 15 minutes", "not needed any more": such words say that something does
not hold any more, but not what. Alone they prove nothing ("the job is run again"); beside an older memory on the same
subject (`judgement.replacing`) they do. "Only for the US", "exception" say that the older one holds on elsewhere.

Some say what it is that does not hold any more: "switched from Jenkins", "5 instead of 3", "stop using npm"
(`values_replaced`). A memory on the same subject that has this value is what is meant, however its odds are.

The patterns are of whole words, in the languages that `text.times` reads; those that are common without this meaning
("now", "new", "old", "was") are left out.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

_REPLACING_BY_LANGUAGE: Final[Mapping[str, tuple[str, ...]]] = {
    "english": (
        r"no longer|(?:not|nothing|nobody|n't)\b[^.;:]{0,40}\bany ?more|any ?more(?=[.;,:]|$)",
        r"instead of|in place of|replac(?:e|es|ed|ing)|supersed\w+|overrid\w+|correction|corrected|renamed|new rule",
        r"switch(?:ed|es|ing)? (?:from|to|back|over)|switched off|upgraded|from now on|until now|so far",
        r"mov(?:e|es|ed|ing) (?:from|to|away|back|over|off)|migrat(?:e|es|ed|ing) (?:from|to)",
        r"(?:go|goes|went|going|is|are|be|we're) back|back (?:to|at|on)|return(?:s|ed)? to|revert(?:s|ed)?",
        r"(?:is|are|at|to|on|with|holds?)\b[^.;:]{0,30}\bagain",
        r"raised (?:from|to)|reduced (?:from|to)|lowered|dropped|lifted|dissolved|cancell?ed|deprecated|obsolete",
        r"gave up|given up|is history|is gone|is over(?=[.;,:]|$)|unnecessary|not needed|on its way out",
    ),
    "german": (
        r"nicht (?:mehr|länger)|kein\w* mehr|statt\w*|anstelle|anstatt|ersetz\w+|abgelöst|umgestellt|umgezogen",
        r"gewechselt|wechseln? (?:von|zu|auf)|zurück (?:zu|auf|bei)|wieder (?:auf|bei|zu|in)|ab (?:sofort|jetzt)",
        r"berichtigung|korrektur|abgeschafft|aufgegeben|entfällt|überholt|hinfällig|von nun an|künftig",
    ),
    "french": (
        r"n(?:e |')[^.;:]{1,40} plus|au lieu d[eu']|à la place|remplac\w+|désormais|dorénavant|de nouveau|abandonn\w+",
        r"(?:passe|passons|passé|migré|revenu|revient|revenons) (?:de|à|sur|au)|retour (?:à|au|sur)|rectificati\w+",
        r"obsolète",
    ),
    "spanish": (
        r"ya no|en (?:lugar|vez) de|reemplaz\w+|sustitu\w+|de nuevo|otra vez|a partir de ahora|corrección",
        r"(?:pasamos|migramos|cambiamos|volvemos|vuelve) (?:de|a|al)|obsolet\w+|cancelad\w+|eliminad\w+",
    ),
    "portuguese": (
        r"já não|não [^.;:]{1,40} mais|em vez d[eoa]|no lugar d[eoa]|substitu\w+|de volta|a partir de agora|correção",
        r"(?:passamos|migramos|mudamos|voltamos|volta) (?:de|do|da|para|a|ao|à)",
    ),
    "italian": (
        r"non [^.;:]{1,40} più|invece di|al posto di|sostitui\w+|di nuovo|d'ora in poi|correzione",
        r"(?:passiamo|migriamo|torniamo|torna) (?:da|a|al|alla)",
    ),
    "dutch": (
        r"niet (?:meer|langer)|geen [^.;:]{1,30} meer|in plaats van|vervang\w+|voortaan|vanaf nu|correctie",
        r"(?:stappen|stapt|overgestapt|terug) (?:over|van|naar|op)",
    ),
}
_REPLACING_UNSPACED: Final = re.compile(
    r"代わりに|に変更|へ変更|に移行|へ移行|移行した|に戻す|に戻した|に戻る|廃止|もう使わない|ではなくなった|訂正|今後は|置き換え"
    r"|不再|代替|取代|替换|改为|改用|改成|改回|迁移到|切换到|恢复为|更正|废弃|弃用|从现在起|今后"
)
_EXCEPTING: Final = re.compile(
    r"(?i)(?<!\w)(?:only (?:for|in|on|at|where)|(?:for|in|on)\b[^.;:,]{1,40}\bonly|only(?=:)|except(?:ion)?s?|unchanged"
    r"|for all others?|everything else|ausnahme\w*|nur (?:für|in|auf|bei)|alles andere|unverändert"
    r"|seulement (?:pour|dans|en)|sauf|uniquement|tout le reste|solo (?:para|en|per|in)|excepto|excepción"
    r"|somente (?:para|em)|apenas (?:para|em)|exceto|exceção|soltanto (?:per|in)|tranne|eccezione"
    r"|alleen (?:voor|in|op)|uitzondering\w*|behalve)(?!\w)|だけ|のみ|例外|只有|只在|仅限"
)


_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_LIST: Final = re.compile(
    r"(?i)[,;、，；&+]\s*\S|\.\s+\S|(?<!\w)(?:and|or|und|oder|et|ou|y|e|o|en|of)(?!\w)|[和与及或とや]|하고|[와과] "
)
"""What stands between the things of a list, or between two sentences: only a part of it may hold no more."""

_WORD: Final = r"[^\s,.;:!?()]+(?:\.[^\s,.;:!?()]+)*"
_UP_TO: Final = rf"({_WORD}(?:\s+{_WORD}){{0,3}}?)"
"""A value of few words, up to what stands behind it in a pattern."""
_LAST: Final = (
    rf"({_WORD}(?:\s+{_WORD}){{0,2}}?)(?=\s*(?:[,;:!?()]|\.(?:\s|$)|$)"
    r"|\s+(?:in|for|on|at|as|with|because|when|since|and|to|für|bei|im|und|pour|dans|para|en|nas?|nos?|per|nel|voor|для|в)\s)"
)
"""A value at the end of what is said, or before one of the commonest words that go on."""

_VALUES_BY_LANGUAGE: Final[Mapping[str, tuple[str, ...]]] = {
    "english": (
        r"(?:switch|mov|migrat|chang|convert|upgrad|downgrad|rais|lower|increas|reduc|renam|port|transition|went|gone)\w*"
        rf"\b[^.;:]{{0,40}}?\bfrom {_UP_TO} (?:over )?(?:on|in)?to\b",
        rf"(?:instead of|rather than|in place of) (?:using |the |a )?{_LAST}",
        rf"replac(?:e|es|ed|ing) (?:the )?{_UP_TO} (?:with|by)\b",
        rf"(?:stop(?:ped|s)? using|no longer us(?:e|es|ed|ing)|(?:got|get) rid of|abandon(?:ed)?) (?:the )?{_LAST}",
        rf"(?:do not|don't) use {_UP_TO} (?:[^.;:]{{0,40}} )?any ?(?:more|longer)\b",
        rf"(?<=,) (?:and )?not {_LAST}",
    ),
    "german": (
        rf"von {_UP_TO} (?:auf|zu|nach) [^.;:]{{1,40}}"
        r"(?:umgestiegen|umgestellt|gewechselt|umgezogen|migriert|geändert|erhöht|gesenkt)",
        rf"(?:wechseln?|steigen|ziehen|stellen) (?:wir )?(?:um )?von {_UP_TO} (?:auf|zu|nach)\b",
        rf"(?:statt|anstelle von|anstatt|ersetzt) {_LAST}",
    ),
    "french": (
        rf"(?:pass|migr|chang|bascul)\w* de {_UP_TO} (?:à|vers|au)\b",
        rf"(?:au lieu d[eu']|à la place d[eu']|remplac\w+)\s*{_LAST}",
    ),
    "spanish": (
        rf"(?:pas|migr|cambi|mud)\w* de {_UP_TO} a\b",
        rf"(?:en (?:lugar|vez) de|reemplaz\w+|sustitu\w+) {_LAST}",
    ),
    "portuguese": (
        rf"(?:pass|migr|mud)\w* d[eoa] {_UP_TO} (?:para|ao?)\b",
        rf"(?:troc|substitu)\w+ (?:[oa] )?{_UP_TO} (?:por|pel[oa])\b",
        rf"(?:em vez d[eoa]|no lugar d[eoa]) {_LAST}",
    ),
    "italian": (
        rf"(?:pass|migr|cambi)\w* da {_UP_TO} a\b",
        rf"(?:invece di|al posto di|sostitui\w+) {_LAST}",
    ),
    "dutch": (
        rf"(?:overgestapt|stapp?en|gewisseld|gemigreerd|verhuisd) (?:over )?van {_UP_TO} (?:naar|op)\b",
        rf"van {_UP_TO} naar [^.;:]{{1,40}}(?:overgestapt|gewisseld|gemigreerd|verhuisd)",
        rf"(?:in plaats van|vervang\w+) {_LAST}",
    ),
}
_UNSPACED_VALUE: Final = r"([A-Za-z0-9][\w.+#-]*(?: [A-Za-z0-9][\w.+#-]*){0,2}|[\u3040-\u30ff\u4e00-\u9fff]{1,8}?)"
_VALUES_UNSPACED: Final = (
    rf"(?:从|從|由)\s*{_UNSPACED_VALUE}\s*(?:迁移|迁|遷移|切换|切換|换|換|改|升级|升級|转|轉|移)[\u4e00-\u9fff]{{0,2}}[到至为為成]",
    rf"(?:不再使用|不再用|弃用|停用|代替|取代|替换|而不是|而非)\s*{_UNSPACED_VALUE}(?=[\s，。；、]|$|[,.;])",
    rf"(?:把|将|將)\s*{_UNSPACED_VALUE}\s*(?:换成|換成|改成|改为|改為|替换为|替换成)",
    rf"(?:^|[はをがもで、。\s]){_UNSPACED_VALUE}\s*(?:ではなく|じゃなく|の代わりに|をやめ|を廃止)",
    rf"(?:^|[はをがも、。\s]){_UNSPACED_VALUE}\s*から[^。]{{1,20}}?に(?:移行|変更|切り替え|乗り換え|移し)",
    r"(?<![\w.+#-])([\w.+#-]{1,80}) 대신",
    r"(?<![\w.+#-])([\w.+#-]{1,80}?)에서 [\w.+#-]{1,80}?(?:으)?로 (?:이전|변경|전환|교체|마이그레이션)",
)


@cache
def _values() -> tuple[re.Pattern[str], ...]:
    """Return what finds the values that are replaced, in all languages."""
    spaced = (each for patterns in _VALUES_BY_LANGUAGE.values() for each in patterns)
    return (*(re.compile(rf"(?i)(?<!\w){each}") for each in spaced), *map(re.compile, _VALUES_UNSPACED))


def values_replaced(text: str) -> list[str]:
    """Return what *text* says that does not hold any more, each as it is written there."""
    found = (match for pattern in _values() for match in pattern.finditer(text))
    return list(dict.fromkeys(" ".join(match[1].split()) for match in found))


def has_value(text: str, value: str) -> bool:
    """Tell whether *text* has *value* as words of its own."""
    edges = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"
    return re.search(f"{edges[0]}{re.escape(value)}{edges[1]}", text, re.IGNORECASE) is not None


def says_little_besides(older: str, newer: str) -> bool:
    """Tell whether *older* is about one thing, and says no name, number or list that *newer* does not have."""
    said = set(_PLAIN_WORD.findall(newer.lower()))
    missing = [word for word in _PLAIN_WORD.findall(older)[1:] if word.lower() not in said]
    return not _LIST.search(older) and not any(not word.islower() for word in missing)


@cache
def _replacing() -> re.Pattern[str]:
    """Return what finds the words of all languages: 4 ms, which the first save takes and not the daemon's start."""
    patterns = "|".join(each for patterns in _REPLACING_BY_LANGUAGE.values() for each in patterns)
    return re.compile(rf"(?i)(?<!\w)(?:{patterns})(?!\w)")


def words_that_replace(text: str) -> str:
    """Return the first words with which *text* says that something does not hold any more; empty: it has none."""
    found = _replacing().search(text) or _REPLACING_UNSPACED.search(text)
    return " ".join(found[0].split()) if found else ""


def is_exception(text: str) -> bool:
    """Tell whether *text* says that it holds in some place only, and something else in others."""
    return bool(_EXCEPTING.search(text))
