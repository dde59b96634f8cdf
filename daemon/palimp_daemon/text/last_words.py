"""Read the reason of an act from the end of a session's transcript."""

import re
from typing import Final, NamedTuple

from palimp_clients.transcript_readers import CLIENTS, client_of
from palimp_clients.transcripts.turn import Piece, turn_text
from palimp_daemon.text.messages import short
from palimp_daemon.text.redact import Redactor

TAIL_BYTES: Final = 256 * 1024
"""Bytes read from the end: a turn with a few long tool results."""

LONG_TAIL_BYTES: Final = 8 * 1024 * 1024
"""Bytes read if TAIL_BYTES hold no request: room for some pictures."""

WORDS_CHARACTERS_MAX: Final = 300
"""Characters kept of a request or a statement."""


class LastWords(NamedTuple):
    """The user's last request and the agent's last statement, if found."""

    request: str
    statement: str

    @property
    def reason(self) -> str:
        """Both, on one line."""
        told = {"asked": self.request, "said": self.statement}
        return " · ".join(f"{how}: {words}" for how, words in told.items() if words)


def quotes_in(reason: str) -> list[str]:
    """Return the quotations in a `LastWords.reason`, without ellipses."""
    return [quote for part in _QUOTING.split(reason) if (quote := part.removesuffix("…").strip())]


_QUOTING: Final = re.compile(r"(?:^| · )(?:asked|said): ")


NOTHING: Final = LastWords("", "")


def last_words(path: str, redact: Redactor, told: str = "") -> LastWords:
    """Return the redacted last words of the transcript at *path*; empty if unreadable."""
    reader = CLIENTS.get(client_of(path, told) or "")
    found = NOTHING
    if reader is not None:
        for most in (TAIL_BYTES, LONG_TAIL_BYTES):
            found = _last_words_of(reader.pieces_before(path, None, most), redact)
            if found.request:
                break
    return found


def _last_words_of(pieces: list[Piece], redact: Redactor) -> LastWords:
    statement = ""
    for piece in reversed(pieces):
        if piece.role == "user" or not statement:
            words = short(turn_text(piece.text, redact), WORDS_CHARACTERS_MAX)
            if words and piece.role == "user":
                return LastWords(words, statement)
            statement = statement or words
    return LastWords("", statement)
