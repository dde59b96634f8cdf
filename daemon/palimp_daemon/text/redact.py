"""Redact secrets in every text before it is stored or logged.

This never raises, takes linear time and is idempotent. Private parts (`palimp_protocol.private_marks`) are dropped.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from palimp_daemon.text.linear_patterns import UnreadableError, linear, reason_of
from palimp_daemon.text.secrets.detect import secrets_in
from palimp_daemon.text.secrets.values import forget_pieces
from palimp_protocol.private_marks import without_private

ROUNDS_MAX: Final = 8
"""Passes over a text, each of which may reveal the next secret; two are usual."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MARKER: Final = re.compile(r"(<redacted:[a-z0-9-]{1,40}>)")


class PatternError(ValueError):
    """A pattern of the user's cannot be compiled; the text says why."""


class Redactor:
    """Redacts secrets, and matches of the user's patterns as `<redacted:own>`."""

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(patterns)
        self._own = [_compile(pattern) for pattern in self.patterns]

    def __call__(self, text: str) -> str:
        """Return *text* with `<redacted:kind>` for secrets, and without private parts."""
        for _ in range(ROUNDS_MAX):
            before = text
            text = self._without_own(_without_secrets(without_private(text)))
            if text == before:
                break
        forget_pieces()
        return text

    def _without_own(self, text: str) -> str:
        for own in self._own:
            if own.search(_SURROGATE.sub("\ufffd", text)):
                parts = _MARKER.split(text)
                parts[::2] = [own.sub("<redacted:own>", _SURROGATE.sub("\ufffd", part)) for part in parts[::2]]
                text = "".join(parts)
        return text


def _compile(pattern: str) -> Any:
    try:
        compiled = linear(pattern)
    except UnreadableError as error:
        raise PatternError(f"{pattern!r} is no RE2 pattern: {reason_of(error)}") from None
    if compiled.search(""):
        raise PatternError(f"{pattern!r} fits the empty text, so it would fit everywhere.")
    return compiled


def _without_secrets(text: str) -> str:
    # RE2 reads UTF-8, which has no lone surrogates: it is given another character in the place of each.
    spans = secrets_in(_SURROGATE.sub("\ufffd", text)) if text else []
    parts: list[str] = []
    reached = 0
    for start, end, kind in spans:
        if "<redacted:" in text[start:end] and not _MARKER.sub("", text[start:end]).strip():
            continue
        parts += [text[reached:start], f"<redacted:{kind}>"]
        reached = end
    return "".join([*parts, text[reached:]]) if parts else text
