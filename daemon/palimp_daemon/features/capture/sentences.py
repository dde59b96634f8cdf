"""A message as sentences, without what is quoted in it: code, logs, other people's words."""

import re
from typing import Final, NamedTuple

MESSAGE_CHARACTERS_MAX: Final = 4_000
"""Characters read of a message: of a longer one its beginning and its end, since the words of whoever pastes a log
stand before or after it."""

SENTENCE_CHARACTERS_MAX: Final = 600

_FENCE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"(?m)^[ \t]*(?:>|\||\d+\t).*$")
_LOG_LINE: Final = re.compile(
    r"(?m)^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b|Traceback |File \""
    r"|at \S+ ?\(|\$ ).*$"
)
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»")
_QUOTED_WORDS_MIN: Final = 3
"""Fewer words between quotes are a name, and belong to the sentence."""
_END: Final = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z\"'`(0-9a-z])|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_ABBREVIATED: Final = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|St|Mr|Ms|Dr)\.|\b[A-Z]\.)$")


class Sentence(NamedTuple):
    """A sentence and where it stands in its message."""

    text: str
    """With what is quoted in it blanked out."""
    start: int
    end: int


def sentences_of(message: str) -> list[Sentence]:
    """Return the sentences of *message*, in order; of one that is too long to be typed, those around a paste."""
    plain = _around_paste(message)
    for quoted in (_FENCE, _QUOTED_LINE, _LOG_LINE):
        plain = quoted.sub(_blank, plain)
    plain = _QUOTED.sub(_blank_if_said, plain)
    found: list[Sentence] = []
    start = 0
    for end in (*_ends(plain), len(plain)):
        text = " ".join(plain[start:end].split())
        if text and len(text) <= SENTENCE_CHARACTERS_MAX:
            first = start + len(plain[start:end]) - len(plain[start:end].lstrip())
            found.append(Sentence(text, first, start + len(plain[start:end].rstrip())))
        start = end
    return found


def _around_paste(message: str) -> str:
    """Return *message*; if it is too long, with its middle blanked out, between two ends of lines."""
    if len(message) <= MESSAGE_CHARACTERS_MAX:
        return message
    half = MESSAGE_CHARACTERS_MAX // 2
    start = message.rfind("\n", 0, half)
    end = message.find("\n", len(message) - half)
    start, end = max(start, 0), len(message) if end < 0 else end
    return message[:start] + "\n" * (end - start) + message[end:]


def _ends(plain: str) -> list[int]:
    return [
        match.end()
        for match in _END.finditer(plain)
        if not _ABBREVIATED.search(plain[max(0, match.start() - 8) : match.start()])
    ]


def _blank_if_said(match: re.Match[str]) -> str:
    return _blank(match) if len(match[0].split()) >= _QUOTED_WORDS_MIN else match[0]


def _blank(match: re.Match[str]) -> str:
    """Return as many spaces; line breaks stay, so that sentences do not run together."""
    return re.sub(r"[^\n]", " ", match[0])
