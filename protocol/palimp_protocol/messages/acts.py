"""Requests and replies of the history of acts: who changed which memories when, and taking that back."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memories import Relation, Similar

ActKind = Literal[
    "save", "edit", "delete", "restore", "supersede", "decide", "pin", "unpin", "mute", "unmute", "review", "compact",
    "import", "capture", "erase", "undo",
]  # fmt: skip
"""What was done. `decide`: the user answered a question about a new memory; `erase`: `palimp delete --hard`."""

Author = Literal["user", "agent", "unknown"]
"""Who did it. `unknown`: it was done before acts were recorded."""

ActName = Annotated[str, Meta(max_length=40)]
"""`act12`, or the id of a memory."""


class ActLink(Struct, frozen=True, kw_only=True):
    """What an act said that one memory does to another; of an undo, what does not hold any more."""

    newer: Similar
    older: Similar
    relation: Relation


class Act(Struct, frozen=True, kw_only=True):
    """Something that somebody did to memories of a project."""

    name: str
    """`act12`."""
    kind: ActKind
    at: int
    """In Unix milliseconds."""
    author: Author
    client: str = ""
    session: str = ""
    """Empty: at a terminal."""
    total: int = 0
    """How many memories it is about."""
    memories: list[Similar] = []
    """The first of them; the title is what it is now."""
    links: list[ActLink] = []
    """The first of what it said about two of them."""
    undoes: str = ""
    """Of an undo, the act that it took back."""
    undone_by: str = ""
    """The act that took this one back; empty: it is in effect."""
    is_undoable: bool = True
    """False: it is an act that cannot be taken back, whatever happens; or it was taken back."""


class Acts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List what was done to memories in the project, the newest first."""

    id: ActName = ""
    """Only what was done to this memory."""
    before: ActName = ""
    """Only what was done before this act."""
    limit: Annotated[int, Meta(ge=1, le=limits.ACTS_SHOWN_MAX)] = limits.ACTS_SHOWN_MAX


class ActList(Struct, frozen=True, kw_only=True):
    """Some acts, the newest first."""

    acts: list[Act]
    total: int
    """How many there are on record, before or after these."""


class Undo(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take back an act: the last one of a person in the project; in an agent's session, the last one of the session."""

    id: ActName = ""
    """This act instead, whoever did it; or the last one about this memory that is in effect."""
    dry_run: bool = False
    """Only say what it would do."""


EffectKind = Literal[
    "deleted", "restored", "holds", "replaced", "unlinked", "linked", "pinned", "unpinned", "muted", "unmuted",
    "waits", "confirmed", "reworded",
]  # fmt: skip
"""What becomes of a memory. `holds`: nothing replaces it any more; `waits`: it is a proposal again; `unlinked`: what
was said of it and another does not hold any more; `reworded`: title and tags."""


class Effect(Struct, frozen=True, kw_only=True):
    """What taking an act back does to some memories."""

    kind: EffectKind
    total: int
    memories: list[Similar]
    """The first of them."""


class LeftAsIs(Struct, frozen=True, kw_only=True):
    """A memory that stays as it is, although the act was about it."""

    id: str
    title: str
    why: str


class Undone(Struct, frozen=True, kw_only=True):
    """What was taken back, or would be."""

    act: Act
    effects: list[Effect]
    left: list[LeftAsIs] = []
    """The first of those that stay as they are, because they were changed since."""
    left_total: int = 0
    gone: int = 0
    """Memories of the act that were erased since."""
    name: str = ""
    """The undo's own name, by which it is taken back; empty: it was a dry run."""
