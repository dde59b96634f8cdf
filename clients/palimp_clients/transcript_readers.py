"""Transcript readers by client, known by a file's place, or a copy's first lines."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from palimp_clients.claude_code import transcript as claude_code
from palimp_clients.codex import transcript as codex
from palimp_clients.copilot import transcript as copilot
from palimp_clients.droid import transcript as droid
from palimp_clients.gemini import transcript as gemini
from palimp_clients.hermes import transcript as hermes
from palimp_clients.kimi import transcript as kimi
from palimp_clients.opencode import transcript as opencode
from palimp_clients.pi import transcript as pi
from palimp_clients.qwen import transcript as qwen
from palimp_clients.transcripts.json_values import entries_of
from palimp_clients.transcripts.session_places import Sought
from palimp_clients.transcripts.slices import OPENING_LINES, Lines, Slice, SliceContent, news_from_lines, pieces_before
from palimp_clients.transcripts.turn import SAID, Piece, Redact, SessionFile, SessionNews, Turn, Wanted, turns_of
from palimp_clients.transcripts.whole_lines import Place
from palimp_protocol.env.plain_files import open_plain


class NewsOf(Protocol):
    """Reads a session from a place on."""

    def __call__(self, path: str, place: Place, redact: Redact, wanted: Wanted = SAID) -> SessionNews:
        """Return the news of the session at *path* since *place*."""
        ...


class Reader(NamedTuple):
    """A client's way to find and read sessions."""

    session_files: Callable[[Path, Mapping[str, str]], Iterator[SessionFile]]
    news_of: NewsOf
    pieces_before: Callable[[str, Place | None, int], list[Piece]]
    """Returns the pieces in so many bytes of a session before a place; None: before its end."""
    places: Callable[[Sought], Iterator[str]]
    """Yields possible places of a session with a known id."""
    found_in: Callable[[Slice], SliceContent] | None = None
    """Reads lines; None where the client keeps no lines."""


_OF_LINES: Final = (claude_code, codex, copilot, gemini, qwen, pi, droid, kimi)

CLIENTS: Final[Mapping[str, Reader]] = {
    **{
        module.CLIENT: Reader(
            module.session_files,
            partial(news_from_lines, Lines(module.found_in, module.is_line)),
            partial(pieces_before, read=module.found_in),
            module.places,
            module.found_in,
        )
        for module in _OF_LINES
    },
    codex.CLIENT: Reader(
        codex.session_files, codex.news_of, partial(pieces_before, read=codex.found_in), codex.places, codex.found_in
    ),
    gemini.CLIENT: Reader(gemini.session_files, gemini.news_of, gemini.pieces_before, gemini.places, gemini.found_in),
    hermes.CLIENT: Reader(hermes.session_files, hermes.news_of, hermes.pieces_before, hermes.places),
    opencode.CLIENT: Reader(opencode.session_files, opencode.news_of, opencode.pieces_before, opencode.places),
}

BEGINNING_BYTES: Final = 256 * 1024
"""Bytes of a file searched for its client's marks: Codex's first line holds instructions."""

_BY_PLACE: Final = (codex, copilot, gemini, qwen, pi, droid, kimi, hermes, opencode, claude_code)
"""Order in which a path is compared with clients' places, least specific last."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")
"""Ids that are part of a file's name, and cannot lead elsewhere."""


def transcript_of(client: str, session: str, folder: str, env: Mapping[str, str]) -> str:
    """Return the path of *client*'s *session*, run in *folder*; empty: not there (yet)."""
    reader = CLIENTS.get(client)
    if reader is None or not _ID.fullmatch(session):
        return ""
    sought = Sought(session, folder, Path(env.get("HOME") or "~").expanduser(), env)
    try:
        return next(reader.places(sought), "")
    except (OSError, ValueError):
        return ""


def client_of(path: str, told: str = "") -> str | None:
    """Return a transcript's client: by place, else first lines, else *told*; None: unknown."""
    for module in _BY_PLACE:
        if module.PLACE.search(path):
            return module.CLIENT
    try:
        with open_plain(Path(path)) as stream:
            lines = stream.read(BEGINNING_BYTES).split(b"\n")
    except (OSError, ValueError):
        lines = []
    return _client_of_lines(lines) or (told if told in CLIENTS else None)


class SaidInText(NamedTuple):
    """A transcript given as text."""

    turns: list[Turn]
    key: str
    client: str


def said_in_text(text: str, redact: Redact, wanted: Wanted = SAID) -> SaidInText | None:
    """Return a transcript's content, or None. Nothing is written."""
    text = text.strip()
    if not text.startswith("{"):
        return None
    data = text.encode("utf-8", "replace")
    if found := gemini.document_in(data):
        return SaidInText(turns_of(found.pieces, redact, wanted), found.key, gemini.CLIENT)
    lines = [line + b"\n" for line in data.split(b"\n")]
    client = _client_of_lines(lines)
    if client is None or (found_in := CLIENTS[client].found_in) is None:
        return None
    # A session that does not say its id is known by how it begins: the same each time.
    name = hashlib.blake2b(lines[0].strip(), digest_size=8).hexdigest()
    found = found_in(Slice(f"{name}.jsonl", lines[:OPENING_LINES], iter(lines), "", has_files=wanted.has_files))
    return SaidInText(turns_of(found.pieces, redact, wanted), found.key, client)


def _client_of_lines(lines: Iterable[bytes]) -> str | None:
    return next((module.CLIENT for entry in entries_of(lines) for module in _OF_LINES if module.is_line(entry)), None)
