"""Find tokens by their form: most vendors' have a prefix, some a suffix.

The table, `tokens.tsv`, is made from the vendors' documentation. RE2 finds *markers*; REACH characters around each are
read (linear time).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets.secret_span import Span
from palimp_daemon.text.secrets.values import is_token, stands_for_something

REACH: Final = 4096
"""Characters of a token behind its marker: a large JWT has two thousand."""

JUDGED: Final = 256
"""Characters behind a marker that are judged, more than any form needs; the rest is read only of a token."""

SHORT_MARKER: Final = 5
"""Characters of a marker that needs no further sign."""

PROBED: Final = 8
"""Letters and digits required behind a shorter marker."""

REACH_BACK: Final = 81
"""Characters read before a marker: the longest form has one less."""


_WORD_START: Final = r"(?<![A-Za-z0-9_])"


class Form(NamedTuple):
    """The form of a token: a marker, and the patterns behind and before it."""

    kind: str
    marker: str
    after: str
    before: str = _WORD_START
    is_random: bool = False
    """Whether the part behind the marker must look random, as names fit the form, too."""


_FILE: Final = Path(__file__).with_name("tokens.tsv")
"""Columns: kind; markers, by commas; pattern behind one; pattern before it (empty: a word's start); `drawn` if the part
behind must look random.
"""

_W: Final = "[A-Za-z0-9_-]"
_N: Final = "[A-Za-z0-9]"
_H: Final = "[0-9a-f]"
_NAMED: Final = {
    "<UUID>": f"{_H}{{8}}(?:-{_H}{{4}}){{3}}-{_H}{{12}}",
    "<W>": _W,
    "<N>": _N,
    "<H>": _H,
    "<B>": "[A-Za-z0-9+/]",
}


def _forms() -> Iterator[Form]:
    text = _FILE.read_text(encoding="utf-8")
    for name, pattern in _NAMED.items():
        text = text.replace(name, pattern)
    for line in text.splitlines():
        kind, markers, after, before, drawn, *_ = f"{line}\t\t".split("\t")
        for marker in markers.split(","):
            yield Form(kind, marker, after, before or _WORD_START, drawn == "drawn")


FORMS: Final = tuple(_forms())
"""Forms of tokens, shorter markers behind longer ones that begin with them."""

_BOUNDS: Final = {"$", "{"}
"""First characters of markers allowed behind a letter or digit."""


class _Row(NamedTuple):
    form: Form
    before: re.Pattern[str] | None
    """Pattern before the marker; None: the marker must begin a word."""

    after: re.Pattern[str]


def _row(form: Form) -> _Row:
    if form.before == _WORD_START:
        before = re.compile("") if form.marker[0] in _BOUNDS else None
    else:
        before = re.compile(rf"{form.before}\Z")
    return _Row(form, before, re.compile(form.after))


def _rows() -> dict[str, list[_Row]]:
    rows = [_row(form) for form in FORMS]
    markers = {form.marker for form in FORMS}
    return {
        marker: sorted(
            (row for row in rows if marker.startswith(row.form.marker)), key=lambda row: -len(row.form.marker)
        )
        for marker in markers
    }


_ROWS: Final = _rows()
_DRAWN: Final = (f"{_N}{{", f"{_H}{{", "[a-z0-9]{")
"""Beginnings of forms with eight or more letters and digits behind their marker."""

_STATES_BYTES: Final = 16 * 1024 * 1024
"""Bytes for RE2's states: long texts overflow its default of 8 MB."""


def _probe(marker: str) -> str:
    """Return the RE2 for *marker*; short ones, common in words, include the text behind."""
    forms = [row.form for row in _ROWS[marker]]
    begins_word = marker[0].isalnum() and all(form.before == _WORD_START for form in forms)
    is_short = len(marker) < SHORT_MARKER and all(form.after.startswith(_DRAWN) for form in forms)
    return (r"\b" if begins_word else "") + re.escape(marker) + (f"{_N}{{{PROBED}}}" if is_short else "")


_BY_LENGTH: Final = sorted(_ROWS, key=len, reverse=True)
_MARKERS: Final = linear("|".join(map(_probe, _BY_LENGTH)), _STATES_BYTES)
_DISCORD: Final = linear(r"\b[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}", _STATES_BYTES)
_UNLISTED: Final = linear(rf"[_-]{_N}{{40}}", _STATES_BYTES)
"""A vendor's token outside the table: a prefix and forty characters."""

_PREFIX: Final = re.compile(r"(?<![A-Za-z0-9_.-])[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,8}){0,3}\Z")
_DIGEST: Final = re.compile(r"(?:sha|md|blake|h|xxh)\d+\w*\Z")
_DRAWN_RUN: Final = re.compile(rf"(?P<drawn>{_N}{{40,200}}){_W}{{0,{REACH}}}={{0,2}}")
_HEX_RUN: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+|\d+")
_DIGITS_MIN: Final = 3
"""Digits in a random value: forty of 62 characters have six or seven, camel-case names up to two."""

LEADS: Final = (_MARKERS.pattern, _DISCORD.pattern, _UNLISTED.pattern)
"""RE2 pre-filters of this module: see `detect`."""

_PARTNER: Final = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{30,60}={0,2}(?![A-Za-z0-9+/=])")
_PAIRED: Final = {"AKIA": "aws-secret", "ASIA": "aws-secret", "LTAI": "alibaba-secret", "AKID": "tencent-secret"}

PARTNER_REACH: Final = 120
"""Characters behind a key's id that are searched for its secret."""


def tokens(text: str) -> Iterator[Span]:
    """Yield the tokens in *text* that the table knows."""
    done = 0
    for found in _MARKERS.finditer(text):
        if found.start() < done:
            continue
        for span in _at(text, found.start(), _marker_of(found.group())):
            done = max(done, span.end)
            yield span
    for found in _DISCORD.finditer(text):
        if is_token(found.group()):
            yield Span(found.start(), found.end(), "discord-token")


def _marker_of(found: str) -> str:
    return found if found in _ROWS else found[:-PROBED]


def unlisted_tokens(text: str) -> Iterator[Span]:
    """Yield tokens of unlisted vendors: a prefix, and much randomness."""
    for found in _UNLISTED.finditer(text):
        if span := _unlisted_token(text, found.start()):
            yield span


def _at(text: str, start: int, marker: str) -> Iterator[Span]:
    for row in _ROWS[marker]:
        if span := _fits(row, text, start):
            yield span
            if marker in _PAIRED:
                yield from _partner(text, span.end, _PAIRED[marker])
            return


def _unlisted_token(text: str, start: int) -> Span | None:
    prefix = _PREFIX.search(text, max(0, start - REACH_BACK), start)
    body = _DRAWN_RUN.match(text, start + 1)
    if prefix is None or body is None or _DIGEST.match(prefix.group()):
        return None
    drawn = body["drawn"]
    if _HEX_RUN.fullmatch(drawn) or sum(map(str.isdigit, drawn)) < _DIGITS_MIN or not is_token(drawn):
        return None
    return Span(prefix.start(), body.end(), "api-key")


def _fits(row: _Row, text: str, start: int) -> Span | None:
    form, body_at = row.form, start + len(row.form.marker)
    body = row.after.match(text, body_at, min(len(text), start + JUDGED))
    if body is None:
        return None
    begin = _begin(row, text, start)
    if begin is None:
        return None
    drawn = body.group() or text[begin:start]
    if stands_for_something(drawn) or (form.is_random and not is_token(drawn, is_named=True)):
        return None
    if body.end() == start + JUDGED:  # it goes on, and may turn out to be another thing
        body = row.after.match(text, body_at, min(len(text), start + REACH))
    return Span(begin, body.end(), form.kind) if body else None


def _begin(row: _Row, text: str, start: int) -> int | None:
    if row.before is None:
        before = text[start - 1 : start]
        return None if before == "_" or (before.isascii() and before.isalnum()) else start
    head = row.before.search(text[max(0, start - REACH_BACK) : start])
    return start - len(head.group()) if head else None


def _partner(text: str, start: int, kind: str) -> Iterator[Span]:
    ahead = text[start : start + PARTNER_REACH]
    for found in _PARTNER.finditer(ahead):
        if is_token(found.group()):
            yield Span(start + found.start(), start + found.end(), kind)
            return
