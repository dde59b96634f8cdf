"""Own the conversations' store.

It is opened at first use, in its own actor: no start and no save waits for it. If that fails, `palimp health` says why,
and memories are still served.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio

from palimp_daemon.features.conversations.recall_turns import is_of_turns, is_turn_id, recall_turns
from palimp_daemon.features.conversations.turn_search import TurnSearch
from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.memories.hard_delete import HardDelete, unfinished_erasures
from palimp_daemon.features.memories.recall import is_open_search
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import Settings, Values
from palimp_daemon.store.opening import put_aside_path, put_conversations_aside
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, has_no_memories, project_row
from palimp_daemon.store.tables.erasures import has_pending_erasures, pending_erasures
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.sessions import conversation_rows
from palimp_daemon.store.tables.sessions.conversation_rows import Extent
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import FEWER_WORDS, Job, read_job
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.limits import READ_DEADLINE_S
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.memory_messages import Recall, Recalled
from palimp_protocol.text import count_of

TIDY_S: Final = 600.0
"""Seconds after the start before tidying an unused store."""

FORGET_S: Final = 6 * 3_600.0
"""Seconds between two deletions of old and excess turns."""

ROW_NAME_PREFIX: Final = "project "
"""Precedes a project's number in the memories' store; folders begin with a slash."""

DAY_MS: Final = 86_400_000


def not_kept() -> PalimpError:
    """Return a new refusal each time: an error raised again keeps old frames."""
    hint = "`palimp config set conversations.keep on` changes that."
    return RequestError("Conversations are not kept here: conversations.keep is off.", hint)


class ConversationStore(NamedTuple):
    """Opens the conversations' store; gives time and random bits."""

    path: Path
    open: Callable[[], Store]
    now_ms: Callable[[], int]
    random: Callable[[], int]


