"""Read transcripts into the conversations' store, as sessions go on or whole on request.

The position is stored with the turns: a killed daemon loses and doubles nothing. If a project is off, or conversations
are not kept, it is stored alone: the turns stay out for good.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import trio

from palimp_clients.transcript_readers import CLIENTS, client_of, said_in_text
from palimp_clients.transcripts.folders import session_file
from palimp_clients.transcripts.foreign_database import SESSION
from palimp_clients.transcripts.turn import SessionFile, SessionNews, Turn
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.features.conversations.conversation_service import Conversations
from palimp_daemon.features.conversations.reading_process import read_in_thread
from palimp_daemon.runtime.keyed_locks import KeyedLocks
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.sessions import conversation_rows as table
from palimp_daemon.store.tables.sessions.conversation_rows import FileRead
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.text import quote_text

KEPT_AT_ONCE: Final = 64
"""Turns stored in one transaction, for which questions wait."""

CHARACTERS_AT_ONCE: Final = 24_000
"""Characters of turns stored in one transaction, some 5 ms."""

WAITING_MAX: Final = 256
"""Transcripts that wait; a further one is read when its session goes on."""

SETTLED_S: Final = 10.0
"""Seconds that an erasure waits for unread transcripts, which would restore the erased text."""

NewsOf = Callable[[SessionFile, Place], Awaitable[SessionNews]]

UNKNOWN_CLIENT: Final = "It is no transcript of a client that palimp knows, or says nothing yet."


class Transcripts:
    """Reads transcripts. *is_off* tells whether a project is off."""

    def __init__(
        self, conversations: Conversations, is_off: Callable[[Caller], bool], redact: Redactor, log: Log
    ) -> None:
        self._conversations = conversations
        self._is_off = is_off
        self._redact = redact
        self._log = log
        self._locks = KeyedLocks()
        self._heard, self._to_read = trio.open_memory_channel[tuple[Caller, str, bool]](WAITING_MAX)
        self._waiting: set[str] = set()
        self._unread = 0
        """Transcripts that wait or are being read."""
        self._is_read = trio.Event()

    def queue_reading(self, caller: Caller, path: str, *, was_off: bool = False) -> None:
        """Queue the transcript at *path*; if the project is or *was_off*, only for its position."""
        if not path or path in self._waiting:
            return
        try:
            is_off = was_off or self._is_off(caller) or not self._conversations.is_on
            self._heard.send_nowait((caller, path, is_off))
        except trio.WouldBlock:
            return
        self._waiting.add(path)
        self._unread += 1

    async def wait_settled(self) -> None:
        """Wait until queued transcripts are read, SETTLED_S at most."""
        with trio.move_on_after(SETTLED_S):
            while self._unread:
                self._is_read = trio.Event()
                await self._is_read.wait()

    async def run(self) -> None:
        """Read queued transcripts one by one, until cancelled."""
        async for caller, path, is_off in self._to_read:
            self._waiting.discard(path)
            try:
                told = caller.session.client if caller.session else ""
                file = await in_thread(partial(_session_file, path, told))
                if file is not None and file.client:
                    await self.read(file, caller, is_off=is_off)
                elif file is not None:
                    await self._conversations.ask(
                        partial(table.note_unread, file=file, why=UNKNOWN_CLIENT), is_write=True
                    )
            except PalimpError as error:
                self._log("conversation_not_read", code=error.code)
            except Exception as error:  # noqa: BLE001  a bug in reading must not end the daemon
                self._log.bug(error)
            finally:
                self._unread -= 1
                if not self._unread:
                    self._is_read.set()

    async def read(
        self,
        file: SessionFile,
        caller: Caller | None = None,
        *,
        is_off: bool = False,
        news_of: NewsOf | None = None,
    ) -> int:
        """Read the session of *file* on; return the number of new turns.

        It belongs to the project of *caller*, or of its folder; with *is_off* only the position is stored. *news_of*
        reads it, else a thread.

        Raises:
            PalimpError: the store cannot be used; earlier turns stay.
        """
        count = 0
        async with self._locks.lock(file.path):
            known: FileRead | None = await self._conversations.ask(partial(table.file_of, path=file.path))
            while True:
                place = Place(known.read_to, known.head) if known else Place()
                news = await (news_of(file, place) if news_of else read_in_thread(file, place, self._redact))
                before, known = known, _read_on(file, known, news)
                if news.taken_back:
                    await self._conversations.ask(
                        partial(table.forget_turns, key=known.session_key, turns=news.taken_back), is_write=True
                    )
                folder = before.folder if before and not news.is_anew else ""
                count += await self._keep(known, in_folders([] if is_off else news.turns, folder), caller)
                if news.is_end or news.place == place:
                    return count

    async def read_text(self, text: str, caller: Caller) -> int:
        """Read *text* into *caller*'s project; return the number of new turns."""
        if not self._conversations.is_on or self._is_off(caller):
            return 0
        said = await in_thread(partial(said_in_text, text, self._redact))
        if said is None:
            return 0
        owner = await self._conversations.owner_of(Caller(caller.project, SessionRef(said.key, said.client)))
        return await self._store(owner, said.turns, self._conversations.now_ms())

    async def read_file(self, path: str, caller: Caller) -> int:
        """Read a transcript into its project, else *caller*'s; return the number of new turns."""
        if not self._conversations.is_on or self._is_off(caller):
            return 0
        file = await in_thread(partial(_session_file, path, ""))
        return await self.read(file, Caller(caller.project)) if file is not None and file.client else 0

    async def _keep(self, file: FileRead, said: "Sequence[Placed]", caller: Caller | None) -> int:
        """Store each part in its folder's project; without one the file's `why` says so."""
        count = 0
        for number, part in enumerate(said, 1):
            file = file._replace(folder=part.folder or file.folder)
            owner = await in_thread(partial(_owner_of, file.folder, caller))
            if owner is None:
                file = file._replace(why=file.why or _why_nowhere(file.folder))
            is_kept = owner is not None and not self._is_off(owner)
            turns, read_to = part.turns if is_kept else [], file if number == len(said) else None
            if owner is not None and turns:
                owner = Caller(owner.project, SessionRef(file.session_key, file.client))
                owner = await self._conversations.owner_of(owner)
            count += await self._store(owner, turns, file.modified_ms, read_to)
        return count if said else await self._store(None, [], file.modified_ms, file)

    async def _store(
        self, owner: Caller | None, turns: Sequence[Turn], undated_ms: int, file: FileRead | None = None
    ) -> int:
        count = 0
        parts = _parts(turns)
        for number, part in enumerate(parts, 1):
            read_to = file if number == len(parts) else None
            count += await self._conversations.ask(
                partial(_keep_turns, owner, part, undated_ms, read_to), is_write=True, is_alone=True
            )
        return count


