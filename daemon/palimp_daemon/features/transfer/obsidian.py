"""An Obsidian vault: its notes, with the tags in their text, and links as the words that are shown.

Left out: templates (where the vault says that they lie), drawings, attachments, and what is hidden or in the trash.
"""

import json
from pathlib import Path
from typing import Any, Final

from palimp_daemon.features.transfer.front_matter import parts_of
from palimp_daemon.features.transfer.markdown import File, batch_of_files, note_of
from palimp_daemon.features.transfer.reading import Look
from palimp_daemon.features.transfer.record import Batch, Note, NotTakenError, fields_of, string
from palimp_daemon.features.transfer.wiki_text import inline_tags, without_links
from palimp_protocol.env.plain_files import open_plain

SOURCE: Final = "obsidian"
SETTINGS: Final = ".obsidian"
TEMPLATES: Final = "templates"
"""What a folder of templates is called where the vault does not say."""

SETTINGS_BYTES_MAX: Final = 256 * 1024
_WHERE_TEMPLATES_ARE: Final = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)


def recognises(look: Look) -> bool:
    """Tell whether it is a folder with Obsidian's settings."""
    return look.is_folder and (look.path / SETTINGS).is_dir()


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return the notes of *limit* files from the one numbered *place* on.

    Raises:
        OSError: it cannot be read.
        ValueError: there are too many files.
    """
    templates = _templates(path)

    def why_not(name: str) -> str:
        is_template = any(name.lower().startswith(f"{folder.lower()}/") for folder in templates)
        return "it is a template" if is_template else "it is a drawing" if name.endswith(".excalidraw.md") else ""

    return batch_of_files(path, place, limit, SOURCE, _note, why_not)


def _note(file: File) -> Note:
    facts, body = parts_of(file.text)
    if "excalidraw-plugin" in facts or "kanban-plugin" in facts:
        raise NotTakenError("it is a drawing or a board")
    note = note_of(file)
    return note._replace(text=without_links(body), tags=(*note.tags, *inline_tags(body)))


def _templates(vault: Path) -> list[str]:
    """Return the folders of templates, within the vault."""
    found = [_setting(vault / SETTINGS / name, key) for name, key in _WHERE_TEMPLATES_ARE]
    return [folder.strip("/") for folder in found if folder.strip("/")] or [TEMPLATES]


def _setting(path: Path, key: str) -> str:
    try:
        with open_plain(path) as stream:
            settings: Any = json.loads(stream.read(SETTINGS_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return ""
    return string(fields_of(settings).get(key))
