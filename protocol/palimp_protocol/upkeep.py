"""Requests and replies of what keeps a memory in order: digests, merging what says the same, taking that back."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.operations import Scope

Day = Annotated[
    str,
    Meta(min_length=2, max_length=20, description="A day (2026-11-01) or how long ago (7d, 4w)."),
]


class Summarize(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sum up what is known of the project."""

    since: Day | None = None
    until: Annotated[str, Meta(min_length=2, max_length=20)] | None = None
    tokens: Annotated[
        int, Meta(ge=limits.DIGEST_TOKENS_MIN, le=limits.DIGEST_TOKENS_MAX, description="Budget of the answer.")
    ] = limits.DIGEST_TOKENS


class Summarized(Struct, frozen=True, kw_only=True):
    """A digest. Times are Unix milliseconds."""

    text: str
    """The digest in markdown; empty: nothing is known of that time."""
    memories: int
    """How many memories of the time it sums up."""
    new: int = 0
    """How many of them were saved since the last digest."""
    last_at: int | None = None
    """When the last digest was made, if ever."""
    notes: list[str] = []


class Compact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Find memories that say the same, and those that others say they replace."""

    apply: Annotated[bool, Meta(description="Merge them; without, only the plan is shown.")] = False


class Merge(Struct, frozen=True, kw_only=True):
    """A memory that gives way to a newer one."""

    id: str
    title: str
    into: str
    """The id of the newer one."""
    into_title: str
    why: str
    """`says the same`, or `replaced by it`."""
    similarity: float = 0.0
    """Of their words, 0 to 1."""


class Compacted(Struct, frozen=True, kw_only=True):
    """What would be, or was, merged and tidied."""

    merges: list[Merge]
    total: int
    """How many there are, of which *merges* are the first."""
    is_applied: bool = False
    compared: int = 0
    """Pairs of memories whose texts were compared."""
    tidied: list[str] = []
    """What else was done, a sentence each."""
    notes: list[str] = []


class Progress(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask how far a running `compact` of this project is."""


class ProgressMade(Struct, frozen=True, kw_only=True):
    """How far it is; *total* is 0 when none runs."""

    step: str = ""
    done: int = 0
    total: int = 0


class Undo(Struct, frozen=True, forbid_unknown_fields=True):
    """Take the last `compact` of this project back."""


class Undone(Struct, frozen=True, kw_only=True):
    """The memories that stand for themselves again."""

    memories: int
    made_at: int
    """When they were merged, in Unix milliseconds."""
    left: list[str] = []
    """Those that were purged or replaced since, and stay so."""


class Erase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Remove memories, or removed code (`h12`), for good: from tables, indexes, log and free pages of the database."""

    ids: Annotated[list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(min_length=1, max_length=50)]


class Erased(Struct, frozen=True, kw_only=True):
    """What was removed, and which ids stood for nothing."""

    memories: list[tuple[str, str]]
    """Ids and titles, of removed code its file and line. A request that is sent again is answered without titles."""
    unknown: list[str] = []
    notes: list[str] = []
    is_pending: bool = False
    """Whether the file could not be written anew yet, so that it still has the text."""


class Projects(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the projects that something is known of."""

    limit: Annotated[int, Meta(ge=1, le=limits.PROJECTS_LISTED_MAX)] = limits.PROJECTS_LISTED_MAX


class KnownProject(Struct, frozen=True, kw_only=True):
    """A project, and how much is known of it. Times are Unix milliseconds."""

    root: str
    """Its folder; `palimp:recovered/1` when a repair could not find out which."""
    name: str
    memories: int
    removed: int
    """Pieces of code that were taken out of it."""
    sessions: int
    last_at: int | None
    """When something was last saved or taken out; None: never."""
    is_gone: bool
    """Whether there is no such folder any more."""
    linked_to: str = ""
    """The folder of the project that it shares; empty: it is one of its own."""
    is_off: bool = False
    """Whether a person switched palimp off in it."""


class ProjectList(Struct, frozen=True, kw_only=True):
    """Projects, the one in which something was done last first."""

    projects: list[KnownProject]
    total: int
    notes: list[str] = []
    """What is to be said of the folder that was asked from."""


class LinkProject(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say what this folder's project is: see `palimp projects`."""

    action: Annotated[
        Literal["same", "new", "link", "unlink"],
        Meta(
            description=(
                "same: this folder's repository is the project that was here before; new: it is another; link: it is a"
                " clone that shares the project of the folder `root`; unlink: it is a project of its own again."
            )
        ),
    ]
    root: Annotated[str, Meta(max_length=4096, description="With link: the folder of the other clone.")] = ""


class ProjectLinked(Struct, frozen=True, kw_only=True):
    """What was done, and with which project: *memories* are those it has, or that are this folder's own again."""

    action: str
    root: str
    memories: int
    joined: int = 0
    """Memories that this folder had before, which are among them now."""


class Switch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Switch palimp on or off for agents in this project."""

    on: bool


class Switched(Struct, frozen=True, kw_only=True):
    """What holds now for the project at *root*, and whether it did not before."""

    root: str
    is_on: bool
    is_changed: bool


class ListTags(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the tags of memories."""

    scope: Scope = "project"
    limit: Annotated[int, Meta(ge=1, le=limits.TAGS_LISTED_MAX)] = limits.TAGS_LISTED_MAX


class TagCount(Struct, frozen=True):
    """A tag, and how many memories have it."""

    tag: str
    count: int


class TagList(Struct, frozen=True, kw_only=True):
    """Tags, the most frequent first."""

    tags: list[TagCount]
    total: int


class Adopt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Let this project have what is known of a folder that is gone: it was moved here."""

    root: Annotated[str, Meta(min_length=1, max_length=4096, description="The former folder.")]


class Adopted(Struct, frozen=True, kw_only=True):
    """What became this project's."""

    root: str
    memories: int
    removed: int
    sessions: int
    joined: int = 0
    """Memories that this project had before."""
