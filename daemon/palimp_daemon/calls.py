"""Calls: one request in, one reply out, whichever face it came through.

`health` and `stop` are answered here, because they must work when the store does not; everything else
becomes a job of the store actor.
"""

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ClassVar

import trio
from msgspec.structs import replace

from palimp_daemon.compacting import Report, say_nothing
from palimp_daemon.documents import Documents
from palimp_daemon.group_commit import Job, bug_error
from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.handlers import HANDLERS, TOGETHER
from palimp_daemon.operations.recall import search_ahead
from palimp_daemon.operations.store_health import store_health
from palimp_daemon.semantic import WARMING_UP
from palimp_daemon.services import Services
from palimp_daemon.store.connection import StoreDamagedError
from palimp_daemon.store.store import Store
from palimp_daemon.store.vectors import counts
from palimp_daemon.tool_schemas import listed_tools
from palimp_protocol import __version__
from palimp_protocol.changes import ChangeChecked, CheckChange, Hook, HookAnswer, ImportChanges, ImportStatus
from palimp_protocol.configuring import Configure, Settings
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.faces import Http, HttpStatus, ToolList, Tools
from palimp_protocol.frames import PROTOCOL_VERSION
from palimp_protocol.limits import READ_DEADLINE_S
from palimp_protocol.operations import (
    Access,
    Caller,
    Canary,
    Context,
    ContextGiven,
    DaemonHealth,
    Embedding,
    EmbeddingStatus,
    Health,
    OperationLatency,
    Recall,
    Recalled,
    RunCanary,
    Stop,
    Stopping,
)
from palimp_protocol.sessions import Capture, Captured, SessionList, Sessions
from palimp_protocol.table import OPERATIONS, Operation
from palimp_protocol.transfer import BackedUp, Backup, Export, ExportPage, ImportFile, ImportPage
from palimp_protocol.upkeep import (
    Adopt,
    Adopted,
    Erase,
    Erased,
    Progress,
    ProgressMade,
    ProjectList,
    Projects,
    Summarize,
    Summarized,
    Undo,
    Undone,
)


