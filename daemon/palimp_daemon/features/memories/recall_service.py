"""Answer `recall` with one job of the store, or more for vectors or documents.

Words are looked up while vectors are made; late ones are left out, with a note.
"""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.features.handler import Invocation, StoreJobs, StoreWork
from palimp_daemon.features.memories.find import search_ahead
from palimp_daemon.features.memories.recall import check_request, recall
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.store.tables.vector_rows import QueryVectors
from palimp_daemon.store.worker.group_commit import FEWER_WORDS, Job, read_job
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall, Recalled
from palimp_protocol.operations import OPERATIONS

WORK = StoreWork(recall, check_request)


class RecallService:
    """Answers `recall`; *offer* explains a project without memories."""

    def __init__(
        self,
        jobs: StoreJobs,
        counts: RecallCounts,
        semantic: Semantic | None,
        offer: Callable[[Caller], Awaitable[str]],
    ) -> None:
        self._jobs = jobs
        self._counts = counts
        self._semantic = semantic
        self._offer = offer

    def job(self, call: Invocation) -> Job | None:
        """Return the single job that answers *call*; None for lists and vectors."""
        request: Recall = call.request
        if self._is_semantic(request) or _is_list(request):
            return None
        if request.kind != "removed-code":  # a search of everything is one recall
            self.count(call.caller)
        return self._lexical_job(call)

    async def __call__(self, call: Invocation) -> Recalled:
        """Return the memories requested.

        Raises:
            PalimpError: its parameters contradict each other, or the store cannot be used.
        """
        if job := self.job(call):
            return await self._jobs.actor.ask(job)
        request: Recall = call.request
        self.count(call.caller)
        return await (self._ranked_semantically(call) if request.query else self._list(call))

    def count(self, caller: Caller) -> None:
        """Count a recall of *caller*'s session."""
        self._counts.note(caller, self._jobs.now_ms())

    async def lexical(self, request: Recall, caller: Caller) -> Recalled:
        """Make a lexical search, without starting the embedder."""
        return await self._jobs.actor.ask(self._lexical_job(Invocation(OPERATIONS["recall"], request, caller)))

    def _is_semantic(self, request: Recall) -> bool:
        return bool(self._semantic and request.query) and request.kind != "removed-code"

    def _lexical_job(self, call: Invocation) -> Job:
        job = self._job(call)
        if job.is_write and self._semantic:
            self._semantic.on_save()
        return job

    def _job(self, call: Invocation, query_vectors: QueryVectors = ()) -> Job:
        job = self._jobs.job(WORK, call, query_vectors).allow_on_full_disk()  # it writes only to purge, or to restore
        return job.hinting(FEWER_WORDS) if call.request.query else job

    async def _list(self, call: Invocation) -> Recalled:
        reply: Recalled = await self._jobs.actor.ask(self._lexical_job(call))
        offer = "" if reply.total else await self._offer(call.caller)
        return replace(reply, notes=[*reply.notes, offer]) if offer else reply

    async def _ranked_semantically(self, call: Invocation) -> Recalled:
        assert self._semantic is not None  # noqa: S101  `job` looked
        request: Recall = call.request
        assert request.query  # noqa: S101  the same
        job = self._lexical_job(call)  # refuses what cannot be right, before anything is awaited
        if not self._jobs.actor.waiting_jobs:  # else the store has others to serve meanwhile
            context = self._jobs.context(call.caller)
            ahead = read_job(lambda store: search_ahead(context(store), request))
            self._jobs.actor.post(ahead)
        meant = await self._semantic.query_vectors_of(request.query)
        if meant.vectors:
            job = self._job(call, meant.vectors)
        reply: Recalled = await self._jobs.actor.ask(job)
        return replace(reply, notes=[*reply.notes, meant.note]) if meant.note else reply


def _is_list(request: Recall) -> bool:
    return not (request.query or request.id or request.ids) and request.action == "view"
