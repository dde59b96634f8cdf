"""Find secrets by their name: `password = …`, `"apiKey": "…"`, `--token …`, *the password is …*.

RE2 finds the stems of names; the value (`text.secrets.values`) is judged more strictly where the context says less. At
most REACH characters around each name are read, so the time is linear.
"""

import re
import string
from collections.abc import Iterator
from typing import Final, NamedTuple

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets.names import NAMES, Naming, is_pass_of_login, naming
from palimp_daemon.text.secrets.reading_on import NextPlaces, RunEnds
from palimp_daemon.text.secrets.running_text import (
    LOGIN_LEAD,
    NEAR_CHARACTERS_MAX,
    STATES_BYTES,
    column,
    logins,
    near,
)
from palimp_daemon.text.secrets.secret_span import Span
from palimp_daemon.text.secrets.values import (
    is_digest,
    is_key,
    is_literal,
    is_memorable,
    is_password,
    is_strong,
    is_token,
)

REACH: Final = 1024
"""Characters behind a name within which its value begins."""

JUDGED: Final = 160
"""Characters of a value that are judged; of a secret, all is taken."""

NAME_CHARACTERS_MAX: Final = 60
"""Characters of a name before its stem."""

_HEAD: Final = linear(f"(?i){NAMES}", STATES_BYTES)
_IN_NAME: Final = string.ascii_letters + string.digits + "_.-"
_NAMED_RESOURCE: Final = re.compile(r"\b(?:arn|urn|crn|ocid1)[:.][^\s\"'`]{0,60}\Z")
"""Beginning of a cloud's resource name, with its type as a part: `arn:…:secret:NAME`."""

_WORD_BEFORE: Final = re.compile(r"[^\W\d_] +\Z")
_FIRST_ARGUMENT: Final = re.compile(r"[(\[]\s{0,8}[\"'`]?\Z")
_CLOSE: Final = r"[\\\"'`*\])}]{0,6}"
_ASSIGN: Final = re.compile(
    rf"{_CLOSE}(?:[ \t]{{0,3}}\([^()\n]{{1,30}}\))?[ \t]{{0,40}}"
    r"(?P<sign>:=|:-|=>|->|→|={1,3}|:(?!:|[?+][^{}\n]{0,80}\})|[：＝﹕∶]|(?<=[ \t])[—–](?=[ \t]))"
    r"(?:\*{2}|__|</\w{1,10}>)?"
)
_CONST: Final = re.compile(r"[ \t]+(?:string|str|text|\[\]byte)[ \t]*(?P<sign>=)")
_TYPE: Final = re.compile(
    r"[ \t]*(?:&'?)?(?:static[ \t]+)?[A-Za-z_][\w.\[\]<>|?]{0,40}[ \t]*=(?!=)(?=[ \t]*[\"'`@bfru])"
)
_PAIRED: Final = re.compile(
    r"[\\\"']{0,3}[,;]?\s{0,20}(?:\{\s{0,20})?[\"']?(?:value|content|default|Value)[\"']?[ \t]{0,3}(?P<sign>[:=])"
)
_GIVEN: Final = re.compile(r"[\"'`]{0,2}\]?[ \t]{0,3}(?P<sign>[(,]|\|\||\?\?|or\b)[ \t]{0,40}(?=[@bfru$]?[\"'`])")
_BESIDE: Final = re.compile(r"[ \t]{1,20}(?P<sign>)(?=[\"'])")
_OPTION: Final = re.compile(r"[ \t]{1,4}(?P<sign>)(?![-|\[(<])")
_IS: Final = re.compile(
    rf"{_CLOSE}(?:[ \t]+(?P<sign>is|was|are|equals|will be|should be|must be|ist|lautet|war|es|era|est|était|è|é|er|är|"
    r"on|jest|to|je|este|είναι|это|olarak|adalah|là|है|হল|คือ|هي|هو|היא)[ \t]*:?[ \t]+|"
    r"[ \t]*(?:は|が|是|为|為|설정|은|는|이|가|=)[ \t]*:?[ \t]*)"
)
_TAG: Final = re.compile(r"[^<>\n]{0,60}>(?P<value>[^<>\n]{1,512})</")
_BLOCK: Final = re.compile(r"[ \t]*[|>][+-]?\d?[ \t]*\r?\n[ \t]+|[ \t]*\\+\r?\n[ \t]*")
_NEXT_LINE: Final = re.compile(r"[ \t]*\r?\n[ \t>*-]{0,8}(?P<value>[^\s]{8,128})[ \t]*(?:\r?\n|\Z)")
_SPACE: Final = re.compile(r"[ \t]*(?:\*{2}|__)?(?:[@bfru$]{1,2}(?=[\"'`])|\\(?=[\"'`]))?")
_QUOTES: Final = {
    '"': '"', "'": "'", "`": "`", "“": "”", "„": "“”", "‘": "’", "«": "»", "「": "」", "『": "』", "‹": "›", "”": "”",
    "＂": "＂",
}  # fmt: skip
_QUOTED: Final = {
    (opening, is_escaped): re.compile(rf"[^{closing}\n]*+" if is_escaped else rf"(?:[^{closing}\\\n]++|\\[\s\S])*+")
    for opening, closing in _QUOTES.items()
    for is_escaped in (True, False)
}
"""Text within quotes, by kind of quotes and whether they are escaped."""

