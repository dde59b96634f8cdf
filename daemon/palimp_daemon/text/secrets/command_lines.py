"""Find secrets in commands and requests: `curl -u user:…`, `mysql -p…`, `Authorization: Basic …`, cookies, netrc."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets.secret_span import Span
from palimp_daemon.text.secrets.values import is_literal, is_strong, is_token, stands_for_something

COMMAND_CHARACTERS_MAX: Final = 1024
"""Characters behind a command that hold its options."""

COOKIES_CHARACTERS_MAX: Final = 4096
"""Characters read of a line of cookies or credentials."""


_VALUE: Final = r"(?:'(?P<single>[^'\n]{1,256})'|\"(?P<double>[^\"\n]{1,256})\"|(?P<plain>[^\s'\"`]{1,256}))"


class _Option(NamedTuple):
    commands: frozenset[str]
    pattern: re.Pattern[str]


def _option(commands: str, flag: str) -> _Option:
    return _Option(frozenset(commands.split()), re.compile(rf"(?<=[\s'\"]){flag}{_VALUE}"))


COMMANDS: Final = (
    _option("curl", r"(?:-u|--user|-U|--proxy-user)[ =]?(?=[\"']?[^\s:\"']{1,80}:)"),
    _option("http https xh", r"(?:-a|--auth)[ =](?=[\"']?[^\s:\"']{1,80}:)"),
    _option("mysql mysqldump mysqladmin mysqlimport mysqlcheck mariadb mariadb-dump 7z 7za 7zz", r"-p(?=\S)"),
    _option("sshpass", r"-p ?"),
    _option("mongo mongosh mongodump mongorestore mongoexport mongoimport", r"-p[ =]?"),
    _option("docker podman nerdctl buildah skopeo helm crane oras az oc", r"-p[ =]"),
    _option("redis-cli", r"(?:-a|--pass|AUTH|auth) "),
    _option("lftp", r"-u [^,\s]{1,80},"),
    _option("ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldappasswd", r"-w "),
    _option("openssl", r"(?:-pass(?:in|out)?|-k)[ =](?:pass:)?"),
    _option("sqlcmd bcp isql osql", r"-P ?"),
    _option("zip unzip rar unrar", r"-[pP] ?"),
    _option("smbclient rpcclient", r"-U ?[^\s%]{1,80}%"),
    _option("xfreerdp rdesktop", r"(?:/p:|-p )"),
    _option("net", r"/user:\S+ "),
    _option("snmpget snmpwalk snmpset", r"-[AX] "),
    _option("cqlsh impala-shell beeline clickhouse-client influx", r"-p[ =]"),
    _option("htpasswd", r"-(?=[a-zA-Z]*b)[a-zA-Z]++ \S+ \S+ "),
)
"""Options that take secrets, by command."""

_NAMES: Final = sorted({name for option in COMMANDS for name in option.commands}, key=lambda name: -len(name))
_COMMAND: Final = linear(rf"\b(?:{'|'.join(map(re.escape, _NAMES))})(?:\.exe)?[ \t]")
_LINE: Final = re.compile(r"(?:[^\n\\|;&]++|\\\r?\n|\\.|&(?!&))*+")
_LOGIN: Final = frozenset({"docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "crane", "oras", "az", "oc"})
_COPY: Final = re.compile(r"\b(?:login|auth)\b")
_HTTP: Final = frozenset({"curl", "http", "https", "xh"})

_SCHEME: Final = linear(r"(?i)\b(?:bearer|basic|token|digest|apikey|negotiate|ntlm)[ \t]+")
_CREDENTIALS: Final = re.compile(r"[A-Za-z0-9._~+/=:%-]{6,}")
_AUTHORIZATION: Final = re.compile(r"(?i)authorization[\"']?[ \t]*[:=,]?[ \t]*[\"']?\Z")
_COOKIE: Final = linear(r"(?i)\b(?:set-)?cookie[\"']?[ \t]*[:=][ \t]*")
_CRUMB: Final = re.compile(r"([A-Za-z0-9_.%-]{1,64})=([^;\s\"'`]{8,2048})")
_SESSION: Final = re.compile(r"(?i)sess|sid\b|token|auth|jwt|csrf|xsrf|remember|login|connect|ticket|identity")

_SHAPES: Final = tuple(
    (kind, linear(pattern))
    for kind, pattern in (
        ("netrc-password", r"(?i)\blogin\s+\S+\s+(?:account\s+\S+\s+)?password\s+(?P<secret>[^\s=]\S*)"),
        # Compilers write file:line:column:word:word, and IPv6 has colons, too: so the port has four digits, and what
        # is behind the fourth colon has none that is not escaped.
        (
            "pgpass-password",
            r"(?m)(?:^|[\s`'\"(])[\w.*-]+:(?:\d{4,5}|\*):[\w.*-]+:[\w.*@-]+:(?P<secret>(?:[^\s:`'\"\\]|\\.){4,})"
            r"(?:[\s`'\")]|$)",
        ),
        ("password-hash", r"(?:^|[\s`'\"])[^\s:]+:\d+:[0-9a-f]{32}:(?P<secret>[0-9a-f]{32}):::"),
        ("private-key", r"\\?\"(?:d|p|q|dp|dq|qi|k)\\?\"\s*:\s*\\?\"(?P<secret>[A-Za-z0-9_-]{20,})\\?\""),
        ("private-key", r"<(?:D|P|Q|DP|DQ|InverseQ)>\s*(?P<secret>[A-Za-z0-9+/=\s]{20,})</"),
        ("twilio-key", r"\bAC[0-9a-f]{32}[:/ ]+(?P<secret>[0-9a-f]{32})\b"),
        (
            "password",
            r"\becho\s+(?:-n\s+)?['\"]?(?:[\w.-]+:)?(?P<secret>[^\s'\"|$]{6,128})['\"]?\s*\|"
            r"[^\n]*(?:chpasswd|-stdin\b|sudo -S|passwd)",
        ),
        (
            "password",
            r"(?i)(?:auth|login|credentials?|authenticate)\s*[=(]\s*\(?\s*[\"'][^\"'\n]+[\"']\s*,\s*b?[\"'](?P<secret>[^\"'\n]{6,128})[\"']",
        ),
        ("otp-secret", r"(?i)otpauth://[^\s\"'<>]*[?&]secret=(?P<secret>[A-Z2-7=]{8,})"),
    )
)

LEADS: Final = (_COMMAND.pattern, _SCHEME.pattern, _COOKIE.pattern, *(pattern.pattern for _, pattern in _SHAPES))
"""RE2 pre-filters of this module: see `detect`."""


class _Line(NamedTuple):
    start: int
    end: int
    commands: list[tuple[str, int]]


def command_lines(text: str) -> Iterator[Span]:
    """Yield the secrets given to commands in *text*."""
    for line in _lines_of(text):
        named = {name for name, _ in line.commands}
        for option in COMMANDS:
            if not named.isdisjoint(option.commands):
                yield from _option_values(option, text, line)


def _lines_of(text: str) -> Iterator[_Line]:
    line: _Line | None = None
    for found in _COMMAND.finditer(text):
        name, start = found.group()[:-1].removesuffix(".exe"), found.end() - 1
        if line is None or start >= line.end:
            if line:
                yield line
            rest = _LINE.match(text, start)
            line = _Line(start, rest.end() if rest else start, [])
        line.commands.append((name, start))
    if line:
        yield line


def _option_values(option: _Option, text: str, line: _Line) -> Iterator[Span]:
    copying = _COPY.search(text, line.start, line.end)
    at = [start for name, start in line.commands if name in option.commands and (name not in _LOGIN or copying)]
    if not at:
        return
    is_http = not option.commands.isdisjoint(_HTTP)
    for found in option.pattern.finditer(text, at[0], line.end):
        if found.start() - at[bisect_right(at, found.start()) - 1] > COMMAND_CHARACTERS_MAX:
            continue
        group = next(each for each in ("single", "double", "plain") if found[each] is not None)
        value, start = found[group], found.start(group)
        if is_http:
            user, _, password = value.partition(":")
            if not password and is_token(user, is_named=True):
                yield Span(start, start + len(user), "password")
            start, value = start + len(user) + 1, password
        if _is_given(value):
            yield Span(start, start + len(value), "password")


def _is_given(value: str) -> bool:
    if len(value) < 4 or value.startswith(("-", "@", "stdin", "fd:", "/")):
        return False
    return not stands_for_something(value)


def requests(text: str) -> Iterator[Span]:
    """Yield the credentials of requests: after `Bearer` and `Basic`, in cookies."""
    for found in _SCHEME.finditer(text):
        sent = _CREDENTIALS.match(text, found.end(), min(len(text), found.end() + COOKIES_CHARACTERS_MAX))
        if sent and _is_credential(text, found.start(), found.group(), sent.group()):
            yield Span(found.end(), found.end() + len(sent.group().rstrip(".:")), "bearer-token")
    yield from _cookies(text)


def _cookies(text: str) -> Iterator[Span]:
    done = 0
    for found in _COOKIE.finditer(text):
        if found.end() < done:
            continue  # of the same line
        done = min(len(text), found.end() + COOKIES_CHARACTERS_MAX)
        line = text[found.end() : done].partition("\n")[0]
        done = found.end() + len(line)
        for crumb in _CRUMB.finditer(line):
            name, value = crumb.groups()
            if is_token(value) or (_SESSION.search(name) and is_token(value, is_named=True)):
                yield Span(found.end() + crumb.start(2), found.end() + crumb.end(2), "cookie")


def _is_credential(text: str, start: int, scheme: str, value: str) -> bool:
    is_header = bool(_AUTHORIZATION.search(text[max(0, start - 24) : start]))
    if scheme.strip().lower() == "basic" and _is_basic(value):
        return True
    return is_token(value.rstrip("."), is_named=is_header) or (is_header and is_strong(value))


def _is_basic(value: str) -> bool:
    if len(value) < 8 or len(value) % 4:
        return False
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


def shapes(text: str) -> Iterator[Span]:
    """Yield secrets of special forms: netrc, .pgpass, JWK, input piped to a command, one-time passwords."""
    for kind, pattern in _SHAPES:
        for found in pattern.finditer(text):
            value = found[1]
            if kind == "private-key" and not is_token(value, is_named=True):
                continue
            if kind == "password" and not is_strong(value):
                continue
            if not stands_for_something(value) and (kind != "pgpass-password" or is_literal(value)):
                yield Span(found.start(1), found.end(1), kind)
