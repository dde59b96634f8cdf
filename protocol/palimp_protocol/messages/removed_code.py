"""Requests and replies of the operations on code that was added and removed, and of hooks."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits

Path = Annotated[str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX, description="Within the project.")]
HunkId = Annotated[str, Meta(pattern=r"^[hH]?\d{1,18}$", description="Such as h12.")]


class CheckChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask whether code was removed before."""

    path: Annotated[
        str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX, description="File that it is meant for.")
    ]
    text: Annotated[
        str, Meta(min_length=1, max_length=limits.CHECKED_CHARACTERS_MAX, description="The lines to be added.")
    ]
    is_staged: bool = False


class Addition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who had added removed code that comes back, and why. *at* is Unix milliseconds."""

    at: int
    reason: str
    commit: str = ""
    """Empty: an edit of a session."""
    lines: int = 0
    """How many it had added *of* the lines that come back, as far as git can tell."""
    of: int = 0
    is_elsewhere: bool = False
    """It had added them to another file, from where they came."""


class Return(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Removed code that comes back. *at* is Unix milliseconds; *share* how much of the removed code is there again."""

    id: str
    level: Literal["warn", "note"]
    path: str
    at: int
    reason: str
    commit: str = ""
    session: str = ""
    identical: int
    gone: int
    """How many lines were removed."""
    share: float
    lines: list[str]
    """Lines of the proposal that were removed before, the first few."""
    memory: str = ""
    """What was saved near that removal: id and title."""
    added: list[Addition] = []
    """Who had added it before it was removed, as far as that is known: one with most of it, and another at most."""


class ChangeChecked(Struct, frozen=True, kw_only=True):
    """The removed code that a proposal reintroduces, the surest first."""

    returns: list[Return]
    new_lines: int
    """Lines of the proposal that are not in the tree."""
    notes: list[str] = []


class ListChanges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List removed code, newest first."""

    path: Annotated[str, Meta(max_length=limits.PATH_CHARACTERS_MAX)] = ""
    """Only files whose path holds this."""
    limit: Annotated[int, Meta(ge=1, le=limits.CHANGES_LISTED_MAX)] = 20


class RemovedHunk(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Code that was taken out. *diff* is filled when one hunk is shown."""

    id: str
    path: str
    line: int
    gone: int
    state: str
    at: int
    reason: str
    commit: str = ""
    session: str = ""
    turn: int = 0
    """Of the session, from 1, turns that changed nothing left out; 0: from git."""
    first: str = ""
    """The first removed line that says something."""
    diff: str = ""
    memory: str = ""


class ChangeList(Struct, frozen=True, kw_only=True):
    """Removed code; *total* counts all that fits."""

    hunks: list[RemovedHunk]
    total: int


class ShowChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show one hunk with its lines."""

    id: HunkId


class DismissChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stop watching for a hunk in this project; *watch* takes that back."""

    id: HunkId
    watch: bool = False


class ImportChanges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read the project's git history; without *start* only say how far that is.

    *since* (milliseconds since 1970; 0: all of it) reads further back than `changes.keep_days` says, and keeps what was
    read.
    """

    start: bool = True
    since: Annotated[int, Meta(ge=0)] | None = None


class ImportStatus(Struct, frozen=True, kw_only=True):
    """How far reading git's history is. *problem* says why it cannot be read."""

    is_running: bool
    commits: int
    """Read so far, in this run and before."""
    total: int
    """Commits that are to be read; 0 when not known."""
    hunks: int
    """Hunks of this project in the store, those of sessions too."""
    problem: str = ""
    since: int = 0
    """Milliseconds since 1970 from which commits are read and kept; 0: all."""
    left_out: int = 0
    """Commits of the first-parent line that were not read: older ones. 0 while reading."""
