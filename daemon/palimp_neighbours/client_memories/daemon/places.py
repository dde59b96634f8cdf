"""Find a project's folders of Claude Code's own memory, and check their owners.

Claude Code 2.1 keeps notes in `<config>/projects/<slug>/memory/`; projects may share a slug. Transcripts' working
folders and its configuration's projects tell the owners: with another project's, or none, nothing is read. A worktree
counts only if repository and worktree name each other.
"""

import os
import stat
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from palimp_clients.claude_code.transcript import config_folders, working_folder_of
from palimp_protocol.decoders import decoder_of
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.env.project import git_folder_of, project_from_directory, read_plain
from palimp_protocol.env.project_slugs import SLUG_CHARACTERS_MAX, slugs_of
from palimp_protocol.limits import PATH_CHARACTERS_MAX
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.text import quote_text

WORKTREES_MAX: Final = 64
"""Worktrees read per project."""

FOLDERS_MAX: Final = 64
"""Folders of transcripts searched for working folders."""

LISTED_MAX: Final = 20_000
"""Entries listed of a Claude Code folder, one per folder worked in."""

TRANSCRIPTS_MAX: Final = 256
"""Transcripts searched for working folders, newest first; Claude Code deletes them after a month."""

CONFIG_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of Claude Code's configuration; some megabytes have been seen."""

OTHERS: Final = "it may be another project's: {} has the same name there"
UNSEEN: Final = "nothing in Claude Code's files says whose it is"
LINK: Final = "it is a symbolic link, which is not followed"


class Seen(NamedTuple):
    """Working folders of Claude Code, with their source files' states."""

    state: tuple[tuple[str, int], ...] = ()
    """(path, mtime) of the folders and of the configuration."""
    folders: Mapping[str, str] = {}
    owners: frozenset[tuple[str, str]] = frozenset()
    """(slug, folder that it stands for)."""


class Place(NamedTuple):
    """A client's memory folder or file; *why* it is not read, or empty."""

    folder: Path
    why: str = ""


def memory_places(
    project: ProjectRef, env: Mapping[str, str], seen: Seen, *, is_here: bool = False
) -> tuple[list[Place], Seen]:
    """Return *project*'s folders of Claude Code's memory, and working folders; *seen* are former ones.

    *is_here*: it runs there now, perhaps not yet written down. Without a folder only `stat`s are done.
    """
    home = Path(env.get("HOME") or "~").expanduser()
    folders = _folders_of(project, str(home))
    wanted = {slug: None for folder in folders for slug in slugs_of(folder)}
    there = [
        (config, slug)
        for config in config_folders(home, env)
        for slug in wanted
        if (config / "projects" / slug / "memory").exists()
    ]
    if not there:
        return [], Seen()
    configs = list(dict.fromkeys(config for config, _ in there))
    config_file = (config_folders(home, env)[0] if env.get("CLAUDE_CONFIG_DIR", "").strip() else home) / ".claude.json"
    seen = _look(configs, config_file, frozenset(wanted), seen)
    ours = {unicodedata.normalize("NFC", folder) for folder in folders}
    is_seen = is_here or any(folder in ours for _, folder in seen.owners)
    return [_place(config, slug, seen, ours, is_seen=is_seen) for config, slug in there], seen


def owner_of(folder: str, slug: str) -> str:
    """Return *folder*, or one above, with this *slug*, or empty."""
    while 1 < len(folder) <= PATH_CHARACTERS_MAX:
        is_other = len(slug) <= SLUG_CHARACTERS_MAX and folder.isascii() and len(folder) != len(slug)
        if not is_other and slug in slugs_of(folder):
            return unicodedata.normalize("NFC", folder)
        folder = os.path.dirname(folder)  # noqa: PTH120  of a text
    return ""


def _place(config: Path, slug: str, seen: Seen, ours: set[str], *, is_seen: bool) -> Place:
    folder = config / "projects" / slug / "memory"
    others = sorted(owner for each, owner in seen.owners if each == slug and owner not in ours)
    if others:
        return Place(folder, OTHERS.format(quote_text(others[0])))
    if not is_seen:
        return Place(folder, UNSEEN)
    return Place(folder, LINK) if folder.is_symlink() else Place(folder)


# --- the folders of a project --------------------------------------------------------------------


def _folders_of(project: ProjectRef, home: str) -> list[str]:
    found = [project.root, project.tree or project.root]
    repository = Path(git_folder_of(project.root) or project.root) / "worktrees"
    for name in _entries(repository)[:WORKTREES_MAX]:
        named = read_plain(str(repository / name / "gitdir"), 8 * 1024).rstrip("\r\n")
        if named.endswith("/.git"):
            tree = os.path.dirname(os.path.join(repository, name, named))  # noqa: PTH118, PTH120  it may be any text
            other = project_from_directory(tree, home)
            if other is not None and other.root == project.root:
                found.append(other.tree)
    return list(dict.fromkeys(found))


def _entries(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, LISTED_MAX))
    except (OSError, ValueError):
        return []


# --- where Claude Code was -----------------------------------------------------------------------


def _look(configs: Iterable[Path], config_file: Path, slugs: frozenset[str], seen: Seen) -> Seen:
    folders = [folder for config in configs for folder in _transcript_folders(config / "projects", slugs)]
    state = tuple((str(path), _changed_ns(path)) for path in (*folders, config_file))
    if state == seen.state and all(seen.folders.values()):  # one that did not say its folder may do so now
        return seen
    known = {path: seen.folders.get(path) or working_folder_of(path) for path in _transcripts(folders)}
    were_in = {*known.values(), *_projects_in(config_file)}
    owners = {(slug, owner) for folder in were_in for slug in slugs if (owner := owner_of(folder, slug))}
    return Seen(state, known, frozenset(owners))


def _transcript_folders(projects: Path, slugs: frozenset[str]) -> list[Path]:
    beginnings = tuple(f"{slug[:SLUG_CHARACTERS_MAX]}-" for slug in slugs)
    names = [name for name in _entries(projects) if name in slugs or name.startswith(beginnings)]
    return [projects / name for name in sorted(names, key=lambda name: name not in slugs)[:FOLDERS_MAX]]


def _transcripts(folders: Iterable[Path]) -> list[str]:
    found: list[str] = []
    for folder in folders:
        if len(found) >= TRANSCRIPTS_MAX:
            break
        files = [folder / name for name in _entries(folder) if name.endswith(".jsonl")]
        found += map(str, sorted(files, key=_changed_ns, reverse=True))
    return found[:TRANSCRIPTS_MAX]


def _changed_ns(path: Path) -> int:
    try:
        state = path.stat()
    except (OSError, ValueError):
        return 0
    return state.st_mtime_ns if stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode) else 0


class _Config(msgspec.Struct):
    projects: dict[str, msgspec.Raw] = {}
    """By folder. Nothing else is parsed: the file may hold keys and tokens."""


def _projects_in(file: Path) -> list[str]:
    try:
        return list(decoder_of(_Config).decode(read_bounded(file, CONFIG_BYTES_MAX)).projects)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return []
