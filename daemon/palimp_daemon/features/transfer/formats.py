"""Which source a file or folder is of, and what reads it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.features.transfer import (
    agentmemory,
    basic_memory,
    beads,
    claude_mem,
    engram,
    jsonl,
    markdown,
    mcp_memory_service,
    mem0,
    obsidian,
    open_memory,
    reference_server,
)
from palimp_daemon.features.transfer.reading import Look, look_at
from palimp_daemon.features.transfer.record import Batch
from palimp_protocol.messages.transfer import Format


class Source(NamedTuple):
    """A kind of files: how it is known, and what reads some of its records from a place on."""

    recognises: Callable[[Look], bool]
    batch_of: Callable[[Path, int, int], Batch]


SOURCES: Final[Mapping[Format, Source]] = {
    "reference-server": Source(reference_server.recognises, reference_server.batch_of),
    "beads": Source(beads.recognises, beads.batch_of),
    "claude-mem": Source(claude_mem.recognises, claude_mem.batch_of),
    "agentmemory": Source(agentmemory.recognises, agentmemory.batch_of),
    "engram": Source(engram.recognises, engram.batch_of),
    "mcp-memory-service": Source(mcp_memory_service.recognises, mcp_memory_service.batch_of),
    "openmemory": Source(open_memory.recognises, open_memory.batch_of),
    "mem0": Source(mem0.recognises, mem0.batch_of),
    "obsidian": Source(obsidian.recognises, obsidian.batch_of),
    "basic-memory": Source(basic_memory.recognises, basic_memory.batch_of),
    "markdown": Source(markdown.recognises, markdown.batch_of),
}
"""All but our own exports, in the order in which they are tried: the general ones last."""

UNKNOWN: Final = f"it is of no kind that is known: palimp, {', '.join(SOURCES)}"


def format_of(path: Path) -> Format:
    """Return what the file or folder at *path* is, by what is in it.

    Raises:
        OSError: it cannot be read.
        ValueError: it is nothing that is known, or cannot be taken apart.
    """
    if not path.is_dir() and jsonl.recognises(path):
        return "palimp"
    look = look_at(path)
    for name, source in SOURCES.items():
        if source.recognises(look):
            return name
    raise ValueError(UNKNOWN)
