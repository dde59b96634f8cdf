"""The services of the daemon: what answers requests, and what it knows of itself."""

import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import trio

from palimp_daemon.dispatch.latency import Latencies
from palimp_daemon.embedding.service import Semantic
from palimp_daemon.features.capture.service import Captures
from palimp_daemon.features.documents.service import Documents
from palimp_daemon.features.memories.digest import Summaries
from palimp_daemon.features.memories.hard_delete import Erasures
from palimp_daemon.features.memories.merge import Compacting
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.features.removed_code.check import Checks
from palimp_daemon.features.removed_code.git_import import Importer
from palimp_daemon.features.removed_code.service import Edits
from palimp_daemon.features.removed_code.working_tree import WorkingTrees
from palimp_daemon.features.sessions.context import Contexts
from palimp_daemon.features.sessions.hooks import Hooks
from palimp_daemon.features.sessions.projects import ProjectMoves
from palimp_daemon.features.sessions.repository_identity import Identities
from palimp_daemon.features.transfer.service import Transfers
from palimp_daemon.render.context import moved_text
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.http_access import HttpAccess
from palimp_daemon.settings.operation import Configuring
from palimp_daemon.settings.project_switch import Switches
from palimp_daemon.settings.resolver import Preferences
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.ids import RANDOM_BITS
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.env import paths
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon import Canary, ConnectedSession


def wall_clock_ms() -> int:
    """Return the time of day in Unix milliseconds."""
    return time.time_ns() // 1_000_000


def id_bits() -> int:
    """Return the random bits of one id."""
    return random.getrandbits(RANDOM_BITS)  # ids are not secrets


async def _tell_nobody(_: Caller) -> None:
    pass


@dataclass
class DaemonState:
    """What the daemon knows of itself, apart from the store."""

    boot: str
    started_at: float
    store: str = ""
    """The identity of the store (`palimp_protocol.env.address`), by which clients say which one they mean."""
    peers: int = 0
    last_request_at: float = 0.0
    stop: trio.Event = field(default_factory=trio.Event)
    """Set to end the daemon."""
    is_stopped_by_user: bool = False
    canary: Canary | None = None
    """What came of the last check."""
    examined_at: int = 0
    """When the database was examined and found whole; 0: not yet."""
    rebuilt: set[str] = field(default_factory=set[str])
    """Names of indexes that the integrity scan rebuilt."""
    sessions: Callable[[], list[ConnectedSession]] = list
    """Who is connected."""


@dataclass
class Services:
    """What answers requests, each made when it is first needed. *now_ms* and *random* are arguments for tests."""

    actor: Actor
    config: Config
    state: DaemonState
    preferences: Preferences
    semantic: Semantic | None = None
    log: Log | None = None
    now_ms: Callable[[], int] = wall_clock_ms
    random: Callable[[], int] = id_bits
    on_documents_changed: Callable[[Caller], Awaitable[None]] = _tell_nobody
    """Tells clients that their list of documents may have changed."""

    @cached_property
    def latencies(self) -> Latencies:
        """How long requests took."""
        return Latencies()

    @cached_property
    def recalls(self) -> RecallCounts:
        """Counts recalls."""
        return RecallCounts()

    @cached_property
    def documents(self) -> Documents:
        """Answers the operations on documents."""
        return Documents(self.actor, self.preferences, self.now_ms)

    @cached_property
    def the_log(self) -> Log:
        """Where events go."""
        return self.log or Log(self.config.log_level)

    @cached_property
    def edits(self) -> Edits:
        """Checks and records what agents write."""
        return Edits(self.actor, self.trees, self.checks, self.preferences, self.now_ms, self.the_log)

    @cached_property
    def checks(self) -> Checks:
        """Tells which removed code texts would reintroduce."""
        return Checks(self.actor, self.trees)

    @cached_property
    def trees(self) -> WorkingTrees:
        """Knows what is in working trees."""
        return WorkingTrees(self.actor, self.the_log)

    @cached_property
    def importer(self) -> Importer:
        """Reads git histories."""
        return Importer(self.actor, self.now_ms, self.the_log, keep_days=self.config.keep_changes_days)

    @cached_property
    def switches(self) -> Switches:
        """Knows the projects that are off."""
        return Switches(Path(paths.switches_path(self.preferences.env)))

    @cached_property
    def hooks(self) -> Hooks:
        """Answers hooks."""
        hooks = Hooks(self.edits, self.importer, self.contexts, self.captures, self.preferences, self.the_log)
        hooks.is_off = self.switches.is_off
        return hooks

    @cached_property
    def captures(self) -> Captures:
        """Takes memories out of sessions."""
        heard_of_save = self.semantic.heard_of_save if self.semantic else None
        captures = Captures(self.actor, self.preferences, self.now_ms, self.random, self.the_log, heard_of_save)
        captures.is_off = self.switches.is_off
        return captures

    @cached_property
    def configuring(self) -> Configuring:
        """Answers `config`."""
        return Configuring(self.preferences)

    @cached_property
    def http_access(self) -> HttpAccess:
        """Answers `http`."""
        return HttpAccess(self.preferences, self.configuring)

    @cached_property
    def transfers(self) -> Transfers:
        """Answers `export`, `import_file` and `backup`."""
        return Transfers(self.actor, self.now_ms, self.random)

    @cached_property
    def contexts(self) -> Contexts:
        """Gives sessions what they should know at their start."""
        return Contexts(self.actor, self.checks, self.said_of_folder, self.preferences, self.semantic, self.now_ms)

    async def said_of_folder(self, caller: Caller, is_empty: bool) -> str:  # noqa: FBT001  it is called by position only
        """Return what is said of a folder: it held another repository, was moved here, or is a second clone.

        The latter two are said only where nothing is known of it (*is_empty*).
        """
        notice = await self.identities.confirm(caller)
        if notice or not is_empty:
            return notice
        moved = await self.moves.moved_here(caller)
        return moved_text(moved.root, moved.memories) if moved else await self.identities.offer(caller)

    @cached_property
    def identities(self) -> Identities:
        """Knows which repository a folder holds."""
        return Identities(self.actor, self.now_ms, self.the_log, self.importer.ask)

    @cached_property
    def moves(self) -> ProjectMoves:
        """Answers `projects` and `adopt`."""
        return ProjectMoves(self.actor, self.importer.ask)

    @cached_property
    def compacting(self) -> Compacting:
        """Answers `compact` and `undo`."""
        return Compacting(self.actor, self.now_ms, self.importer.forget)

    @cached_property
    def erasures(self) -> Erasures:
        """Answers `erase`."""
        return Erasures(self.actor, self.config.database, self.now_ms, self.random)

    @cached_property
    def summaries(self) -> Summaries:
        """Answers `summarize`."""
        return Summaries(self.actor, self.preferences, self.now_ms, self.the_log)
