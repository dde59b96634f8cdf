"""Messages about a team."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from palimp_protocol.messages.memory_messages import IdPrefix, Similar

TeamAction = Literal["status", "create", "join", "share", "unshare", "sync", "patterns", "leave"]


CHOICES_MAX: Final = 2_000
"""Memories offered for choice: nobody reads longer lists."""

SHARED_KINDS: Final = frozenset(("decision", "architecture", "finding", "fix", "correction"))
"""Kinds of memories that leave this machine by default."""

PRIVATE_TAG: Final = "private"
"""Keeps a memory here, whatever its kind."""

SHARED_TAG: Final = "team"
"""Lets a memory leave, whatever its kind."""

SHARING: Final = "Only a person says with whom memories are shared"
"""Answer to an agent that tries."""


def may_leave(kind: str, tags: Sequence[str], *, is_proposal: bool) -> bool:
    """Tell whether a shared project's memory may leave this machine."""
    if is_proposal or PRIVATE_TAG in tags:
        return False
    return kind in SHARED_KINDS or SHARED_TAG in tags


class Team(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Make, join or leave a team, share a project, exchange, or report."""

    action: TeamAction = "status"
    place: Annotated[str, Meta(max_length=4_096)] = ""
    """With `create` and `join`: the folder, an absolute path."""
    name: Annotated[str, Meta(max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    """With `create` and `join`: this machine's name for others. With `share`: the project's."""
    dry_run: bool = False
    """With `share`: only list what would be shared. With `create`: only return the schema's statements."""
    names_all: bool = False
    """With `share` and `dry_run`: name all, up to `CHOICES_MAX`."""
    left_out: Annotated[list[IdPrefix], Meta(max_length=CHOICES_MAX)] = []
    """With `share`: memories to tag private, with former versions, beforehand."""
    is_same: bool = False
    """With `share`: another repository with the same address is the same project."""
    now: bool = False
    """With `sync`: send held changes now."""
    password: Annotated[str, Meta(max_length=1_024, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    """With `create` and `join`: the database's; stored in a file for this user only."""
    adds: Annotated[str, Meta(max_length=500)] = ""
    """With `patterns`: a new one (RE2) for text that no machine of the team sends."""
    removes: Annotated[str, Meta(max_length=500)] = ""


class TeamMember(Struct, frozen=True, kw_only=True):
    """Another machine of the team."""

    replica: str
    name: str
    heard_at: int
    """Last report of its progress, in Unix milliseconds."""
    version: str = ""
    """Of palimp."""
    unread: int = 0
    """Operations of this machine that it has not applied."""
    not_erased: int = 0
    """Memories erased here that it may still have."""
    ahead_ms: int = 0
    """Lead of its clock in milliseconds; 0 below five minutes."""


class TeamHeld(Struct, frozen=True, kw_only=True):
    """A memory not sent yet."""

    memory: Similar
    due: int
    """End of its hold, in Unix milliseconds; 0: not known yet."""
    problem: str = ""


class TeamParked(Struct, frozen=True, kw_only=True):
    """Another machine's change that could not be applied here."""

    by: str
    """A member's login, or another machine's name."""
    number: int
    """Of that machine's changes."""
    why: str


class TeamProject(Struct, frozen=True, kw_only=True):
    """Progress of a shared project's exchange."""

    name: str
    root: str
    not_sent: int
    held: int
    """Of those, changes on hold."""
    not_applied: int
    members: list[TeamMember] = []
    waiting: list[TeamHeld] = []
    """The first unsent ones."""
    quarantine: list[TeamParked] = []
    """The first ones not applied, with the reason."""
    problem: str = ""
    hint: str = ""

    def sentence(self, now_ms: int) -> str:
        """Return counts of changes not sent and not applied, and the others' last contact."""
        return progress_sentence([self], now_ms)


def progress_sentence(projects: Sequence[TeamProject], now_ms: int) -> str:
    """Return *projects*' progress: three numbers, the last for each machine."""
    heard: dict[str, int] = {}
    for member in (each for project in projects for each in project.members):
        heard[member.name] = max(member.heard_at, heard.get(member.name, 0))
    said = ", of ".join(f"{name} {_ago(now_ms - at)}" for name, at in heard.items())
    not_sent, not_applied = sum(each.not_sent for each in projects), sum(each.not_applied for each in projects)
    return f"{not_sent} of yours not sent, {not_applied} not applied, last heard of {said or 'nobody yet'}"


def _ago(milliseconds: int) -> str:
    minutes = max(0, milliseconds) // 60_000
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 60 * 48 else f"{minutes // 60 // 24} days ago"


class TeamStatus(Struct, frozen=True, kw_only=True):
    """The team of this machine."""

    place: str = ""
    """Empty: it is in none."""
    name: str = ""
    replica: str = ""
    projects: list[TeamProject] = []
    would_share: int = 0
    """With `share` and `dry_run`: memories that would be sent."""
    examples: list[Similar] = []
    """The newest of them; with `names_all` all but others' former versions."""
    stays: int = 0
    """With `share` and `dry_run`: memories that would stay on this machine."""
    hold_minutes: int = 0
    schema: str = ""
    """With `create` and `dry_run`: statements that create it."""
    patterns: list[str] = []
    notes: list[str] = []
