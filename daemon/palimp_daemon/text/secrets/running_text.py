"""Find secrets in running text: near a name, in a table's column, behind *log in as*.

No sign shows a value here, so it must look like nothing but a secret.
"""

import re
from collections.abc import Iterator
from typing import Final

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets.names import names_another
from palimp_daemon.text.secrets.secret_span import Span
from palimp_daemon.text.secrets.values import is_memorable, is_odd, is_password, is_strong, is_token

STATES_BYTES: Final = 32 * 1024 * 1024
"""Bytes for RE2's states: all languages' stems have many."""

NEAR: Final = 48
"""Characters behind a name within which prose may give its value."""

NEAR_CHARACTERS_MAX: Final = NEAR + 64
"""Characters behind a name within which such a value ends."""

HEAD_CHARACTERS_MAX: Final = 512
"""Characters of a table's head before and behind a name."""

ROW_CHARACTERS_MAX: Final = 8 * 1024
"""Characters behind a table's head that are read for rows."""

_LOGIN: Final = linear(
    r"(?i)\b(?:log(?:ged|s|ging)?[ -]?in|login|sign(?:ed)?[ -]?in|credentials?|creds|logins|wi-?fi|ssid|accounts?|"
    r"admin|administrator|root|ssh[ \t]+\S+@\S+)\b",
    STATES_BYTES,
)
LOGIN_LEAD: Final[str] = _LOGIN.pattern
"""RE2 pattern that matches every text with a login."""

_LOGIN_PAIR: Final = re.compile(
    r"(?:[^\n]{0,30}?(?<![\w./-])[\w.@+-]{2,40}+)?[ \t]*+[/:|][ \t]*+(?P<value>[^\s/\"'`,;()]{8,64})"
)
_WORD: Final = re.compile(
    r"[^\s,;|()\"'`“”„‘’«»「」『』<>\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uff0f\uff1a-\uffef]+"
)
_STOP: Final = re.compile(r"[.!?][ \t]|[。！？\n]")
_SAID: Final = (":", "：", "=", "→", "—")
"""Signs before a value in prose: *password for the printer: …*."""

_GIVEN: Final = (" to", " is", " as", " was", " now", " from", " auf", " lautet", " ist", " es", " est")
"""Words before a value that a person chose: *the password was changed to …*."""

_PROGRAM: Final = re.compile(r"[A-Za-z]{3,24}-\d{1,4}(?:\.\d{1,5}){1,3}")
"""A program with its version: *the password manager is KeePassXC-2.7.9*."""

_COLUMN_ROWS_MAX: Final = 50
_RULE: Final = " \t\r:|-"


def logins(text: str) -> Iterator[Span]:
    """Yield the passwords in *text* behind words for logging in."""
    for found in _LOGIN.finditer(text):
        yield from _login(text, found.end(), found.group().lower())


def _login(text: str, start: int, word: str) -> Iterator[Span]:
    ahead = text[start : start + 160]
    found = _LOGIN_PAIR.match(ahead)
    value = found["value"].rstrip(".:") if found else ""
    if found and (is_strong(value.rstrip("!?")) or _is_made_up(value)):
        yield Span(start + found.start("value"), start + found.start("value") + len(value), "password")
    elif word.startswith("ssh"):
        for first, last in near(ahead):
            yield Span(start + first, start + last, "password")


def near(ahead: str, most: int = NEAR, *, says_it_all: bool = True) -> Iterator[tuple[int, int]]:
    """Yield likely passwords in the running text right behind a name."""
    stop = _STOP.search(ahead, 0, NEAR_CHARACTERS_MAX)
    for found in _WORD.finditer(ahead, 0, stop.start() if stop else NEAR_CHARACTERS_MAX):
        if found.start() > min(most, NEAR):
            return
        written = found.group()
        word = written.strip("*_`.:!?=")
        before = ahead[: found.start()].rstrip()
        said = written.rstrip(".,")
        is_said = before.endswith(_SAID) and (is_odd(said) or (says_it_all and is_memorable(said)))
        if before and not before.endswith(_SAID) and _PROGRAM.fullmatch(said):
            continue
        is_given = before.endswith(_GIVEN) and says_it_all and _is_made_up(said)
        is_next = not before and (is_token(word, is_named=True) or (says_it_all and _is_made_up(said)))
        if is_strong(word) or is_next or is_given or (is_said and not names_another(before)):
            at = found.start() + written.index(word)
            yield at, max(at + len(word), found.start() + len(written.rstrip(".,")))


def _is_made_up(word: str) -> bool:
    return is_memorable(word) and word.lower() != word and bool(re.search(r"[!?#$%^*&@~+]|\d{2,}!?\Z", word))


def column(text: str, name_start: int, name_end: int, *, says_it_all: bool) -> Iterator[tuple[int, int]]:
    """Yield the values of a markdown table's column with a name as its head."""
    before = text[max(0, name_start - HEAD_CHARACTERS_MAX) : name_start].rpartition("\n")[2]
    head_end = text.find("\n", name_end, name_end + HEAD_CHARACTERS_MAX)
    if head_end < 0 or ("|" not in before and text[name_end : name_end + 2].strip()[:1] != "|"):
        return
    rule_end = text.find("\n", head_end + 1, head_end + HEAD_CHARACTERS_MAX)
    rule = text[head_end + 1 : rule_end]
    if rule_end < 0 or "---" not in rule or rule.strip(_RULE):
        return
    column, at = before.count("|"), rule_end + 1
    for row in text[at : at + ROW_CHARACTERS_MAX].split("\n")[:_COLUMN_ROWS_MAX]:
        cells = row.split("|")
        if len(cells) <= column:
            return
        cell = cells[column].strip().strip("`*")
        if is_password(cell) or (says_it_all and is_memorable(cell)):
            start = at + row.index(cell, sum(len(each) + 1 for each in cells[:column]))
            yield start, start + len(cell)
        at += len(row) + 1
