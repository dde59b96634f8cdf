"""Which kind of file it is, and what is in it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, cast

from palimp_daemon.plain_files import open_plain
from palimp_daemon.transfer import claude_mem, markdown, reference_server
from palimp_daemon.transfer.incoming import Batch
from palimp_protocol.transfer import Format

LOOKED_AT: Final = 64 * 1024
"""Bytes of a file's beginning that say what it is."""

EXPORT_KEY: Final = "palimp_export"
"""The key of the first line of our own exports."""

UNKNOWN: Final = (
    "it is no export of palimp, no file of the reference memory server, no database of claude-mem, and no markdown"
)

READERS: Final[Mapping[Format, Callable[[Path, int, int], Batch]]] = {
    "reference-server": reference_server.batch_of,
    "claude-mem": claude_mem.batch_of,
    "markdown": markdown.batch_of,
}
"""Of all formats but our own."""


def format_of(path: Path) -> Format:
    """Return what the file or folder at *path* is.

    Raises:
        OSError: it cannot be read.
        ValueError: it is nothing that is known.
    """
    if path.is_dir() or path.suffix == ".md":
        return "markdown"
    with open_plain(path) as stream:
        head = stream.read(LOOKED_AT)
    if head.startswith(b"SQLite format 3\0"):
        return "claude-mem"
    first = _first_line(head)
    if EXPORT_KEY in first:
        return "palimp"
    if first.get("type") in ("entity", "relation"):
        return "reference-server"
    raise ValueError(UNKNOWN)


def _first_line(head: bytes) -> dict[str, Any]:
    """Return the object in the first line that has something in it; empty when that is none."""
    line = next((line for line in head.splitlines() if line.strip()), b"")
    try:
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
