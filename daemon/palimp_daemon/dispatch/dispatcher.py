"""Calls: one request in, one reply out, whichever interface it came through.

`health` and `stop` are answered here, because they must work when the store does not; everything else
becomes a job of the store actor.
"""

import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ClassVar, Final

import trio
from msgspec.structs import replace

from palimp_daemon.dispatch.handlers import HANDLERS, TOGETHER
from palimp_daemon.dispatch.services import Services
from palimp_daemon.dispatch.tool_schemas import listed_tools
from palimp_daemon.embedding.service import WARMING_UP
from palimp_daemon.features.documents.service import Documents
from palimp_daemon.features.memories.merge import Report, say_nothing
from palimp_daemon.features.memories.recall import search_ahead
from palimp_daemon.features.memories.stats import store_health
from palimp_daemon.store.connection import StoreDamagedError
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.vectors import counts
from palimp_daemon.store.worker.group_commit import Job, bug_error
from palimp_protocol import __version__
from palimp_protocol.env.project import path_as_text
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import EXAMINED_WITHIN_S, READ_DEADLINE_S
from palimp_protocol.messages.access import Access
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.context import Context, ContextGiven
from palimp_protocol.messages.daemon import (
    Canary,
    DaemonHealth,
    Embedding,
    EmbeddingStatus,
    Health,
    OperationLatency,
    RunCanary,
    Stop,
    Stopping,
    StoreHealth,
)
from palimp_protocol.messages.digest import Summarize, Summarized
from palimp_protocol.messages.documents import ForgetDoc
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.hooks import Hook, HookAnswer
from palimp_protocol.messages.introspection import Http, HttpStatus, ToolList, Tools
from palimp_protocol.messages.memories import Recall, Recalled
from palimp_protocol.messages.merge import Progress, ProgressMade, Undo, Undone
from palimp_protocol.messages.projects import (
    Adopt,
    Adopted,
    LinkProject,
    ProjectLinked,
    ProjectList,
    Projects,
    Switch,
    Switched,
)
from palimp_protocol.messages.removed_code import ChangeChecked, CheckChange, ImportChanges, ImportStatus
from palimp_protocol.messages.sessions import Capture, Captured, SessionList, Sessions
from palimp_protocol.messages.settings import Configure, Settings
from palimp_protocol.messages.transfer import BackedUp, Backup, Export, ExportPage, ImportFile, ImportPage
from palimp_protocol.operations import OPERATIONS, Operation
from palimp_protocol.text import counted
from palimp_protocol.wire.frames import PROTOCOL_VERSION

UNCONFIRMED: Final = frozenset(
    {"health", "stop", "tools", "http", "canary", "embedding", "config", "context", "link_project"}
)
"""Operations for which it does not matter which repository a folder holds, or that look at it themselves."""