class Conversations:
    """Owns the conversations' store; *memories* is the other's actor."""

    def __init__(
        self,
        place: ConversationStore,
        memories: Actor,
        settings: Settings,
        log: Log,
    ) -> None:
        self.actor = Actor(place.open, log.bug, put_aside=partial(put_conversations_aside, place.path))
        self.hard_delete = HardDelete(self.actor, place.path, place.now_ms, place.random)
        self._place = place
        self._memories = memories
        self._settings = settings
        self._log = log
        self._starting = trio.Lock()
        self._nursery: trio.Nursery | None = None
        self.is_open = trio.Event()
        self._named: set[str] = set()
        """Numbers of the projects that this store knows."""
        self._writes = 0
        """Beginnings and ends of writes; a change means possible new turns."""
        self._empty_at = -1
        """*_writes* when the store was last seen empty."""

    # --- life ------------------------------------------------------------------------------------

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Allow opening the store, until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self._finish_erasures)
            nursery.start_soon(self._tidy_later)
            task_status.started()
            await trio.sleep_forever()

    @property
    def is_on(self) -> bool:
        """Whether conversations are kept, by the present settings."""
        return self.settings.text("conversations.keep") == "on"

    @property
    def settings(self) -> Values:
        """The user's settings."""
        return self._settings.current(None)

    @property
    def is_there(self) -> bool:
        """Whether the store may exist, without opening it."""
        return self.is_open.is_set() or self._place.path.exists()

    @property
    def is_filled(self) -> bool:
        """Whether the store may have rows."""
        return self.is_on and self.is_there and self._empty_at != self._writes

    async def ask(
        self, work: Callable[[Store], Any], *, is_write: bool = False, is_alone: bool = False, late_hint: str = ""
    ) -> Any:
        """Run *work* in the store, opening it if need be; writes share a transaction unless *is_alone*.

        *late_hint* is for a slow read.

        Raises:
            PalimpError: the store cannot be used.
        """
        await self._start()
        now_ms = self._place.now_ms()
        if is_write:
            job = Job(work, is_write=True, now_ms=now_ms)
            self._writes += 1
            try:
                return await self.actor.ask(job.in_own_transaction() if is_alone else job)
            finally:
                self._writes += 1
        job = Job(work, is_write=False, now_ms=now_ms, deadline_s=READ_DEADLINE_S)
        return await self.actor.ask(job.hinting(late_hint))

    def begin(self, work: Callable[[Store], Any]) -> Callable[[], Awaitable[Any]]:
        """Begin a read in the open store; return a function that waits for it.

        Raises:
            PalimpError: the mailbox is full.
        """
        return self.actor.begin(Job(work, is_write=False, now_ms=self._place.now_ms(), deadline_s=READ_DEADLINE_S))

    async def _start(self) -> None:
        async with self._starting:
            if not self.is_open.is_set():
                assert self._nursery is not None  # noqa: S101  whoever asks is served by what runs beside
                await self._nursery.start(self.actor.run)
                self.is_open.set()
                self._nursery.start_soon(self.hard_delete.keep_finishing)
                self._nursery.start_soon(self._keep_forgetting)

    def ask_soon(self, work: Callable[[Store], Any]) -> None:
        """Run *work* in the background, without its result."""
        if self._nursery is not None:
            self._nursery.start_soon(self._ask_silently, work)

    async def _ask_silently(self, work: Callable[[Store], Any]) -> None:
        with suppress(PalimpError):
            await self.ask(work)

    def now_ms(self) -> int:
        """Return the Unix time in milliseconds."""
        return self._place.now_ms()

    async def rows_of(self, names: Sequence[str], caller: Caller) -> list[Row]:
        """Return the turns and commits *names*.

        Raises:
            PalimpError: the store cannot be used.
        """
        await self._start()
        return await self.hard_delete.rows_of(names, await self.canonical(caller))

    async def erase_named(self, request: Erase, caller: Caller) -> Erased:
        """Erase the named turns and commits.

        Raises:
            PalimpError: the store cannot be used; nothing was erased.
        """
        await self._start()
        return await self.hard_delete.erase(request, await self.canonical(caller), b"")

    async def drop_put_aside(self) -> None:
        """Remove databases put aside as damaged: they hold erased text."""
        aside = put_aside_path(self._place.path)
        for file in (aside, aside.with_name(f"{aside.name}-wal")):
            await in_thread(partial(file.unlink, missing_ok=True))

    async def describe(self) -> str:
        """Return a sentence on the store's size, or an empty one."""
        try:
            extent = await self.extent()
        except PalimpError as error:
            return f"They cannot be used: {error.text}"
        if extent is None:
            return ""
        unfinished = unfinished_erasures(await self.ask(pending_erasures))
        held = f"{count_of(extent.turns, 'turn')} of {count_of(extent.sessions, 'session')}"
        held += f", {count_of(extent.commits, 'commit')}"
        read = ", ".join(f"{count_of(count, 'transcript')} of {client}" for client, count in extent.files_of)
        said = f"{held}, {extent.size / 1e6:,.1f} MB; read from {read or 'no transcript'}."
        return " ".join([said, *unfinished])

    async def _finish_erasures(self) -> None:
        async with self._starting:
            is_waiting = not self.is_open.is_set() and await in_thread(partial(has_pending_erasures, self._place.path))
        if is_waiting:
            await self._start()

    async def _tidy_later(self) -> None:
        await trio.sleep(TIDY_S)
        if self.is_there:
            await self._start()

    async def _keep_forgetting(self) -> None:
        while True:
            try:
                await self.forget_old()
            except PalimpError as error:
                self._log("conversations_not_tidied", code=error.code)
            await trio.sleep(FORGET_S)

    # --- questions -------------------------------------------------------------------------------

    def is_asked(self, request: Recall) -> bool:
        """Tell whether *request* is for turns or commits only."""
        return is_of_turns(request)

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return the ids of turns or commits in a view."""
        return [name for name in request.ids or [] if is_turn_id(name)] if request.action == "view" else []

    def may_answer(self, request: Recall, caller: Caller) -> bool:  # noqa: ARG002  a source's interface
        """Tell whether turns may answer *request*, a search without a kind."""
        return is_open_search(request) and self.is_filled

    def begin_search(self, call: Invocation) -> TurnSearch:
        """Begin `canonical` before the memories' store is busy with the search."""
        return TurnSearch(self.recall, call.request, self.begin_canonical(call.caller))

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        """Return the turns and commits for *request*, already checked.

        Raises:
            PalimpError: conversations are not kept, or their store cannot be used.
        """
        if not self.is_on:
            raise not_kept()
        caller = await self.canonical(caller)
        now_ms, random, writes = self._place.now_ms(), self._place.random, self._writes

        def work(store: Store) -> tuple[Recalled, bool]:
            return recall_turns(RequestContext(store, caller, now_ms, random), request), has_no_memories(store)

        reply, is_empty = await self.ask(work, late_hint=FEWER_WORDS if request.query else "")
        if is_empty:
            self._empty_at = writes
        return reply

    async def extent(self) -> Extent | None:
        """Return the number of rows, or None.

        Raises:
            PalimpError: the store cannot be used.
        """
        return await self.ask(conversation_rows.extent) if self.is_there else None

    async def canonical(self, caller: Caller) -> Caller:
        """Return *caller* with its project's name here: the memories' row number, else its path."""
        return await self.begin_canonical(caller)()

    async def owner_of(self, caller: Caller) -> Caller:
        """Return `canonical` after creating the project's row, so that the name stays."""
        found = await self.canonical(caller)
        if found.project is None or found.project.root.startswith(ROW_NAME_PREFIX):
            return found
        try:
            row: int = await self._memories.write(partial(ensure_project, caller=caller, now_ms=self.now_ms()))
        except PalimpError:
            return found  # conversations are kept while memories cannot be
        return await self._caller_of_row(caller, row)

    def begin_canonical(self, caller: Caller) -> Callable[[], Awaitable[Caller]]:
        """Begin `canonical`; return a function that waits for it."""
        waiting: Callable[[], Awaitable[int | None]] | None = None
        if caller.project is not None and not caller.project.root.startswith(ROW_NAME_PREFIX):
            job = read_job(partial(_project_row_of, caller)).for_asker(caller.session_key.encode())
            with suppress(PalimpError):  # conversations are served while memories cannot be
                waiting = self._memories.begin(job)

        async def canonical() -> Caller:
            row: int | None = None
            with suppress(PalimpError):
                row = await waiting() if waiting else None
            return caller if row is None else await self._caller_of_row(caller, row)

        return canonical

    async def _caller_of_row(self, caller: Caller, row: int) -> Caller:
        assert caller.project is not None  # noqa: S101  it has a row
        name = f"{ROW_NAME_PREFIX}{row}"
        if name not in self._named:
            await self.ask(partial(conversation_rows.name_project, root=caller.project.root, name=name), is_write=True)
            self._named.add(name)
        return Caller(ProjectRef(name, caller.project.name), caller.session, caller.zone)

    # --- age and size ----------------------------------------------------------------------------

    async def forget_old(self) -> int:
        """Delete expired and surplus rows; return their number."""
        settings = self.settings
        days, megabytes = settings.number("conversations.keep_days"), settings.number("conversations.max_mb")
        before_ms = self._place.now_ms() - days * DAY_MS if days else 0
        count = 0
        while deleted := await self.ask(
            partial(conversation_rows.delete_oldest, before_ms=before_ms, bytes_max=megabytes * 1_000_000),
            is_write=True,
        ):
            count += deleted
        return count


def _project_row_of(caller: Caller, store: Store) -> int | None:
    return project_row(store, caller)
