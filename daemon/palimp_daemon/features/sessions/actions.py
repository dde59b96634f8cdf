"""Parse a tool's use: the files it touches, the commands it runs.

A line is one action. A path only looked up by name (`ls`, `grep`) is not touched.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from palimp_clients.hooks.event import PATCH, mapping_of, parts_of, text_of
from palimp_daemon.codediff.tool_edit import file_of
from palimp_daemon.text.command_kinds import kinds_of
from palimp_daemon.text.shell_commands import SimpleCommand, commands_in
from palimp_daemon.text.written_paths import is_path
from palimp_protocol.hooks import EDITING_TOOLS, SHELLS

READING_TOOLS: Final = frozenset({"Read"})

PARTS_MAX: Final = 16
"""Folders of a path considered, the innermost; deeper trees are generated."""

TOUCHED_MAX: Final = 6
"""Files of one shell line, or of one patch."""

PATH_CHARACTERS_MAX: Final = 1_000

_LOOKING: Final = frozenset({"cat", "head", "tail", "less", "more", "bat", "sed", "view", "vim", "vi", "nano", "code"})
_CHANGING: Final = frozenset({"rm", "mv", "cp", "tee", "touch", "truncate", "chmod", "ln", "install", "patch", "dd"})
_GIT_CHANGING: Final = frozenset({"add", "rm", "mv", "checkout", "restore"})

MIGRATIONS: Final = frozenset({"migrations", "migrate", "versions"})
"""Folders in which a new file is a migration: `db/migrate`, `alembic/versions`."""


class Touched(NamedTuple):
    """A file or folder to be touched."""

    parts: tuple[str, ...]
    """From the project's root; for paths elsewhere, the file system's root is the first part."""
    is_changed: bool
    """Whether it is written, not only read."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether it lies outside the project."""
        return self.parts[:1] == ("/",)


class Action(NamedTuple):
    """The parsed use of a tool."""

    touched: tuple[Touched, ...] = ()
    commands: tuple[SimpleCommand, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The subjects to look up (`store.tables.memory_subjects`)."""
        found = [f"={kind}" for kind in self.kinds] + [f"${command.program}" for command in self.commands]
        for parts, is_changed in self.touched:
            named = [part for part in parts if part != "/"]
            for end in range(len(named), 0 if is_changed else len(named) - 1, -1):
                found += [f"/{'/'.join(named[max(0, end - 2) : end])}", f"/{named[end - 1]}"]
            ending = parts[-1].rpartition(".")[2]
            found += [f"/*.{ending}"] if is_changed and "." in parts[-1] else []
        return list(dict.fromkeys(found))


def action_of(tool: str, tool_input: Mapping[str, Any], roots: Sequence[str]) -> Action | None:
    """Parse the use of *tool* in a project at *roots*; None: nothing to look up."""
    if tool in SHELLS:
        line = tool_input.get("command")
        return _of_line(line, roots) if isinstance(line, str) and line.strip() else None
    if tool in EDITING_TOOLS or tool in READING_TOOLS:
        return _of_files(_calls(tool, tool_input), roots)
    return None


def _calls(tool: str, tool_input: Mapping[str, Any]) -> list[tuple[str, str]]:
    if tool != PATCH:
        return [(tool, file_of(tool_input))]
    parts = parts_of(tool_input)[:TOUCHED_MAX]
    calls = [(text_of(part, "tool_name"), file_of(mapping_of(part, "tool_input"))) for part in parts]
    return [(name, path) for name, path in calls if name in EDITING_TOOLS]


def _of_files(calls: Sequence[tuple[str, str]], roots: Sequence[str]) -> Action | None:
    touched: list[Touched] = []
    is_migration = False
    for tool, path in calls:
        if each := touched_at(path, roots, is_changed=tool in EDITING_TOOLS):
            touched.append(each)
            is_migration |= tool == "Write" and bool(MIGRATIONS & {*each.parts[-3:-1]})
    return Action(tuple(touched), kinds=("migrate",) if is_migration else ()) if touched else None


def touched_at(path: str, roots: Sequence[str], *, is_changed: bool, folder: str = "") -> Touched | None:
    """Return the file at *path*, absolute or relative to *folder*, if to be looked up."""
    if not path or len(path) > PATH_CHARACTERS_MAX or "\0" in path:
        return None
    whole = posixpath.normpath(path if path.startswith(("/", "~")) else posixpath.join(folder, path))
    for root in roots:
        if root and (whole == root or whole.startswith(f"{root.rstrip('/')}/")):
            whole = whole[len(root.rstrip("/")) + 1 :]
            break
    parts = [part for part in whole.split("/") if part not in ("", ".", "..")]
    if not parts:
        return None
    kept = parts[-PARTS_MAX:]
    return Touched(("/", *kept) if whole.startswith("/") else tuple(kept), is_changed)


def _of_line(line: str, roots: Sequence[str]) -> Action:
    commands = commands_in(line)
    touched = [each for command in commands for each in _touched_files(command, roots)]
    kinds = [kind for command in commands for kind in kinds_of(command)]
    return Action(tuple(touched[:TOUCHED_MAX]), tuple(commands), tuple(dict.fromkeys(kinds)))


def _touched_files(command: SimpleCommand, roots: Sequence[str]) -> Iterator[Touched]:
    program, words = command.program, command.words
    is_changed = program in _CHANGING or (program == "sed" and any(flag.startswith("-i") for flag in command.flags))
    if program == "git" and words[:1] and words[0] in _GIT_CHANGING:
        words, is_changed = words[1:], True
    elif program == "sed" and not {"-e", "-f"} & {*command.flags}:
        words = words[1:]  # the first is what it does
    elif not is_changed and program not in _LOOKING:
        words = ()
    found = [(word, is_changed) for word in words if is_path(word)] + [(word, True) for word in command.written]
    for word, changes in found:
        touched = touched_at(word, roots, is_changed=changes, folder=command.folder)
        if touched:
            yield touched
