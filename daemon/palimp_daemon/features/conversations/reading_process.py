"""Read transcripts in a child process, as parsing and redacting would delay every recall."""

import json
from functools import partial
from types import TracebackType
from typing import Any, Final, Self

import trio

from palimp_clients.transcript_readers import CLIENTS
from palimp_clients.transcripts.turn import SessionFile, SessionNews, Turn, nothing_new
from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.runtime.child_process import ChildError, ChildProcess, start_child
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.text.redact import Redactor

REPLY_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bytes of a slice's reply: 16 MB of text, all escapes, is 100 MB of JSON."""

ATTEMPTS_MAX: Final = 2
"""Processes that may die over one slice; the first may have been killed for another reason."""

WORKER: Final = "palimp_daemon.features.conversations.reading_worker"


class ReaderFailedError(Exception):
    """A bug in reading a transcript, with its text."""


class ReadingProcess:
    """Reads transcripts in a process, started when needed."""

    def __init__(self, redact: Redactor, log: Log) -> None:
        self._redact = redact
        self._log = log
        self._child: ChildProcess | None = None
        self._lock = trio.Lock()

    async def __aenter__(self) -> Self:
        """Return itself, without a process yet."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        await self._end()

    async def news_of(self, file: SessionFile, place: Place) -> SessionNews:
        """Return *file*'s news since *place*; one that kills two processes is unreadable.

        Raises:
            ReaderFailedError: a bug, with its traceback as a note.
        """
        async with self._lock:
            why = ""
            for _ in range(ATTEMPTS_MAX):
                try:
                    if self._child is None:
                        self._child = await start_child("Its reader", WORKER, [json.dumps(self._redact.patterns)])
                    child = self._child
                except ChildError as error:
                    self._log("reader_not_started", why=str(error))
                    return await read_in_thread(file, place, self._redact)
                try:
                    answer = await self._ask_child(child, file, place)
                except ChildError as error:
                    why = str(error)
                else:
                    return _news(answer)
            return nothing_new("", place, f"{file.path!r} cannot be read: {why}")

    async def _ask_child(self, child: ChildProcess, file: SessionFile, place: Place) -> Any:
        try:
            await child.send(0, [file.client, file.path, *place])
            return await child.receive(0, REPLY_BYTES_MAX)
        except BaseException:  # cancelled, too: an answer that nobody waits for would be taken for the next one's
            await self._end()
            raise

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.end()


async def read_in_thread(file: SessionFile, place: Place, redact: Redactor) -> SessionNews:
    """Return *file*'s news since *place*, read in this process."""
    return await in_thread(partial(CLIENTS[file.client].news_of, file.path, place, redact))


def _news(answer: Any) -> SessionNews:
    if isinstance(answer, str):
        error = ReaderFailedError(answer.strip().rpartition("\n")[2])
        error.add_note(answer)
        raise error
    turns, place, *rest, taken_back = answer
    return SessionNews(_turns(turns), Place(*place), *rest, taken_back=_turns(taken_back))


def _turns(answer: Any) -> list[Turn]:
    return [Turn(*said, files=tuple(files)) for *said, files in answer]
