"""A feature's interface to the dispatcher: one handler per operation.

A handler answers an `Invocation`. A `StoreHandler` works on the store thread alone, and hands out its *job*: under
load, a task per request costs more than the request.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from palimp_daemon.runtime.threads import Lane
from palimp_daemon.store.request_context import RequestContext, ignore_row
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.vector_rows import QueryVectors
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job, Together
from palimp_protocol.limits import READ_DEADLINE_S
from palimp_protocol.messages.access import Access
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.merge_messages import ProgressMade
from palimp_protocol.operations import Operation

Report = Callable[[ProgressMade], Awaitable[None]]


async def report_nothing(_: ProgressMade) -> None:
    """Discard a progress report."""


class Invocation(NamedTuple):
    """A call of an operation."""

    operation: Operation
    request: Any
    caller: Caller
    request_id: bytes = b""
    """Idempotency key of a write; empty: none."""
    report: Report = report_nothing
    on_row: Callable[[Row], None] = ignore_row
    """Called in the store thread for each memory with a row."""


class Handler(Protocol):
    """Answers one operation."""

    async def __call__(self, call: Invocation) -> Any:
        """Return the reply.

        Raises:
            PalimpError: the operation failed; nothing of it was kept.
        """
        ...

    def job(self, call: Invocation) -> Job | None:
        """Return the single job that answers *call*, or None.

        Raises:
            PalimpError: the request contradicts itself.
        """
        ...


Renderer = Callable[[Any, str], str]
"""Returns a reply as text in a form: toon, text or json."""


class Binding(NamedTuple):
    """A handler and renderer; without a tool it needs no renderer."""

    handler: Handler
    render: Renderer | None = None


Bindings = Mapping[str, Binding]
"""A feature's bindings, by operation name."""


class AsyncHandler:
    """A handler made of an async function."""

    def __init__(self, answer: Callable[[Invocation], Awaitable[Any]]) -> None:
        self._answer = answer

    async def __call__(self, call: Invocation) -> Any:
        """Return the function's result."""
        return await self._answer(call)

    def job(self, call: Invocation) -> Job | None:  # noqa: ARG002  a handler's interface
        """Return None: the function may do anything."""
        return None


PREPARED_AT_ONCE: Final = 500
"""Characters of texts prepared in the event loop, mostly within 0.5 ms, at worst 5."""


def as_it_is(request: Any) -> Any:
    """Return *request*: there is nothing to prepare."""
    return request


def nothing_long(_: Any) -> int:
    """Return 0: preparing takes no time that depends on a text."""
    return 0


class StoreWork(NamedTuple):
    """The work of a store handler, in two parts.

    *prepare* runs outside the store thread. *work* runs on it: a read between two transactions, a write inside one.
    *together* does it for several waiting requests, with fewer statements. *characters* counts the text to prepare:
    above PREPARED_AT_ONCE outside the event loop.
    """

    work: Callable[[RequestContext, Any], Any]
    prepare: Callable[[Any], Any] = as_it_is
    together: Together | None = None
    characters: Callable[[Any], int] = nothing_long


def nobody_waits(_: Caller) -> bool:
    """Return False: all saves are kept at once."""
    return False


class StoreJobs:
    """Makes jobs of the store thread; *saves_wait* tells whether saves need a yes."""

    def __init__(
        self,
        actor: Actor,
        now_ms: Callable[[], int],
        random: Callable[[], int],
        saves_wait: Callable[[Caller], bool] = nobody_waits,
    ) -> None:
        self._saves_wait = saves_wait
        self.actor = actor
        self.now_ms = now_ms
        self.random = random
        self.texts = Lane()

    def context(
        self, caller: Caller, query_vectors: QueryVectors = (), on_row: Callable[[Row], None] = ignore_row
    ) -> Callable[[Store], RequestContext]:
        """Return a factory of request contexts for a call."""
        now_ms, random, saves_wait = self.now_ms(), self.random, self._saves_wait(caller)
        return lambda store: RequestContext(
            store, caller, now_ms, random, query_vectors, on_row=on_row, saves_wait=saves_wait
        )

    def job(self, work: StoreWork, call: Invocation, query_vectors: QueryVectors = ()) -> Job:
        """Return the job of *work* for *call*, with a search's *query_vectors*.

        Raises:
            PalimpError: the request contradicts itself.
        """
        return self.job_of(work, work.prepare(call.request), call, query_vectors)

    def job_of(self, work: StoreWork, prepared: Any, call: Invocation, query_vectors: QueryVectors = ()) -> Job:
        """Return the job of *work* for *call*, with its *prepared* request."""
        is_write = call.operation.access(call.request) is Access.WRITE
        context = self.context(call.caller, query_vectors, call.on_row)
        job = Job(
            lambda store: work.work(context(store), prepared),
            is_write=is_write,
            now_ms=self.now_ms(),
            request_id=call.request_id if is_write else b"",
            reply_type=call.operation.reply,
            deadline_s=READ_DEADLINE_S,
        )
        if work.together is not None:
            job.batch_with(work.together, (context, prepared))
        return job.for_asker(call.caller.session_key.encode())


class StoreHandler:
    """A handler with a single job; *on_write* is called before each write."""

    def __init__(self, jobs: StoreJobs, work: StoreWork, on_write: Callable[[], None] | None = None) -> None:
        self._jobs = jobs
        self._work = work
        self._on_write = on_write

    async def __call__(self, call: Invocation) -> Any:
        """Return the job's result."""
        if job := self.job(call):
            return await self._jobs.actor.ask(job)
        prepared = await self._jobs.texts.run(partial(self._work.prepare, call.request), call.caller.session_key)
        return await self._jobs.actor.ask(self._begin_job(self._jobs.job_of(self._work, prepared, call)))

    def job(self, call: Invocation) -> Job | None:
        """Return the job; None if preparing it needs a thread."""
        if self._work.characters(call.request) > PREPARED_AT_ONCE:
            return None
        return self._begin_job(self._jobs.job(self._work, call))

    def _begin_job(self, job: Job) -> Job:
        if job.is_write and self._on_write:
            self._on_write()
        return job
