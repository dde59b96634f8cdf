"""Find the subject of a question without its time, and the kinds of memories that it asks for.

"What did we decide about the cache" is about the cache; "what did we decide" is about nothing, and lists everything.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from palimp_daemon.text.times.question_words import fold

_LEAD_INS: Final[Mapping[str, str]] = {
    "english": "what what's who's which who when how did do does has have had was were is are been be got get "
    "we you i they us our the a an any all of on in at about for from to by with as and or that "
    "there it this these those everything anything something things thing decide decided decision "
    "decisions agree agreed settle settled choose chosen chose fix fixed fixes fixing bug bugs "
    "issue issues problem problems note noted notes write wrote written down record recorded "
    "records save saved remember remembered memories learn learned learnt find found out finding "
    "findings discover discovered discoveries learnings change changed changes happen happened made "
    "make taken take took done come came date dated dates discuss discussed discussion discussions "
    "said say talk talked session sessions work worked show list give tell me please entry entries "
    "rule rules preference preferences preferred correction corrections corrected correct question "
    "questions open new added add summary summaries summarize summarise recap know knew known "
    "regarding concerning latest newest most recent last oldest earliest first ever so far exactly "
    "well solved solve resolved resolve repaired architecture architectural project here learnings "
    "up around two three four five ten",
    "german": "was welche welcher welches welchen wer wann wie haben hat habe hatten hatte wurde wurden ist "
    "sind war waren sein worden wir ihr ich man uns sich der die das den dem des ein eine einen in "
    "im am an auf zu zum zur von vom uber fur und oder es da alles etwas entschieden entscheidung "
    "entscheidungen beschlossen beschluss beschlusse vereinbart festgelegt behoben gefixt fix fixes "
    "bug bugs fehler korrigiert notiert notiz notizen aufgeschrieben geschrieben festgehalten "
    "gespeichert gelernt gefunden herausgefunden geandert anderung anderungen anderte passiert "
    "geschah geschehen gemacht getroffen fielen fiel besprochen gesagt sitzung zeige zeig liste mir "
    "bitte regel regeln praferenz praferenzen korrektur korrekturen frage fragen neu neue neues "
    "letzte neueste alteste",
    "french": "que qu' quoi quel quelle quels quelles qui est-ce qu'est-ce ce c' avons-nous a-t-on "
    "qu'avons-nous qu'a-t-on avons nous on a ont ete est sont il y le la les l' un une des du de d' "
    "en au aux dans sur pour et ou se s' tout decide decidee decides decision decisions convenu "
    "corrige corrigee corriges corrections correction bug bugs bogue bogues note notes notee ecrit "
    "enregistre appris trouve change changee change changement changements passe fait prises prise "
    "pris discute dit session montre liste moi regle regles preference preferences question "
    "questions resolu",
    "spanish": "que cual cuales quien se ha han hemos fue fueron es son hay el la los las un una unos de del "
    "en a al sobre para y o todo decidimos decidio decidido decidieron decision decisiones "
    "acordamos acordado corrigio corregimos corregido correccion correcciones arreglo arreglamos "
    "bug bugs error errores anotamos anoto anotado nota notas escribimos guardamos aprendimos "
    "encontramos cambio cambiamos cambiado cambios paso hicimos tomamos tomaron tomadas sesion "
    "muestra lista me regla reglas preferencias preguntas",
    "portuguese": "o que qual quais quem se foi foram e sao ha tem a os as um uma de do da dos das em no na nos "
    "nas sobre para por ou tudo decidimos decidido decidida decidiu decisao decisoes combinamos "
    "corrigido corrigimos corrigiu correcao correcoes bug bugs erro erros anotamos anotado nota "
    "notas escrevemos gravamos aprendemos encontramos mudou mudamos mudado mudancas aconteceu "
    "fizemos tomamos tomadas sessao mostre lista me regra regras preferencias perguntas",
    "italian": "che cosa cos' quale quali chi abbiamo hanno ha e stato stata stati state sono si il la lo i "
    "gli le l' un una uno di del della dei in a al su per o tutto deciso decisa decise decisione "
    "decisioni concordato corretto corretti corretta correzione correzioni bug errore errori "
    "annotato nota note scritto salvato imparato trovato cambiato cambiamenti successo fatto presa "
    "prese sessione mostra elenca regola regole preferenze domande risolto",
    "dutch": "wat welke wie hebben heb heeft hadden had is zijn was waren werd werden er we wij ik de het "
    "een van in op aan over voor en of alles besloten beslissing beslissingen besluit besluiten "
    "afgesproken opgelost gefixt fix fixes bug bugs fout fouten genoteerd notitie notities "
    "geschreven opgeschreven opgeslagen geleerd gevonden veranderd gewijzigd wijzigingen gebeurde "
    "gebeurd gedaan genomen gezegd sessie toon lijst regel regels voorkeuren vragen",
}
"""Words that lead in to a subject, or stand for everything."""

_UNSPACED_LEAD_INS: Final = re.compile(
    r"決めたこと|決めました|決めた|決まった|決定事項|決定した|決定|修正したもの|修正した|修正|直した|変更しました|変更した|変わりました|変更|"
    r"書き留めたこと|書き留めた|記録した|メモ|学んだ|"
    r"もの|こと|バグ|何|ました|ですか|でした|私たち|我々|どんな|教えて|"
    r"我们|决定了|决定|修复了|修复|做了|改了|变了|记录了|记录|记下|写下|学到|"
    r"发现了|哪些|什么|问题|有|了|的|吗|所有|列出|[をはがにのかもで、。？?！! 　,，]"
)

_KINDS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        r"\b(?:fix(?:e[sd]|ing)?|bugs?|behoben|gefixt|fehler|corrige\w*|bogues?|corrigio|corregi\w+|arregl\w+|"
        r"corrigi\w+|corrett[aeio]|risolto|"
        r"opgelost|solved|resolved|repaired|fouten)\b|修正|直した|バグ|修复|bug",
        ("fix",),
    ),
    (
        r"\b(?:deci(?:de[ds]?|sions?)|agreed?|settled?|cho(?:se|sen|ose)|entsch(?:ieden|eidung(?:en)?)|"
        r"beschl(?:ossen|uss|usse)|vereinbart|festgelegt|"
        r"convenu|decidi\w+|decision(?:es|e|i)|acord\w+|decis(?:ao|oes)|combinamos|deciso|decis[ae]|"
        r"concordato|beslo?ten|beslissing(?:en)?|"
        r"besluit(?:en)?|afgesproken)\b|決め|決ま|決定|决定",
        ("decision",),
    ),
    (
        r"\b(?:rules?|conventions?|regeln?|regles?|reglas?|regras?|regol[ae]|regels?)\b|規則|ルール|规则",
        ("decision", "preference", "correction"),
    ),
    (
        r"\b(?:preferences?|preferred|praferenz(?:en)?|preferencias?|preferenz[ae]|voorkeur(?:en)?)\b|好み|偏好",
        ("preference",),
    ),
    (
        r"\b(?:findings?|f(?:ou|i)nd out|learn(?:ed|t|ings)?|discover(?:ed|ies|y)|gelernt|herausgefunden|appris|"
        r"aprendimos|aprendemos|imparato|"
        r"geleerd)\b|学んだ|学到|发现",
        ("finding",),
    ),
    (
        r"\b(?:corrections?|corrected|korrektur(?:en)?|korrigiert|correccion(?:es)?|correc(?:ao|oes)|correzion[ei])\b",
        ("correction",),
    ),
    (r"\b(?:architectur(?:e|al)|architektur)\b", ("architecture",)),
    (r"\b(?:todos?|to-dos?|action items?)\b", ("note", "question")),
    (r"\b(?:open questions?|offene fragen)\b", ("question",)),
    (r"\b(?:summar(?:y|ies)|recaps?)\b", ("summary",)),
)
"""Patterns in questions, and the kinds of memories that they ask for; the first in the question counts."""

_WORD: Final = re.compile(r"[\w\-'.+#/]*\w")
_EXCEPTED: Final = re.compile(
    r"[(\[](?:not|without|except|ohne|sans|sin|sem|senza|zonder)\b[^)\]]*[)\]]|,\s*(?:not counting|except|without)\b.*$"
)


def subject_of(question: str, language: str) -> str:
    """Return *question* from its first word on that does not only lead in; empty: it is about nothing."""
    if language == "unspaced":
        return question if _UNSPACED_LEAD_INS.sub("", question).strip() else ""
    text = fold(question)
    if excepted := _EXCEPTED.search(text):
        question = question[: excepted.start()] + question[excepted.end() :]
        text = fold(question)
    lead_ins = _lead_ins(language)
    telling = [word for word in _WORD.finditer(text) if word[0] not in lead_ins]
    return question[telling[0].start() :].rstrip(" ?!.,;:") if telling else ""


def has_subject(question: str, language: str) -> bool:
    """Tell whether *question* has a subject."""
    return bool(subject_of(question, language))


def leads_in(word: str, language: str) -> bool:
    """Tell whether the folded *word* leads in to a subject."""
    return word in _lead_ins(language)


def kinds_of(question: str) -> tuple[str, ...]:
    """Return the kinds of memories that *question* names; empty: any."""
    text = fold(question)
    found = [(match.start(), kinds) for pattern, kinds in _kinds() if (match := pattern.search(text))]
    return min(found)[1] if found else ()


@cache
def _lead_ins(language: str) -> frozenset[str]:
    return frozenset(_LEAD_INS[language].split())


@cache
def _kinds() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    return tuple((re.compile(pattern), kinds) for pattern, kinds in _KINDS)
