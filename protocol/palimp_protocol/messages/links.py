"""Requests and replies of what one memory does to another: supersede, edit, pin, mute."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memories import IdPrefix, Linked, Relation, Similar, Tag

Text = Annotated[str, Meta(min_length=1, max_length=limits.TEXT_CHARACTERS_MAX)]
Reason = Annotated[str, Meta(max_length=limits.WHY_CHARACTERS_MAX)]


class Supersede(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say that a memory replaces, narrows or disagrees with another."""

    older: IdPrefix
    newer: IdPrefix
    relation: Relation = "replaces"
    why: Reason = ""


class Superseded(Struct, frozen=True, kw_only=True):
    """The link that holds now."""

    link: str
    """Its name: `link12`."""
    older: Similar
    newer: Similar
    relation: Relation
    is_known: bool = False
    """Whether it held before, by somebody whose word counts as much."""


class Decide(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Note what a person answered who was asked what a new memory does to older ones."""

    newer: IdPrefix
    replaced: Annotated[list[IdPrefix], Meta(max_length=limits.SUBJECT_SHOWN_MAX)] = []
    narrowed: Annotated[list[IdPrefix], Meta(max_length=limits.SUBJECT_SHOWN_MAX)] = []
    kept: Annotated[list[IdPrefix], Meta(max_length=limits.SUBJECT_SHOWN_MAX)] = []
    """Those that hold on beside it: what was inferred about them is taken back."""


class Decided(Struct, frozen=True, kw_only=True):
    """What holds now."""

    linked: list[Linked]
    kept: list[Similar]


class EditMemory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Make another version of a memory: the former stays as it is, and is replaced."""

    id: IdPrefix
    text: Text
    title: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)] | None = None
    """Made from the first sentence when omitted."""
    tags: Annotated[list[Tag], Meta(max_length=limits.TAGS_MAX)] | None = None
    """None: those of the former version."""


class Edited(Struct, frozen=True, kw_only=True):
    """The version that holds now."""

    id: str
    title: str
    former: str
    """The id of the former version."""
    is_redacted: bool = False
    is_unchanged: bool = False
    """Whether the text is the former one: then nothing was stored, and *id* is the former version's."""


class Pin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pin memories, which are then told at every start of a session; or take the pins off."""

    ids: Annotated[list[IdPrefix], Meta(min_length=1, max_length=limits.RECALL_ROWS_MAX)]
    off: bool = False


class Pinned(Struct, frozen=True, kw_only=True):
    """The memories that are pinned now, or not any more."""

    memories: list[Similar]
    unknown: list[str] = []
    """Ids that name nothing here, with the reason."""
    unchanged: list[str] = []
    """Ids that were pinned, or not pinned, before."""


class Mute(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Have memories told only to who asks for them; or take that back; without *ids*, list them."""

    ids: Annotated[list[IdPrefix], Meta(max_length=limits.RECALL_ROWS_MAX)] = []
    off: bool = False


class MutedMemory(Struct, frozen=True, kw_only=True):
    """A memory that is muted."""

    id: str
    title: str
    at: int
    """When it was muted, in Unix milliseconds."""


class Muted(Struct, frozen=True, kw_only=True):
    """The memories that are muted now, or not any more; of a list, those that are."""

    memories: list[Similar] = []
    unknown: list[str] = []
    """Ids that name nothing here, with the reason."""
    unchanged: list[str] = []
    """Ids that were muted, or not muted, before."""
    muted: list[MutedMemory] = []
    """Of a list, the last that were muted first."""
    total: int = 0
    """How many are, of a list."""
