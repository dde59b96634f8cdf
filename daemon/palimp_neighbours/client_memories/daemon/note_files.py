"""Read the notes of Claude Code's own memory, as many as it lists itself.

Anybody can have written them: only plain files are opened, no links, and notes are redacted before they are parsed or
cut.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from palimp_clients.transcripts.turn import without_edge
from palimp_daemon.git.worktree import FileState
from palimp_daemon.text.claude_notes import INDEX, type_in, without_index
from palimp_daemon.text.front_matter import parts_of, text_of
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.titles import title_from_text
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.env.project import path_as_text
from palimp_protocol.limits import TITLE_CHARACTERS_MAX
from palimp_protocol.text import count_of, one_line, quote_text

FILES_MAX: Final = 200
"""Notes read per project, the newest: as many as Claude Code lists."""

BYTES_MAX: Final = 2 * 1024 * 1024
"""Bytes read of a project's notes: a second's work. Claude Code keeps each below 4 kB."""

FILE_BYTES_MAX: Final = 64 * 1024
"""Bytes read of a note, from its beginning."""

FRONT_CHARACTERS_MAX: Final = 4_096
"""Characters of front matter, as many as Claude Code reads to list a file."""

SUBFOLDERS_MAX: Final = 16
"""Folders listed in a memory; Claude Code has one, `team`."""

ENTRIES_MAX: Final = 2_000
"""Entries read per folder."""


class File(NamedTuple):
    """A note's file."""

    path: str
    state: FileState


class Note(NamedTuple):
    """A redacted note; *content* may be empty."""

    file: File
    title: str = ""
    content: str = ""
    tags: Sequence[str] = ()


class Reading(NamedTuple):
    """A project's notes by path, and remarks on others."""

    notes: Mapping[str, Note]
    left_out: Sequence[str] = ()


def read_notes(places: Iterable[Path], known: Mapping[str, Note], redact: Redactor) -> Reading:
    """Read *places*; files unchanged since *known* are not read again."""
    left_out: list[str] = []
    found = [file for place in places for file in _files_at(place, left_out)]
    files = sorted(found, key=lambda file: (-file.state.mtime_ns, file.path))
    if len(files) > FILES_MAX:
        left_out.append(f"{count_of(len(files) - FILES_MAX, 'file')} beyond the newest {FILES_MAX}")
    notes: dict[str, Note] = {}
    room = BYTES_MAX
    for place, file in enumerate(files[:FILES_MAX]):
        room -= min(file.state.size, FILE_BYTES_MAX)
        if room < 0:
            left_out.append(f"{count_of(len(files[:FILES_MAX]) - place, 'file')} beyond the newest {BYTES_MAX:,} bytes")
            break
        before = known.get(file.path)
        try:
            notes[file.path] = before if before and before.file == file else read_note(file, redact)
        except (OSError, ValueError) as error:
            left_out.append(f"{quote_text(path_as_text(file.path))}: {getattr(error, 'strerror', None) or error}")
    return Reading(notes, left_out)


def read_note(file: File, redact: Redactor) -> Note:
    """Read the note in *file*.

    Raises:
        OSError: it cannot be read, or is no plain file.
        ValueError: its path has a NUL in it.
    """
    with open_plain(Path(file.path), follows_links=False) as stream:
        data = stream.read(FILE_BYTES_MAX + 1)
    text = data[:FILE_BYTES_MAX].decode("utf-8", "replace").removeprefix("\ufeff").replace("\0", "\ufffd")
    text = redact(text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(data) > FILE_BYTES_MAX:
        text = f"{without_edge(text[::-1])[::-1].rstrip()} […]"
    return note_in(file, text, redact)


def note_in(file: File, text: str, redact: Redactor) -> Note:
    """Parse *text*, the redacted content of *file*; *redact* is for the file's name."""
    name = os.path.basename(file.path)  # noqa: PTH119  of a text
    facts, body = parts_of(text, FRONT_CHARACTERS_MAX)
    if name == INDEX:
        body = without_index(body)
    called, described = text_of(facts, "name"), text_of(facts, "description")
    content = body.strip() or described
    if not content:
        return Note(file)
    title = ": ".join(filter(None, (called, described))) or title_from_text(content)
    title = title or redact(path_as_text(name))
    return Note(file, one_line(title, TITLE_CHARACTERS_MAX), content, [*filter(None, [type_in(facts)])])


def _files_at(place: Path, left_out: list[str]) -> Iterator[File]:
    with suppress(OSError):
        state = place.lstat()
        if stat.S_ISREG(state.st_mode):
            yield File(str(place), FileState(state.st_mtime_ns, state.st_size))
            return
    below: list[str] = []
    yield from _list_folder(str(place), left_out, below)
    for each in sorted(below)[:SUBFOLDERS_MAX]:
        yield from _list_folder(each, left_out, [])


def _list_folder(folder: str, left_out: list[str], below: list[str]) -> Iterator[File]:
    try:
        with os.scandir(folder) as entries:
            found = list(islice(entries, ENTRIES_MAX + 1))
    except OSError as error:
        left_out.append(f"{quote_text(path_as_text(folder))}: {error.strerror}")
        return
    if len(found) > ENTRIES_MAX:
        left_out.append(f"what {quote_text(path_as_text(folder))} has beyond {ENTRIES_MAX:,} entries")
    for entry in found[:ENTRIES_MAX]:
        try:
            state = entry.stat(follow_symlinks=False)
        except OSError as error:
            left_out.append(f"{quote_text(path_as_text(entry.path))}: {error.strerror}")
            continue
        if stat.S_ISDIR(state.st_mode) and not entry.name.startswith("."):
            below.append(entry.path)
        elif entry.name.endswith(".md") and not entry.name.startswith("."):
            if stat.S_ISREG(state.st_mode):
                yield File(entry.path, FileState(state.st_mtime_ns, state.st_size))
            else:
                left_out.append(f"{quote_text(path_as_text(entry.path))}: it is no plain file")