_PLAIN: Final = re.compile(r"[^\s\"`<]*+")
_FOLLOWING: Final = re.compile(
    r"[&;,]\s?(?:[A-Za-z_][\w. -]{0,30}[=:(\[]|[\"'])|[,;](?=\s|$)|"
    r"[\u3000-\u303f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff0c\uff1b]|"
    r"'(?=[\s,;)\]}]|$)|\\n|\\r|\\\""
)
_NO_TOKEN: Final = re.compile(rf"[;,&)\]}}]|{_FOLLOWING.pattern}")
"""Ends a token, but not a password."""

_TRAILING: Final = ".,;:)]}>*'|\\»”」"
_GROUPED: Final = re.compile(r"[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15}(?![A-Za-z0-9])")
_PHRASE: Final = re.compile(
    r"[\s:=\"'`\[]{0,20}(?:(?:is|are)[ :]+)?(?P<value>(?:[a-z]{3,8}[\s,]{1,3}){11,23}[a-z]{3,8})\b"
)
_PASSPHRASE: Final = re.compile(
    r"(?:[\"'`]?[ \t]{0,8}[:=]|"
    r"(?:[ \t]+(?:for|of|to|on)(?:[ \t]+[\w'-]{1,20}){1,5}?)?[ \t]+(?:is|was)(?::|(?P<said>)[ ])[ :]*)"
    r"[ \t]{0,8}(?P<quote>[\"'`]?)"
    r"(?P<value>[A-Za-z]{2,14}(?:[ -][A-Za-z]{2,14}){2,9}|"
    r"(?=[A-Za-z -]{0,99}\d)[A-Za-z0-9]{1,14}(?:[ -][A-Za-z0-9]{1,14}){1,9})"
    r"(?P=quote)(?:[.]?[ \t]*(?:\r?\n|\Z)|[,;][ ])"
)
_OF_PROSE: Final = re.compile(
    r"(?i)\w+(?:ed|ing)\b|.*?\b(?:a|an|the|in|on|at|of|to|for|by|with|from|and|or|not|only|every|last|down|same|too|"
    r"known|kept|written|given|set|words?)\b"
)
"""Prose behind *is*: *passphrase is kept in the safe*."""

LEADS: Final = (_HEAD.pattern, LOGIN_LEAD)
"""RE2 pre-filters of this module: see `detect`."""

_OF_BASE64: Final = frozenset("+/")
"""Characters that may follow three letters in base64, but no name."""

_WITHIN_BASE64: Final = re.compile(r"[A-Za-z0-9+/]\+\Z")
"""Text before three letters in base64; a `+` alone marks a diff's added line."""

