"""Messages of acts' history, and of undo."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memory_messages import Relation, Similar

ActKind = Literal[
    "save", "edit", "delete", "restore", "supersede", "decide", "pin", "unpin", "mute", "unmute", "move", "review",
    "compact", "import", "capture", "rule", "erase", "undo",
]  # fmt: skip
"""`decide`: the user's answer on a new memory; `rule`: rules got checks; `erase`: `palimp delete --hard`."""

DID: Final[Mapping[ActKind, str]] = {
    "save": "saved",
    "edit": "edited",
    "delete": "deleted",
    "restore": "restored",
    "supersede": "linked",
    "decide": "decided about",
    "pin": "pinned",
    "unpin": "unpinned",
    "mute": "muted",
    "unmute": "unmuted",
    "move": "moved",
    "review": "reviewed",
    "compact": "merged",
    "import": "imported",
    "capture": "captured",
    "rule": "set the checks of",
    "erase": "deleted for good",
    "undo": "undid",
}

Author = Literal["user", "agent", "unknown"]
"""`unknown`: from before acts were recorded."""

ActName = Annotated[str, Meta(max_length=40)]
"""`act12`, or the id of a memory."""


class ActLink(Struct, frozen=True, kw_only=True):
    """A link made by an act, or removed by an undo."""

    newer: Similar
    older: Similar
    relation: Relation


class Act(Struct, frozen=True, kw_only=True):
    """A change of a project's memories."""

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
    memories: list[Similar] = []
    """The first of them, with present titles."""
    links: list[ActLink] = []
    """The first of its links."""
    undoes: str = ""
    """The act that an undo took back."""
    undone_by: str = ""
    """The act that took this one back; empty: in effect."""
    is_undoable: bool = True
    """False: it cannot be taken back, or was."""


class Acts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List acts on the project's memories, newest first."""

    id: ActName = ""
    """Only acts on this memory."""
    before: ActName = ""
    limit: Annotated[int, Meta(ge=1, le=limits.ACTS_SHOWN_MAX)] = limits.ACTS_SHOWN_MAX


class ActList(Struct, frozen=True, kw_only=True):
    """A page of acts, newest first."""

    acts: list[Act]
    total: int
    """Acts on record, before or after these."""


class Undo(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take back an act: a person's last, or an agent session's."""

    id: ActName = ""
    """This act instead, even somebody else's; or the last one on this memory still in effect."""
    dry_run: bool = False
    """Only report the effects."""


EffectKind = Literal[
    "deleted", "restored", "holds", "replaced", "unlinked", "linked", "pinned", "unpinned", "muted", "unmuted",
    "waits", "confirmed", "moved", "reworded", "rechecked",
]  # fmt: skip
"""`holds`: no longer replaced; `waits`: a proposal again; `unlinked`: lost a link; `reworded`: title and tags;
`rechecked`: a rule's checks or reaction to breaches.
"""


class Effect(Struct, frozen=True, kw_only=True):
    """An effect of an undo on some memories."""

    kind: EffectKind
    total: int
    memories: list[Similar]
    """The first of them."""


class LeftAsIs(Struct, frozen=True, kw_only=True):
    """A memory of the act, left alone by the undo."""

    id: str
    title: str
    why: str


class Undone(Struct, frozen=True, kw_only=True):
    """An undo, done or planned."""

    act: Act
    effects: list[Effect]
    left: list[LeftAsIs] = []
    """First memories left alone because they changed since."""
    left_total: int = 0
    gone: int = 0
    """Memories of the act erased since."""
    name: str = ""
    """The undo's name, to take it back; empty: it was a dry run."""
