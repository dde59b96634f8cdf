"""Markdown notes: a file, or a folder of them; also the memory files that Claude Code keeps for a project.

A file is a memory; one that is too long becomes several, cut between sections. Of front matter, `title`, `tags`, `kind`
and `created` are understood.
"""

import hashlib
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final, get_args

from palimp_daemon.docs.sections import title_of
from palimp_daemon.plain_files import open_plain
from palimp_daemon.transfer.incoming import Batch, Incoming, in_pieces
from palimp_protocol.limits import IMPORT_FILE_BYTES_MAX, IMPORT_FILES_MAX
from palimp_protocol.operations import MemoryKind

SOURCE: Final = "markdown"
FENCE: Final = "---"


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return the notes of *limit* files from the one numbered *place* on; *path* is a file or a folder.

    Raises:
        OSError: it cannot be read.
        ValueError: there are too many files.
    """
    files = list(_files(path)) if path.is_dir() else [path]
    if len(files) > IMPORT_FILES_MAX:
        raise ValueError(f"it has more than {IMPORT_FILES_MAX:,} markdown files")
    records: list[Incoming] = []
    skipped: list[str] = []
    for file in files[place : place + limit]:
        name = str(file.relative_to(path)) if path.is_dir() else file.name
        try:
            with open_plain(file) as stream:
                data = stream.read(IMPORT_FILE_BYTES_MAX + 1)
                changed_at = os.fstat(stream.fileno()).st_mtime
            if len(data) > IMPORT_FILE_BYTES_MAX:
                raise ValueError(f"it has more than {IMPORT_FILE_BYTES_MAX:,} bytes")
            made = _notes(name, data.decode(), int(changed_at * 1000))
        except (OSError, ValueError) as error:
            skipped.append(f"{name}: {'it is no UTF-8 text' if isinstance(error, UnicodeDecodeError) else error}.")
            continue
        records += made
        if not made:
            skipped.append(f"{name}: it is empty.")
    end = min(place + limit, len(files))
    return Batch(records, skipped, end if end < len(files) else None, end, len(files))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the markdown files below *folder*, hidden ones and links left out, in order."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            if name.endswith(".md") and not name.startswith(".") and not path.is_symlink():
                yield path


def _notes(name: str, text: str, changed_at: int) -> list[Incoming]:
    facts, body = _front_matter(text)
    kind = facts.get("kind", "note")
    title = facts.get("title") or title_of(body, Path(name).stem)
    pieces = list(in_pieces(body))
    return [
        Incoming(
            origin=f"{SOURCE}:{name}:{hashlib.sha256(piece.encode()).hexdigest()}",
            title=title if len(pieces) == 1 else f"{title} ({number + 1} of {len(pieces)})",
            content=piece,
            kind=kind if kind in get_args(MemoryKind) else "note",
            tags=tuple(tag.strip() for tag in facts.get("tags", "").strip("[]").split(",") if tag.strip()),
            created_at=_time(facts.get("created", "")) or changed_at,
            source=SOURCE,
            id=facts.get("id", "") if len(pieces) == 1 else "",
        )
        for number, piece in enumerate(pieces)
    ]


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the simple lines (`key: value`) of the front matter of *text*, and what follows it."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].strip() != FENCE:
        return {}, text
    for end, line in enumerate(lines[1:], 1):
        if line.strip() == FENCE:
            pairs = (
                each.split(":", 1) for each in lines[1:end] if ":" in each and not each.startswith((" ", "\t", "#"))
            )
            return {key.strip().lower(): value.strip().strip("\"'") for key, value in pairs}, "".join(lines[end + 1 :])
    return {}, text


def _time(text: str) -> int | None:
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
