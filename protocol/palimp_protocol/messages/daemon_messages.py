"""Messages about the daemon."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from palimp_protocol.limits import ERROR_CHARACTERS_MAX, FINDINGS_MAX
from palimp_protocol.text import count_of


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for the daemon's health."""


class KindCount(Struct, frozen=True):
    """A kind's memories, without purged ones."""

    kind: str
    count: int


class ProjectCount(Struct, frozen=True):
    """A project's memories, without purged ones; empty *root*: the global scope."""

    root: str
    name: str
    count: int


class Rebuilt(Struct, frozen=True, kw_only=True):
    """An index that differed from its table (*why*) and was rebuilt; *is_running*: not yet whole."""

    at: int
    index: str
    why: str
    is_running: bool = False

    def sentence(self, when: str) -> str:
        """Return the report; *when* is the time in words."""
        done = "is being built anew" if self.is_running else "was built anew"
        return f"The index of {self.index} {done} ({when}): {self.why}. No memory was touched."


class StoreHealth(Struct, frozen=True, kw_only=True):
    """State of the database. Sizes are bytes; times are Unix milliseconds."""

    path: str
    schema: int
    engine: str
    sqlite: str
    memories: int
    """Not purged, in all projects and the global scope."""
    holding: int = 0
    """Of these, those not replaced."""
    purged: int
    projects: int
    kinds: list[KindCount]
    by_project: list[ProjectCount] = []
    last_saved_at: int | None
    database_bytes: int
    wal_bytes: int
    disk_free_bytes: int
    removed_hunks: int = 0
    removed_bytes: int = 0
    """Compressed size of their lines."""
    counters: dict[str, int] = {}
    """Counts of events, e.g. denied edits."""
    rebuilt: list[Rebuilt] = []
    """Indexes that did not match their tables and were rebuilt, newest first."""
    pending_erasures: int = 0
    """Erasures with text left in the file, until it can be rewritten."""

    def counts_text(self) -> str:
        """Return the numbers of memories in words."""
        # A daemon of an earlier version does not say how many hold.
        replaced = self.memories - self.holding if self.holding else 0
        besides = [f"{replaced:,} of them replaced"] if replaced else []
        besides += [f"{self.purged:,} more purged"] if self.purged else []
        return ", ".join([f"{count_of(self.memories, 'memory')} in {count_of(self.projects, 'project')}", *besides])


class OperationLatency(Struct, frozen=True, kw_only=True):
    """An operation's latency since the daemon's start, in milliseconds."""

    operation: str
    count: int
    p50_ms: float
    p99_ms: float


class ConnectedSession(Struct, frozen=True, kw_only=True):
    """A connected agent session. Times are seconds."""

    pid: int
    version: str
    """Of its relay."""
    project: str
    connected_s: float
    silent_s: float
    """Since its last message."""


class RunCanary(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Save, find and purge a memory as a check; remove leftovers in its *project*."""

    project: Annotated[str, Meta(max_length=4096)] = ""


DOCTOR: Final = "palimp-doctor"
"""Client name of `palimp doctor` when it saves a memory, and prefix of its folder."""


FindingState = Literal["well", "note", "warning", "failure", "mended"]


class DoctorFinding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One check's result in `palimp doctor`; *hint* is a command or other remedy."""

    check: Annotated[str, Meta(max_length=100)]
    state: FindingState
    text: Annotated[str, Meta(max_length=ERROR_CHARACTERS_MAX)]
    hint: Annotated[str, Meta(max_length=ERROR_CHARACTERS_MAX)] = ""


class Diagnose(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tell the last `palimp doctor` since the daemon's start."""

    look: bool = False
    """Whether it is run first, which takes seconds."""
    found: Annotated[list[DoctorFinding], Meta(max_length=FINDINGS_MAX)] = []
    """The doctor's own findings, to be kept."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The last findings; *at* is Unix milliseconds, 0: never."""

    at: int = 0
    findings: list[DoctorFinding] = []
    problem: str = ""
    """Why it failed to run; empty: it ran, or was not wanted."""


class Canary(Struct, frozen=True, kw_only=True):
    """Result of a self-test; *at* is Unix milliseconds."""

    at: int
    took_ms: float
    problem: str = ""
    """Empty: it passed."""


class DaemonHealth(Struct, frozen=True, kw_only=True):
    """State of the daemon. *problem*: why the store is unusable; *is_damaged*: a repair may help."""

    version: str
    protocol: int
    pid: int
    boot: str
    uptime_s: float
    socket: str
    peers: int
    mailbox_jobs: int
    store: StoreHealth | None = None
    problem: str = ""
    hint: str = ""
    is_damaged: bool = False
    examined_at: int = 0
    """When the whole database was last found sound, Unix milliseconds; 0: never."""
    latencies: list[OperationLatency] = []
    sessions: list[ConnectedSession] = []
    canary: Canary | None = None
    """The last check; None: none yet."""
    semantic: str = ""
    """Whether ranking is semantic, too, or why not: a few words."""
    http: str = ""
    """Address of HTTP, or why it is not served; empty: not wanted."""
    off: list[str] = []
    """Roots of projects switched off by a person."""
    conversations: str = ""
    """Stored conversations and sources, or why unusable; empty: none."""
    team: list[str] = []
    """Progress of each shared project's exchange, or why none, a sentence each."""
    is_team_stuck: bool = False
    """Whether one of them cannot be exchanged now."""
    claude_memory: str = ""
    """Files read of Claude Code's own memory, or why none; empty: no memory."""
    usage: str = ""
    """Tokens given to all sessions this week, and memories used; empty: none."""
    notes: list[str] = []
    """Other faults, such as ignored settings."""


class Embedding(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for the progress of embedding."""


class EmbeddingStatus(Struct, frozen=True, kw_only=True):
    """Embedding's progress. *is_on*: `palimp[semantic]` is there and not switched off."""

    is_on: bool
    is_switched_off: bool = False
    """Whether a setting switches it off; else it is not installed."""
    embedded: int = 0
    memories: int = 0
    model: str = ""
    problem: str = ""
    """Why memories are not embedded, or not all."""
    remark: str = ""
    """A difference from the settings, such as a missing model."""
    hint: str = ""


class Stop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Have the daemon finish its work and exit."""

    for_version: Annotated[str, Meta(max_length=64)] = ""
    """Newer version that takes over; sessions then come back."""


class Stopping(Struct, frozen=True):
    """The daemon will exit."""

    pid: int