_HEX: Final = frozenset("0123456789abcdef")
_GROUPS_BEHIND: Final = re.compile(r"(?::[0-9a-fA-F]{0,4}){3,7}(?![\w:])")
"""Groups of an IPv6 address behind its first."""


class _Place(NamedTuple):
    naming: Naming
    name: str
    start: int
    stem: int
    """Offset of the stem that was found."""

    end: int
    is_argument: bool = False
    """Whether it is the first argument of a call: `define('DB_PASSWORD', …)`."""

    is_verb: bool = False
    """Whether it tells that tests pass: `--- PASS: …`."""

    @property
    def is_key(self) -> bool:
        return self.name.lower().endswith(("key", "keys"))

    @property
    def says_it_all(self) -> bool:
        is_ambiguous = self.name.lower().endswith(("pass", "secret", "secrets"))
        return self.naming == Naming.PASSWORD and (not is_ambiguous or is_pass_of_login(self.name))

    @property
    def is_option(self) -> bool:
        return self.name.startswith("-")


class _Value(NamedTuple):
    start: int
    end: int
    text: str
    is_quoted: bool


class _Text:
    def __init__(self, text: str) -> None:
        self.text: Final = text
        self.ends: Final = RunEnds(_PLAIN, text)
        self.quoted: Final = {key: RunEnds(run, text) for key, run in _QUOTED.items()}
        self.cuts: Final = {each: NextPlaces(each, text) for each in (_FOLLOWING, _NO_TOKEN)}
        self.places: Final = [
            place
            for found in _HEAD.finditer(text)
            if not _is_in_address(text, *found.span()) and (place := _place(text, *found.span())).naming
        ]

    def passwords_after(self) -> list[int]:
        following, found = len(self.text), list[int]()
        for place in reversed(self.places):
            found.append(following)
            following = place.start if place.naming == Naming.PASSWORD else following
        return found[::-1]


def assignments(text: str) -> Iterator[Span]:
    """Yield the values in *text* with a secret name."""
    named, done = _Text(text), 0
    for place, following in zip(named.places, named.passwords_after(), strict=True):
        if place.stem < done:
            continue
        for span in _values(named, place, following):
            done = max(done, span.end)
            yield span
    yield from logins(text)


def _is_in_address(text: str, start: int, end: int) -> bool:
    if text[end : end + 1] != ":" or not {*text[start:end].lower()} <= _HEX:
        return False
    is_behind_another = text[start - 1 : start] == ":" and text[start - 2 : start - 1].lower() in _HEX
    return is_behind_another or bool(_GROUPS_BEHIND.match(text, end))


def _place(text: str, start: int, end: int) -> _Place:
    stem = text[start:end]
    before = text[max(0, start - NAME_CHARACTERS_MAX) : start]
    prefix = before[len(before.rstrip(_IN_NAME)) :] if stem[0].isascii() else ""
    name, before = prefix + stem, before[: len(before) - len(prefix)]
    line = before.rpartition("\n")[2]
    said = naming(name.strip("-."), line if line.endswith(" ") else "")
    is_in_base64 = text[end : end + 1] in _OF_BASE64 or bool(_WITHIN_BASE64.search(before))
    if said and (is_in_base64 or _NAMED_RESOURCE.search(before + prefix)):
        said = Naming.NOTHING
    if said == Naming.MAYBE and _is_environment(name):
        said = Naming.KEY
    is_argument = bool(said and _FIRST_ARGUMENT.search(before))
    return _Place(said, name, start - len(prefix), start, end, is_argument, is_verb=_is_verb(name, line, text, end))


def _is_verb(name: str, line: str, text: str, end: int) -> bool:
    if name == "PASS":
        return text.startswith(":", end)
    return name.lower() == "pass" and (bool(_WORD_BEFORE.search(line)) or text.startswith(": `", end))


