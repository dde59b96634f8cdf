"""List importers by format: ours, and other packages'."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from palimp_neighbours.transfer.daemon import (
    agentmemory,
    basic_memory,
    beads,
    claude_mem,
    engram,
    jsonl,
    markdown_notes,
    mcp_memory_service,
    mem0,
    obsidian,
    open_memory,
    reference_server,
)
from palimp_neighbours.transfer.daemon.file_reading import look_at
from palimp_neighbours.transfer.daemon.importer import ENTRY_POINTS, Importer
from palimp_neighbours.transfer.daemon.record import Batch

SOURCES: Final[Mapping[str, Importer]] = {
    "reference-server": reference_server.IMPORTER,
    "beads": beads.IMPORTER,
    "claude-mem": claude_mem.IMPORTER,
    "agentmemory": agentmemory.IMPORTER,
    "engram": engram.IMPORTER,
    "mcp-memory-service": mcp_memory_service.IMPORTER,
    "openmemory": open_memory.IMPORTER,
    "mem0": mem0.IMPORTER,
    "obsidian": obsidian.IMPORTER,
    "basic-memory": basic_memory.IMPORTER,
    "markdown": markdown_notes.IMPORTER,
}
"""All but our own exports, in the order tried: general ones last."""

UNKNOWN: Final = f"it is of no kind that is known: palimp, {', '.join(SOURCES)}"


def importers() -> Mapping[str, Importer]:
    """Return importers in order of trial: other packages', then ours.

    Raises:
        ValueError: one of another package cannot be loaded.
    """
    found: dict[str, Importer] = {}
    for each in entry_points(group=ENTRY_POINTS):
        try:
            found[each.name] = each.load()
        except (ImportError, AttributeError) as error:
            raise ValueError(f"the importer {each.name!r} ({each.value}) cannot be loaded: {error}") from None
    return {**found, **SOURCES}


def format_of(path: Path) -> str:
    """Return the format of *path*'s content.

    Raises:
        OSError: it cannot be read.
        ValueError: its format is unknown, or it cannot be taken apart.
    """
    if not path.is_dir() and jsonl.recognises(path):
        return "palimp"
    look = look_at(path)
    for name, importer in importers().items():
        if importer.recognises(look):
            return name
    raise ValueError(UNKNOWN if path.is_dir() or path.stat().st_size else "it is empty")


def batch_of(path: Path, form: str, place: int, limit: int) -> Batch | jsonl.OwnBatch:
    """Return *limit* records of *path*, in the format *form*, from *place* on.

    Raises:
        OSError: it cannot be read.
        ValueError: it is of another format, damaged or too large; or there is no such format.
    """
    if form == "palimp":
        return jsonl.batch_of(path, place, limit)
    known = importers()
    if form not in known:
        raise ValueError(f"no format is called {form!r}; there are: palimp, {', '.join(known)}")
    return known[form].batch_of(path, place, limit)
