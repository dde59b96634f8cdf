"""Capture memories from running sessions.

Every `capture.turns` turns, before a compaction and at the end, a transcript is read on, in one transaction.
If the user's `capture.command` fails, the rules extract.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_clients.transcripts.whole_lines import Place
from palimp_daemon.features.capture.capture_handlers import CaptureResult, Stage, keep_gathered
from palimp_daemon.features.capture.external_extractor import extracts_from, prompt_of
from palimp_daemon.features.capture.extract import Extract, extracts_of
from palimp_daemon.features.capture.session_reading import News, Said, news_since, said_in, said_in_file
from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.runtime.background_tasks import BackgroundTasks
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.external_command import CommandError, answer_of
from palimp_daemon.runtime.files import size_of
from palimp_daemon.runtime.keyed_locks import KeyedLocks
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import brief_turns, in_thread
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, ensure_session, project_row, session_row
from palimp_daemon.store.tables.sessions.session_rows import captures_due, note_capture_due, note_seen, note_turn
from palimp_daemon.store.tables.sessions.transcript_rows import Transcript, note_path, transcript_of
from palimp_daemon.store.worker.group_commit import Job, read_job
from palimp_daemon.text.messages import Message
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.session_summary import Digest
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.session_messages import Captured

SLICES_MAX: Final = 8
"""Slices of a transcript read at once: 256 MB."""

WAITING_MAX: Final = 64
"""Captures that wait; further ones are left to the next turn."""

AGAIN_S: Final = (1.0, 5.0, 30.0, 300.0)
"""Seconds before each retry of a session after a busy store or full disk."""

SESSIONS_KNOWN_MAX: Final = 256
"""Running sessions with known transcripts, the latest active; users have tens."""

TAKEN_UP_MS: Final = 7 * 86_400_000
"""Milliseconds; unexamined sessions that ended earlier are left alone."""


class Captures(BackgroundTasks):
    """Captures memories from sessions. *is_off* tells whether a project is off."""

    def __init__(
        self,
        jobs: StoreJobs,
        settings: Settings,
        log: Log,
        is_off: Callable[[Caller], bool],
        redact: Redactor,
        on_save: Callable[[], None] | None = None,
    ) -> None:
        self._actor = jobs.actor
        self._settings = settings
        self._now_ms = jobs.now_ms
        self._random = jobs.random
        self._log = log
        self._on_save = on_save
        self._locks = KeyedLocks()
        self._waiting = 0
        self._paths: BoundedDict[str, str] = BoundedDict(SESSIONS_KNOWN_MAX)
        self._is_off = is_off
        self._redact = redact

    async def left_over(self) -> list[tuple[Caller, str]]:
        """Return the last daemon's unfinished sessions, with transcripts."""
        since_ms = self._now_ms() - TAKEN_UP_MS
        job = read_job(partial(captures_due, since_ms=since_ms, limit=WAITING_MAX))
        try:
            return await self._actor.ask(job)
        except PalimpError as error:
            self._log("captures_not_taken_up", code=error.code)
            return []

    @property
    def is_costly(self) -> bool:
        """Whether capture runs a program that may cost money."""
        return bool(self._settings.current(None).text("capture.command"))

    def path_of(self, caller: Caller) -> str:
        """Return a running session's transcript, if known."""
        return self._paths.get(caller.session.key, "") if caller.session else ""

    def remember_path(self, caller: Caller, path: str) -> None:
        """Remember a running session's transcript."""
        if caller.session and path:
            self._paths[caller.session.key] = path

    async def turn_ended(self, caller: Caller, path: str) -> None:
        """Count a turn, and capture if due."""
        await self._settings.of(caller)
        turns = self._turns(caller)

        def count(store: Store) -> int:
            now_ms = self._now_ms()
            session = _note_transcript(store, caller, path if turns else "", now_ms)
            return 0 if session is None else note_turn(store, session, now_ms)

        if await self._actor.write(count) >= max(1, turns):
            self._start_capture(caller, path, Stage.GOES_ON)

    async def capture_before_pause(self, caller: Caller, path: str, *, is_over: bool) -> None:
        """Capture a session that is compacted or *is_over*, with a summary, in the background.

        It is first noted as due: a client may write its last words after its last hook.
        """
        await self._settings.of(caller)
        turns = self._turns(caller)

        def note(store: Store) -> None:
            now_ms = self._now_ms()
            session = _note_transcript(store, caller, path if turns else "", now_ms)
            if session is not None:
                note_seen(store, session, now_ms, is_end=is_over)

        await self._actor.write(note)
        self._start_capture(caller, path, Stage.PAUSES)

    def look_through(self, caller: Caller, path: str) -> None:
        """Capture a finished session, with a summary, in the background."""
        self._start_capture(caller, path, Stage.OVER)

    async def pass_over(self, caller: Caller, path: str) -> None:
        """Skip a transcript, as its project is off."""
        if not path or not self._turns(caller):
            return
        async with self._locks.lock(caller.session.key if caller.session else path):
            for _ in range(SLICES_MAX):
                known = await self._known_transcript(caller)
                known = known if known and known.path == path else Transcript(path, Place(), Digest())
                news = await in_thread(partial(news_since, known, _client(caller), self._redact))
                if news.place == known.place:
                    break
                await self._keep(caller, CaptureResult([], 0, Transcript(path, news.place, known.digest)), b"")

    def _turns(self, caller: Caller) -> int:
        return self._settings.current(caller).number("capture.turns")

    def _start_capture(self, caller: Caller, path: str, stage: Stage) -> None:
        if (
            self._background
            and not self._is_off(caller)
            and self._turns(caller)
            and path
            and self._waiting < WAITING_MAX
        ):
            self._waiting += 1
            self._background.start_soon(self._capture_with_retries, caller, path, stage)

    async def _capture_with_retries(self, caller: Caller, path: str, stage: Stage) -> None:
        try:
            for pause_s in (*AGAIN_S, None):
                try:
                    await self._read_on(caller, path, stage)
                    break
                except PalimpError as error:
                    self._log("not_captured", code=error.code, again_in_s=pause_s)
                    if pause_s is None:
                        break
                await trio.sleep(pause_s)
        except Exception as error:  # noqa: BLE001  a bug in the rules must not end the daemon
            self._log.bug(error)
        finally:
            self._waiting -= 1

    async def said_in(self, text: str) -> Said:
        """Return the messages in *text*."""
        return await in_thread(partial(said_in, text, self._redact))

    async def said_in_file(self, path: str) -> Said:
        """Return the messages in the file at *path*.

        Raises:
            PalimpError: it cannot be read.
        """
        said = await in_thread(partial(said_in_file, path, self._redact))
        if not said.messages and said.why:
            raise RequestError(said.why)
        return said

    async def keep_said(
        self, messages: Sequence[Message], too_long: int, caller: Caller, request_id: bytes
    ) -> Captured:
        """Capture *messages*; *too_long* lines between them were skipped."""
        extracts = await self._extracts(messages, ())
        return await self._keep(caller, CaptureResult(extracts, len(messages), too_long=too_long), request_id)

    async def transcript_of(self, caller: Caller) -> str:
        """Return the path of the session's transcript.

        Raises:
            PalimpError: it is unknown.
        """
        known = await self._known_transcript(caller)
        if path := self.path_of(caller) or (known.path if known else ""):
            return path
        raise RequestError(
            "No transcript of this session is known.",
            "Give the conversation as text, or have palimp's hooks installed.",
        )

    async def unread(self, caller: Caller, path: str) -> int:
        """Return the number of uncaptured bytes of a transcript."""
        known = await self._known_transcript(caller)
        read_to = known.place.offset if known and known.path == path else 0
        return max(0, await in_thread(partial(size_of, Path(path))) - read_to)

    async def read_on(self, caller: Caller, path: str) -> Captured:
        """Capture the new part of a transcript, with a summary."""
        return await self._read_on(caller, path, Stage.PAUSES)

    async def _read_on(self, caller: Caller, path: str, stage: Stage) -> Captured:
        key = caller.session.key if caller.session else path
        captured = Captured(memories=[], messages=0)
        async with self._locks.lock(key):
            for _ in range(SLICES_MAX):
                known = await self._known_transcript(caller)
                known = known if known and known.path == path else Transcript(path, Place(), Digest())
                news = await in_thread(partial(news_since, known, _client(caller), self._redact))
                extracts = await self._extracts(news.messages, news.before)
                transcript = Transcript(path, news.place, news.digest)
                gathered = CaptureResult(
                    extracts, len(news.messages), transcript, _stage_reached(stage, news), news.too_long
                )
                more = await self._keep(caller, gathered, b"")
                captured = Captured(
                    memories=[*captured.memories, *more.memories],
                    messages=captured.messages + more.messages,
                    known=captured.known + more.known,
                    notes=[*captured.notes, *more.notes],
                )
                if news.is_end:
                    break
        self._log("captured", memories=len(captured.memories), messages=captured.messages)
        return captured

    async def _extracts(self, messages: Sequence[Message], known: Sequence[Message]) -> list[Extract]:
        if not messages:
            return []
        if command := self._settings.current(None).text("capture.command"):
            try:
                answer = await answer_of(command, prompt_of([*known, *messages]))
                return extracts_from(answer, [*known, *messages])
            except CommandError as error:
                self._log("capture_command_failed", why=str(error))
        return await in_thread(partial(_extract, messages, known))

    async def _known_transcript(self, caller: Caller) -> Transcript | None:
        def work(store: Store) -> Transcript | None:
            project = project_row(store, caller)
            session = None if project is None else session_row(store, caller, project)
            return None if session is None else transcript_of(store, session)

        return await self._actor.read(work)

    async def _keep(self, caller: Caller, gathered: CaptureResult, request_id: bytes) -> Captured:
        now_ms = self._now_ms()

        def work(store: Store) -> Captured:
            return keep_gathered(RequestContext(store, caller, now_ms, self._random), gathered, self._redact)

        captured: Captured = await self._actor.ask(
            Job(work, is_write=True, now_ms=now_ms, request_id=request_id, reply_type=Captured)
        )
        if captured.memories and self._on_save:
            self._on_save()
        return captured


def _extract(messages: Sequence[Message], known: Sequence[Message]) -> list[Extract]:
    with brief_turns():
        return extracts_of(messages, known)


def _note_transcript(store: Store, caller: Caller, path: str, now_ms: int) -> int | None:
    session = ensure_session(store, caller, ensure_project(store, caller, now_ms), now_ms)
    if session is not None and path:
        note_path(store, session, path)
        note_capture_due(store, session)
    return session


def _stage_reached(stage: Stage, news: News) -> Stage:
    return Stage.PAUSES if stage is Stage.OVER and not (news.is_end and news.is_whole) else stage


def _client(caller: Caller) -> str:
    return caller.session.client if caller.session else ""
