"""Turns of a session, in any client.

Readers return unredacted pieces, since a message may be in several records; the whole turn is redacted before it is
cut.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from palimp_clients.transcripts.whole_lines import Place
from palimp_protocol.private_marks import without_private

MESSAGE_CHARACTERS_MAX: Final = 64_000
"""Characters kept of one message, half of them from its beginning and half from its end: words stand around what is
pasted."""

CUT: Final = "\n\n…\n\n"
"""What stands where a message was cut."""

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

Redact = Callable[[str], str]
"""Returns a text without its secrets."""


class Turn(NamedTuple):
    """The user's or the agent's text at once, without secrets."""

    role: Role
    text: str
    at_ms: int
    """Milliseconds since the epoch; 0 where it is unknown."""
    title: str = ""
    extra: str = ""
    """Its title and extra words as they are indexed, where whoever read it has made them ahead; what stores it does
    otherwise."""
    folder: str = ""
    """The working folder it was said in; empty where its record does not say."""
    is_copy: bool = False
    """Whether a session that was forked has it from the one before."""
    files: tuple[str, ...] = ()
    """The files that the agent edited with it, where they are wanted."""


class Wanted(NamedTuple):
    """The wanted parts of a session."""

    characters: int
    """Kept of one turn at most."""
    has_files: bool
    """Whether the files that were edited are told; then there are turns with nothing else, too."""


SAID: Final = Wanted(TURN_CHARACTERS_MAX, has_files=False)
"""What conversations keep: words."""

DONE: Final = Wanted(MESSAGE_CHARACTERS_MAX, has_files=True)
"""What capture looks at: more of each turn, of which it keeps a sentence, and what was done with it."""


class SessionFile(NamedTuple):
    """A file, or a database's session, for `news_of`."""

    client: str
    path: str
    """A path; in a database, that of the database, `#` and the session's id."""
    size: int
    """Bytes."""
    modified_ms: int


class SessionNews(NamedTuple):
    """A session's news since a place, and the place reached."""

    turns: list[Turn]
    place: Place
    is_end: bool
    """Whether there is no more for now."""
    key: str
    """The client's own id of the session."""
    folder: str
    """The working folder the session began in, or another one of it; empty where it is unknown, or may have been told
    with what was read before."""
    skipped: int = 0
    """Lines or records that could not be read."""
    why: str = ""
    """A sentence for a person where the file, or a part of it, cannot be read."""
    is_anew: bool = True
    """Whether it was read from its beginning: these turns take the place of those that were read before."""
    too_long: int = 0
    """Of what was skipped, the lines that are longer than any message."""
    taken_back: Sequence[Turn] = ()
    """Turns of what was read before that the client does not count any more, since the user went back behind them."""


def nothing_new(key: str, place: Place, why: str) -> SessionNews:
    """Return news that nothing was read, and why."""
    return SessionNews([], place, is_end=True, key=key, folder="", why=why, is_anew=False)


class Piece(NamedTuple):
    """A turn's part, unredacted. Pieces in a row with one *message* are one turn."""

    role: Role
    text: str
    at_ms: int = 0
    message: str = ""
    files: tuple[str, ...] = ()
    folder: str = ""
    is_copy: bool = False


def turns_of(pieces: Iterable[Piece], redact: Redact, wanted: Wanted = SAID) -> list[Turn]:
    """Return turns that have anything *wanted*."""
    turns: list[Turn] = []
    for parts in _whole(pieces):
        text = turn_text("\n\n".join(part.text for part in parts if part.text.strip()), redact, wanted.characters)
        files = tuple(file for part in parts for file in part.files) if wanted.has_files else ()
        if text or files:
            first = parts[0]
            turns.append(Turn(first.role, text, first.at_ms, folder=first.folder, is_copy=first.is_copy, files=files))
    return turns


def _whole(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    parts: list[Piece] = []
    for piece in pieces:
        if parts and piece.message and (piece.role, piece.message) == (parts[0].role, parts[0].message):
            parts.append(piece)
            continue
        if parts:
            yield parts
        parts = [piece]
    if parts:
        yield parts


def turn_text(text: str, redact: Redact, characters: int = TURN_CHARACTERS_MAX) -> str:
    """Return *text* without private parts and secrets, cut to *characters*. NUL becomes U+FFFD."""
    text = without_private(text).replace("\0", "\ufffd").strip()
    if len(text) <= REDACTED_CHARACTERS_MAX:
        return cut_middle(redact(text).strip(), characters)
    half = REDACTED_CHARACTERS_MAX // 2
    first, second = redact(text[:half]), redact(text[-half:])
    # Backwards, so that the edge is where the text begins.
    before, behind = without_edge(first[::-1])[::-1], without_edge(second)
    return cut_middle(f"{before}{CUT}{behind}".strip(), characters)


def cut_middle(text: str, characters: int = MESSAGE_CHARACTERS_MAX) -> str:
    """Return *text*; a longer one as beginning, CUT and end."""
    if len(text) <= characters:
        return text
    half = (characters - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"


def without_edge(text: str) -> str:
    """Return *text* from the first white space after EDGE_CHARACTERS."""
    found = _SPACE.search(text, EDGE_CHARACTERS)
    return text[found.start() :] if found else ""
