"""Split a question into folded words with places; folding keeps the length.

Quotes, code and parts of longer names (`last_week`, `--since`, `march=native`) are opaque.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from palimp_daemon.text.times.time_words import Phrase, Role, first_words_of, phrases_of, times

PHRASE_WORDS_MAX: Final = 4
"""Words of the longest phrase in `languages/*.toml`."""

_QUOTED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」")
_CHUNK: Final = re.compile(r"[^\s,;!?()\[\]{}…\u2014]+|[,;!?()\[\]{}…\u2014]")
_ELISION: Final = re.compile(r"(?:l|d|dell|all|nell|quest)'(?=\w)")
_NAME: Final = re.compile(r"[\w\-.:/@#$%&=+*<>|\\'~^]*[\d_.:/@#$%&=+*<>|\\~^][\w\-.:/@#$%&=+*<>|\\'~^]*|-.*")
"""A word with signs or digits, or a flag: a name, if not a date below."""
_BREAKS: Final = frozenset(",;!?()[]{}…\u2014")

AFTER_NUMBER: Final = frozenset(
    "did was were we had and or about on for with the by there what which who how , ? ! ; ) . :".split()  # noqa: SIM905  a list of quoted words would be longer
)
"""English words behind a bare year, or a month and day; before others, a number counts things."""

_JOINED: Final = re.compile(r"(mid|mi)-(?=\w)")

_ISO: Final = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_DOTTED: Final = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})?")
_SLASHED: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_MONTH_AND_DAY: Final = re.compile(r"(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
"""End of an ISO date, as in a log: `10-19`."""
_SHORT_NUMBER: Final = re.compile(r"\d{1,3}", re.ASCII)
_DAY_NUMBER: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.|er|o|º|ª)")
_QUARTER: Final = re.compile(r"[qt]([1-4])")
_YEAR_OF_QUARTER: Final = re.compile(r"(\d{4})-?q([1-4])")


class Word(NamedTuple):
    """A folded word of a question, with its place."""

    text: str
    begin: int
    end: int
    is_name: bool
    is_possessive: bool = False


class Taken(NamedTuple):
    """A phrase, and the number of the word after it."""

    phrase: Phrase
    following: int


def fold(text: str) -> str:
    """Return *text* in lower case without accents, of the same length."""
    return "".join(map(_fold_character, text))


def words_of(question: str) -> list[Word]:
    """Split *question* into words and punctuation."""
    text = _QUOTED.sub(lambda match: "_" * len(match[0]), fold(question))
    words: list[Word] = []
    for match in _CHUNK.finditer(text):
        begin, chunk = match.start(), match[0]
        while elision := _ELISION.match(chunk):
            words.append(Word(elision[0], begin, begin + elision.end(), is_name=False))
            begin, chunk = begin + elision.end(), chunk[elision.end() :]
        words += _split(text, begin, chunk)
    return words


def phrases_at(words: list[Word], language: str) -> list[dict[Role, Taken]]:
    """Return, for each word, the longest phrase of each role from there."""
    meanings = phrases_of(language)
    return [
        _phrases_from(words, at, meanings) if word.text in first_words_of(language) else {}
        for at, word in enumerate(words)
    ]


def _phrases_from(words: list[Word], at: int, meanings: dict[str, list[Phrase]]) -> dict[Role, Taken]:
    found: dict[Role, Taken] = {}
    run = words[at : at + PHRASE_WORDS_MAX]
    for length in range(len(run), 0, -1):
        if any(word.is_name for word in run[:length]):
            continue
        for meaning in meanings.get(" ".join(word.text for word in run[:length]), ()):
            found.setdefault(meaning.role, Taken(meaning, at + length))
    return found


def number_at(words: list[Word], at: int) -> Taken | None:
    """Return the number from 1 to 999 in digits at *at*."""
    if at >= len(words) or not _SHORT_NUMBER.fullmatch(words[at].text) or not int(words[at].text):
        return None
    return Taken(Phrase(Role.NUMBER, int(words[at].text)), at + 1)


def day_number_at(words: list[Word], at: int) -> Taken | None:
    """Return the day of a month at *at*: `27th`, `27.`, `1er`; a bare number is doubtful."""
    if at >= len(words):
        return None
    text = words[at].text
    match = re.fullmatch(r"(\d{1,2})", text, re.ASCII) or _DAY_NUMBER.fullmatch(text)
    if not match or not 1 <= int(match[1]) <= 31:
        return None
    return Taken(Phrase(Role.DAY_NUMBER, int(match[1]), is_doubtful=match[0] == match[1]), at + 1)


def year_at(words: list[Word], at: int) -> Taken | None:
    """Return the year of four digits at *at*."""
    if at < len(words) and re.fullmatch(r"(?:19|20)\d\d\.?", words[at].text, re.ASCII):
        return Taken(Phrase(Role.YEAR, int(words[at].text[:4])), at + 1)
    return None


def quarter_at(words: list[Word], at: int) -> tuple[int, int | None] | None:
    """Return (quarter, year) of `Q3` or `2026-Q3` at *at*."""
    if at >= len(words):
        return None
    if match := _YEAR_OF_QUARTER.fullmatch(words[at].text):
        return int(match[2]), int(match[1])
    match = _QUARTER.fullmatch(words[at].text)
    return (int(match[1]), None) if match else None


def date_at(words: list[Word], at: int, language: str) -> tuple[int, int, int | None] | None:
    """Return (year, month, day) of the date in digits at *at*: 0 for no year, None for no day.

    English dates with slashes are month first, and none if ambiguous; others are day first.
    """
    if at >= len(words):
        return None
    text = words[at].text.rstrip(":")
    if match := _ISO.fullmatch(text) or _ISO.fullmatch(text.rstrip(".")):
        return int(match[1]), int(match[2]), int(match[3]) if match[3] else None
    return _date_by_signs(text, words[at + 1 :], language) or _date_by_slashes(text, language)


def _date_by_signs(text: str, behind: list[Word], language: str) -> tuple[int, int, int] | None:
    if match := _DOTTED.fullmatch(text) or _DOTTED.fullmatch(text.rstrip(".")):
        is_date = match[3] or times()[language].has_dotted_dates
        return (int(match[3] or 0), int(match[2]), int(match[1])) if is_date else None
    match = _MONTH_AND_DAY.fullmatch(text.rstrip("."))
    return (0, int(match[1]), int(match[2])) if match and _counts_nothing(behind, language) else None


def _date_by_slashes(text: str, language: str) -> tuple[int, int, int] | None:
    if not (match := _SLASHED.fullmatch(text.rstrip("."))):
        return None
    first, second = int(match[1]), int(match[2])
    if language != "english":
        return int(match[3]), second, first
    is_clear = max(first, second) > 12 or first == second
    return (int(match[3]), min(first, second), max(first, second)) if is_clear else None


def _counts_nothing(behind: list[Word], language: str) -> bool:
    """Tell whether a date may stand before *behind*: "batches of 10-15 rows" has none."""
    return not behind or behind[0].text in (AFTER_NUMBER if language == "english" else _BREAKS | {".", ":"})


@lru_cache(4096)
def _fold_character(character: str) -> str:
    if character in "\u2019\u02bc":
        return "'"
    if "\u2e80" <= character < "\uff00":  # the sound marks of Japanese are no accents
        return character
    base = unicodedata.normalize("NFKD", character.lower())[:1]
    return base if base and not base.isspace() else " " if character.isspace() else character


def _split(text: str, begin: int, chunk: str) -> list[Word]:
    end = begin + len(chunk)
    if chunk.endswith("'s"):
        return [word._replace(end=end, is_possessive=True) for word in _split(text, begin, chunk[:-2])]
    if joined := _JOINED.match(chunk):
        cut = joined.end(1)
        return [Word(joined[1], begin, begin + cut, is_name=False), *_split(text, begin + cut + 1, chunk[cut + 1 :])]
    bare = chunk.strip(".:'*\"¿¡")
    if not bare:
        return [Word(chunk, begin, end, is_name=True)] if chunk else []
    if re.fullmatch(r"(?:\d+[.:])+|\d+[ºª]", chunk):
        bare = chunk  # the point of an ordinal, or of a date
    start = begin + chunk.index(bare)
    is_call = text[start + len(bare) : start + len(bare) + 1] == "("
    is_name = is_call or bare in _BREAKS or _NAME.fullmatch(bare) is not None
    words = [Word(bare, start, start + len(bare), is_name)]
    rest = chunk[chunk.index(bare) + len(bare) :]
    return [*words, Word(rest[0], start + len(bare), end, is_name=True)] if rest[:1] in {".", ":"} else words
