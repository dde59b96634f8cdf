"""Find passwords and tokens before the host of a URL: `scheme://user:password@host`.

A password may hold `@`, `:`, `/`, `#` and `?` unescaped: it ends before a host. A port and a path with `@` are none.
"""

import re
from collections.abc import Iterator
from typing import Final

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets.reading_on import RunEnds
from palimp_daemon.text.secrets.secret_span import Span
from palimp_daemon.text.secrets.values import is_address, is_token, stands_for_something

AUTHORITY_CHARACTERS_MAX: Final = 1024
"""Characters behind `://` that are searched for the host."""

_SCHEME: Final = linear(r"[A-Za-z][A-Za-z0-9+.-]*://")
_RUN: Final = re.compile(r"[^\s\"'`<>|\\]*")
_AT_HOST: Final = re.compile(r"@(?=(?:\[[0-9a-fA-F:.]++\]|[.-]*+\w[\w.-]*+)?(?::\d*+)?(?:[/?#,;)\]}]|$))")
_PORT: Final = re.compile(r"[^@/]*:\d{1,5}")
_ORACLE: Final = re.compile(r"(?i)jdbc:oracle:\w+:[\w.$#-]{1,64}/([^\s@]{1,128})@")
_TEMPLATE: Final = re.compile(r"[$<{]|%[sdv(]|\*\*|\.\.\.|^%\w+%$")
_HOOK: Final = re.compile(
    r"(?i)hook(?:s|b2)?(?=[./-])[\w.-]*/|\bhc-ping\.com/|/integration/|/with/key/|/triggers/manual/"
)
"""Signs of an address that accepts anybody's posts."""

_PART: Final = re.compile(r"[^/?&#]+")
_OF_COMMITS: Final = frozenset("commit commits blob tree raw pull compare docs releases download".split())  # noqa: SIM905
_TRAILING: Final = ".,;:)]}!*"

LEADS: Final = (_SCHEME.pattern, "jdbc:oracle")
"""RE2 pre-filters of this module: see `detect`."""

_WEB: Final = ("http://", "https://", "ws://", "wss://")


def url_passwords(text: str) -> Iterator[Span]:
    """Yield the passwords and tokens before the hosts of URLs in *text*."""
    ends = RunEnds(_RUN, text)
    for found in _SCHEME.finditer(text):
        run = text[found.end() : min(ends.after(found.end()), found.end() + AUTHORITY_CHARACTERS_MAX)]
        if "@" in run:
            span = _userinfo(run, is_web=found.group().lower().endswith(_WEB))
            if span:
                yield Span(found.end() + span[0], found.end() + span[1], "url-password")
    if "jdbc:oracle" in text:
        for found in _ORACLE.finditer(text):
            if not _TEMPLATE.search(found[1]):
                yield Span(found.start(1), found.end(1), "url-password")


def webhooks(text: str) -> Iterator[Span]:
    """Yield the secret parts of webhook addresses in *text*."""
    ends = RunEnds(_RUN, text)
    done = 0
    for found in _SCHEME.finditer(text):
        if found.start() < done or not found.group().lower().endswith(("http://", "https://")):
            continue
        done = min(ends.after(found.end()), found.end() + AUTHORITY_CHARACTERS_MAX)
        if hook := _HOOK.search(text, found.end(), done):
            yield from _drawn_parts(text, hook.end(), done)


def _drawn_parts(text: str, start: int, end: int) -> Iterator[Span]:
    before = ""
    for part in _PART.finditer(text, start, end):
        word = part.group().rstrip(_TRAILING)
        value = word.partition("=")[2] or word
        if before.lower() not in _OF_COMMITS and is_address(value):
            first = part.end() - len(part.group()) + len(word) - len(value)
            path = re.split(r"[?&#]", text[first:end], maxsplit=1)[0]
            yield Span(first, first + len(path.rstrip(_TRAILING)), "webhook")
            return
        before = word


def _userinfo(run: str, *, is_web: bool) -> tuple[int, int] | None:
    authority = re.split(r"[/?#]", run, maxsplit=1)[0]
    if _PORT.fullmatch(authority):
        return None
    if "@" in authority:
        end = authority.rindex("@")
        if not is_web:
            end = _last_at(run, end)
    elif ":" in authority:
        end = _last_at(run, -1)
    else:
        return None
    if end < 0:
        return None
    user, colon, password = run[:end].partition(":")
    if colon:
        return (len(user) + 1, end) if _is_password(password) else None
    return (0, end) if is_token(user, is_named=True) else None


def _last_at(run: str, known: int) -> int:
    query = run.find("?", known + 1)
    limit = len(run) if query < 0 or "=" not in run[query:] else query
    hosts = [at.start() for at in _AT_HOST.finditer(run, known + 1) if at.start() < limit]
    return hosts[-1] if hosts else known


def _is_password(value: str) -> bool:
    return bool(value.strip("*x.")) and not _TEMPLATE.search(value) and not stands_for_something(value)