def _is_environment(name: str) -> bool:
    return name.isupper() and "_" in name.strip("_")


def _values(named: _Text, place: _Place, following: int) -> Iterator[Span]:
    text, kind = named.text, "password" if place.naming == Naming.PASSWORD else "token"
    if phrase := _phrase(place, text):
        yield Span(*phrase, kind)
        return
    if value := _assigned_value(named, place):
        yield Span(value.start, value.end, kind)
        return
    if place.naming == Naming.PASSWORD and not place.is_verb:
        ahead = text[place.end : place.end + NEAR_CHARACTERS_MAX]
        for start, end in near(ahead, following - place.end, says_it_all=place.says_it_all):
            yield Span(place.end + start, place.end + end, kind)
        for start, end in column(text, place.start, place.end, says_it_all=place.says_it_all):
            yield Span(start, end, kind)


def _phrase(place: _Place, text: str) -> tuple[int, int] | None:
    if not place.name.lower().endswith(("seed", "mnemonic", "phrase")):
        return None
    start = place.end + len(" phrase") if text.startswith(" phrase", place.end) else place.end
    found = _PHRASE.match(text, start)
    if not found and place.name.lower().endswith("phrase"):
        found = _PASSPHRASE.match(text, place.end)
        if found and not is_literal(found["value"]):
            return None
        if found and found["said"] is not None and not found["quote"] and _OF_PROSE.match(found["value"]):
            return None
    return found.span("value") if found else None


def _assigned_value(named: _Text, place: _Place) -> _Value | None:
    text, limit = named.text, min(len(named.text), place.end + REACH)
    if tag := _tagged_value(text, place, limit):
        return tag
    for pattern, judge in _CONNECTORS:
        found = pattern.match(text, place.end, limit)
        if not found:
            continue
        value = _value_at(named, found.end(), limit, place, found["sign"] or "")
        if value and judge(place, value, found["sign"] or ""):
            return value
    return None


def _tagged_value(text: str, place: _Place, limit: int) -> _Value | None:
    if text[place.start - 1 : place.start] != "<" or not text.startswith((">", " "), place.end):
        return None
    found = _TAG.match(text, place.end, limit)
    if not found:
        return None
    value = _Value(*found.span("value"), found["value"].strip(), is_quoted=True)
    return value if _by_quotes(place, value, "") else None


def _value_at(named: _Text, start: int, limit: int, place: _Place, sign: str) -> _Value | None:
    text = named.text
    if sign == ":" and (typed := _TYPE.match(text, start, limit)):
        start = typed.end()
    if block := _BLOCK.match(text, start, limit):
        start = block.end()
    space = _SPACE.match(text, start, limit)
    begin = space.end() if space else start
    opening = text[begin : begin + 1]
    if opening in _QUOTES and opening:
        return _quoted_value(named, begin, opening)
    if not block and (following := _NEXT_LINE.match(text, begin, limit)):
        inner = following["value"].strip("*`\"'")
        at = text.index(inner, following.start("value"))
        return _Value(at, at + len(inner), inner, is_quoted=False) if is_strong(inner) else None
    return _plain(named, begin, place, sign)


def _quoted_value(named: _Text, begin: int, opening: str) -> _Value | None:
    text = named.text
    is_escaped = text[begin - 1 : begin] == "\\"
    end = named.quoted[opening, is_escaped].after(begin + 1)
    if text[end : end + 1] == "\n":
        return None
    end = end - 1 if is_escaped and text[end - 1] == "\\" else end
    return _Value(begin + 1, end, text[begin + 1 : min(end, begin + 1 + JUDGED)], is_quoted=True)


