"""Find a session by its id: one or two folders are listed, never all."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from palimp_protocol.env.project_slugs import slugs_of

ENTRIES_MAX: Final = 5_000
"""Entries read per folder: some tens of sessions a day, some hundreds a project."""

FOLDERS_MAX: Final = 1_000
"""Project folders searched for a session with unknown folder."""


class Sought(NamedTuple):
    """A session to be found."""

    session: str
    """The client's own id, as in a file's name; it cannot lead elsewhere."""
    folder: str
    home: Path
    env: Mapping[str, str]


def in_projects(projects: Path, folder: str, name: str) -> Iterator[str]:
    """Yield file *name* of *folder*'s project, then of others."""
    folders = [projects / slug for slug in slugs_of(folder)]
    for path in (each / name for each in (*folders, *map(Path, _entries(projects, FOLDERS_MAX)))):
        if path.is_file():
            yield str(path)


def files_ending(folder: Path, ending: str) -> Iterator[str]:
    """Yield files with this *ending*, newest first by name."""
    for path in sorted((path for path in _entries(folder, ENTRIES_MAX) if path.endswith(ending)), reverse=True):
        if Path(path).is_file():
            yield path


def _entries(folder: Path, most: int) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in islice(entries, most)]
    except OSError:
        return []
