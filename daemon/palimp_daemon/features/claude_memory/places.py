"""Where Claude Code keeps its own memory of a project, and whether the notes there are of that project.

Theory
------
Claude Code 2.1 keeps them in `<config>/projects/<slug>/memory/`. The slug is made of the path of the main worktree, of
every worktree's in older versions (`palimp_protocol.env.project_slugs`). So `/srv/my-app` and
`/srv/my/app` share a slug, and a memory. Which folders a slug stands for is told by the folders that Claude Code was
seen in: by its transcripts, there and in folders whose names begin with the slug (sessions in subfolders), and by the
projects that its configuration lists. Where one of them is another project's, or there is none, nothing is read: no
project is shown what may be another's.

That a folder is a worktree of the project is confirmed from both sides, as everywhere: a repository that names a
strange folder does not see the notes on it.
"""

import os
import stat
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from palimp_daemon.runtime.files import read_bounded
from palimp_daemon.text.transcripts.claude_code import config_folders, working_folder_of
from palimp_protocol.env.project import git_folder_of, project_from_directory, read_plain
from palimp_protocol.env.project_slugs import SLUG_CHARACTERS_MAX, slugs_of
from palimp_protocol.limits import PATH_CHARACTERS_MAX
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.text import quoted

WORKTREES_MAX: Final = 64
"""Worktrees of a project that are looked at."""

FOLDERS_MAX: Final = 64
"""Folders of transcripts in which it is looked where Claude Code was."""

LISTED_MAX: Final = 20_000
"""Entries of a folder of Claude Code's that are looked at; somebody who works in a thousand folders has a thousand."""

TRANSCRIPTS_MAX: Final = 256
"""Transcripts whose working folders are looked up, the newest first: Claude Code deletes those of a month ago."""

CONFIG_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of Claude Code's configuration; it was known to grow to some megabytes."""

OTHERS: Final = "it may be another project's: {} has the same name there"
UNSEEN: Final = "nothing in Claude Code's files says whose it is"
LINK: Final = "it is a symbolic link, which is not followed"


class Seen(NamedTuple):
    """Where Claude Code was seen, and by what it is known that this is still so."""

    state: tuple[tuple[str, int], ...] = ()
    """The folders and the configuration that were looked at, each with the time of its last change."""
    folders: Mapping[str, str] = {}
    """Of each transcript that was looked at, the working folder."""
    owners: frozenset[tuple[str, str]] = frozenset()
    """Slugs, each with a folder that it stands for."""


class Place(NamedTuple):
    """A folder of Claude Code's own memory; *why* says what keeps it from being read."""

    folder: Path
    why: str = ""


def memory_places(
    project: ProjectRef, env: Mapping[str, str], seen: Seen, *, is_here: bool = False
) -> tuple[list[Place], Seen]:
    """Return where Claude Code's memory of *project* is, and where it was seen; *seen* is what was known of that.

    *is_here* tells that it runs in the project now: its first session there has not written that down yet.
    Without such a folder it takes a few questions to the file system, and nothing is read.
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
    seen = _looked(configs, _config_file(home, env), frozenset(wanted), seen)
    ours = {unicodedata.normalize("NFC", folder) for folder in folders}
    is_seen = is_here or any(folder in ours for _, folder in seen.owners)
    return [_place(config, slug, seen, ours, is_seen=is_seen) for config, slug in there], seen


def owner_of(folder: str, slug: str) -> str:
    """Return the folder that *slug* stands for where Claude Code was in *folder*: that or one above; empty: none."""
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
        return Place(folder, OTHERS.format(quoted(others[0])))
    if not is_seen:
        return Place(folder, UNSEEN)
    return Place(folder, LINK) if folder.is_symlink() else Place(folder)


# --- the folders of a project --------------------------------------------------------------------


def _folders_of(project: ProjectRef, home: str) -> list[str]:
    """Return the root of *project*, the caller's worktree, and the other ones that belong to it."""
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
    """Return the names in *folder*, LISTED_MAX at most, in their order; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, LISTED_MAX))
    except (OSError, ValueError):
        return []


# --- where Claude Code was -----------------------------------------------------------------------


def _looked(configs: Iterable[Path], config_file: Path, slugs: frozenset[str], seen: Seen) -> Seen:
    """Return where Claude Code was seen under *slugs*; *seen* where nothing was changed since."""
    folders = [folder for config in configs for folder in _transcript_folders(config / "projects", slugs)]
    state = tuple((str(path), _changed_ns(path)) for path in (*folders, config_file))
    if state == seen.state and all(seen.folders.values()):  # one that did not say its folder may do so now
        return seen
    known = {path: seen.folders.get(path) or working_folder_of(path) for path in _transcripts(folders)}
    were_in = {*known.values(), *_projects_in(config_file)}
    owners = {(slug, owner) for folder in were_in for slug in slugs if (owner := owner_of(folder, slug))}
    return Seen(state, known, frozenset(owners))


def _transcript_folders(projects: Path, slugs: frozenset[str]) -> list[Path]:
    """Return the folders below *projects* that are called as one of *slugs*, then those whose names go on behind it."""
    beginnings = tuple(f"{slug[:SLUG_CHARACTERS_MAX]}-" for slug in slugs)
    names = [name for name in _entries(projects) if name in slugs or name.startswith(beginnings)]
    return [projects / name for name in sorted(names, key=lambda name: name not in slugs)[:FOLDERS_MAX]]


def _transcripts(folders: Iterable[Path]) -> list[str]:
    """Return the transcripts in *folders*, those of the first before others, the newest of each first."""
    found: list[str] = []
    for folder in folders:
        if len(found) >= TRANSCRIPTS_MAX:
            break
        files = [folder / name for name in _entries(folder) if name.endswith(".jsonl")]
        found += map(str, sorted(files, key=_changed_ns, reverse=True))
    return found[:TRANSCRIPTS_MAX]


def _changed_ns(path: Path) -> int:
    """Return when the folder or plain file at *path* was last changed; 0 for what is neither, or cannot be seen."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        return 0
    return state.st_mtime_ns if stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode) else 0


def _config_file(home: Path, env: Mapping[str, str]) -> Path:
    """Return where Claude Code's configuration is."""
    return (config_folders(home, env)[0] if env.get("CLAUDE_CONFIG_DIR", "").strip() else home) / ".claude.json"


class _Config(msgspec.Struct):
    projects: dict[str, msgspec.Raw] = {}
    """By their folders. Nothing else of the file is looked at: it may hold keys and tokens."""


def _projects_in(file: Path) -> list[str]:
    """Return the folders that Claude Code's configuration lists as projects."""
    try:
        return list(msgspec.json.decode(read_bounded(file, CONFIG_BYTES_MAX), type=_Config).projects)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError):
        return []
