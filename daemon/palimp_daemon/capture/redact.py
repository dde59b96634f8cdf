"""Secrets are taken out of every text before it is stored or logged.

What is found becomes `<redacted:kind>`; which kinds there are is in `secrets`. `<private>…</private>` is the user's own
mark: what stands between is dropped. The user's own patterns (`redact.patterns`) are taken out as `<redacted:own>`.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

from palimp_daemon.capture.secrets import ANY, PATTERNS, Pattern

_engine: Any = re2
_OPTIONS: Final = _engine.Options()
_OPTIONS.log_errors = False
_COMPILED: Final = tuple((each, _engine.compile(each.pattern, _OPTIONS)) for each in PATTERNS)
_PRIVATE: Final = _engine.compile(r"(?is)<private>.*?(?:</private>|\z)")
_CALLED: Final = frozenset("([.<{")
"""What follows a name that is used, not a value that is given."""


_own: list[Any] = []
"""The user's own patterns, compiled: set once, before the first text is seen, since every path that stores one
needs them."""


class PatternError(ValueError):
    """A pattern of the user's cannot be compiled; the text says which and why."""


def use_patterns(patterns: Iterable[str]) -> None:
    """Take out what *patterns* (RE2) match, too, as `<redacted:own>`.

    Raises:
        PatternError: one of them is no pattern, or matches nothing at all.
    """
    compiled: list[Any] = []
    for pattern in patterns:
        try:
            each = _engine.compile(pattern, _OPTIONS)
        except _engine.error as error:
            raise PatternError(f"redact.patterns: {pattern!r} is no RE2 pattern: {error}") from None
        if each.search(""):
            raise PatternError(f"redact.patterns: {pattern!r} fits the empty text, so it would fit everywhere.")
        compiled.append(each)
    _own[:] = compiled


def redacted(text: str) -> str:
    """Return *text* with every secret replaced by `<redacted:kind>`, and what is marked as private dropped."""
    if "<" in text and _PRIVATE.search(text):
        text = _PRIVATE.sub("", text)
    for own in _own:
        text = own.sub("<redacted:own>", text)
    if not (text and ANY.search(text)):
        return text
    for pattern, compiled in _COMPILED:
        text = compiled.sub(partial(_replaced, pattern), text)
    return text


def _replaced(pattern: Pattern, match: Any) -> str:
    groups: dict[str, str | None] = match.groupdict()
    whole: str = match.group(0)
    secret, keep = groups.get("secret") or whole, groups.get("keep") or ""
    after: str = match.string[match.end() : match.end() + 1]
    is_used = pattern.kind in ("password", "token") and after in _CALLED and after
    if "<redacted:" in secret or is_used or not pattern.is_secret(secret):
        return whole
    rest = whole[len(keep) + len(secret) :] if "secret" in groups else ""
    quote = secret[0] if "secret" in groups and secret[0] in "\"'`" else ""
    return f"{keep}{quote}<redacted:{pattern.kind}>{quote}{rest}"
