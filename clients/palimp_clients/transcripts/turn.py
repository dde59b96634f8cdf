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
"""Characters kept of a message, half at each end: pasted text stands in the middle."""

CUT: Final = "\n\n…\n\n"

TURN_CHARACTERS_MAX: Final = 20_000
"""Characters kept of a turn, half at each end: pasted text stands in the middle."""

REDACTED_CHARACTERS_MAX: Final = 400_000
"""Characters of a turn searched for secrets: of a longer one both ends, far beyond the kept parts, so that no secret is
cut before it is found.
"""

EDGE_CHARACTERS: Final = 4096
"""Least characters dropped beside a cut made before secrets were found, as half a secret is not recognised; more, up to
a white space.
"""

_SPACE: Final = re.compile(r"\s")

Role = Literal["user", "assistant"]

Redact = Callable[[str], str]


class Turn(NamedTuple):
    """The user's or the agent's text at once, without secrets."""

    role: Role
    text: str
    at_ms: int
    """Milliseconds since the epoch; 0: unknown."""
    title: str = ""
    extra: str = ""
    """Title and extra words for the index, if made ahead; else the store makes them."""
    folder: str = ""
    """Working folder; empty: unknown."""
    is_copy: bool = False
    """Whether a forked session copied it from an older one."""
    files: tuple[str, ...] = ()
    """Files that the agent edited with it, if wanted."""


class Wanted(NamedTuple):
    """The wanted parts of a session."""

    characters: int
    """Kept of one turn at most."""
    has_files: bool
    """Whether edited files are wanted; then some turns have nothing else."""


SAID: Final = Wanted(TURN_CHARACTERS_MAX, has_files=False)
"""For conversations: words."""

DONE: Final = Wanted(MESSAGE_CHARACTERS_MAX, has_files=True)
"""For capture: more of each turn, to take a sentence from, and its edited files."""


class SessionFile(NamedTuple):
    """A file, or a database's session, for `news_of`."""

    client: str
    path: str
    """A path; in a database, its path, `#` and the session's id."""
    size: int
    """In bytes."""
    modified_ms: int


class SessionNews(NamedTuple):
    """A session's news since a place, and the place reached."""

    turns: list[Turn]
    place: Place
    is_end: bool
    key: str
    folder: str
    """Working folder at the session's beginning, or another; empty if unknown or maybe reported before."""
    skipped: int = 0
    why: str = ""
    """A sentence for a person if the file is partly or wholly unreadable."""
    is_anew: bool = True
    """Whether it was read from the beginning: these turns replace former ones."""
    too_long: int = 0
    """Skipped lines that exceed any message."""
    taken_back: Sequence[Turn] = ()
    """Turns read before that no longer count: the user went back."""


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
