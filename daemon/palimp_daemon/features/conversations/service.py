"""The conversations' store in the daemon: when it is opened, what is kept in it, and what is asked of it.

Theory
------
Nothing of it is opened when the daemon starts: the first question, transcript or commit opens it, in a thread of its
own (an `Actor` as the memories have one), so that neither a start nor a save waits for it. What cannot be opened is
left out, with the reason in `palimp health`; memories are served all the same.

A session's transcript is read on in the background whenever its client says that something happened. How far is stored
with what was read, so that a killed daemon loses and doubles nothing. Where a person switched a project off, only how
far is stored: what was said meanwhile stays out for good.
"""

import stat
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio

from palimp_daemon.features.conversations.given_text import turns_in_text
from palimp_daemon.features.conversations.recall_turns import is_of_turns, is_turn_id, recall_turns
from palimp_daemon.features.memories.hard_delete import Erasures
from palimp_daemon.runtime.keyed_locks import KeyedLocks
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import Preferences, Values
from palimp_daemon.store.opening import give_up_conversations, put_aside_path
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, ensure_session, project_row
from palimp_daemon.store.tables import conversations
from palimp_daemon.store.tables.conversations import Extent, FileRead
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.clients import CLIENTS, client_of
from palimp_daemon.text.transcripts.turn import SessionFile, SessionNews, Turn
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import READ_DEADLINE_S
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.memories import Recall, Recalled
from palimp_protocol.text import counted

KEPT_AT_ONCE: Final = 64
"""Turns stored in one transaction, some 50 ms: a question waits no longer for the store."""

WAITING_MAX: Final = 256
"""Transcripts that wait to be read; a further one is read when its session goes on."""

SETTLED_S: Final = 10.0
"""Seconds that an erasure waits for transcripts that are still to be read: else it would come back with them."""

TIDY_S: Final = 600.0
"""Seconds after the start in which nobody needed the store."""

FORGET_S: Final = 6 * 3_600.0
"""Seconds between two looks at what is too old or too much."""

NUMBERED: Final = "project "
"""What stands before the number of a project of the memories' store; a folder begins with a slash."""

DAY_MS: Final = 86_400_000

UNKNOWN_CLIENT: Final = "It is no transcript of a client that palimp knows, or says nothing yet."

OFF: Final = PalimpError(
    ErrorCode.BAD_REQUEST,
    "Conversations are not kept here: conversations.keep is off.",
    "`palimp config set conversations.keep on` changes that.",
)


class ConversationStore(NamedTuple):
    """Where the conversations' store is, what opens it in its thread, and what its requests are made with."""

    path: Path
    open: Callable[[], Store]
    now_ms: Callable[[], int]
    random: Callable[[], int]


