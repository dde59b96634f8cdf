"""What is read of a session, whichever client it ran in: turns, and how far was read.

A turn is what a person typed or what the agent said, in their words and without secrets. A reader hands on pieces: a
client may write one message of the agent's in several records, and those become one turn. A piece is taken as it
stands in the file; what was marked as private and the secrets are taken out of the whole turn, before it is cut.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from palimp_daemon.text.messages import CUT, bounded
from palimp_daemon.text.private_marks import without_private
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place

TURN_CHARACTERS_MAX: Final = 20_000
"""Characters kept of one turn, half of them from its beginning and half from its end: words stand around what is
pasted."""

REDACTED_CHARACTERS_MAX: Final = 400_000
"""Characters of one turn that are looked through for secrets. Of a longer one the beginning and the end are, far more
than is kept of them, so that no secret is cut before it is known as one."""

EDGE_CHARACTERS: Final = 4096
"""Characters at the least that are dropped on each side of where a text was cut before its secrets were known: half a
secret is not known as one. What begins within them, up to a white space, goes as a whole."""

_SPACE: Final = re.compile(r"\s")

Role = Literal["user", "assistant"]


class Turn(NamedTuple):
    """What the user or the agent said at once, without secrets."""

    role: Role
    text: str
    at_ms: int
    """Milliseconds since the epoch; 0 where it is unknown."""
    title: str = ""
    extra: str = ""
    """Its title and extra words as they are indexed, where whoever read it has made them ahead; what stores it does
    otherwise."""


class SessionFile(NamedTuple):
    """A file, or a session in a client's database, that `news_of` of the same client reads."""

    client: str
    path: str
    """A path; in a database, that of the database, `#` and the session's id."""
    size: int
    """Bytes."""
    modified_ms: int


class SessionNews(NamedTuple):
    """What a session says since a place, and the place it was read to."""

    turns: list[Turn]
    place: Place
    is_end: bool
    """Whether there is no more for now."""
    key: str
    """The client's own id of the session."""
    folder: str
    """The working folder the session began in; empty where it is unknown, or may have been told with what was read
    before."""
    skipped: int = 0
    """Lines or records that could not be read."""
    why: str = ""
    """A sentence for a person where the file, or a part of it, cannot be read."""
    is_anew: bool = True
    """Whether it was read from its beginning: these turns take the place of those that were read before."""


def nothing_new(key: str, place: Place, why: str) -> SessionNews:
    """Return that nothing was read of a session, and why."""
    return SessionNews([], place, is_end=True, key=key, folder="", why=why, is_anew=False)


class Piece(NamedTuple):
    """A part of a turn, as it stands in the file: unredacted. Pieces in a row with one *message* are one turn."""

    role: Role
    text: str
    at_ms: int = 0
    message: str = ""


def turns_of(pieces: Iterable[Piece], redact: Redactor) -> list[Turn]:
    """Return the turns that *pieces* make, without those of which nothing is left."""
    turns: list[Turn] = []
    for role, texts, at_ms in _whole(pieces):
        text = turn_text("\n\n".join(text for text in texts if text.strip()), redact)
        if text:
            turns.append(Turn(role, text, at_ms))
    return turns


def _whole(pieces: Iterable[Piece]) -> Iterator[tuple[Role, list[str], int]]:
    """Yield what belongs together, with the time of its first piece."""
    last: Piece | None = None
    texts: list[str] = []
    for piece in pieces:
        if last and piece.message and piece[0::3] == last[0::3]:
            texts.append(piece.text)
            continue
        if last:
            yield last.role, texts, last.at_ms
        last, texts = piece, [piece.text]
    if last:
        yield last.role, texts, last.at_ms


def turn_text(text: str, redact: Redactor) -> str:
    """Return *text* as a turn has it: without what is private and secret, and no longer than TURN_CHARACTERS_MAX.

    A NUL, which no text is stored with, becomes U+FFFD.
    """
    text = without_private(text).replace("\0", "\ufffd").strip()
    if len(text) <= REDACTED_CHARACTERS_MAX:
        return bounded(redact(text).strip(), TURN_CHARACTERS_MAX)
    half = REDACTED_CHARACTERS_MAX // 2
    first, second = redact(text[:half]), redact(text[-half:])
    # Backwards, so that the edge is where the text begins.
    before, behind = without_edge(first[::-1])[::-1], without_edge(second)
    return bounded(f"{before}{CUT}{behind}".strip(), TURN_CHARACTERS_MAX)


def without_edge(text: str) -> str:
    """Return *text* from the first white space on that stands behind its first EDGE_CHARACTERS."""
    found = _SPACE.search(text, EDGE_CHARACTERS)
    return text[found.start() :] if found else ""
