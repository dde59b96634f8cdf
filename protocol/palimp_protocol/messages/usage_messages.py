"""Messages of `usage`: palimp's cost in tokens, and its benefit."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, USAGE_WEEKS_MAX

Moment = Literal["start", "prompt", "silent", "action", "subagent", "asked", "nothing", "opened", "tools"]
"""When a session gets palimp's text: unasked at its start, with a prompt, before an act, at a subagent's start; on
request by a search, an id, another tool. *silent*: a prompt without text; *nothing*: a search without a find.
"""

HookMoment = Literal["start", "prompt", "action", "subagent", "after", "end"]
"""When a client waits for the daemon: as above, after an act, and at a turn's or session's end."""

HOOKS_AT: Final[Mapping[HookMoment, str]] = {
    "start": "at a session's start",
    "prompt": "with a prompt",
    "action": "before an act",
    "after": "after an act",
    "subagent": "at a subagent's start",
    "end": "at a turn's end",
}
"""Moments of hooks in words, in the order shown."""


class Usage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Report texts given to sessions, by week, and their use."""

    weeks: Annotated[int, Meta(ge=1, le=USAGE_WEEKS_MAX)] = 4
    everywhere: bool = False
    """Of all projects."""


class UsageCount(Struct, frozen=True):
    """Texts given to a client's sessions at one moment, in one week."""

    week: int
    """Its Monday in UTC, in days since 1970."""
    client: str
    moment: Moment
    times: int
    characters: int
    memories: int
    used: int
    """Of the memories, those that the agent opened, or quoted in the same turn."""

    @property
    def tokens(self) -> int:
        """The characters, in tokens."""
        return self.characters // CHARACTERS_PER_TOKEN


class SavedCount(Struct, frozen=True):
    """Memories saved in one week, without erased ones."""

    week: int
    count: int


class UsedMemory(Struct, frozen=True, kw_only=True):
    """A memory given unasked and then used."""

    id: str
    title: str
    given: int
    used: int


class HookTimes(Struct, frozen=True):
    """The daemon's times for all projects' hooks at one moment, on one day."""

    day: int
    """In UTC, in days since 1970."""
    moment: HookMoment
    times: int
    p50_ms: float
    p95_ms: float


class FileSizes(Struct, frozen=True):
    """The databases' last noted sizes on one day."""

    day: int
    memories_bytes: int
    conversations_bytes: int


class UsageReport(Struct, frozen=True, kw_only=True):
    """Counts by week, client and moment; the most used memories."""

    counts: list[UsageCount] = []
    saved: list[SavedCount] = []
    memories: list[UsedMemory] = []
    hooks: list[HookTimes] = []
    """Of the same weeks, up to MEASURED_DAYS_MAX days, oldest first; of all projects, as are the sizes."""
    sizes: list[FileSizes] = []