class Conversations:
    """Owns the conversations' store, and answers from it.

    *memories* is the actor of the memories' store, which knows which folders are one project; *is_off* tells whether a
    person switched a caller's project off.
    """

    def __init__(
        self,
        place: ConversationStore,
        memories: Actor,
        preferences: Preferences,
        is_off: Callable[[Caller], bool],
        redact: Redactor,
        log: Log,
    ) -> None:
        self.actor = Actor(place.open, log.bug, give_up=partial(give_up_conversations, place.path))
        self.erasures = Erasures(self.actor, place.path, place.now_ms, place.random)
        self._place = place
        self._memories = memories
        self._preferences = preferences
        self._is_off = is_off
        self._redact = redact
        self._log = log
        self._starting = trio.Lock()
        self._is_started = False
        self._nursery: trio.Nursery | None = None
        self._locks = KeyedLocks()
        self._heard, self._to_read = trio.open_memory_channel[tuple[Caller, str, bool]](WAITING_MAX)
        self._waiting: set[str] = set()
        self._unread = 0
        """Transcripts that wait to be read, or are being read."""
        self._is_read = trio.Event()
        self._named: set[str] = set()
        """Numbers of projects that this store knows."""

    # --- life ------------------------------------------------------------------------------------

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Be ready to open the store, and read what sessions say on. Runs until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self._keep_reading)
            nursery.start_soon(self._tidy_later)
            task_status.started()
            await trio.sleep_forever()

    @property
    def is_on(self) -> bool:
        """Whether conversations are kept, as the settings say now."""
        return self.settings.text("conversations.keep") == "on"

    @property
    def settings(self) -> Values:
        """The user's settings."""
        return self._preferences.known(None)

    @property
    def is_there(self) -> bool:
        """Whether there may be something in the store, without opening it."""
        return self._is_started or self._place.path.exists()

    @property
    def is_filled(self) -> bool:
        """Whether there may be something in the store that is to be found."""
        return self.is_on and self.is_there

    async def ask(self, work: Callable[[Store], Any], *, is_write: bool = False) -> Any:
        """Return what *work* does in the store, which is opened if need be.

        Raises:
            PalimpError: the store cannot be used.
        """
        await self._start()
        now_ms = self._place.now_ms()
        if is_write:
            return await self.actor.ask(Job(work, is_write=True, now_ms=now_ms))
        return await self.actor.ask(Job(work, is_write=False, now_ms=now_ms, deadline_s=READ_DEADLINE_S))

    async def _start(self) -> None:
        async with self._starting:
            if not self._is_started:
                assert self._nursery is not None  # noqa: S101  whoever asks is served by what runs beside
                await self._nursery.start(self.actor.run)
                self._is_started = True
                self._nursery.start_soon(self.erasures.keep_finishing)
                self._nursery.start_soon(self._keep_forgetting)

    def now_ms(self) -> int:
        """Return the time, in Unix milliseconds."""
        return self._place.now_ms()

    async def erase_named(self, request: Erase, caller: Caller) -> Erased:
        """Erase the turns and commits that *request* names, for good.

        Raises:
            PalimpError: the store cannot be used; nothing was erased.
        """
        await self._start()
        return await self.erasures.erase(request, await self.canonical(caller), b"")

    async def drop_put_aside(self) -> None:
        """Remove what was put aside as damaged: nobody reads it, and it has what is erased."""
        await in_thread(partial(put_aside_path(self._place.path).unlink, missing_ok=True))

    async def describe(self) -> str:
        """Return how much is kept as a sentence; empty where there is nothing."""
        try:
            extent = await self.extent()
        except PalimpError as error:
            return f"They cannot be used: {error.text}"
        if extent is None:
            return ""
        held = f"{extent.turns:,} turns of {counted(extent.sessions, 'session')}, {counted(extent.commits, 'commit')}"
        read = ", ".join(f"{counted(count, 'transcript')} of {client}" for client, count in extent.files_of)
        return f"{held}, {extent.size / 1e6:,.1f} MB; read from {read or 'no transcript'}."

    async def _tidy_later(self) -> None:
        """Open the store some time after the start, if it is there, so that what is too old goes unasked, too."""
        await trio.sleep(TIDY_S)
        if self.is_there:
            await self._start()

    async def _keep_forgetting(self) -> None:
        """Delete what is too old or too much, now and every FORGET_S. Runs until cancelled."""
        while True:
            try:
                await self.forget_old()
            except PalimpError as error:
                self._log("conversations_not_tidied", code=error.code)
            await trio.sleep(FORGET_S)

    # --- questions -------------------------------------------------------------------------------

    def is_asked(self, request: Recall) -> bool:
        """Tell whether *request* asks for turns or commits only."""
        return is_of_turns(request)

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return those of the ids of a view that are of turns or commits."""
        return [name for name in request.ids or [] if is_turn_id(name)] if request.action == "view" else []

    def may_answer(self, request: Recall) -> bool:
        """Tell whether there may be turns that answer *request*: a search of no kind in particular."""
        is_narrow = request.kind or request.tags or request.title or request.scope == "global"
        return bool(request.query) and not is_narrow and request.detail in (None, "compact") and self.is_filled

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        """Return the turns and commits that *request*, which was checked, asks for.

        Raises:
            PalimpError: conversations are not kept, or their store cannot be used.
        """
        if not self.is_on:
            raise OFF
        caller = await self.canonical(caller)
        now_ms, random = self._place.now_ms(), self._place.random
        return await self.ask(lambda store: recall_turns(RequestContext(store, caller, now_ms, random), request))

    async def extent(self) -> Extent | None:
        """Return how much there is; None where there is nothing.

        Raises:
            PalimpError: the store cannot be used.
        """
        return await self.ask(conversations.extent) if self.is_there else None

    async def canonical(self, caller: Caller) -> Caller:
        """Return *caller* with the name by which this store knows its project.

        That is the number that it has in the memories' store, which knows what folders are one project, and when a
        folder holds another repository than before; of a folder that it knows nothing of, the folder.
        """
        if caller.project is None:
            return caller

        def work(store: Store) -> int | None:
            return project_row(store, caller)

        try:
            row: int | None = await self._memories.ask(Job(work, is_write=False, deadline_s=READ_DEADLINE_S))
        except PalimpError:
            return caller  # conversations are served while memories cannot be
        if row is None:
            return caller
        name = f"{NUMBERED}{row}"
        if name not in self._named:
            await self.ask(partial(conversations.name_project, root=caller.project.root, name=name), is_write=True)
            self._named.add(name)
        return Caller(ProjectRef(name, caller.project.name), caller.session)

    # --- reading ---------------------------------------------------------------------------------

    def heard_of(self, caller: Caller, path: str) -> None:
        """Have the transcript at *path*, of *caller*'s session, read on in the background.

        Of a project that is off now, or while conversations are not kept, only how far it goes is noted, also when it
        is on again by then.
        """
        if not path or path in self._waiting:
            return
        try:
            self._heard.send_nowait((caller, path, self._is_off(caller) or not self.is_on))
        except trio.WouldBlock:
            return
        self._waiting.add(path)
        self._unread += 1

    async def settled(self) -> None:
        """Wait until what was heard of is read, for SETTLED_S at most."""
        with trio.move_on_after(SETTLED_S):
            while self._unread:
                self._is_read = trio.Event()
                await self._is_read.wait()

    async def _keep_reading(self) -> None:
        async for caller, path, is_off in self._to_read:
            self._waiting.discard(path)
            try:
                file = await in_thread(partial(_session_file, path))
                if file is not None and file.client:
                    await self.read(file, caller, is_off=is_off)
                elif file is not None:
                    await self.ask(partial(conversations.note_unread, file=file, why=UNKNOWN_CLIENT), is_write=True)
            except PalimpError as error:
                self._log("conversation_not_read", code=error.code)
            except Exception as error:  # noqa: BLE001  a bug in reading must not end the daemon
                self._log.bug(error)
            finally:
                self._unread -= 1
                if not self._unread:
                    self._is_read.set()

    async def read(self, file: SessionFile, caller: Caller | None = None, *, is_off: bool = False) -> int:
        """Read the session of *file* on; return how many turns are new.

        It goes to the project of *caller*, or to that of the folder that the session was in. With *is_off* only how far
        it was read is kept, as of a project that is off.

        Raises:
            PalimpError: the store cannot be used; what was read before stays.
        """
        count = 0
        reader = CLIENTS[file.client]
        async with self._locks.lock(file.path):
            known: FileRead | None = await self.ask(partial(conversations.file_of, path=file.path))
            while True:
                place = Place(known.read_to, known.head) if known else Place()
                news = await in_thread(partial(reader.news_of, file.path, place, self._redact))
                known = _read_on(file, known, news)
                count += await self._keep(known, [] if is_off else news.turns, caller)
                if news.is_end or news.place == place:
                    return count

    async def read_text(self, text: str, caller: Caller) -> int:
        """Read a transcript that was given as *text* into *caller*'s project; return how many turns are new.

        Nothing is read of a text that is no transcript of a client's. How far is not remembered: who gives the same
        text again changes nothing, since each turn is known.
        """
        if not self.is_on or self._is_off(caller):
            return 0
        turns, key, client = await in_thread(partial(turns_in_text, text, self._redact))
        owner = await self.canonical(Caller(caller.project, SessionRef(key, client)))
        return await self._store(owner, turns, None)

    async def _keep(self, file: FileRead, turns: Sequence[Turn], caller: Caller | None) -> int:
        """Store *turns* of a session, and how far its *file* was read; return how many are new."""
        owner = caller or await in_thread(partial(_caller_in, file.folder))
        if owner is None or not turns or self._is_off(owner):
            return await self._store(None, [], file)
        owner = await self.canonical(Caller(owner.project, SessionRef(file.session_key, file.client)))
        return await self._store(owner, turns, file)

    async def _store(self, owner: Caller | None, turns: Sequence[Turn], file: FileRead | None) -> int:
        count, undated_ms = 0, file.modified_ms if file else self._place.now_ms()
        for at in range(0, max(1, len(turns)), KEPT_AT_ONCE):
            part, is_last = turns[at : at + KEPT_AT_ONCE], at + KEPT_AT_ONCE >= len(turns)
            read_to = file if is_last else None
            count += await self.ask(partial(_keep_turns, owner, part, undated_ms, read_to), is_write=True)
        return count

    async def forget_old(self) -> int:
        """Delete what is too old, and the oldest where there is too much; return how many rows."""
        settings = self.settings
        days, megabytes = settings.number("conversations.keep_days"), settings.number("conversations.max_mb")
        before_ms = self._place.now_ms() - days * DAY_MS if days else 0
        count = 0
        while deleted := await self.ask(
            partial(conversations.delete_oldest, before_ms=before_ms, bytes_max=megabytes * 1_000_000), is_write=True
        ):
            count += deleted
        return count


def _session_file(path: str) -> SessionFile | None:
    """Return the session whose transcript is at *path*, of no client where nobody knows it; None where nothing is."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    is_empty = not (stat.S_ISREG(found.st_mode) and found.st_size)
    client = client_of(path) or ""
    return None if is_empty else SessionFile(client, path, found.st_size, found.st_mtime_ns // 1_000_000)


def _read_on(file: SessionFile, known: FileRead | None, news: SessionNews) -> FileRead:
    """Return how far *file* is read with *news*, and what is known of its session by then."""
    return FileRead(
        path=file.path,
        client=file.client,
        session_key=news.key or (known.session_key if known else "") or file.path,
        folder=news.folder or (known.folder if known else ""),
        read_to=news.place.offset,
        head=news.place.head,
        size=file.size,
        modified_ms=file.modified_ms,
        skipped=news.skipped + (known.skipped if known and not news.is_anew else 0),
        why=news.why,
    )


def _caller_in(folder: str) -> Caller | None:
    """Return who asks from *folder*; None where it is no project (the home folder, or not known)."""
    project = project_from_directory(folder, str(Path.home())) if folder else None
    return Caller(ProjectRef(project.root, project.name, project.tree)) if project else None


def _keep_turns(
    owner: Caller | None, turns: Sequence[Turn], undated_ms: int, file: FileRead | None, store: Store
) -> int:
    """Store *turns* of *owner*'s session, and how far *file* was read; return how many are new."""
    count = 0
    if owner is not None and turns:
        assert owner.session is not None  # noqa: S101  whoever calls names it
        at_ms = turns[0].at_ms or undated_ms
        project = ensure_project(store, owner, at_ms)
        session = ensure_session(store, owner, project, at_ms)
        assert session is not None  # noqa: S101  the same
        count = conversations.keep_turns(store, project, session, owner.session.key, turns, undated_ms)
    if file is not None:
        conversations.note_file(store, file)
    return count
