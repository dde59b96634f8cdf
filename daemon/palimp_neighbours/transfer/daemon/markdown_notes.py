"""Import markdown notes: a file or a folder, also Claude Code's memory of a project.

Front matter's `title`, `tags`, `kind` and `created` count. Replaced notes of our own export are left out.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from palimp_daemon.text.claude_notes import INDEX, type_in, without_index
from palimp_daemon.text.front_matter import parts_of, text_of
from palimp_daemon.text.markdown import title_of
from palimp_neighbours.transfer.daemon.file_reading import Look, decoded_strictly
from palimp_neighbours.transfer.daemon.record import (
    REPLACED,
    Batch,
    Incoming,
    LeftOut,
    Note,
    NotTakenError,
    check_length,
    kind_of,
    pieces_of,
    shown_path,
    strings,
    time_of,
)
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.limits import (
    IMPORT_ENTRIES_MAX,
    IMPORT_FILE_BYTES_MAX,
    IMPORT_FILES_MAX,
    IMPORT_NOTE_CHARACTERS_MAX,
)

SOURCE: Final = "markdown"
SUFFIXES: Final = (".md", ".markdown")
EMPTY: Final = "it is empty"
INDEX_ONLY: Final = "it only names the other notes"


class File(NamedTuple):
    """A markdown file: path in the folder, text, Unix milliseconds of its change."""

    name: str
    text: str
    changed_at: int


class Folder(NamedTuple):
    """Markdown files below a folder, in order, and others with reasons."""

    files: list[Path]
    left: list[LeftOut]


WhyNot = Callable[[str], str]
"""Returns why a file, by its path in the folder, is left out; empty: it is not."""


@dataclass(frozen=True, eq=False)
class MarkdownFiles:
    """An importer of a markdown file or folder."""

    source: str
    recognises: Callable[[Look], bool]
    note: Callable[[File], Note]
    """Makes a note of a file, or raises `NotTakenError`."""
    why_not: Callable[[Path], WhyNot] = lambda _: lambda _: ""

    def batch_of(self, path: Path, place: int, limit: int) -> Batch:
        """Return notes of *limit* files from number *place* on.

        Raises:
            OSError: it cannot be read.
            ValueError: there are too many files.
        """
        folder = folder_of(path, self.why_not(path))
        records: list[Incoming] = []
        left = [] if place else folder.left
        end, characters = place, 0
        for file in folder.files[place : place + limit]:
            if characters >= IMPORT_NOTE_CHARACTERS_MAX:
                break
            end += 1
            name = shown_path(file.relative_to(path)) if path.is_dir() else shown_path(file.name)
            try:
                made = pieces_of(self.note(read(file, name)), self.source)
            except NotTakenError as why:
                left.append(LeftOut(name, str(why)))
                continue
            except OSError as error:
                left.append(LeftOut(name, f"it cannot be read ({error.strerror})"))
                continue
            records += made
            characters += sum(len(each.content) for each in made)
            if not made:
                left.append(LeftOut(name, EMPTY))
        total = len(folder.files)
        return Batch(records, left, end if end < total else None, end, total)


def folder_of(path: Path, why_not: WhyNot) -> Folder:
    """Return markdown files at or below *path*, without hidden ones and links.

    Raises:
        ValueError: there are more than IMPORT_FILES_MAX, or IMPORT_ENTRIES_MAX files of any kind.
    """
    if not path.is_dir():
        return Folder([path], [])
    files: list[Path] = []
    left: list[LeftOut] = []
    others: Counter[str] = Counter()
    for number, file in enumerate(_files(path)):
        if number == IMPORT_ENTRIES_MAX:
            raise ValueError(f"it has more than {IMPORT_ENTRIES_MAX:,} files: name the folder of the notes")
        suffix = file.suffix.lower()
        if suffix not in SUFFIXES:
            others[shown_path(suffix)[:20]] += 1
        elif reason := "it is a link" if file.is_symlink() else why_not(shown_path(file.relative_to(path))):
            left.append(LeftOut(shown_path(file.relative_to(path)), reason))
        else:
            files.append(file)
            if len(files) > IMPORT_FILES_MAX:
                raise ValueError(f"it has more than {IMPORT_FILES_MAX:,} markdown files")
    kinds = ((suffix or "without an ending", count) for suffix, count in others.items())
    left += [LeftOut("", f"of another kind ({kind})", count) for kind, count in kinds]
    return Folder(files, left)


def _files(path: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(path):
        folders[:] = sorted((name for name in folders if not name.startswith(".")), key=os.fsencode)
        yield from (Path(root, name) for name in sorted(names, key=os.fsencode) if not name.startswith("."))


def read(file: Path, name: str) -> File:
    """Read a markdown *file* as *name*.

    Raises:
        OSError: it cannot be read.
        NotTakenError: it is too large, or no text.
    """
    with open_plain(file) as stream:
        data = stream.read(IMPORT_FILE_BYTES_MAX + 1)
        changed_at = os.fstat(stream.fileno()).st_mtime
    if len(data) > IMPORT_FILE_BYTES_MAX:
        raise NotTakenError(f"it has more than {IMPORT_FILE_BYTES_MAX:,} bytes")
    text = decoded_strictly(data).replace("\r\n", "\n")
    check_length(text)
    return File(name, text, int(changed_at * 1000))


def note_of(file: File) -> Note:
    """Parse the note in *file*.

    Raises:
        NotTakenError: it is ours and was replaced, or is an index of notes.
    """
    facts, body = parts_of(file.text)
    if text_of(facts, "id") and text_of(facts, "replaced-by"):
        raise NotTakenError(REPLACED)
    if Path(file.name).name.upper() == INDEX.upper():
        body = without_index(body)
        if not body.strip() and file.text.strip():
            raise NotTakenError(INDEX_ONLY)
    described = text_of(facts, "description")
    return Note(
        file.name,
        text_of(facts, "title") or title_of(body, "") or described or text_of(facts, "name") or Path(file.name).stem,
        _with_description(body, described),
        kind=kind_of(facts.get("kind"), facts.get("type"), type_in(facts)),
        tags=tags_of(facts, "tags", "tag"),
        created_at=time_of(text_of(facts, "created", "created_at", "date"), is_local=True) or file.changed_at,
        id=text_of(facts, "id"),
    )


def tags_of(facts: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """Return tags under *names*: a list, or text split at commas, else spaces."""
    found: list[str] = []
    for name in names:
        given = facts.get(name)
        if isinstance(given, str) and "," not in given:
            given = given.replace(" ", ",")
        found += [tag.lstrip("#").strip() for tag in strings(given)]
    return tuple(tag for tag in found if tag)


def _with_description(body: str, described: str) -> str:
    is_said = " ".join(described.split()).lower() in " ".join(body.split()).lower()
    return body if is_said else "\n\n".join(filter(None, (described, body.strip())))


IMPORTER: Final = MarkdownFiles(SOURCE, lambda look: look.is_folder or look.is_markdown, note_of)
