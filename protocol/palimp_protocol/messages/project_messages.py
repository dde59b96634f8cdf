"""Messages about projects."""

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
    """A project and its counts. Times are Unix milliseconds."""

    root: str
    """Its folder; `palimp:recovered/1` if a repair could not determine it."""
    name: str
    memories: int
    removed: int
    sessions: int
    last_at: int | None
    """Last save or removal; None: never."""
    is_gone: bool
    leads_to: str = ""
    """Folder of its present project, e.g. through a link; empty: its own."""
    linked_to: str = ""
    """Folder of the project it shares; empty: its own."""
    is_off: bool = False


class ProjectList(Struct, frozen=True, kw_only=True):
    """Projects, the last active first."""

    projects: list[KnownProject]
    total: int
    notes: list[str] = []
    """On the caller's folder."""


class LinkProject(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Set this folder's project: see `palimp projects`."""

    action: Annotated[
        Literal["same", "new", "link", "unlink"],
        Meta(
            description="same: this folder's repository is the project that was here before; new: it is another; link:"
            " it shares the project of the folder `root`, another clone or one around it; unlink: it is a project of"
            " its own again."
        ),
    ]
    root: Annotated[
        str, Meta(max_length=4096, description="With link: the folder of the other clone, or one around this one.")
    ] = ""


class ProjectLinked(Struct, frozen=True, kw_only=True):
    """The link; *memories* are the project's, or this folder's own again."""

    action: str
    root: str
    memories: int
    joined: int = 0
    """Formerly this folder's."""
    notes: list[str] = []
    """Consequences for a team that shares either project."""


class Switch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Switch palimp on or off for this project's agents."""

    on: bool


class Switched(Struct, frozen=True, kw_only=True):
    """State of the project at *root*, and whether it is new."""

    root: str
    is_on: bool
    is_changed: bool


class Adopt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give this project the memories of a moved folder."""

    root: Annotated[str, Meta(min_length=1, max_length=4096, description="The former folder.")]


class Adopted(Struct, frozen=True, kw_only=True):
    """Things taken over by this project."""

    root: str
    memories: int
    removed: int
    sessions: int
    joined: int = 0
    """Memories that this project had before."""
    notes: list[str] = []
    """Consequences for a team that shares either project."""
