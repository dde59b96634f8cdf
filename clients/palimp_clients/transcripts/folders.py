"""Files of sessions in a client's folder, and below."""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from palimp_clients.transcripts.turn import SessionFile

FILES_MAX: Final = 200_000
"""Files listed of a folder: fifty a day for ten years."""


def folder_of(home: Path, env: Mapping[str, str], variable: str, name: str) -> Path:
    """Return the folder in *variable*, else *name* in *home*."""
    given = env.get(variable, "").strip()
    if not given:
        return home / name
    return home / given[2:] if given in ("~", "~/") or given.startswith("~/") else Path(given)


def session_files_in(client: str, folder: Path, depth: int, endings: tuple[str, ...]) -> Iterator[SessionFile]:
    """Yield plain files with *endings* exactly *depth* folders deep; skip unlistable ones."""
    waiting = [(str(folder), depth)]
    count = 0
    while waiting:
        path, deeper = waiting.pop()
        for entry in _entries(path):
            if deeper and _is_folder(entry):
                waiting.append((entry.path, deeper - 1))
            elif not deeper and entry.name.endswith(endings) and (found := session_file(client, entry)):
                if (count := count + 1) > FILES_MAX:
                    return
                yield found


def session_file(client: str, given: str | os.DirEntry[str]) -> SessionFile | None:
    """Return a plain file, by path or folder entry, as *client*'s session, or None."""
    try:
        state = Path(given).stat() if isinstance(given, str) else given.stat()
    except (OSError, ValueError):
        return None
    is_plain = stat.S_ISREG(state.st_mode)
    return SessionFile(client, os.fspath(given), state.st_size, state.st_mtime_ns // 1_000_000) if is_plain else None


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (OSError, ValueError):
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
