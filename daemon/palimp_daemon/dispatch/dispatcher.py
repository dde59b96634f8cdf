"""The dispatcher of requests, for MCP, the command line and HTTP."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import trio
from msgspec.structs import replace

from palimp_daemon.dispatch.latency import Latencies
from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.features.handler import Bindings, Invocation, Report, report_nothing
from palimp_daemon.features.sessions.frame_words import FrameWords
from palimp_daemon.features.sessions.repository_identity import Identities
from palimp_daemon.render.frame import frame_word
from palimp_daemon.runtime.caller_zone import answering_in
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.store.worker.refusals import bug_error
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.operations import Operation
from palimp_protocol.text import without_control


class Dispatcher:
    """Gives each request to its operation's handler.

    *identities* confirms that the folder still holds its memories' repository.
    """

    def __init__(
        self,
        bindings: Bindings,
        identities: Identities,
        frame_words: FrameWords,
        state: DaemonState,
        latencies: Latencies,
        log: Log,
    ) -> None:
        self._bindings = bindings
        self._identities = identities
        self._frame_words = frame_words
        self._state = state
        self._latencies = latencies
        self._log = log

    def begin(self) -> float:
        """Note an arrived request; return the time, for `end`.

        Raises:
            PalimpError: the daemon is stopping. Raised before the request is parsed: a newer daemon may know it.
        """
        self._refuse_while_stopping()
        return self._state.note_request()

    def end(self, operation: Operation, began: float) -> None:
        """Note that the request of time *began* is answered."""
        self._latencies.note(operation.name, trio.current_time() - began)

    def job_for(self, operation: Operation, request: Any, caller: Caller, request_id: bytes) -> Job | None:
        """Return the single job that answers *request*, or None.

        Raises:
            PalimpError: the request contradicts itself, or the daemon is stopping.
        """
        self._refuse_while_stopping()
        if operation.checks_repository and not self._identities.is_confirmed(caller):
            return None
        return self._bindings[operation.name].handler.job(Invocation(operation, request, caller, request_id))

    async def answer(
        self,
        operation: Operation,
        request: Any,
        caller: Caller,
        request_id: bytes = b"",
        report: Report = report_nothing,
    ) -> Any:
        """Return *operation*'s reply; a write with a known *request_id* is not repeated.

        *report* receives progress.

        Raises:
            PalimpError: the operation failed; nothing of it was kept.
        """
        with self.answering(caller):
            return await self._answer(operation, request, caller, request_id, report)

    async def _answer(
        self, operation: Operation, request: Any, caller: Caller, request_id: bytes, report: Report
    ) -> Any:
        try:
            notice = await self._identities.confirm(caller) if operation.checks_repository else ""
            self._refuse_while_stopping()
            handler = self._bindings[operation.name].handler
            reply = await handler(Invocation(operation, request, caller, request_id, report))
            return replace(reply, notes=[notice, *reply.notes]) if notice and hasattr(reply, "notes") else reply
        except PalimpError:
            raise
        except Exception as error:  # noqa: BLE001  a bug in one answer must not end the daemon
            self._log.bug(error)
            raise bug_error(error) from None

    @contextmanager
    def answering(self, caller: Caller) -> Generator[None]:
        """Render for *caller* in this task: in its zone, with its project's frame word."""
        with answering_in(caller.zone), frame_word(self._frame_words.of(caller)):
            yield

    def text_of(self, operation: Operation, reply: Any, answer_format: str, caller: Caller) -> str:
        """Return *reply* as text, without terminal escapes; *answer_format* is toon, text or json."""
        render = self._bindings[operation.name].render
        assert render is not None  # noqa: S101  a test holds that every tool has one
        with self.answering(caller):
            return without_control(render(reply, answer_format))

    async def stopping(self) -> None:
        """Wait until the daemon is to stop."""
        await self._state.stop.wait()

    def _refuse_while_stopping(self) -> None:
        if self._state.stop.is_set():
            raise PalimpError(ErrorCode.STOPPING, "The daemon is shutting down.", "Send it again in a moment.")
