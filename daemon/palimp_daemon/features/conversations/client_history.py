"""Find the sessions that clients wrote earlier, and read them on a person's request.

The newest comes first; unchanged ones are skipped by size and time. The request is stored for the next daemon.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import trio

from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.turn import SessionFile
from palimp_daemon.features.conversations.conversation_service import Conversations, not_kept
from palimp_daemon.features.conversations.reading_process import ReaderFailedError, ReadingProcess
from palimp_daemon.features.conversations.transcript_reading import NewsOf, Transcripts
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import brief_turns, in_thread
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.sessions import conversation_rows as table
from palimp_daemon.store.tables.sessions.conversation_rows import Extent, FileRead
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.conversation_messages import ClientSessions, ConversationStatus, UnreadFile

FILES_MAX: Final = 100_000
"""Sessions considered; the newest of them are read."""

UNREAD_SHOWN_MAX: Final = 20
"""Partly unreadable files that are listed."""

UNREAD_LOOKED_AT: Final = 200
"""Unread files checked for existence."""

AT_ONCE: Final = 4
"""Sessions read at once, some stored while others are parsed. Fewer leave processes waiting for each other; more,
questions for the processor (docs/adr/0023)."""

FORGET_AFTER_FILES: Final = 200
"""Sessions after which the excess is deleted: clients may have far more than is kept."""

BUG_CHARACTERS: Final = 60
"""Characters shown of a bug's name."""

COUNTED_AGAIN_S: Final = 5.0
"""Seconds that counts are cached during reading: counting needs the store thread, and a progress display asks several
times a second."""

WANTED: Final = "history_wanted"
"""The fact that reading was requested and is unfinished."""


class History:
    """Reads clients' sessions on this machine."""

    def __init__(
        self,
        conversations: Conversations,
        transcripts: Transcripts,
        env: Mapping[str, str],
        redact: Redactor,
        log: Log,
    ) -> None:
        self._conversations = conversations
        self._transcripts = transcripts
        self._env = env
        self._redact = redact
        self._log = log
        self._wanted = trio.Event()
        self._progress = _Progress()
        self._counted = _Held(None, [])
        self._counted_at = -COUNTED_AGAIN_S

    async def run(self) -> None:
        """Read on request, also the last daemon's, until cancelled; opens no store at the start."""
        await self._conversations.is_open.wait()
        try:
            if self._conversations.is_on and await self._conversations.ask(partial(table.fact, name=WANTED)):
                self._wanted.set()
        except PalimpError as error:
            self._log("history_not_taken_up", code=error.code)
        while True:
            await self._wanted.wait()
            self._wanted = trio.Event()
            try:
                await self._read_all()
            except PalimpError as error:
                self._log("history_not_read", code=error.code)
            except Exception as error:  # noqa: BLE001  a bug in reading must not end the daemon
                self._log.bug(error)
            if not self._wanted.is_set():
                self._progress.end()

    async def read(self) -> None:
        """Start reading in the background.

        Raises:
            PalimpError: conversations are not kept, or their store cannot be used.
        """
        if not self._conversations.is_on:
            raise not_kept()
        await self._conversations.ask(partial(table.note_fact, name=WANTED, said="yes"), is_write=True)
        if not self._progress.is_reading:  # else that goes on, and who waits for it sees how far it is
            self._progress = _Progress(is_reading=True)
        self._wanted.set()

    async def status(self) -> ConversationStatus:
        """Return the numbers kept, clients' numbers, and progress."""
        settings, progress, problem = self._conversations.settings, self._progress, ""
        found = progress.found if progress.is_reading else []
        if not found:  # it is not looked up again and again while it is read
            found = counted_by_client(await in_thread(partial(session_files, self._env)))
        try:
            extent, unread = await self._held_numbers()
        except PalimpError as error:
            extent, unread, problem = None, [], error.text
        return ConversationStatus(
            is_on=self._conversations.is_on,
            turns=extent.turns if extent else 0,
            commits=extent.commits if extent else 0,
            sessions=extent.sessions if extent else 0,
            files=extent.files if extent else 0,
            size=extent.size if extent else 0,
            keep_days=settings.number("conversations.keep_days"),
            max_mb=settings.number("conversations.max_mb"),
            found=found,
            is_reading=progress.is_reading,
            read_files=progress.files,
            to_read=progress.to_read,
            read_bytes=progress.bytes,
            bytes_to_read=progress.bytes_to_read,
            new_turns=progress.turns,
            unread=[
                UnreadFile(path=each.path, client=each.client, skipped=each.skipped, why=each.why) for each in unread
            ],
            problem=problem,
        )

    async def _held_numbers(self) -> "_Held":
        """Return the kept numbers, some seconds old during reading."""
        if not self._conversations.is_there:
            return _Held(None, [])
        if self._progress.is_reading and trio.current_time() < self._counted_at + COUNTED_AGAIN_S:
            return self._counted
        unread = await self._conversations.ask(partial(table.files_unread, limit=UNREAD_LOOKED_AT))
        self._counted = _Held(await self._conversations.extent(), await in_thread(partial(_still_there, unread)))
        self._counted_at = trio.current_time()
        return self._counted

    async def _read_all(self) -> None:
        files = await in_thread(partial(session_files, self._env))
        known: dict[str, tuple[int, int]] = await self._conversations.ask(_known_files)
        due = [file for file in files if known.get(file.path) != (file.size, file.modified_ms)]
        progress = self._progress = _Progress(is_reading=True, found=counted_by_client(files), due=due)
        with brief_turns():
            await self._read_files(due)
        if not self._conversations.is_on:
            return  # what is left is read when it is on, and somebody asks
        await self._conversations.forget_old()
        await self._conversations.ask(partial(table.note_fact, name=WANTED, said=""), is_write=True)
        self._log("history_read", files=progress.files, turns=progress.turns)

    async def _read_files(self, files: Iterable[SessionFile]) -> None:
        left, failures = iter(files), list[PalimpError]()

        async def read_each() -> None:
            try:
                await self._read_each(left, process.news_of)
            except PalimpError as error:
                failures.append(error)
                nursery.cancel_scope.cancel()

        async with ReadingProcess(self._redact, self._log) as process, trio.open_nursery() as nursery:
            for _ in range(AT_ONCE):
                nursery.start_soon(read_each)
        if failures:
            raise failures[0]

    async def _read_each(self, files: Iterator[SessionFile], news_of: NewsOf) -> None:
        progress = self._progress
        for file in files:
            if not self._conversations.is_on:
                return
            progress.note(file, await self._read_one(file, news_of))
            if progress.files % FORGET_AFTER_FILES == 0:
                await self._conversations.forget_old()

    async def _read_one(self, file: SessionFile, news_of: NewsOf) -> int:
        try:
            return await self._transcripts.read(file, news_of=news_of)
        except PalimpError:
            raise
        except Exception as error:  # noqa: BLE001  the others are read all the same
            self._log.bug(error)
            why = f"Reading {file.path!r} failed, which is a bug of palimp's: {_bug(error)}."
            await self._conversations.ask(partial(table.note_unread, file=file, why=why), is_write=True)
            return 0


