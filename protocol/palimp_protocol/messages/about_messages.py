"""Messages of `about`."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from palimp_protocol.limits import ABOUT_CHARACTERS_MAX, ABOUT_MEMORIES_MAX
from palimp_protocol.messages.similar import Similar

SAME_NAME_TAG: Final = "same-name"
"""Tag of a memory that equates two names."""

SAME_NAME_TEXT: Final = "`{}` is another name of `{}`."
"""Text of such a memory; it is undone, exported and erased like others."""


Name = Annotated[str, Meta(min_length=1, max_length=ABOUT_CHARACTERS_MAX)]


class About(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Gather everything known about *name*."""

    name: Name
    limit: Annotated[int, Meta(ge=1, le=ABOUT_MEMORIES_MAX)] = 20


class AboutMemory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that names it and holds. Times are Unix milliseconds."""

    id: str
    kind: str
    title: str
    created_at: int
    project: str = ""
    former: list[Similar] = []
    """Replaced versions, newest first."""
    disputed_by: list[Similar] = []
    """Memories that contradict it and also hold."""
    narrowed_by: list[Similar] = []
    """Exceptions to it."""
    is_proposal: bool = False


class AboutPlace(Struct, frozen=True, kw_only=True):
    """Removed code (*id* like h12), or a document's section (*id* is its path)."""

    id: str
    title: str
    at: int = 0


class AboutSession(Struct, frozen=True, kw_only=True):
    """A session that saved one of the memories, or edited the path."""

    key: str
    client: str
    seen_at: int
    about: str


class Neighbour(Struct, frozen=True, kw_only=True):
    """Another thing named by at least two of the memories."""

    name: str
    memories: int


class AboutPage(Struct, frozen=True, kw_only=True):
    """Memories newest first, open questions, and places."""

    name: str
    written: list[str] = []
    """Spellings in the memories."""
    memories: list[AboutMemory] = []
    questions: list[AboutMemory] = []
    more: int = 0
    """Other memories that hold, as far as looked through."""
    removed: list[AboutPlace] = []
    documents: list[AboutPlace] = []
    sessions: list[AboutSession] = []
    neighbours: list[Neighbour] = []
    notes: list[str] = []
    """Why removed code or documents were not searched."""
