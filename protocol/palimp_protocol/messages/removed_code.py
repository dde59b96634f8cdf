"""Messages about added and removed code."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits

Path = Annotated[str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX, description="Within the project.")]
HunkId = Annotated[str, Meta(pattern=r"^[hH]?\d{1,18}$", description="Such as h12.")]


class CheckChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask whether code was removed before."""

    path: Annotated[Path, Meta(description="File that it is meant for.")]
    text: Annotated[
        str, Meta(min_length=1, max_length=limits.CHECKED_CHARACTERS_MAX, description="The lines to be added.")
    ]
    is_staged: bool = False


class Addition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An addition of later removed code that comes back now. *at* is Unix milliseconds."""

    at: int
    reason: str
    commit: str = ""
    """Empty: a session's edit."""
    lines: int = 0
    """Lines it added *of* those that return, as far as git can tell."""
    of: int = 0
    is_elsewhere: bool = False
    """It added them to another file, and they were moved."""


class Return(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Removed code that comes back. *at* is Unix milliseconds; *share* is the returned part."""

    id: str
    level: Literal["warn", "note"]
    path: str
    at: int
    reason: str
    commit: str = ""
    session: str = ""
    identical: int
    gone: int
    share: float
    lines: list[str]
    """The proposal's first lines that were removed before."""
    memory: str = ""
    """Id and title of one saved near that removal."""
    added: list[Addition] = []
    """Known earlier additions: the one with most of it, and one more at most."""


HistoryState = Literal["read", "reading", "failed", "off", "none"]
"""Of git's history: all read; not yet; unreadable; `changes.import` is off; no repository."""


class ChangeChecked(Struct, frozen=True, kw_only=True):
    """Removed code that a proposal reintroduces, surest first."""

    returns: list[Return]
    new_lines: int
    """Lines of the proposal that the tree lacks."""
    notes: list[str] = []
    history: HistoryState = "read"
    history_note: str = ""
    """Effect of unread git history on the answer; empty: it is read."""


class ListChanges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List removed code, newest first."""

    path: Annotated[str, Meta(max_length=limits.PATH_CHARACTERS_MAX)] = ""
    limit: Annotated[int, Meta(ge=1, le=limits.CHANGES_LISTED_MAX)] = 20


class RemovedHunk(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Removed code. *diff* is filled for a single hunk."""

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
    """Turn of the session, from 1, among turns with changes; 0: from git."""
    first: str = ""
    """First removed line with content."""
    diff: str = ""
    memory: str = ""


class ChangeList(Struct, frozen=True, kw_only=True):
    """Removed code; *total* counts all matches."""

    hunks: list[RemovedHunk]
    total: int


class ShowChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show one hunk with its lines."""

    id: HunkId


class DismissChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Stop watching for a hunk in this project, or *watch* again."""

    id: HunkId
    watch: bool = False


class ImportChanges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read git's history; without *start* only report progress.

    *since* (Unix milliseconds; 0: all) reads further back than `changes.keep_days`, and keeps the result.
    """

    start: bool = True
    since: Annotated[int, Meta(ge=0)] | None = None


class ImportStatus(Struct, frozen=True, kw_only=True):
    """Reading's progress; *problem*: why git's history cannot be read."""

    is_running: bool
    commits: int
    """Read so far, in this run and before."""
    total: int
    """Commits to be read; 0 if unknown."""
    hunks: int
    """This project's hunks in the store, sessions' included."""
    problem: str = ""
    since: int = 0
    """Unix milliseconds from which commits are read and kept; 0: all."""
    left_out: int = 0
    """Older first-parent commits that were not read; 0 while reading."""