class Calls(Services):
    """Answers calls with the services that they need."""

    check: Callable[[str], Awaitable[Canary]] | None = None
    """Checks by doing: set by who serves, since the check is made of calls."""
    examine: Callable[[], Awaitable[None]] | None = None
    """Examines the whole database; set by who serves, too."""

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

        Of long work, *report* is told its progress.

        Raises:
            PalimpError: the operation failed; nothing of it was kept.
        """
        try:
            notice = "" if operation.name in UNCONFIRMED else await self.identities.confirm(caller)
            reply = await self._answer(operation, request, caller, request_id, report or say_nothing)
            return replace(reply, notes=[notice, *reply.notes]) if notice and hasattr(reply, "notes") else reply
        except PalimpError:
            raise
        except Exception as error:  # noqa: BLE001  a bug in one answer must not end the daemon
            self.the_log.bug(error)
            raise bug_error(error) from None

    async def _answer(
        self, operation: Operation, request: Any, caller: Caller, request_id: bytes, report: Report
    ) -> Any:
        if job := self._job_alone(operation, request, caller, request_id):
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
            return await (recall if request.kind == "doc" or request.query else self._listed)(request, caller)
        if operation.name in self._answers_to:
            return await self._answers_to[operation.name](self, request, caller, request_id)
        return await self._answers[operation.name](self, request)

    def job_for(self, operation: Operation, request: Any, caller: Caller, request_id: bytes) -> Job | None:
        """Return the job of the store actor that answers *request*; None when it takes more, or less, than that.

        Raises:
            PalimpError: the request cannot be right, or the daemon is stopping.
        """
        if operation.name not in UNCONFIRMED and not self.identities.is_confirmed(caller):
            return None
        return self._job_alone(operation, request, caller, request_id)

    def _job_alone(self, operation: Operation, request: Any, caller: Caller, request_id: bytes) -> Job | None:
        """Return what `job_for` does, for a folder that was confirmed."""
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
        is_list = not (request.query or request.id or request.ids) and request.action == "view"
        return request.kind == "doc" or is_by_meaning or is_list

    async def _listed(self, request: Recall, caller: Caller) -> Recalled:
        """Return the answer to a request for the newest memories; where there are none, with what may be the reason."""
        reply: Recalled = await self.actor.ask(self._job(OPERATIONS["recall"], request, caller, b""))
        offer = "" if reply.total else await self.identities.offer(caller)
        return replace(reply, notes=[*reply.notes, offer]) if offer else reply

    def _job(
        self, operation: Operation, request: Any, caller: Caller, request_id: bytes, vector: bytes | None = None
    ) -> Job:
        access = operation.access(request)
        handler, now_ms = HANDLERS[operation.name], self.now_ms()
        prepared = handler.prepare(request)

        def request_context(store: Store) -> RequestContext:
            return RequestContext(store, caller, now_ms, self.random, vector)

        def work(store: Store) -> Any:
            return handler.work(request_context(store), prepared)

        job = Job(
            work,
            is_write=access is Access.WRITE,
            now_ms=now_ms,
            request_id=request_id if access is Access.WRITE else b"",
            reply_type=operation.reply,
            deadline_s=READ_DEADLINE_S,
        )
        if operation.name in TOGETHER:
            job.with_others(TOGETHER[operation.name], (request_context, prepared))
        job.asker = caller.session.key.encode() if caller.session else b""
        # It writes only to purge, or to take that back.
        return job.making_room() if operation.name == "recall" else job

    async def recall_by_words(self, request: Recall, caller: Caller) -> Recalled:
        """Return the answer to a search without asking the embedder, which would have to be started."""
        return await self.actor.ask(self._job(OPERATIONS["recall"], request, caller, b""))

    async def _recall_by_meaning(self, request: Recall, caller: Caller) -> Recalled:
        """Return the answer to a search, lexical and semantic."""
        assert self.semantic is not None  # noqa: S101  only called with it
        assert request.query  # noqa: S101  and for a search
        operation = OPERATIONS["recall"]
        job = self._job(operation, request, caller, b"")  # refuses what cannot be right, before anything is awaited
        if not self.actor.waiting_jobs:  # else the store has others to serve meanwhile
            request_context = partial(RequestContext, caller=caller, now_ms=self.now_ms(), random=self.random)
            ahead = Job(
                lambda store: search_ahead(request_context(store), request), is_write=False, deadline_s=READ_DEADLINE_S
            )
            self.actor.post(ahead)
        vector = await self.semantic.vector_of(request.query)
        if vector is not None:
            job = self._job(operation, request, caller, b"", vector)
        reply = await self.actor.ask(job)
        if vector is not None:
            return reply
        why = f"Ranked lexically only: {self.semantic.problem}" if self.semantic.problem else WARMING_UP
        return replace(reply, notes=[*reply.notes, why])

    async def _embedding(self, _: Embedding) -> EmbeddingStatus:
        if self.semantic is None:
            is_switched_off = self.config.semantic == "off"
            return EmbeddingStatus(is_on=False, is_switched_off=is_switched_off, hint=_to_have_meaning(is_switched_off))
        embedded, memories = await self.actor.ask(Job(counts, is_write=False, deadline_s=READ_DEADLINE_S))
        problem, model = self.semantic.problem, str(self.semantic.model.path)
        hint = "Run `palimp embed` again when that is mended; it is tried again every ten minutes." if problem else ""
        return EmbeddingStatus(
            is_on=True, embedded=embedded, memories=memories, model=model, problem=problem, hint=hint
        )

    async def _health(self, _: Health) -> DaemonHealth:
        def work(store: Store) -> Any:
            return store_health(RequestContext(store, Caller(), self.now_ms(), self.random))

        store = problem = None
        notes = [*self.preferences.problems(), *self.preferences.remarks(None)]
        try:
            store = await self.actor.ask(Job(work, is_write=False, deadline_s=READ_DEADLINE_S))
        except PalimpError as error:
            if error.code in (ErrorCode.BUSY, ErrorCode.DEADLINE):
                notes.append(f"What is in the database was not counted: {error.text}")  # that is no fault of the store
            else:
                problem = error
        # Asked for after the store: when it was being opened, only now is it known what is wrong with it.
        problem = self.actor.problem or problem
        return DaemonHealth(
            version=__version__,
            protocol=PROTOCOL_VERSION,
            pid=os.getpid(),
            boot=self.state.boot,
            uptime_s=round(trio.current_time() - self.state.started_at, 3),
            socket=path_as_text(str(self.config.socket)),
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
            semantic=self._ranked_by_meaning(),
            http=self.http_access.url or self.http_access.problem,
            canary=self.state.canary,
            off=sorted(self.switches.roots()),
            notes=[
                *([self.switches.problem] if self.switches.problem else []),
                *notes,
                *_pending_erasures(store),
            ],
        )

    def _ranked_by_meaning(self) -> str:
        if self.semantic is None:
            return (
                "switched off by search.semantic"
                if self.config.semantic == "off"
                else "palimp[semantic] is not installed"
            )
        is_well = self.actor.problem or not self.semantic.problem
        return "on" if is_well else f"on, but it fails: {self.semantic.problem}"

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
        return await self.erasures.erase(request, caller, request_id)

    async def _forget_doc(self, request: ForgetDoc, caller: Caller, request_id: bytes) -> Erased:
        return await self.erasures.finished(await self.documents.forget(request, caller, request_id))

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

    async def _projects(self, request: Projects, caller: Caller, _: bytes) -> ProjectList:
        offer, off = await self.identities.offer(caller), self.switches.roots()
        listed = await self.moves.listed(request, [offer] if offer else [])
        return replace(listed, projects=[replace(each, is_off=each.root in off) for each in listed.projects])

    async def _link_project(self, request: LinkProject, caller: Caller, _: bytes) -> ProjectLinked:
        return await self.identities.linked(request, caller)

    async def _switch(self, request: Switch, caller: Caller, _: bytes) -> Switched:
        if caller.project is None:
            raise PalimpError(ErrorCode.BAD_REQUEST, "This folder is in no project.", "Go into one.")
        root = caller.project.root
        is_changed = await trio.to_thread.run_sync(partial(self.switches.switch, root, on=request.on))
        return Switched(root=root, is_on=request.on, is_changed=is_changed)

    async def _adopt(self, request: Adopt, caller: Caller, _: bytes) -> Adopted:
        adopted = await self.moves.adopt(request, caller)
        self.identities.forget()  # what was adopted may have been set aside at another folder
        return adopted

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
        "forget_doc": _forget_doc,
        "undo": _undo,
        "config": _config,
        "context": _context,
        "sessions": _sessions,
        "projects": _projects,
        "adopt": _adopt,
        "link_project": _link_project,
        "switch": _switch,
        "hook": _hook,
        "check_change": _check_change,
        "import_changes": _import_changes,
    }
    _elsewhere: ClassVar[frozenset[str]] = Documents.NAMES | _answers_to.keys()
    """Operations that take more than a job of the store."""

    async def _canary(self, request: RunCanary) -> Canary:
        assert self.check  # noqa: S101  nobody is served before it is there
        if request.project and self.examine and not self.state.examined_at:
            # `palimp doctor` does not call a database well that nobody has looked at yet.
            with trio.move_on_after(EXAMINED_WITHIN_S):
                await self.examine()
        self.state.canary = await self.check(request.project)
        return self.state.canary

    _answers: ClassVar[dict[str, Callable[["Calls", Any], Awaitable[Any]]]] = {
        "canary": _canary,
        "health": _health,
        "embedding": _embedding,
        "stop": _stop,
    }


def _pending_erasures(store: StoreHealth | None) -> list[str]:
    """Return what is to be said of erasures that are not finished."""
    if store is None or not store.pending_erasures:
        return []
    return [
        f"{counted(store.pending_erasures, 'erasure')} not finished: the file still has what was erased, until there is"
        " room to write it anew. That is tried again every ten minutes and at the next start."
    ]


def _to_have_meaning(is_switched_off: bool) -> str:  # noqa: FBT001  one of two cases
    """Return what to do so that memories are ranked semantically."""
    if is_switched_off:
        return "`palimp config set search.semantic auto`, then `palimp stop`."
    return "pip install 'palimp[semantic]' (with what palimp was installed with), then `palimp stop`."