def _plain(named: _Text, begin: int, place: _Place, sign: str) -> _Value:
    text = named.text
    if grouped := _GROUPED.match(text, begin):
        return _Value(begin, grouped.end(), grouped.group().replace(" ", ""), is_quoted=False)
    run_end = named.ends.after(begin)
    cuts = named.cuts[_FOLLOWING if place.naming == Naming.PASSWORD else _NO_TOKEN]
    end = cuts.after(begin, run_end)
    value = text[begin : min(end, begin + JUDGED)]
    if sign in (":-", ":=") and "}" in value:
        value = value[: value.index("}")]
        end = begin + len(value)
    if end - begin <= JUDGED:
        value = value.rstrip(_TRAILING)
        end = begin + len(value)
    return _Value(begin, end, value, is_quoted=False)


# --- judgements ----------------------------------------------------------------------------------


def _by_place(place: _Place, value: _Value, sign: str) -> bool:
    if place.is_verb:
        return _by_verb(place, value)
    if value.is_quoted:
        return _by_quotes(place, value, sign)
    is_field = place.name.lower() == "pass" and sign == "=" and value.start == place.end + 1  # of an address or a form
    if is_field and is_memorable(value.text):
        return True
    return sign not in ("==", "===") and _is_given(place, value.text, is_set=sign == "=")


def _is_given(place: _Place, text: str, *, is_set: bool) -> bool:
    if place.naming == Naming.MAYBE:
        return is_token(text) and not (place.is_key and is_digest(text))
    if place.naming == Naming.KEY:
        return is_key(text) if _is_environment(place.name) else is_token(text, is_named=True) or is_strong(text)
    if place.is_option or (is_set and _is_environment(place.name)):
        return is_literal(text) and not _looks_like_code(text)
    if is_password(text) or is_token(text, is_named=True) or is_password(re.split(r"[;,&]", text)[0]):
        return True
    return place.says_it_all and is_memorable(text)


def _by_verb(place: _Place, value: _Value) -> bool:
    return place.name != "PASS" and " " not in value.text and is_strong(value.text)


def _by_quotes(place: _Place, value: _Value, sign: str) -> bool:
    if place.naming == Naming.PASSWORD:
        return is_literal(value.text)
    return is_key(value.text) if place.naming == Naming.KEY else is_token(value.text)


def _by_call(place: _Place, value: _Value, sign: str) -> bool:
    is_setter = sign == "(" and re.match(r"(?i)(?:\w*[._])?(?:set|with)_?", place.name.rpartition(".")[2])
    if sign == "," and not place.is_argument:
        return False  # two items of a list
    if is_setter or (sign == "," and place.name.isupper()):
        return _by_quotes(place, value, sign)
    return is_strong(value.text) or is_token(value.text)


def _by_prose(place: _Place, value: _Value, sign: str) -> bool:
    if place.name.lower() == "pass":
        return _by_verb(place, value)
    if value.is_quoted:
        return " " not in value.text and _by_quotes(place, value, sign)
    if place.naming == Naming.PASSWORD:
        is_one = is_password(value.text) and not value.text.isalpha()
        return is_strong(value.text) or is_one or (place.says_it_all and is_memorable(value.text))
    return is_token(value.text, is_named=place.naming == Naming.KEY)


def _by_neighbour(place: _Place, value: _Value, sign: str) -> bool:
    return (place.name.isupper() and _by_quotes(place, value, sign)) or (place.says_it_all and is_memorable(value.text))


def _by_option(place: _Place, value: _Value, sign: str) -> bool:
    text = value.text
    if place.naming == Naming.PASSWORD:
        return place.is_option and is_literal(text) and (value.is_quoted or not text.isalpha())
    if place.is_option or _is_environment(place.name):
        return is_token(text, is_named=True)
    return place.naming == Naming.KEY and is_token(text)


def _looks_like_code(text: str) -> bool:
    return bool(re.match(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+[;,]?\Z|[A-Za-z_$][\w.$]*[(\[]", text))


_CONNECTORS: Final = (
    (_ASSIGN, _by_place),
    (_CONST, _by_place),
    (_PAIRED, _by_place),
    (_GIVEN, _by_call),
    (_BESIDE, _by_neighbour),
    (_OPTION, _by_option),
    (_IS, _by_prose),
)
"""Text between a name and its value, with the function that judges the value."""
