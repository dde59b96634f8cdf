"""Requests and replies of what keeps a memory in order: digests, merging what says the same, taking that back."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits

Day = Annotated[
    str,
    Meta(min_length=2, max_length=20, description="A day (2026-11-01) or how long ago (7d, 4w)."),
]


class Projects(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List known projects."""

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
    leads_to: str = ""
    """The folder whose project this one belongs to now: a link was left at its path, say. Empty: its own."""
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
                "same: this folder's repository is the project that was here before; new: it is another; link: it"
                " shares the project of the folder `root`, another clone or one around it; unlink: it is a project of"
                " its own again."
            )
        ),
    ]
    root: Annotated[
        str, Meta(max_length=4096, description="With link: the folder of the other clone, or one around this one.")
    ] = ""


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


class Adopt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Let this project have what is known of a folder that is gone or leads elsewhere now: it was moved here."""

    root: Annotated[str, Meta(min_length=1, max_length=4096, description="The former folder.")]


class Adopted(Struct, frozen=True, kw_only=True):
    """What became this project's."""

    root: str
    memories: int
    removed: int
    sessions: int
    joined: int = 0
    """Memories that this project had before."""
