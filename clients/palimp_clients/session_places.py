"""Where a client keeps a session of which only the id is known: not every client says in its hooks where it is.

A session's file is named after its id, and the folder that it is in is known, or is one of a few: one or two folders
are listed, never all that a client has.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from palimp_clients.claude_code import transcript as claude_code
from palimp_clients.codex import transcript as codex
from palimp_clients.copilot import transcript as copilot
from palimp_clients.gemini import transcript as gemini
from palimp_clients.opencode import transcript as opencode
from palimp_clients.qwen import transcript as qwen
from palimp_clients.transcripts.folders import folder_of
from palimp_clients.transcripts.slices import first_texts_of
from palimp_protocol.env.project_slugs import slugs_of

ENTRIES_MAX: Final = 5_000
"""Entries of one folder that are looked at: a day has some tens of sessions, a project some hundreds."""

FOLDERS_MAX: Final = 1_000
"""Folders of projects in which a session is looked for where its own is not known."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")
"""Ids that are a part of a file's name: nothing that leads elsewhere."""

_UUID_7: Final = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
"""Ids that begin with the time at which they were made."""


class _Asked(NamedTuple):
    session: str
    folder: str
    home: Path
    env: Mapping[str, str]


def transcript_of(client: str, session: str, folder: str, env: Mapping[str, str]) -> str:
    """Return where *client* keeps *session*, which it runs in *folder*; empty where it is not there (yet)."""
    if client not in _PLACES or not _ID.fullmatch(session):
        return ""
    asked = _Asked(session, folder, Path(env.get("HOME") or "~").expanduser(), env)
    try:
        return next(filter(_is_there, _PLACES[client](asked)), "")
    except (OSError, ValueError):
        return ""


def _is_there(place: str) -> bool:
    database, _, key = place.rpartition(opencode.SESSION)
    return opencode.has_session(database, key) if database else Path(place).is_file()


def _in_claude_code(asked: _Asked) -> Iterator[str]:
    for config in claude_code.config_folders(asked.home, asked.env):
        yield from _in_projects(config / "projects", asked.folder, f"{asked.session}.jsonl")


def _in_qwen(asked: _Asked) -> Iterator[str]:
    return _in_projects(qwen.folder(asked.home, asked.env) / "projects", asked.folder, f"chats/{asked.session}.jsonl")


def _in_copilot(asked: _Asked) -> Iterator[str]:
    kept = folder_of(asked.home, asked.env, "COPILOT_HOME", ".copilot") / "session-state"
    yield from (str(kept / asked.session / "events.jsonl"), str(kept / f"{asked.session}.jsonl"))


def _in_codex(asked: _Asked) -> Iterator[str]:
    kept = folder_of(asked.home, asked.env, "CODEX_HOME", ".codex") / "sessions"
    for day in _days(asked.session):
        yield from _named(kept / f"{day:%Y/%m/%d}", f"-{asked.session}.jsonl")


def _in_gemini(asked: _Asked) -> Iterator[str]:
    """Yield files that are named after how the session's id begins, and are of that session."""
    for project in gemini.project_folders(asked.home, asked.env, asked.folder):
        for path in _named(project / "chats", f"-{asked.session[:8]}.jsonl"):
            if first_texts_of(path, "sessionId") == [asked.session]:
                yield path


def _in_opencode(asked: _Asked) -> Iterator[str]:
    for database in opencode.databases(asked.home, asked.env):
        yield f"{database}{opencode.SESSION}{asked.session}"


_PLACES: Final = {
    claude_code.CLIENT: _in_claude_code,
    codex.CLIENT: _in_codex,
    copilot.CLIENT: _in_copilot,
    gemini.CLIENT: _in_gemini,
    qwen.CLIENT: _in_qwen,
    opencode.CLIENT: _in_opencode,
}
"""Where a session may be, by its client, the likeliest place first."""


def _in_projects(projects: Path, folder: str, name: str) -> Iterator[str]:
    """Yield the file called *name* of the project in *folder*, and then that of each other project."""
    yield from (str(projects / slug / name) for slug in slugs_of(folder))
    for entry in _entries(projects, FOLDERS_MAX):
        yield str(Path(entry.path, name))


def _named(folder: Path, ending: str) -> list[str]:
    """Return the files of *folder* whose names end with *ending*, the newest first: their times are in their names."""
    return sorted((entry.path for entry in _entries(folder, ENTRIES_MAX) if entry.name.endswith(ending)), reverse=True)


def _entries(folder: Path, most: int) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, most))
    except OSError:
        return []


def _days(session: str) -> Iterable[datetime]:
    """Return the days on which a session may have begun, in whatever zone its client was then."""
    made = _UUID_7.fullmatch(session)
    try:
        at = datetime.fromtimestamp(int(made[1] + made[2], 16) / 1000) if made else datetime.now()  # noqa: DTZ005, DTZ006  as the client's folders
    except (OverflowError, OSError, ValueError):
        return []
    return [at, at - timedelta(days=1), at + timedelta(days=1)]
