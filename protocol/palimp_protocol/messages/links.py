"""Messages that change memories and their links."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.messages.memory_messages import IdPrefix, Ids, Linked, MemoryKind, Relation, Similar, Tags, Title

Text = Annotated[str, Meta(min_length=1, max_length=limits.TEXT_CHARACTERS_MAX)]
Reason = Annotated[str, Meta(max_length=limits.WHY_CHARACTERS_MAX)]


class Supersede(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Link a memory to one that it replaces, narrows or disputes."""

    older: IdPrefix
    newer: IdPrefix
    relation: Relation = "replaces"
    why: Reason = ""


class Superseded(Struct, frozen=True, kw_only=True):
    """The link in force."""

    link: str
    """Its name: `link12`."""
    older: Similar
    newer: Similar
    relation: Relation
    is_known: bool = False
    """Whether it was in force before, from an author of equal standing."""


class Decide(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Store a person's answer about new and older memories."""

    newer: IdPrefix
    replaced: Annotated[list[IdPrefix], Meta(max_length=limits.SUBJECT_SHOWN_MAX)] = []
    narrowed: Annotated[list[IdPrefix], Meta(max_length=limits.SUBJECT_SHOWN_MAX)] = []
    kept: Annotated[list[IdPrefix], Meta(max_length=limits.SUBJECT_SHOWN_MAX)] = []
    """Memories that hold beside it: inferred links to them go."""
    for_all: bool | None = None
    """Whether for all projects; None: not asked."""


class Decided(Struct, frozen=True, kw_only=True):
    """The links in force."""

    linked: list[Linked]
    kept: list[Similar]


class EditMemory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Make another version of a memory."""

    id: IdPrefix
    text: Text
    title: Title | None = None
    """None: made from the first sentence."""
    tags: Tags | None = None
    """None: the former version's."""
    kind: MemoryKind | None = None
    """None: the former version's."""


class Edited(Struct, frozen=True, kw_only=True):
    """The version in force."""

    id: str
    title: str
    former: str
    is_redacted: bool = False
    is_unchanged: bool = False
    """Whether the text stayed: nothing was stored, and *id* is the former version's."""


class Pin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pin or unpin memories; without *ids*, list pinned ones."""

    ids: Ids = []
    off: bool = False


class MarkedMemory(Struct, frozen=True, kw_only=True):
    """A pinned or muted memory."""

    id: str
    title: str
    at: int
    """Unix milliseconds of the mark."""


class Pinned(Struct, frozen=True, kw_only=True):
    """Memories changed now; of a list, all pinned ones."""

    memories: list[Similar] = []
    unknown: list[str] = []
    """Ids not found here, each with the reason."""
    unchanged: list[str] = []
    """Ids pinned, or not, before."""
    pinned: list[MarkedMemory] = []
    """Of a list, the last pinned first; at most PINS_MAX per project."""


class Move(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Move memories to the global scope, or another project."""

    ids: Annotated[list[IdPrefix], Meta(min_length=1, max_length=limits.RECALL_ROWS_MAX)]
    to_global: bool = False
    target: ProjectRef | None = None
    """Either a project, or *to_global*."""


class Moved(Struct, frozen=True, kw_only=True):
    """Moved memories, each with its former versions."""

    memories: list[Similar]
    unknown: list[str] = []
    """Ids not found here, each with the reason."""
    unchanged: list[str] = []
    """Ids already there."""


class Mute(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Mute or unmute memories; without *ids*, list muted ones."""

    ids: Ids = []
    off: bool = False


class Muted(Struct, frozen=True, kw_only=True):
    """Memories changed now; of a list, all muted ones."""

    memories: list[Similar] = []
    unknown: list[str] = []
    """Ids not found here, each with the reason."""
    unchanged: list[str] = []
    """Ids muted, or not, before."""
    muted: list[MarkedMemory] = []
    """Of a list, the last muted first."""
    total: int = 0
    """Number of muted memories, of a list."""
