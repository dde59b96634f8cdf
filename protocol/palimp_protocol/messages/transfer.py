"""Requests and replies of moving memories: out of palimp, into it from elsewhere, and whole copies of the database."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.daemon import KindCount
from palimp_protocol.messages.memories import Relation, SaidBy

Format = Literal[
    "auto", "palimp", "reference-server", "claude-mem", "mem0", "openmemory", "mcp-memory-service", "engram", "beads",
    "agentmemory", "basic-memory", "obsidian", "markdown",
]  # fmt: skip
"""What an import may be of; `auto` is recognised by what is in it."""


class Export(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask for the next memories of the project, or of all projects, purged ones too."""

    after: Annotated[int, Meta(ge=0)] = 0
    """The `next` of the page before."""
    everything: bool = False


class PortableLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a memory does to another, or has done to it; on the line of the one that was stored later."""

    other: str
    """The id of the other memory, which stands before it."""
    relation: Relation
    said_by: SaidBy
    at: int
    said: str = ""
    is_edit: bool = False
    is_older: bool = False
    """Whether the memory of the line is the older one: the other one replaces it."""


class PortableMemory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory as a line of an export. Times are Unix milliseconds."""

    id: str
    title: str
    content: str
    kind: str
    created_at: int
    project: str = ""
    """The project's root; empty: the global scope."""
    project_name: str = ""
    tags: list[str] = []
    source: str = "manual"
    session: str = ""
    client: str = ""
    updated_at: int | None = None
    purged_at: int | None = None
    quote: str = ""
    supersedes: list[str] = []
    """Ids of older memories that this one supersedes."""
    links: list[PortableLink] = []
    """Who says so, and what else is said of it and others before it."""
    pinned_at: int | None = None
    proposed_at: int | None = None
    muted_at: int | None = None
    """When capture found it, if nobody confirmed it yet."""


class ExportPage(Struct, frozen=True, kw_only=True):
    """Some memories, in the order in which they were saved."""

    memories: list[PortableMemory]
    next: int | None
    """Where the next page begins; None: this was the last."""
    total: int


class ImportFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take memories out of a file or folder of this machine, some at a time."""

    path: Annotated[str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX)]
    """Absolute, or an address (`file://`), by which a path that is no UTF-8 can be told."""
    format: Format = "auto"
    place: Annotated[int, Meta(ge=0)] = 0
    """The `next` of the page before."""
    act: Annotated[int, Meta(ge=0)] = 0
    """The `act` of the page before: all pages are undone as one."""
    dry_run: bool = False
    here: bool = False
    """Everything into this project, whatever project it was in."""


class LeftOutCount(Struct, frozen=True):
    """How many records were left out for a reason."""

    reason: str
    count: int


class ImportPage(Struct, frozen=True, kw_only=True):
    """What became of some of the file."""

    format: Format
    imported: int
    known: int
    """Those that were imported or saved before."""
    skipped: list[str]
    """What was not imported, each with its place and the reason; the first of many."""
    next: int | None
    done: int
    total: int
    """How far it is, in whatever the format counts."""
    updated: int = 0
    """Those that were imported before and have changed since; the new text supersedes the former one."""
    kinds: list[KindCount] = []
    """Of what kinds those are that were imported or updated."""
    left: list[LeftOutCount] = []
    """How many were not imported, by reason: all of them."""
    act: int = 0
    """The number of the act; 0: nothing was stored yet."""


class Backup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Copy the database to a new file."""

    path: Annotated[str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX)]


class BackedUp(Struct, frozen=True, kw_only=True):
    """The copy, which was opened and checked."""

    path: str
    bytes: int
    memories: int
