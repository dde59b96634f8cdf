"""Edits in patches of `apply_patch`, the tool of OpenAI's models; malformed lines are skipped."""

import re
from collections.abc import Iterator
from typing import Any, Final

from palimp_clients.hooks.event import FILES_MAX, path_in, tool_call

_FILE: Final = re.compile(r"\*\*\* (Add|Delete|Update) File: (.+)")
_MOVED: Final = re.compile(r"\*\*\* Move to: (.+)")
_END: Final = "*** End of File"


def edits_of(patch: str, folder: str) -> list[dict[str, Any]]:
    """Return edits as calls of Write, MultiEdit and Delete; paths are relative to *folder*."""
    found: list[dict[str, Any]] = []
    for what, path, lines in _files(patch):
        if len(found) >= FILES_MAX:
            break
        place = path_in(folder, path)
        if what == "Add":
            content = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
            found.append(tool_call("Write", file_path=place, content=content))
        elif what == "Delete":
            found.append(tool_call("Delete", file_path=place))
        else:
            moved = next((match[1].strip() for line in lines if (match := _MOVED.fullmatch(line))), "")
            edits = [{"old_string": old, "new_string": new} for old, new in _hunks(lines)]
            found.append(tool_call("MultiEdit", file_path=path_in(folder, moved) or place, edits=edits))
    return found


def _files(patch: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (Add, Delete or Update; path; lines)."""
    what = path = ""
    lines: list[str] = []
    for line in patch.split("\n"):  # what else ends lines may stand in them
        if (match := _FILE.fullmatch(line.rstrip())) or line.rstrip() == "*** End Patch":
            if path:
                yield what, path, lines
            what, path, lines = (match[1], match[2].strip(), []) if match else ("", "", [])
        elif path:
            lines.append(line)
    if path:  # cut
        yield what, path, lines


def _hunks(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each hunk's old and new text."""
    old, new = list[str](), list[str]()
    for line in [*lines, "@@"]:
        if line.startswith("@@"):
            if old != new:
                yield "\n".join(old), "\n".join(new)
            old, new = [], []
        elif line.startswith("*** "):
            continue
        else:
            mark, text = line[:1], line[1:]
            if mark != "+":
                old.append(text)
            if mark != "-":
                new.append(text)
