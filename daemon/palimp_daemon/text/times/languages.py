"""Words for times in each language that separates words, folded by `question_words.fold`.

Longer phrases win. Abbreviations are left out: they are names of other things more often. A month with the name of a
person or of another thing is `doubtful`.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.text.times import spans


class Role(Enum):
    """The part that a phrase plays in a time."""

    MONTH = auto()
    WEEKDAY = auto()
    UNIT = auto()
    SEASON = auto()
    WEEKEND = auto()
    NUMBER = auto()
    DAY_NUMBER = auto()
    ORDINAL = auto()
    DAYS_BACK = auto()
    UNITS_BACK = auto()
    QUARTER = auto()
    YEAR = auto()
    DATE = auto()
    LAST = auto()
    PAST = auto()
    THIS = auto()
    PART = auto()
    AGO = auto()
    SINCE = auto()
    AFTER = auto()
    BEFORE = auto()
    UNTIL = auto()
    BETWEEN = auto()
    FROM = auto()
    IN = auto()
    AND = auto()
    TO = auto()
    FILLER = auto()
    OTHER = auto()


class Phrase(NamedTuple):
    """A meaning of a phrase."""

    role: Role
    value: object = None
    is_doubtful: bool = False


class Language(NamedTuple):
    """The words of one language."""

    months: str
    weekdays: str
    units: Mapping[str, str]
    seasons: Mapping[str, str]
    numbers: str
    ordinals: str
    days_back: Mapping[int, str]
    parts: Mapping[tuple[float, float], str]
    roles: Mapping[Role, str]
    doubtful: str = ""
    units_back: Mapping[tuple[str, int], str] = {}


ENGLISH: Final = Language(
    months="january jan;february feb;march mar;april apr;may;june jun;july jul;august aug;september sept sep;"
    "october oct;november nov;december dec",
    weekdays="monday;tuesday;wednesday;thursday;friday;saturday;sunday",
    units={
        spans.DAY: "day;days",
        spans.WEEK: "week;weeks",
        spans.MONTH: "month;months",
        spans.QUARTER: "quarter;quarters",
        spans.YEAR: "year;years",
    },
    seasons={"spring": "spring", "summer": "summer", "autumn": "autumn", "winter": "winter"},
    numbers="one a an;two couple a_couple a_couple_of couple_of;three a_few few several;four;five;six;seven;eight;nine;"
    "ten;eleven;twelve",
    ordinals="first;second;third;fourth",
    days_back={
        0: "today;this morning;this afternoon;earlier today",
        1: "yesterday;last night;yesterday morning;yesterday afternoon;yesterday evening",
        2: "day before yesterday",
    },
    parts={
        spans.FIRST_THIRD: "beginning;start;very beginning;early",
        spans.MIDDLE: "middle;mid",
        spans.LAST_THIRD: "end;very end;late",
        spans.FIRST_HALF: "first half",
        spans.SECOND_HALF: "second half",
    },
    units_back={(spans.WEEK, 2): "week before last", (spans.MONTH, 2): "month before last"},
    roles={
        Role.WEEKEND: "weekend",
        Role.LAST: "last;previous",
        Role.PAST: "past",
        Role.THIS: "this",
        Role.AGO: "ago",
        Role.SINCE: "since;ever since;as of",
        Role.AFTER: "after",
        Role.BEFORE: "before;prior to;earlier than",
        Role.UNTIL: "until;till;up to",
        Role.BETWEEN: "between",
        Role.FROM: "from",
        Role.IN: "in;on;of;from;during;at;over;within;throughout",
        Role.AND: "and",
        Role.TO: "to;until;till;through",
        Role.FILLER: "the;of;in;on",
    },
    doubtful="march;mar;may;april;june;august;jun;sep;sept;oct;dec;jan;apr;jul;aug;nov;feb",
)

GERMAN: Final = Language(
    months="januar jaenner janner;februar;marz maerz;april;mai;juni;juli;august;september;oktober;november;dezember",
    weekdays="montag;dienstag;mittwoch;donnerstag;freitag;samstag sonnabend;sonntag",
    units={
        spans.DAY: "tag;tage;tagen",
        spans.WEEK: "woche;wochen",
        spans.MONTH: "monat;monate;monaten;monats",
        spans.QUARTER: "quartal;quartale;quartalen;quartals",
        spans.YEAR: "jahr;jahre;jahren;jahres",
    },
    seasons={
        "spring": "fruhling;fruhjahr;fruehling;fruehjahr",
        "summer": "sommer",
        "autumn": "herbst",
        "winter": "winter",
    },
    numbers="ein eine einem einer;zwei paar ein_paar;drei einigen;vier;funf fuenf;sechs;sieben;acht;neun;"
    "zehn;elf;zwolf zwoelf",
    ordinals="ersten erste erstes;zweiten zweite zweites;dritten dritte drittes;vierten vierte viertes",
    days_back={
        0: "heute;heute morgen;heute fruh;heute vormittag;heute nachmittag",
        1: "gestern;gestern abend;gestern morgen;gestern nachmittag",
        2: "vorgestern",
    },
    parts={
        spans.FIRST_THIRD: "anfang;beginn",
        spans.MIDDLE: "mitte",
        spans.LAST_THIRD: "ende",
        spans.FIRST_HALF: "ersten halfte;erste halfte;ersten haelfte",
        spans.SECOND_HALF: "zweiten halfte;zweite halfte;zweiten haelfte",
    },
    units_back={(spans.WEEK, 2): "vorletzte woche;vorletzter woche", (spans.MONTH, 2): "vorletzten monat"},
    roles={
        Role.WEEKEND: "wochenende",
        Role.LAST: "letzte;letzten;letztes;letzter;letztem;vorige;vorigen;voriges;voriger;vergangene;vergangenen;"
        "vergangener;vergangenes",
        Role.THIS: "diese;diesen;dieser;dieses;diesem",
        Role.SINCE: "seit;ab",
        Role.AFTER: "nach",
        Role.BEFORE: "vor",
        Role.UNTIL: "bis",
        Role.BETWEEN: "zwischen",
        Role.FROM: "von;vom",
        Role.IN: "im;in;am;an;vom;von;zum;aus;wahrend;uber",
        Role.AND: "und",
        Role.TO: "bis",
        Role.FILLER: "der;die;das;dem;den;des;zum;im;in;am;von;vom;zu",
    },
    doubtful="april;august;mai;juli;juni",
)

FRENCH: Final = Language(
    months="janvier;fevrier;mars;avril;mai;juin;juillet;aout;septembre;octobre;novembre;decembre",
    weekdays="lundi;mardi;mercredi;jeudi;vendredi;samedi;dimanche",
    units={
        spans.DAY: "jour;jours",
        spans.WEEK: "semaine;semaines",
        spans.MONTH: "mois",
        spans.QUARTER: "trimestre;trimestres",
        spans.YEAR: "an;ans;annee;annees",
    },
    seasons={"spring": "printemps", "summer": "ete", "autumn": "automne", "winter": "hiver"},
    numbers="un une;deux;trois quelques;quatre;cinq;six;sept;huit;neuf;dix;onze;douze",
    ordinals="premier;deuxieme second;troisieme;quatrieme",
    days_back={0: "aujourd'hui;ce matin", 1: "hier;hier soir;hier matin", 2: "avant-hier"},
    parts={
        spans.FIRST_THIRD: "debut",
        spans.MIDDLE: "milieu;mi",
        spans.LAST_THIRD: "fin",
        spans.FIRST_HALF: "premiere moitie",
        spans.SECOND_HALF: "seconde moitie;deuxieme moitie",
    },
    roles={
        Role.WEEKEND: "week-end;weekend",
        Role.LAST: "dernier;derniere;derniers;dernieres;passe;passee;precedent;precedente",
        Role.THIS: "ce;cet;cette;ces",
        Role.AGO: "il y a",
        Role.SINCE: "depuis;des",
        Role.AFTER: "apres",
        Role.BEFORE: "avant",
        Role.UNTIL: "jusque;jusqu'en;jusqu'a;jusqu'au",
        Role.BETWEEN: "entre",
        Role.FROM: "de;du",
        Role.IN: "en;le;du;de;d';au;a;pendant;dans;au cours;durant;ces;lors",
        Role.AND: "et",
        Role.TO: "a;au;jusqu'en;jusqu'au",
        Role.FILLER: "le;la;les;l';du;de;d';des;en;au;a",
    },
    doubtful="mars;mai;avril",
)

SPANISH: Final = Language(
    months="enero;febrero;marzo;abril;mayo;junio;julio;agosto;septiembre setiembre;octubre;noviembre;diciembre",
    weekdays="lunes;martes;miercoles;jueves;viernes;sabado;domingo",
    units={
        spans.DAY: "dia;dias",
        spans.WEEK: "semana;semanas",
        spans.MONTH: "mes;meses",
        spans.QUARTER: "trimestre;trimestres",
        spans.YEAR: "ano;anos",
    },
    seasons={"spring": "primavera", "summer": "verano", "autumn": "otono", "winter": "invierno"},
    numbers="un una;dos un_par_de;tres unos;cuatro;cinco;seis;siete;ocho;nueve;diez;once;doce",
    ordinals="primer;segundo;tercer;cuarto",
    days_back={0: "hoy;esta manana", 1: "ayer;anoche", 2: "anteayer;antes de ayer;antier"},
    parts={
        spans.FIRST_THIRD: "principio;principios;inicio;inicios;comienzo;comienzos",
        spans.MIDDLE: "mediados;mitad",
        spans.LAST_THIRD: "final;finales;fin;fines",
        spans.FIRST_HALF: "primera mitad",
        spans.SECOND_HALF: "segunda mitad",
    },
    roles={
        Role.WEEKEND: "fin de semana",
        Role.LAST: "pasado;pasada;pasados;pasadas;ultimo;ultima;ultimos;ultimas;anterior",
        Role.THIS: "este;esta;estos;estas",
        Role.AGO: "hace",
        Role.SINCE: "desde;a partir de",
        Role.AFTER: "despues de;tras",
        Role.BEFORE: "antes de",
        Role.UNTIL: "hasta",
        Role.BETWEEN: "entre",
        Role.FROM: "de;desde",
        Role.IN: "en;el;del;de;a;durante;al",
        Role.AND: "y",
        Role.TO: "a;hasta",
        Role.FILLER: "el;la;los;las;de;del;en",
    },
    doubtful="mayo;abril",
)

PORTUGUESE: Final = Language(
    months="janeiro;fevereiro;marco;abril;maio;junho;julho;agosto;setembro;outubro;novembro;dezembro",
    weekdays="segunda-feira;terca-feira terca;quarta-feira;quinta-feira;sexta-feira;sabado;domingo",
    units={
        spans.DAY: "dia;dias",
        spans.WEEK: "semana;semanas",
        spans.MONTH: "mes;meses",
        spans.QUARTER: "trimestre;trimestres",
        spans.YEAR: "ano;anos",
    },
    seasons={"spring": "primavera", "summer": "verao", "autumn": "outono", "winter": "inverno"},
    numbers="um uma;dois duas um_par_de;tres alguns algumas;quatro;cinco;seis;sete;oito;nove;dez;onze;doze",
    ordinals="primeiro;segundo;terceiro;quarto",
    days_back={0: "hoje;esta manha;hoje de manha", 1: "ontem;ontem a noite", 2: "anteontem;antes de ontem"},
    parts={
        spans.FIRST_THIRD: "inicio;comeco;principio",
        spans.MIDDLE: "meados;meio",
        spans.LAST_THIRD: "fim;final",
        spans.FIRST_HALF: "primeira metade",
        spans.SECOND_HALF: "segunda metade",
    },
    roles={
        Role.WEEKEND: "fim de semana;final de semana",
        Role.LAST: "passado;passada;passados;passadas;ultimo;ultima;ultimos;ultimas;anterior",
        Role.THIS: "este;esta;estes;estas;nesta;neste;desta;deste;nestes;nestas",
        Role.AGO: "ha;atras",
        Role.SINCE: "desde;a partir de",
        Role.AFTER: "depois de;apos",
        Role.BEFORE: "antes de;antes do;antes da",
        Role.UNTIL: "ate",
        Role.BETWEEN: "entre",
        Role.FROM: "de;desde",
        Role.IN: "em;no;na;nos;nas;de;do;da;durante;a;ao",
        Role.AND: "e",
        Role.TO: "a;ate",
        Role.FILLER: "o;a;os;as;de;do;da;em;no;na",
    },
    doubtful="maio;abril;marco",
)

ITALIAN: Final = Language(
    months="gennaio;febbraio;marzo;aprile;maggio;giugno;luglio;agosto;settembre;ottobre;novembre;dicembre",
    weekdays="lunedi;martedi;mercoledi;giovedi;venerdi;sabato;domenica",
    units={
        spans.DAY: "giorno;giorni",
        spans.WEEK: "settimana;settimane",
        spans.MONTH: "mese;mesi",
        spans.QUARTER: "trimestre;trimestri",
        spans.YEAR: "anno;anni",
    },
    seasons={"spring": "primavera", "summer": "estate", "autumn": "autunno", "winter": "inverno"},
    numbers="un una uno;due un_paio_di;tre qualche;quattro;cinque;sei;sette;otto;nove;dieci;undici;dodici",
    ordinals="primo;secondo;terzo;quarto",
    days_back={0: "oggi;stamattina;questa mattina", 1: "ieri;ieri sera", 2: "l'altro ieri;altro ieri;avantieri"},
    parts={
        spans.FIRST_THIRD: "inizio;inizi",
        spans.MIDDLE: "meta",
        spans.LAST_THIRD: "fine",
        spans.FIRST_HALF: "prima meta",
        spans.SECOND_HALF: "seconda meta",
    },
    roles={
        Role.WEEKEND: "fine settimana;weekend",
        Role.LAST: "scorso;scorsa;scorsi;scorse;passato;passata;ultimo;ultima;ultimi;ultime;precedente",
        Role.THIS: "questo;questa;questi;queste;quest'",
        Role.AGO: "fa",
        Role.SINCE: "da;dal;dalla;dall';a partire da",
        Role.AFTER: "dopo",
        Role.BEFORE: "prima di;prima del;prima della;prima dell'",
        Role.UNTIL: "fino a;fino al;fino alla;sino a",
        Role.BETWEEN: "tra;fra",
        Role.FROM: "da;dal",
        Role.IN: "in;a;il;nel;nella;negli;nei;nelle;nell';di;del;dell';all';al;alla;durante;la;lo",
        Role.AND: "e",
        Role.TO: "a;al",
        Role.FILLER: "il;la;lo;l';gli;i;le;di;del;dell';della;a;in",
    },
    doubtful="marzo;maggio;aprile",
)

DUTCH: Final = Language(
    months="januari;februari;maart;april;mei;juni;juli;augustus;september;oktober;november;december",
    weekdays="maandag;dinsdag;woensdag;donderdag;vrijdag;zaterdag;zondag",
    units={
        spans.DAY: "dag;dagen",
        spans.WEEK: "week;weken",
        spans.MONTH: "maand;maanden",
        spans.QUARTER: "kwartaal;kwartalen",
        spans.YEAR: "jaar;jaren",
    },
    seasons={"spring": "lente;voorjaar", "summer": "zomer", "autumn": "herfst;najaar", "winter": "winter"},
    numbers="een;twee paar een_paar;drie enkele;vier;vijf;zes;zeven;acht;negen;tien;elf;twaalf",
    ordinals="eerste;tweede;derde;vierde",
    days_back={0: "vandaag;vanmorgen;vanochtend;vanmiddag", 1: "gisteren;gisteravond", 2: "eergisteren"},
    parts={
        spans.FIRST_THIRD: "begin;start",
        spans.MIDDLE: "midden;half",
        spans.LAST_THIRD: "eind;einde",
        spans.FIRST_HALF: "eerste helft",
        spans.SECOND_HALF: "tweede helft",
    },
    roles={
        Role.WEEKEND: "weekend;weekeinde",
        Role.LAST: "vorig;vorige;afgelopen;laatste",
        Role.THIS: "deze;dit",
        Role.AGO: "geleden",
        Role.SINCE: "sinds;vanaf",
        Role.AFTER: "na",
        Role.BEFORE: "voor;voordat",
        Role.UNTIL: "tot;tot en met",
        Role.BETWEEN: "tussen",
        Role.FROM: "van",
        Role.IN: "in;op;van;tijdens;aan;gedurende;over",
        Role.AND: "en",
        Role.TO: "tot;tot en met",
        Role.FILLER: "het;de;van;in;op",
    },
    doubtful="mei;april;augustus;juni;juli",
)

LANGUAGES: Final[Mapping[str, Language]] = {
    "english": ENGLISH,
    "german": GERMAN,
    "french": FRENCH,
    "spanish": SPANISH,
    "portuguese": PORTUGUESE,
    "italian": ITALIAN,
    "dutch": DUTCH,
}


@cache
def phrases_of(name: str) -> dict[str, list[Phrase]]:
    """Return the meanings of each phrase of the language *name*."""
    meanings: dict[str, list[Phrase]] = {}
    for phrase, meaning in _meanings(LANGUAGES[name]):
        meanings.setdefault(phrase, []).append(meaning)
    return meanings


@cache
def first_words_of(name: str) -> frozenset[str]:
    """Return the first word of each phrase of the language *name*."""
    return frozenset(phrase.split()[0] for phrase in phrases_of(name))


def _meanings(language: Language) -> Iterator[tuple[str, Phrase]]:
    doubtful = frozenset(language.doubtful.split(";"))
    for phrase, number in _with_numbers(language.months, 1):
        yield phrase, Phrase(Role.MONTH, number, phrase in doubtful)
    for phrase, number in _with_numbers(language.weekdays, 0):
        yield phrase, Phrase(Role.WEEKDAY, number)
    for phrase, number in _with_numbers(language.numbers, 1):
        yield phrase, Phrase(Role.NUMBER, number)
    for phrase, number in _with_numbers(language.ordinals, 1):
        yield phrase, Phrase(Role.ORDINAL, number)
    for role, table in (
        (Role.UNIT, language.units),
        (Role.SEASON, language.seasons),
        (Role.DAYS_BACK, language.days_back),
        (Role.PART, language.parts),
        (Role.UNITS_BACK, language.units_back),
    ):
        for value, phrases in table.items():
            yield from ((phrase, Phrase(role, value)) for phrase in phrases.split(";"))
    for role, phrases in language.roles.items():
        yield from ((phrase, Phrase(role)) for phrase in phrases.split(";"))


def _with_numbers(table: str, first: int) -> Iterable[tuple[str, int]]:
    for number, names in enumerate(table.split(";"), first):
        yield from ((name.replace("_", " "), number) for name in names.split())
