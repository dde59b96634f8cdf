"""Requests and replies about the daemon: health, self-test, embedding, stop."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol.text import counted


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask how the daemon is."""


class KindCount(Struct, frozen=True):
    """Memories of one kind, purged ones left out."""

    kind: str
    count: int


class ProjectCount(Struct, frozen=True):
    """Memories of one project, purged ones left out; *root* is empty for the global scope."""

    root: str
    name: str
    count: int


class Rebuilt(Struct, frozen=True, kw_only=True):
    """An index that did not match its table and was built anew. *at* is Unix milliseconds.

    *index* says what is found by it, *why* how it differed; *is_running*: it is not whole yet.
    """

    at: int
    index: str
    why: str
    is_running: bool = False

    def sentence(self, when: str) -> str:
        """Return what a person is told of it; *when* says the time."""
        done = "is being built anew" if self.is_running else "was built anew"
        return f"The index of {self.index} {done} ({when}): {self.why}. No memory was touched."


class StoreHealth(Struct, frozen=True, kw_only=True):
    """The state of the database. Sizes are bytes; times are Unix milliseconds."""

    path: str
    schema: int
    engine: str
    sqlite: str
    memories: int
    """Those that are not purged, in all projects and the global scope."""
    holding: int = 0
    """Of these, those that no newer one replaced."""
    purged: int
    projects: int
    kinds: list[KindCount]
    by_project: list[ProjectCount] = []
    """The projects with the most memories."""
    last_saved_at: int | None
    database_bytes: int
    wal_bytes: int
    disk_free_bytes: int
    removed_hunks: int = 0
    """Pieces of removed code that are kept."""
    removed_bytes: int = 0
    """What their lines take, compressed."""
    counters: dict[str, int] = {}
    """How often something worth counting happened, such as an edit that was denied."""
    rebuilt: list[Rebuilt] = []
    """Indexes that did not match their tables and were built anew, newest first."""
    pending_erasures: int = 0
    """Erasures whose text the file still has: it could not be written anew yet."""

    def held(self) -> str:
        """Return how many memories there are, and how many of them a newer one replaced, in words."""
        # A daemon of an earlier version does not say how many hold.
        replaced = self.memories - self.holding if self.holding else 0
        besides = [f"{replaced:,} of them replaced"] if replaced else []
        besides += [f"{self.purged:,} more purged"] if self.purged else []
        return ", ".join([f"{counted(self.memories, 'memory')} in {counted(self.projects, 'project')}", *besides])


class OperationLatency(Struct, frozen=True, kw_only=True):
    """How long the requests of an operation took since the daemon started, in milliseconds."""

    operation: str
    count: int
    p50_ms: float
    p99_ms: float


class ConnectedSession(Struct, frozen=True, kw_only=True):
    """An agent's session that is connected. Times are seconds."""

    pid: int
    version: str
    """Of its relay."""
    project: str
    connected_s: float
    silent_s: float
    """Since it was heard of last."""


class RunCanary(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Save, find and purge a memory as a check, and remove what `palimp doctor` left in its own *project*."""

    project: Annotated[str, Meta(max_length=4096)] = ""


class Canary(Struct, frozen=True, kw_only=True):
    """What came of saving, finding and purging a memory as a check; *at* is Unix milliseconds."""

    at: int
    took_ms: float
    problem: str = ""
    """Empty: all went well."""


class DaemonHealth(Struct, frozen=True, kw_only=True):
    """The state of the daemon. *problem*: why the store cannot be used; *is_damaged*: a repair may help."""

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
    """When all of the database was examined and found whole, Unix milliseconds; 0: it was not yet."""
    latencies: list[OperationLatency] = []
    sessions: list[ConnectedSession] = []
    canary: Canary | None = None
    """The last check; None: there was none yet."""
    semantic: str = ""
    """Whether memories are ranked semantically, too, or why they are not: a few words."""
    http: str = ""
    """Where HTTP is served, or why it is not; empty: it is not wanted."""
    off: list[str] = []
    """Roots of the projects that a person switched off."""
    conversations: str = ""
    """What is kept of sessions, from where, or why it cannot be used; empty: nothing is."""
    claude_memory: str = ""
    """Which files of Claude Code's own memory are read, or why they are not; empty: there are none."""
    notes: list[str] = []
    """What else is wrong, such as settings that do not count."""


class Embedding(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask how far semantic ranking is."""


class EmbeddingStatus(Struct, frozen=True, kw_only=True):
    """How many memories are embedded. Without `palimp[semantic]`, or when it is off, *is_on* is false."""

    is_on: bool
    is_switched_off: bool = False
    """Whether a setting says so; else it is not installed."""
    embedded: int = 0
    memories: int = 0
    model: str = ""
    """The models that embed them, by name."""
    problem: str = ""
    """Why memories are not embedded, or not all."""
    remark: str = ""
    """What is not as the settings say, such as a model that is not installed."""
    hint: str = ""


class Stop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask the daemon to finish what it is doing and exit."""

    for_version: Annotated[str, Meta(max_length=64)] = ""
    """The newer version whose daemon is to take over: then sessions do not stay away."""


class Stopping(Struct, frozen=True):
    """The daemon will exit."""

    pid: int