class Calls(Services):
    """Answers calls with the services that they need."""

    check: Callable[[str], Awaitable[Canary]] | None = None
    """Checks by doing: set by who serves, since the check is made of calls."""

    def expect_calls(self) -> None:
        """Get ready for what is asked soon: a session has begun."""
        if self.semantic:
            self.semantic.expect_query()

    def began(self) -> float:
        """Note that somebody asked for something; return the time, for `ended`.

        Raises:
            PalimpError: the daemon is stopping. Said before a request is looked at: what this daemon does not know, the
                next one may, if it is newer.
        """
        self._refuse_while_stopping()
        self.state.last_request_at = trio.current_time()
        return self.state.last_request_at

    def ended(self, operation: Operation, began: float) -> None:
        """Note that what *began* then is answered."""
        self.latencies.note(operation.name, trio.current_time() - began)

    async def answer(
        self, operation: Operation, request: Any, caller: Caller, request_id: bytes, report: Report | None = None
    ) -> Any:
        """Return *operation*'s reply to *request*; a write with a known *request_id* is not applied again.

        Of long work, *report* is told how far it is.

        Raises:
            PalimpError: the operation failed; nothing of it was kept.
        """
        try:
            return await self._answer(operation, request, caller, request_id, report or say_nothing)
        except PalimpError:
            raise
        except Exception as error:  # noqa: BLE001  a bug in one answer must not end the daemon
            self.the_log.bug(error)
            raise bug_error(error) from None

    async def _answer(
        self, operation: Operation, request: Any, caller: Caller, request_id: bytes, report: Report
    ) -> Any:
        if job := self.job_for(operation, request, caller, request_id):
            return await self.actor.ask(job)
        if operation.name == "compact":
            return await self.compacting.compact(request, caller, report)
        if operation.name in Documents.NAMES:
            reply = await self.documents.answer(operation.name, request, caller, request_id)
            if operation.name in Documents.LISTED:
                await self.on_documents_changed(caller)
            return reply
        if operation.name == "recall":
            self.recalls.note(caller, self.now_ms())
            recall = self.documents.recall if request.kind == "doc" else self._recall_by_meaning
            return await recall(request, caller)
        if operation.name in self._answers_to:
            return await self._answers_to[operation.name](self, request, caller, request_id)
        return await self._answers[operation.name](self, request)

    def job_for(self, operation: Operation, request: Any, caller: Caller, request_id: bytes) -> Job | None:
        """Return the job of the store actor that answers *request*; None when it takes more, or less, than that.

        Raises:
            PalimpError: the request cannot be right, or the daemon is stopping.
        """
        self._refuse_while_stopping()
        access = operation.access(request)
        if access is Access.NONE or operation.name in self._elsewhere or self._takes_more(operation, request):
            return None
        if operation.name == "recall":
            self.recalls.note(caller, self.now_ms())
        if self.semantic and access is Access.WRITE:
            self.semantic.heard_of_save()
        return self._job(operation, request, caller, request_id)

    def _refuse_while_stopping(self) -> None:
        if self.state.stop.is_set():
            raise PalimpError(ErrorCode.STOPPING, "The daemon is shutting down.", "Send it again in a moment.")

    def _takes_more(self, operation: Operation, request: Any) -> bool:
        """Tell whether *request* is a search that must wait for something besides the store."""
        if operation.name != "recall":
            return False
        is_by_meaning = bool(self.semantic and request.query) and request.kind != "removed-code"
        return request.kind == "doc" or is_by_meaning

    def _job(
        self, operation: Operation, request: Any, caller: Caller, request_id: bytes, vector: bytes | None = None
    ) -> Job:
        access = operation.access(request)
        handler, now_ms = HANDLERS[operation.name], self.now_ms()
        prepared = handler.prepare(request)

        def desk(store: Store) -> Desk:
            return Desk(store, caller, now_ms, self.random, vector)

        def work(store: Store) -> Any:
            return handler.work(desk(store), prepared)

        job = Job(
            work,
            is_write=access is Access.WRITE,
            now_ms=now_ms,
            request_id=request_id if access is Access.WRITE else b"",
            reply_type=operation.reply,
            deadline_s=READ_DEADLINE_S,
        )
        if operation.name in TOGETHER:
            job.with_others(TOGETHER[operation.name], (desk, prepared))
        job.asker = caller.session.key.encode() if caller.session else b""
        # It writes only to purge, or to take that back.
        return job.making_room() if operation.name == "recall" else job

    async def recall_by_words(self, request: Recall, caller: Caller) -> Recalled:
        """Return the answer to a search without asking the embedder, which would have to be started."""
        return await self.actor.ask(self._job(OPERATIONS["recall"], request, caller, b""))

    async def _recall_by_meaning(self, request: Recall, caller: Caller) -> Recalled:
        """Return the answer to a search, by words and by meaning."""
        assert self.semantic is not None  # noqa: S101  only called with it
        assert request.query  # noqa: S101  and for a search
        operation = OPERATIONS["recall"]
        job = self._job(operation, request, caller, b"")  # refuses what cannot be right, before anything is awaited
        if not self.actor.waiting_jobs:  # else the store has others to serve meanwhile
            desk = partial(Desk, caller=caller, now_ms=self.now_ms(), random=self.random)
            ahead = Job(lambda store: search_ahead(desk(store), request), is_write=False, deadline_s=READ_DEADLINE_S)
            self.actor.post(ahead)
        vector = await self.semantic.vector_of(request.query)
        if vector is not None:
            job = self._job(operation, request, caller, b"", vector)
        reply = await self.actor.ask(job)
        if vector is not None:
            return reply
        why = f"Ranked by words only: {self.semantic.problem}" if self.semantic.problem else WARMING_UP
        return replace(reply, notes=[*reply.notes, why])

    async def _embedding(self, _: Embedding) -> EmbeddingStatus:
        if self.semantic is None:
            hint = "Install palimp[semantic] and restart the daemon; or set search.semantic to auto."
            return EmbeddingStatus(is_on=False, hint=hint)
        embedded, memories = await self.actor.ask(Job(counts, is_write=False, deadline_s=READ_DEADLINE_S))
        problem, model = self.semantic.problem, str(self.semantic.model.path)
        hint = "Run `palimp embed` again when that is mended; it is tried again every ten minutes." if problem else ""
        return EmbeddingStatus(
            is_on=True, embedded=embedded, memories=memories, model=model, problem=problem, hint=hint
        )

    async def _health(self, _: Health) -> DaemonHealth:
        def work(store: Store) -> Any:
            return store_health(Desk(store, Caller(), self.now_ms(), self.random))

        store = problem = None
        try:
            store = await self.actor.ask(Job(work, is_write=False, deadline_s=READ_DEADLINE_S))
        except PalimpError as error:
            problem = error
        # Asked for after the store: when it was being opened, only now is it known what is wrong with it.
        problem = self.actor.problem or problem
        return DaemonHealth(
            version=__version__,
            protocol=PROTOCOL_VERSION,
            pid=os.getpid(),
            boot=self.state.boot,
            uptime_s=round(trio.current_time() - self.state.started_at, 3),
            socket=str(self.config.socket),
            peers=self.state.peers,
            mailbox_jobs=self.actor.waiting_jobs,
            store=store,
            problem=problem.text if problem else "",
            hint=problem.hint if problem else "",
            is_damaged=isinstance(problem, StoreDamagedError),
            examined_at=self.state.examined_at,
            latencies=[
                OperationLatency(
                    operation=each.operation,
                    count=each.requests,
                    p50_ms=round(each.p50_s * 1000, 2),
                    p99_ms=round(each.p99_s * 1000, 2),
                )
                for each in self.latencies.all()
            ],
            sessions=self.state.sessions(),
            http=self.http_access.url or self.http_access.problem,
            canary=self.state.canary,
            notes=[*self.preferences.problems(), *self.preferences.remarks(None)],
        )

    async def _stop(self, request: Stop) -> Stopping:
        self.state.is_stopped_by_user = not request.for_version
        self.state.stop.set()
        return Stopping(pid=os.getpid())

    async def _hook(self, request: Hook, caller: Caller, request_id: bytes) -> HookAnswer:
        return await self.hooks.answer(request, caller, request_id)

    async def _check_change(self, request: CheckChange, caller: Caller, _: bytes) -> ChangeChecked:
        return await self.checks.check(request, caller)

    async def _import_changes(self, request: ImportChanges, caller: Caller, _: bytes) -> ImportStatus:
        if request.start:
            self.importer.ask(caller, request.since)
        return await self.importer.status(caller)

    async def _capture(self, request: Capture, caller: Caller, request_id: bytes) -> Captured:
        return await self.captures.capture(request, caller, request_id)

    async def _sessions(self, request: Sessions, caller: Caller, request_id: bytes) -> SessionList:
        await self.actor.ask(Job(self.recalls.taken(), is_write=True))
        return await self.actor.ask(self._job(OPERATIONS["sessions"], request, caller, request_id))

    async def _config(self, request: Configure, caller: Caller, _: bytes) -> Settings:
        settings = await self.configuring.answer(request, caller)
        if settings.done and self.config.problem and not self.preferences.problems():
            # It was this that kept the store closed; whoever asks next starts a daemon that opens it.
            self.state.stop.set()
        return settings

    async def _summarize(self, request: Summarize, caller: Caller, _: bytes) -> Summarized:
        return await self.summaries.summarize(request, caller)

    async def _progress(self, _: Progress, caller: Caller, __: bytes) -> ProgressMade:
        return await self.compacting.progress(caller)

    async def _erase(self, request: Erase, caller: Caller, request_id: bytes) -> Erased:
        del request_id  # see there
        return await self.erasures.erase(request, caller)

    async def _undo(self, request: Undo, caller: Caller, request_id: bytes) -> Undone:
        return await self.compacting.undo(request, caller, request_id)

    async def _export(self, request: Export, caller: Caller, _: bytes) -> ExportPage:
        return await self.transfers.export(request, caller)

    async def _import_file(self, request: ImportFile, caller: Caller, _: bytes) -> ImportPage:
        page = await self.transfers.import_file(request, caller)
        if self.semantic and page.imported:
            self.semantic.heard_of_save()
        return page

    async def _backup(self, request: Backup, _: Caller, __: bytes) -> BackedUp:
        return await self.transfers.backup(request)

    async def _http(self, request: Http, _: Caller, __: bytes) -> HttpStatus:
        return await self.http_access.answer(request)

    async def _tools(self, _: Tools, caller: Caller, __: bytes) -> ToolList:
        values = await self.preferences.of(caller)
        return listed_tools(values.texts("mcp.toolsets"), values.text("mcp.tool_prefix"))

    async def _context(self, _: Context, caller: Caller, __: bytes) -> ContextGiven:
        return ContextGiven(text=await self.contexts.text(caller))

    async def _projects(self, request: Projects, _: Caller, __: bytes) -> ProjectList:
        return await self.moves.listed(request)

    async def _adopt(self, request: Adopt, caller: Caller, _: bytes) -> Adopted:
        return await self.moves.adopt(request, caller)

    _answers_to: ClassVar[dict[str, Callable[["Calls", Any, Caller, bytes], Awaitable[Any]]]] = {
        "capture": _capture,
        "export": _export,
        "import_file": _import_file,
        "backup": _backup,
        "http": _http,
        "tools": _tools,
        "compact_progress": _progress,
        "summarize": _summarize,
        "erase": _erase,
        "undo": _undo,
        "config": _config,
        "context": _context,
        "sessions": _sessions,
        "projects": _projects,
        "adopt": _adopt,
        "hook": _hook,
        "check_change": _check_change,
        "import_changes": _import_changes,
    }
    _elsewhere: ClassVar[frozenset[str]] = Documents.NAMES | _answers_to.keys()
    """Operations that take more than a job of the store."""

    async def _canary(self, request: RunCanary) -> Canary:
        assert self.check  # noqa: S101  nobody is served before it is there
        self.state.canary = await self.check(request.project)
        return self.state.canary

    _answers: ClassVar[dict[str, Callable[["Calls", Any], Awaitable[Any]]]] = {
        "canary": _canary,
        "health": _health,
        "embedding": _embedding,
        "stop": _stop,
    }
