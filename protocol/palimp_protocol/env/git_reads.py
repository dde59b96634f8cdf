"""Find files that would hold git up: named pipes, devices, endless files.

Which settings name files differs with git's version, so every value is taken for a path. Deeper files are left to
`git_command`'s bounds.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from os.path import dirname, isabs, join
from typing import Final, NamedTuple

from palimp_protocol.env.project import git_folder_of, path_in, read_plain
from palimp_protocol.text import shown_name

SETTINGS_BYTES_MAX: Final = 1024 * 1024
"""Bytes of a settings file: some hundred, or 100 KB with a thousand branches."""

LIST_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of a file with names, patterns or commits: 400,000 commits of a shallow history."""

INCLUDES_MAX: Final = 50
"""Included settings files that are followed; git goes ten deep."""

REFS_MAX: Final = 2_000
"""Files of `refs` looked at, in a few milliseconds; large repositories keep most in `packed-refs`."""

ALTERNATES_MAX: Final = 20
"""Alternate object folders looked into."""

FILES_REMEMBERED: Final = 256
"""Settings files with cached content: one or two per project."""

_PATH_CHARACTERS_MAX: Final = 4_096

_OF_GIT: Final = ("", "info", "reftable", "logs")
"""Folders in a git folder that hold files git may read."""

_OF_OBJECTS: Final = ("info", "info/commit-graphs", "pack")
"""The same in a folder of objects."""

_SETTINGS: Final = ("config", "config.worktree")
_LISTS: Final = (
    *("HEAD", "commondir", "gitdir", "shallow", "info/attributes", "info/exclude", "info/grafts"),
    *("info/sparse-checkout", "objects/info/alternates"),
)
_IN_THE_TREE: Final = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")

_LIST_KEYS: Final = frozenset(
    {"core.attributesfile", "core.excludesfile", "mailmap.file", "blame.ignorerevsfile", "diff.orderfile"}
)
"""Keys for files that palimp's git calls read whole; other values may not be files."""

_SECTION: Final = re.compile(r"\[\s*([-.\w]+)(?:\s+\"((?:[^\"\\\n]|\\.)*)\")?\s*\]")
_KEY: Final = re.compile(r"([a-zA-Z][-a-zA-Z0-9]*)[ \t]*(=?)[ \t]*")
_VALUE: Final = re.compile(r"\"((?:[^\"\\\n]|\\.|\\\n)*)\"?|(\\(?:\n|.))|([^\"\\\n#;]+)|[#;][^\n]*", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(\n|.)", re.DOTALL)
_MEANT: Final = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}


class Setting(NamedTuple):
    """A git setting: `section.key` in lower case, and value."""

    key: str
    value: str


def obstacle(tree: str, env: Mapping[str, str]) -> str:
    """Return a sentence on a visible file in *tree* that would hold git up; else empty."""
    folder = git_folder_of(tree)
    if folder is None:
        return ""
    common = path_in(join(folder, "commondir"), "")
    folders = [folder] if common in (None, folder) else [folder, common]
    for found in (
        *((join(tree, name), LIST_BYTES_MAX) for name in _IN_THE_TREE),
        *((join(each, name), LIST_BYTES_MAX) for each in folders for name in _LISTS),
    ):
        if why := _held_up_by(*found):
            return f"{shown_name(found[0])} is {why}."
    for each in folders:
        for path in _files_in(each):
            if why := _held_up_by(path):
                return f"{shown_name(path)} is {why}."
    return _named_obstacle(tree, [join(each, name) for each in folders for name in _SETTINGS], env)


def settings_in(text: str) -> list[Setting]:
    """Return the well-formed entries of a git configuration file."""
    found: list[Setting] = []
    section, at = "", 0
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    while at < len(text):
        if match := _SECTION.match(text, at):
            section = match[1].lower().split(".")[0]
        elif match := _KEY.match(text, at):
            key, at = match[1].lower(), match.end()
            value, at = _value_at(text, at) if match[2] else ("", at)
            found.append(Setting(f"{section}.{key}", value))
            continue
        elif text[at] in "#;":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        at = match.end() if match else at + 1
    return found


def _value_at(text: str, at: int) -> tuple[str, int]:
    value, length = "", 0  # without the spaces at its end, unless they are quoted
    while (match := _VALUE.match(text, at)) and match.end() > at:
        quoted, escaped, plain = match.groups()
        if plain is not None:
            value += plain if value else plain.lstrip(" \t")
            length = max(length, len(value.rstrip(" \t")))
        elif meant := _ESCAPED.sub(lambda one: _MEANT.get(one[1], one[1]), escaped or quoted or ""):
            value += meant
            length = len(value)
        at = match.end()
    return value[:length], at


def _named_obstacle(tree: str, files: list[str], env: Mapping[str, str]) -> str:
    waiting, seen = list(files), set[str]()
    while waiting and len(seen) < INCLUDES_MAX:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        if why := _held_up_by(file, SETTINGS_BYTES_MAX):
            return f"{shown_name(file)} is {why}."
        for key, value in _settings_of(file):
            for path in _resolve(value, (dirname(file), tree), env):
                if why := _held_up_by(path, LIST_BYTES_MAX if key in _LIST_KEYS else None):
                    return f"{shown_name(file)} names {shown_name(path)} ({shown_name(key)}), which is {why}."
                if key in ("include.path", "includeif.path"):
                    waiting.append(path)
    return ""


def _settings_of(file: str) -> list[Setting]:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return []
    return _settings_of_file(file, status.st_ino, status.st_mtime_ns, status.st_size)


@lru_cache(FILES_REMEMBERED)
def _settings_of_file(file: str, _number: int, _time: int, _size: int) -> list[Setting]:
    return settings_in(read_plain(file, SETTINGS_BYTES_MAX))


def _resolve(value: str, folders: tuple[str, ...], env: Mapping[str, str]) -> list[str]:
    value = value.removeprefix(":(optional)")
    if not value or len(value) > _PATH_CHARACTERS_MAX or "\0" in value:
        return []
    if value.startswith("~/"):
        return [join(env["HOME"], value[2:])] if env.get("HOME") else []
    return [value] if isabs(value) else [join(folder, value) for folder in dict.fromkeys(folders)]


def _files_in(folder: str) -> Iterator[str]:
    objects = [join(folder, "objects"), *_alternates(join(folder, "objects"))]
    for each in (
        *(join(folder, name) for name in _OF_GIT),
        *(join(at, name) for at in objects for name in _OF_OBJECTS),
    ):
        for entry in _entries(each):
            if not entry.is_file(follow_symlinks=False) and not entry.is_dir(follow_symlinks=False):
                yield entry.path
    left, waiting = REFS_MAX, [join(folder, "refs")]
    while waiting and left > 0:
        for entry in _entries(waiting.pop()):
            left -= 1
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                yield entry.path


def _alternates(objects: str) -> list[str]:
    listed = read_plain(join(objects, "info", "alternates"), SETTINGS_BYTES_MAX).splitlines()
    return [join(objects, line) for line in listed if line and not line.startswith("#")][:ALTERNATES_MAX]


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []


def _held_up_by(path: str, bytes_max: int | None = None) -> str:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ""
    if stat.S_ISFIFO(status.st_mode):
        return "a named pipe"
    if stat.S_ISBLK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and not _is_null(status)):
        return "a device"
    if bytes_max is not None and stat.S_ISREG(status.st_mode) and status.st_size > bytes_max:
        return f"larger than {bytes_max:,} bytes"
    return ""


def _is_null(status: os.stat_result) -> bool:
    return status.st_rdev == os.stat(os.devnull).st_rdev
