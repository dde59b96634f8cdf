"""Parse a hook's act for rules."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from palimp_clients.hooks.event import PATCH, mapping_of, parts_of, text_of
from palimp_daemon.codediff.tool_edit import file_of, preview_edit
from palimp_daemon.text.rules.commit_messages import commit_messages
from palimp_daemon.text.rules.verdicts import ADDED_MAX, Act, FileEdit
from palimp_daemon.text.shell_commands import given_commands_in
from palimp_protocol.hooks import EDITING_TOOLS, SHELLS

FILES_MAX: Final = 24
"""Files of one patch that are examined."""

PARTS_MAX: Final = 24
"""Folders of a path."""


def asked_of(given: Mapping[str, Any]) -> str:
    """Return a hash of the tool and its input."""
    asked = [text_of(given, "tool_name"), given.get("tool_input")]
    text = msgspec.json.encode(asked, order="deterministic", enc_hook=str)
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def use_of(given: Mapping[str, Any]) -> str:
    """Return a tool use's id, or its hash (`asked_of`)."""
    return text_of(given, "tool_use_id") or asked_of(given)


def act_of(
    tool: str,
    tool_input: Mapping[str, Any],
    roots: Sequence[str],
    is_there: Callable[[str], bool] = lambda path: Path(path).exists(),
    folder: str = "",
) -> Act:
    """Parse the use of *tool* in a project at *roots*.

    *is_there* looks for a file; *folder* is the shell's.
    """
    if tool in SHELLS:
        line = text_of(tool_input, "command")
        commands = given_commands_in(line)
        messages = tuple(commit_messages(line, commands))
        return Act(commands=tuple(commands), messages=messages, folder=_parts(folder, roots))
    if tool not in EDITING_TOOLS:
        return Act()
    calls = [(tool, tool_input)]
    if tool == PATCH:
        parts = parts_of(tool_input)[:FILES_MAX]
        calls = [(text_of(part, "tool_name"), mapping_of(part, "tool_input")) for part in parts]
    return Act(edits=tuple(edit for name, given in calls if (edit := _edit(name, given, roots, is_there))))


def _edit(
    tool: str, given: Mapping[str, Any], roots: Sequence[str], is_there: Callable[[str], bool]
) -> FileEdit | None:
    path = file_of(given)
    parts = _parts(path, roots)
    if not parts or tool not in EDITING_TOOLS:
        return None
    before, after = preview_edit(tool, given, "")
    if tool in ("Edit", "MultiEdit"):
        before = "\n".join(_olds(given))
    known = {"", *before[:ADDED_MAX].split("\n")}
    added = "\n".join(line for line in after[:ADDED_MAX].split("\n") if line not in known)
    return FileEdit(parts, added, is_new=tool == "Write" and not is_there(path))


def _olds(given: Mapping[str, Any]) -> list[str]:
    edits: Any = given.get("edits")
    parts: list[Any] = [given, *edits] if isinstance(edits, list) else [given]
    return [text_of(mapping_of({"edit": each}, "edit"), "old_string") for each in parts]


def _parts(path: str, roots: Sequence[str]) -> tuple[str, ...]:
    for root in roots:
        if root and path.startswith(f"{root.rstrip('/')}/"):
            path = path[len(root.rstrip("/")) + 1 :]
            break
    else:
        if path.startswith("/"):
            return ()  # another project's, or nobody's
    return tuple(part for part in path.split("/") if part not in ("", ".", ".."))[-PARTS_MAX:]
