"""Import basic-memory's folder of notes, with categorised observations and relations."""

import re
from itertools import islice
from pathlib import Path
from typing import Final

from palimp_daemon.text.front_matter import parts_of, text_of
from palimp_neighbours.transfer.daemon.file_reading import Look
from palimp_neighbours.transfer.daemon.markdown_notes import File, MarkdownFiles, folder_of, note_of, read
from palimp_neighbours.transfer.daemon.record import Note, NotTakenError, kind_of
from palimp_neighbours.transfer.daemon.wiki_text import inline_tags, without_links

LOOKED_AT: Final = 50
"""Notes read to recognise a folder."""

_OBSERVATION: Final = re.compile(r"(?m)^[ \t]*[-*] \[(?P<category>[^\]\[\n]{2,40})\] \S")


def _recognises(look: Look) -> bool:
    if look.is_markdown:
        return _is_note(look.path)
    if not look.is_folder or (look.path / ".obsidian").is_dir():
        return False
    files = folder_of(look.path, lambda _: "").files
    return any(_is_note(file) for file in islice(files, LOOKED_AT))


def _is_note(path: Path) -> bool:
    try:
        facts = parts_of(read(path, path.name).text).facts
    except (OSError, NotTakenError):
        return False
    return "permalink" in facts and bool(text_of(facts, "title", "type"))


def _note(file: File) -> Note:
    facts, body = parts_of(file.text)
    note = note_of(file)
    categories = [found["category"].strip() for found in _OBSERVATION.finditer(body)]
    kinds = {kind_of(category) for category in categories}
    by_observations = kinds.pop() if len(kinds) == 1 else "note"
    return note._replace(
        # A note that was moved keeps its permalink, and stays the same note.
        origin=text_of(facts, "permalink") or file.name,
        text=without_links(body),
        kind=by_observations if note.kind == "note" else note.kind,
        tags=(*note.tags, *inline_tags(body), *categories),
    )


IMPORTER: Final = MarkdownFiles("basic-memory", _recognises, _note)