class _Held(NamedTuple):
    extent: Extent | None
    unread: list[FileRead]


class _Progress:
    def __init__(
        self, *, is_reading: bool = False, found: Sequence[ClientSessions] = (), due: Sequence[SessionFile] = ()
    ) -> None:
        self.is_reading = is_reading
        self.found = list(found)
        self.to_read, self.bytes_to_read = len(due), sum(file.size for file in due)
        self.files = self.bytes = self.turns = 0

    def note(self, file: SessionFile, turns: int) -> None:
        self.files += 1
        self.bytes += file.size
        self.turns += turns

    def end(self) -> None:
        self.is_reading = False


def _bug(error: Exception) -> str:
    """Name a bug without its text, which may quote a transcript."""
    name = str(error).partition(":")[0] if isinstance(error, ReaderFailedError) else type(error).__name__
    return name[:BUG_CHARACTERS]


def _still_there(files: Sequence[FileRead]) -> list[FileRead]:
    # Of a client's database the path is in front of the session's id.
    return [file for file in files if Path(file.path.partition("#")[0]).exists()][:UNREAD_SHOWN_MAX]


def session_files(env: Mapping[str, str]) -> list[SessionFile]:
    """Return the sessions of all clients, newest first."""
    home = Path(env.get("HOME") or "~").expanduser()
    found: list[SessionFile] = []
    for reader in CLIENTS.values():
        found += reader.session_files(home, env)
    return sorted(found, key=lambda file: -file.modified_ms)[:FILES_MAX]


def counted_by_client(files: Iterable[SessionFile]) -> list[ClientSessions]:
    """Return each client's number and size of sessions."""
    of_client: dict[str, list[SessionFile]] = defaultdict(list)
    for file in files:
        of_client[file.client].append(file)
    return [_count_sessions(client, of_client[client]) for client in sorted(of_client)]


def _count_sessions(client: str, files: Sequence[SessionFile]) -> ClientSessions:
    oldest = min(file.modified_ms for file in files)
    return ClientSessions(client=client, sessions=len(files), size=sum(file.size for file in files), oldest_at=oldest)


def _known_files(store: Store) -> dict[str, tuple[int, int]]:
    return {file.path: (file.size, file.modified_ms) for file in table.files_read(store)}
