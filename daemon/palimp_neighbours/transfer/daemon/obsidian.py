"""Import an Obsidian vault: notes, tags in their text, links as shown words.

Left out are templates (in the vault's folder for them), drawings, attachments, hidden files and the trash.
"""

import json
from pathlib import Path
from typing import Any, Final

from palimp_daemon.text.front_matter import parts_of
from palimp_neighbours.transfer.daemon.markdown_notes import File, MarkdownFiles, WhyNot, note_of
from palimp_neighbours.transfer.daemon.record import Note, NotTakenError, fields_of, string
from palimp_neighbours.transfer.daemon.wiki_text import inline_tags, without_links
from palimp_protocol.env.plain_files import open_plain

SETTINGS: Final = ".obsidian"
TEMPLATES: Final = "templates"
"""Default name of a vault's templates folder."""

SETTINGS_BYTES_MAX: Final = 256 * 1024
_WHERE_TEMPLATES_ARE: Final = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)


def _why_not(vault: Path) -> WhyNot:
    templates = _templates(vault)

    def why_not(name: str) -> str:
        is_template = any(name.lower().startswith(f"{folder.lower()}/") for folder in templates)
        return "it is a template" if is_template else "it is a drawing" if name.endswith(".excalidraw.md") else ""

    return why_not


def _note(file: File) -> Note:
    facts, body = parts_of(file.text)
    if "excalidraw-plugin" in facts or "kanban-plugin" in facts:
        raise NotTakenError("it is a drawing or a board")
    note = note_of(file)
    return note._replace(text=without_links(body), tags=(*note.tags, *inline_tags(body)))


def _templates(vault: Path) -> list[str]:
    found = [_setting(vault / SETTINGS / name, key) for name, key in _WHERE_TEMPLATES_ARE]
    return [folder.strip("/") for folder in found if folder.strip("/")] or [TEMPLATES]


def _setting(path: Path, key: str) -> str:
    try:
        with open_plain(path) as stream:
            settings: Any = json.loads(stream.read(SETTINGS_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return ""
    return string(fields_of(settings).get(key))


IMPORTER: Final = MarkdownFiles(
    "obsidian", lambda look: look.is_folder and (look.path / SETTINGS).is_dir(), _note, _why_not
)
