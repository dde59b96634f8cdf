"""The kinds of secrets that are looked for: their patterns, and what tells a secret from a look-alike.

Patterns are RE2: linear in the text, whatever it is. Where a pattern has a group called `keep`, that part (a name, a
user, a host) stays; `secret` is then what is replaced, with `tail`, which may go on behind a separator. Generic
assignments (`password = …`) count only when the value looks like a secret: placeholders, variables and calls stay,
since a memory full of holes helps nobody.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

_engine: Any = re2

PASSWORD_CHARACTERS_MIN: Final = 6
"""Shorter values after `password =` are types, flags and examples."""


_NAMED: Final = re.compile(r"\(\?P<\w+>")
"""The beginning of a named group; a name may stand in a pattern once."""


class Pattern(NamedTuple):
    """One kind of secret. *is_secret* looks at the part called `secret`, where a match alone is not enough."""

    kind: str
    pattern: str
    is_secret: Callable[[str], bool] = bool


def _is_random(value: str) -> bool:
    """Tell whether *value* looks drawn by chance: long, with letters and digits, and little repeated."""
    plain = value.strip("\"'`")
    has_both = any(c.isdigit() for c in plain) and any(c.isalpha() for c in plain)
    return len(plain) >= 16 and has_both and _entropy(plain) >= 3.0 and not _is_name(plain)


def _is_password(value: str) -> bool:
    """Tell whether *value* may be a password, and no placeholder, variable, name of a type or sentence."""
    plain = value.strip("\"'`")
    if len(plain) < PASSWORD_CHARACTERS_MIN or plain.lower().strip("<>[]{}*.x-_") in ("", *_PLACEHOLDERS):
        return False
    if _NOT_VALUES.search(plain) or plain.count(" ") >= 3:
        return False
    if value != plain:  # it stood between quotes
        return True
    if any(c.isdigit() for c in plain):
        return not _is_name(plain) and not plain.isdigit()
    return _kinds(plain) >= 3 and any(c in "$%^#@~+=" for c in plain)


def _is_name(value: str) -> bool:
    """Tell whether *value* is a name that code uses; what ends a sentence after it is no part of it."""
    return bool(_NAME.fullmatch(value.rstrip(".")))


def _is_written_out(value: str) -> bool:
    """Tell whether *value* is there itself, not starred out or put in by a variable."""
    return not _NOT_VALUES.search(value) and bool(value.strip("*"))


def _kinds(value: str) -> int:
    """Return how many kinds of characters *value* has: lower case, capitals, digits, others."""
    return (
        any(c.islower() for c in value)
        + any(c.isupper() for c in value)
        + any(c.isdigit() for c in value)
        + any(not c.isalnum() for c in value)
    )


def _entropy(value: str) -> float:
    """Return the bits per character of *value*."""
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())


_PLACEHOLDERS: Final = frozenset(
    """
    password passwd secret token changeme change_me example your none null true false undefined required optional
    string todo placeholder redacted dummy test foobar
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
_NOT_VALUES: Final = _engine.compile(
    r"(?i)^\$|^\{|^<|^%|\(|^(os|env|self|this|process|config|settings|options|args|request|ctx|params|data|user)\.|"
    r"^(your|my|the|some|a|an)[-_ ]|^x{4,}|^\*{3,}|^\.{3}|example|placeholder|redacted"
)

_NAME: Final = _engine.compile(r"[A-Za-z$!&*]\w*(?:(?:\.|::|->|\?\.|_)\w*)+[,;?!]*")
"""A name that code uses: with a dot or an underscore in it."""

_KEY: Final = r"[A-Za-z0-9_-]"
_PLAIN: Final = r"""[^\s"'`,;&#<>(){}\[\]]+"""
_VALUE: Final = rf"""(?P<secret>"[^"\n]+"|'[^'\n]+'|`[^`\n]+`|{_PLAIN})"""
_TAIL: Final = rf"(?P<tail>(?:[&#,;]{_PLAIN.replace(']+', '=:]+')})*)"
"""What may belong to a password, which may have any characters, or be the next of several values."""

PATTERNS: Final = (
    Pattern(
        "private-key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^-]*"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    Pattern("aws-key", r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b"),
    Pattern("github-token", rf"\b(?:gh[pousr]_[A-Za-z0-9]{{36,}}|github_pat_{_KEY}{{22,}})\b"),
    Pattern("gitlab-token", rf"\bgl(?:pat|ptt|dt|rt|soat|cbt)-{_KEY}{{20,}}"),
    Pattern("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}"),
    Pattern("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    Pattern("anthropic-key", rf"\bsk-ant-{_KEY}{{20,}}"),
    Pattern("openai-key", rf"\bsk-(?:proj-|svcacct-|admin-)?{_KEY}{{32,}}"),
    Pattern("stripe-key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{24,}"),
    Pattern("google-key", rf"\bAIza{_KEY}{{35}}|\bya29\.{_KEY}{{20,}}"),
    Pattern("npm-token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    Pattern("pypi-token", rf"\bpypi-{_KEY}{{50,}}"),
    Pattern("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}\b"),
    Pattern("sendgrid-key", rf"\bSG\.{_KEY}{{16,}}\.{_KEY}{{16,}}"),
    Pattern("twilio-key", r"\bSK[0-9a-f]{32}\b"),
    Pattern("digitalocean-token", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    Pattern("telegram-token", rf"\b\d{{8,10}}:AA{_KEY}{{32,34}}"),
    Pattern("jwt", rf"\beyJ{_KEY}{{8,}}\.eyJ{_KEY}{{8,}}\.{_KEY}{{8,}}"),
    Pattern("azure-key", r"(?P<keep>(?i:AccountKey|SharedAccessKey|sig)=)(?P<secret>[A-Za-z0-9+/%]{30,}={0,2})"),
    Pattern(
        "url-password",
        r"(?P<keep>\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/@'\"]*:)(?P<secret>[^\s@/'\"]+)@",
        _is_written_out,
    ),
    Pattern(
        "bearer-token", r"(?P<keep>(?i:\b(?:bearer|basic|token)[ \t]+))(?P<secret>[A-Za-z0-9._~+/=-]{16,})", _is_random
    ),
    Pattern("netrc-password", r"(?P<keep>(?i:\bmachine\s+\S+\s+login\s+\S+\s+password\s+))(?P<secret>\S+)"),
    Pattern(
        "password",
        r"(?P<keep>(?i:[A-Za-z0-9_.-]*(?:(?:password|passwd|passphrase|pwd|[_-]pass|secret)[_-]?\d?|api[_-]?key|"
        r"access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|credentials?)"
        r"[\"'`]?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3}))" + _VALUE + _TAIL,
        _is_password,
    ),
    Pattern(
        "token",
        r"(?P<keep>(?i:[A-Za-z0-9_.-]*(?:token|key|secret)[\"'`]?[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3}))" + _VALUE,
        _is_random,
    ),
    Pattern(
        "password",
        r"(?P<keep>(?i:\b(?:password|passphrase|passwort) (?:is|was|ist)[ :]+))(?P<secret>\"[^\"\n]+\"|\S+)",
        _is_password,
    ),
)

_OPTIONS: Final = _engine.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 16 * 1024 * 1024  # bytes; long texts overflow the cache of states that fits in RE2's own 8 MB

ANY: Final = _engine.compile("|".join(f"(?:{_NAMED.sub('(?:', each.pattern)})" for each in PATTERNS), _OPTIONS)
"""All of them in one: most texts hold none, and cost one pass."""