class Placed(NamedTuple):
    """Consecutive turns said in one folder, empty if unknown."""

    folder: str
    turns: list[Turn]


def in_folders(turns: Iterable[Turn], folder: str) -> list[Placed]:
    """Group *turns* by folder, beginning in *folder*; only a user's turn outside it changes it."""
    placed: list[Placed] = []
    for turn in turns:
        if turn.folder and (not folder or (turn.role == "user" and not _is_within(turn.folder, folder))):
            folder = turn.folder
        if not placed or placed[-1].folder != folder:
            placed.append(Placed(folder, []))
        placed[-1].turns.append(turn)
    return placed


def _is_within(folder: str, other: str) -> bool:
    return folder == other or folder.startswith(f"{other.rstrip('/')}/")


def _parts(turns: Sequence[Turn]) -> list[Sequence[Turn]]:
    parts: list[Sequence[Turn]] = []
    first = characters = 0
    for place, turn in enumerate(turns):
        if place - first == KEPT_AT_ONCE or (place > first and characters + len(turn.text) > CHARACTERS_AT_ONCE):
            parts.append(turns[first:place])
            first, characters = place, 0
        characters += len(turn.text)
    return [*parts, turns[first:]]


def _session_file(path: str, told: str) -> SessionFile | None:
    client = client_of(path, told) or ""
    is_in_database = client in CLIENTS and CLIENTS[client].found_in is None and SESSION in path
    file = session_file(client, path.rpartition(SESSION)[0] if is_in_database else path)
    return file._replace(path=path) if file is not None and file.size else None


def _read_on(file: SessionFile, known: FileRead | None, news: SessionNews) -> FileRead:
    return FileRead(
        path=file.path,
        client=file.client,
        session_key=news.key or (known.session_key if known else "") or file.path,
        folder=known.folder if known and known.folder and not news.is_anew else news.folder,
        read_to=news.place.offset,
        head=news.place.head,
        size=file.size,
        modified_ms=file.modified_ms,
        skipped=news.skipped + (known.skipped if known and not news.is_anew else 0),
        why=news.why,
    )


def _owner_of(folder: str, caller: Caller | None) -> Caller | None:
    """Return *caller*'s project, or another one around *folder*, or None."""
    project = caller.project if caller else None
    if caller and (not folder or (project and any(_is_within(folder, each) for each in (project.root, project.tree)))):
        return caller
    if caller and not Path(folder).is_dir():
        return caller  # it was moved, and is known to the caller under its new name
    found = project_from_directory(folder, str(Path.home())) if folder else None
    return Caller(ProjectRef(found.root, found.name, found.tree)) if found else caller


def _why_nowhere(folder: str) -> str:
    if not folder:
        return "It does not say in which folder it ran, so it belongs to no project, and nothing of it is kept."
    return f"It ran in {quote_text(folder)}, which is no project, so nothing of it is kept."


def _keep_turns(
    owner: Caller | None, turns: Sequence[Turn], undated_ms: int, file: FileRead | None, store: Store
) -> int:
    count = 0
    if owner is not None and turns:
        assert owner.session is not None  # noqa: S101  whoever calls names it
        at_ms = turns[0].at_ms or undated_ms
        project = ensure_project(store, owner, at_ms)
        session = ensure_session(store, owner, project, at_ms)
        assert session is not None  # noqa: S101  the same
        count = table.keep_turns(store, project, session, owner.session.key, turns, undated_ms)
    if file is not None:
        table.note_file(store, file)
    return count
