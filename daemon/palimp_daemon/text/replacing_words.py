"""The words with which a text says that it takes the place of something, or that it is an exception.

Theory
------
"We move from Redshift to Snowflake", "back to 15 minutes", "not needed any more": such words say that something does
not hold any more, but not what. Alone they prove nothing ("the job is run again"); beside an older memory on the same
subject (`search.replacement`) they do. "Only for the US", "exception" say that the older one holds on elsewhere.

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
