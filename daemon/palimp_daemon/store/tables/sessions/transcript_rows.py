"""SQL of capture: progress in transcripts, their digests, quotes already used."""

import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.store.store import Store
from palimp_daemon.text.session_summary import Digest
from palimp_protocol.decoders import decoder_of

TELLING_CHARACTERS: Final = 8
"""Shorter lines (a brace, "yes") do not identify the erased text."""


class Transcript(NamedTuple):
    """The state of a session's transcript."""

    path: str
    place: Place
    digest: Digest


def transcript_of(store: Store, session: int) -> Transcript | None:
    """Return the session's transcript, once read."""
    found = store.rows("SELECT path, read_to, head, digest FROM transcripts WHERE session_id = ?", (session,))
    if not found:
        return None
    [(path, read_to, head, digest)] = found
    return Transcript(path, Place(read_to, head), decoder_of(Digest).decode(digest))


def keep_transcript(store: Store, session: int, transcript: Transcript) -> None:
    """Remember the place and progress of a transcript."""
    store.insert(
        "transcripts (session_id, path, read_to, head, digest)",
        (session, transcript.path, *transcript.place, msgspec.json.encode(transcript.digest)),
        or_="REPLACE",
    )


def note_path(store: Store, session: int, path: str) -> None:
    """Remember the transcript's path, unless it is being read."""
    empty = msgspec.json.encode(Digest())
    store.execute(
        "INSERT OR IGNORE INTO transcripts (session_id, path, read_to, head, digest) VALUES (?, ?, 0, '', ?)",
        (session, path, empty),
    )


def is_new_quote(store: Store, project: int, quote: str) -> bool:
    """Tell whether *quote* is new, and remember it."""
    hashed = int.from_bytes(hashlib.blake2b(" ".join(quote.lower().split()).encode(), digest_size=8).digest()) >> 1
    store.insert("captured (project_id, hash)", (project, hashed), or_="IGNORE")
    return store.connection.changes() > 0


def erase_from_digests(store: Store, project: int, text: str) -> int:
    """Remove lines of *text* from digests; return from how many."""
    changed = 0
    lines = [line for line in map(_single_spaces, text.splitlines()) if len(line) >= TELLING_CHARACTERS] or [
        _single_spaces(text)
    ]
    found = store.rows(
        "SELECT t.session_id, t.digest FROM transcripts t JOIN sessions s ON s.id = t.session_id"
        " WHERE s.project_id = ?",
        (project,),
    )
    for session, packed in found:
        digest = decoder_of(Digest).decode(packed)
        clean = digest.without(lambda said: _says_one_of(_single_spaces(said), lines))
        if clean != digest:
            store.execute(
                "UPDATE transcripts SET digest = ? WHERE session_id = ?", (msgspec.json.encode(clean), session)
            )
            changed += 1
    return changed


def empty_digests(store: Store, project: int, session: str) -> int:
    """Clear the digests of *session* (a key), else *project*'s; return how many."""
    part, known = ("key = ?", session) if session else ("project_id = ?", project)
    empty = msgspec.json.encode(Digest())
    store.execute(
        f"UPDATE transcripts SET digest = ? WHERE digest != ? AND session_id IN (SELECT id FROM sessions WHERE {part})",
        (empty, empty, known),
    )
    return store.connection.changes()


def _says_one_of(said: str, lines: Sequence[str]) -> bool:
    # What is gathered may be cut, and ends with an ellipsis then.
    beginning = said.rstrip("….")
    return any(line in said or (len(beginning) >= TELLING_CHARACTERS and beginning in line) for line in lines)


def _single_spaces(text: str) -> str:
    return " ".join(text.split())


def summary_of(store: Store, session: int) -> int | None:
    """Return the captured summary's number."""
    return store.value(
        "SELECT seq FROM memories WHERE session_id = ? AND kind = 'summary' AND source = 'transcript'"
        " AND deleted_at IS NULL ORDER BY seq DESC LIMIT 1",
        (session,),
    )
