"""Run requested captures: short conversations at once, long ones in the background.

Pending ones are in files, redacted, for the next daemon. Each counts once.
"""

import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import trio
from msgspec.structs import replace

from palimp_daemon.features.capture.capture_service import AGAIN_S, Captures
from palimp_daemon.features.capture.request_files import OUTCOMES_MAX, CaptureRequest, RequestFiles
from palimp_daemon.features.capture.session_reading import Said
from palimp_daemon.runtime.background_tasks import BackgroundTasks
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import finished_in_thread, in_thread
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.session_messages import Capture, Captured, CaptureFile, CaptureRun

AT_ONCE_CHARACTERS: Final = 20_000
"""Characters examined while the caller waits: a fifth of a second."""

REQUESTS_MAX: Final = 32
"""Captures waiting in the background; further callers must try again."""

SETTLED_S: Final = 10.0
"""Seconds that an erasure waits for running captures, which might capture the erased text again."""

FAILED: Final = "It failed because of a bug; `palimp doctor` says where the log is."


class KeepTurns(NamedTuple):
    """Stores a transcript's turns; returns the number of new ones."""

    of_text: Callable[[str, Caller], Awaitable[int]]
    of_file: Callable[[str, Caller], Awaitable[int]]


class RequestedCaptures(BackgroundTasks):
    """Answers `capture` and `capture_file`; *folder* has pending ones."""

    def __init__(
        self, captures: Captures, keep_turns: KeepTurns, folder: Path, now_ms: Callable[[], int], log: Log
    ) -> None:
        self._captures = captures
        self._keep_turns = keep_turns
        self._files = RequestFiles(folder)
        self._now_ms = now_ms
        self._log = log
        self._requests: dict[str, CaptureRequest] = {}
        """By id, in the order of asking."""
        self._texts: dict[str, str] = {}
        """By id, texts of running requests; no file holds them, as they may have secrets."""
        self._one_at_a_time = trio.Lock()
        self._is_over = trio.lowlevel.ParkingLot()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Capture until cancelled."""
        self._requests = {each.id: each for each in await in_thread(self._files.read)}
        async with trio.open_nursery() as nursery:
            self._background = nursery
            for each in self._under_way():
                nursery.start_soon(self._look_through, each)
            task_status.started()
            await trio.sleep_forever()

    def runs(self, caller: Caller) -> list[CaptureRun]:
        """Return the project's captures with outcomes, oldest first."""
        root = caller.root
        return [each.run for each in self._requests.values() if each.caller.root == root]

    async def wait_settled(self) -> None:
        """Wait until none is pending, SETTLED_S at most."""
        with trio.move_on_after(SETTLED_S):
            while self._under_way():
                await self._is_over.park()

    async def capture(self, request: Capture, caller: Caller, request_id: bytes) -> Captured:
        """Capture a text, or the transcript of *caller*'s session.

        Raises:
            PalimpError: there is neither, or too many are pending.
        """
        if request.text is None:
            return await self._capture_session(caller, request_id, waits=False)
        said = await self._captures.said_in(request.text)
        new = self._request(caller, request_id, CaptureRun(at=self._now_ms(), messages=len(said.messages)), said)
        captured = await self._capture(new, said, request_id, waits=False)
        if not captured.is_started:
            await self._keep_turns.of_text(request.text, caller)
        elif not self._requests[new.id].run.is_over:
            self._texts[new.id] = request.text
        return captured

    async def capture_file(self, request: CaptureFile, caller: Caller, request_id: bytes) -> Captured:
        """Capture a file, or the transcript of *caller*'s session.

        Raises:
            PalimpError: the file is unreadable, there is no transcript, or too many are pending.
        """
        if request.path is None:
            return await self._capture_session(caller, request_id, waits=request.waits)
        said = await self._captures.said_in_file(request.path)
        run = CaptureRun(at=self._now_ms(), file=Path(request.path).name, messages=len(said.messages))
        new = self._request(caller, request_id, run, said, request.path)
        captured = await self._capture(new, said, request_id, waits=request.waits)
        if not captured.is_started:
            await self._keep_turns.of_file(request.path, caller)
        return captured

    async def _capture_session(self, caller: Caller, request_id: bytes, *, waits: bool) -> Captured:
        path = await self._captures.transcript_of(caller)
        unread = await self._captures.unread(caller, path)
        if waits or self._is_quick(unread):
            return await self._captures.read_on(caller, path)
        return await self._start(self._request(caller, request_id, CaptureRun(at=self._now_ms()), None, path))

    async def _capture(self, new: CaptureRequest, said: Said, request_id: bytes, *, waits: bool) -> Captured:
        if waits or self._is_quick(sum(len(message.text) for message in said.messages)):
            captured = await self._captures.keep_said(said.messages, said.too_long, new.caller, request_id)
        else:
            captured = await self._start(new)
        return replace(captured, notes=[*captured.notes, *said.notes])

    def _is_quick(self, characters: int) -> bool:
        return characters <= AT_ONCE_CHARACTERS and not self._captures.is_costly

    def _request(
        self, caller: Caller, request_id: bytes, run: CaptureRun, said: Said | None, path: str = ""
    ) -> CaptureRequest:
        messages, too_long = (said.messages, said.too_long) if said else (None, 0)
        # Over HTTP a request has no id.
        return CaptureRequest(request_id.hex() or secrets.token_hex(16), caller, run, path, messages, too_long)

    # --- in the background -------------------------------------------------------------------------

    async def _start(self, new: CaptureRequest) -> Captured:
        if new.id not in self._requests:
            if len(self._under_way()) >= REQUESTS_MAX or self._background is None:
                raise PalimpError(ErrorCode.BUSY, f"{REQUESTS_MAX} conversations wait to be looked through already.")
            try:
                await finished_in_thread(partial(self._files.put, new))
            except OSError as error:
                raise PalimpError(ErrorCode.DISK_FULL, f"It cannot be written down: {error.strerror}.") from None
            self._requests[new.id] = new
            self._background.start_soon(self._look_through, new)
        return Captured(memories=[], messages=new.run.messages, is_started=True)

    async def _look_through(self, request: CaptureRequest) -> None:
        try:
            run = await self._outcome(request)
        except Exception as error:  # noqa: BLE001  a bug in the rules must not end the daemon
            self._log.bug(error)
            run = replace(request.run, why=FAILED)
        over = replace(request, run=replace(run, is_over=True), messages=[], path="")
        try:
            await finished_in_thread(partial(self._files.put, over))
        except OSError as error:  # it is looked through once more, and counts once
            self._log("capture_not_noted", why=error.strerror)
        self._requests[request.id] = over
        self._texts.pop(request.id, None)
        await self._forget_old()
        self._is_over.unpark_all()

    async def _outcome(self, request: CaptureRequest) -> CaptureRun:
        why = ""
        for pause_s in (*AGAIN_S, None):
            try:
                async with self._one_at_a_time:
                    captured = await self._captured_now(request)
            except PalimpError as error:
                why = error.text
                self._log("not_captured", code=error.code, again_in_s=pause_s)
                if pause_s is None:
                    break
                await trio.sleep(pause_s)
            else:
                found, messages = len(captured.memories), captured.messages
                return replace(request.run, messages=messages, memories=found, known=captured.known)
        return replace(request.run, why=why)

    async def _captured_now(self, request: CaptureRequest) -> Captured:
        if request.messages is None:
            return await self._captures.read_on(request.caller, request.path)
        captured = await self._captures.keep_said(
            request.messages, request.too_long, request.caller, bytes.fromhex(request.id)
        )
        if request.path:
            await self._keep_turns.of_file(request.path, request.caller)
        elif text := self._texts.get(request.id):
            await self._keep_turns.of_text(text, request.caller)
        return captured

    async def _forget_old(self) -> None:
        over = [each for each in self._requests.values() if each.run.is_over]
        old = over[: max(0, len(over) - OUTCOMES_MAX)]
        for each in old:
            del self._requests[each.id]
        await finished_in_thread(partial(self._files.remove, old))

    def _under_way(self) -> list[CaptureRequest]:
        return [each for each in self._requests.values() if not each.run.is_over]
