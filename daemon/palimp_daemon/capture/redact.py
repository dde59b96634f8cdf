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
_NAMING: Final = frozenset("=:")
"""What follows a name to which a value is given."""

_CALLED: Final = frozenset("([.<{")
"""What follows a name that is used, not a value that is given."""


_patterns_of_user: list[Any] = []
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
    _patterns_of_user[:] = compiled


def redacted(text: str) -> str:
    """Return *text* with every secret replaced by `<redacted:kind>`, and what is marked as private dropped."""
    if "<" in text and _PRIVATE.search(text):
        text = _PRIVATE.sub("", text)
    for own in _patterns_of_user:
        text = own.sub("<redacted:own>", text)
    if not (text and ANY.search(text)):
        return text
    for pattern, compiled in _COMPILED:
        before, text = text, compiled.sub(partial(_replaced, pattern), text)
        # Again, while it finds some: a match with a tail may have looked at the name of the next secret.
        while "tail" in compiled.groupindex and before != text:
            before, text = text, compiled.sub(partial(_replaced, pattern), text)
    return text


def _part_of_secret(tail: str, after: str) -> str:
    """Return what of *tail* belongs to the secret before it: not its last part, if *after* it makes that a name."""
    is_name = tail and after and after in _NAMING
    return tail[: max(map(tail.rfind, "&#,;"))] if is_name else tail


def _replaced(pattern: Pattern, match: Any) -> str:
    groups: dict[str, str | None] = match.groupdict()
    whole: str = match.group(0)
    secret, keep, tail = (groups.get(name) or "" for name in ("secret", "keep", "tail"))
    secret = secret or whole
    end: int = match.end() - len(tail)
    after: str = match.string[end : end + 1]
    is_used = pattern.kind in ("password", "token") and after in _CALLED and after
    if "<redacted:" in secret or is_used or not pattern.is_secret(secret):
        return whole
    quote = secret[0] if "secret" in groups and secret[0] in "\"'`" else ""
    own = "" if quote else _part_of_secret(tail, match.string[match.end() : match.end() + 1])
    rest = whole[len(keep) + len(secret) + len(own) :] if "secret" in groups else ""
    return f"{keep}{quote}<redacted:{pattern.kind}>{quote}{rest}"
