"""Messages of export, import and backup."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from palimp_protocol.messages.daemon_messages import KindCount
from palimp_protocol.messages.memory_messages import Path, Relation, SaidBy
from palimp_protocol.messages.rule_messages import CHECKS_MAX, AtBreach, Check

FORMATS: Final = (
    *("palimp", "reference-server", "claude-mem", "mem0", "openmemory", "mcp-memory-service", "engram", "beads"),
    *("agentmemory", "basic-memory", "obsidian", "markdown"),
)
"""Palimp's own import formats; `auto` recognises them by content, other packages add theirs."""

Format = Annotated[
    str, Meta(min_length=1, max_length=100, description=f"One of {', '.join(FORMATS)}, or of an importer added.")
]


class Export(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask for the next page, purged memories included."""

    after: Annotated[int, Meta(ge=0)] = 0
    """The former page's `next`."""
    everything: bool = False


class PortableLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A link to another memory, on the later one's line."""

    other: str
    """Id of the other memory, which stands before it."""
    relation: Relation
    said_by: SaidBy
    at: int
    said: str = ""
    is_edit: bool = False
    is_older: bool = False
    """Whether the line's memory is the older one: the other replaces it."""


class PortableRule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person's words on a rule, and its counts; the rest is derived."""

    own: Annotated[tuple[Check, ...], Meta(max_length=CHECKS_MAX)] | None = None
    """Checks that a person made; None: none were made."""
    at_breach: AtBreach = "remind"
    """For people to read: an import takes only `off`, as a file must not refuse anything here."""
    told: int = 0
    kept: int = 0
    broken: int = 0
    broken_told: int = 0
    refused: int = 0
    overruled: int = 0
    """Counts of all sessions, for people; an import begins anew."""


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
    links: list[PortableLink] = []
    """Authors of *supersedes*, and other links to memories before it."""
    pinned_at: int | None = None
    proposed_at: int | None = None
    """Time of its capture, until confirmed."""
    muted_at: int | None = None
    rule: PortableRule | None = None


class ExportPage(Struct, frozen=True, kw_only=True):
    """A page of memories, in the order of saving."""

    memories: list[PortableMemory]
    next: int | None
    """Next page's beginning; None: this was the last."""
    total: int


class ImportFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Import a file or folder of this machine, a page at a time."""

    path: Path
    """Absolute, or an address (`file://`) for a path that is not UTF-8."""
    format: Format = "auto"
    place: Annotated[int, Meta(ge=0)] = 0
    act: Annotated[int, Meta(ge=0)] = 0
    """The former page's `act`: all pages are undone as one."""
    dry_run: bool = False
    here: bool = False
    """Everything into this project, whatever its own."""


class LeftOutCount(Struct, frozen=True):
    """Number of records left out for a reason."""

    reason: str
    count: int


class ImportPage(Struct, frozen=True, kw_only=True):
    """Result of one page."""

    format: Format
    imported: int
    known: int
    """Records imported or saved before."""
    skipped: list[str]
    """Omitted records, with place and reason; the first of many."""
    next: int | None
    done: int
    total: int
    """Progress, in the format's unit."""
    updated: int = 0
    """Records imported before and changed since; the new text supersedes the former."""
    kinds: list[KindCount] = []
    left: list[LeftOutCount] = []
    """All omitted records, by reason."""
    act: int = 0
    """0: nothing stored yet."""


class Backup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Copy the database to a new file."""

    path: Path


class BackedUp(Struct, frozen=True, kw_only=True):
    """The copy, opened and checked."""

    path: str
    bytes: int
    memories: int
