"""Answer `recall`: one job of the store where words are enough, more where vectors or documents are asked for.

The store looks words up while the query's vectors are made (`search_ahead`); what is not known in time is left out, and
the answer says so.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol

import trio
from msgspec.structs import replace

from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.features.handler import Invocation, StoreJobs, StoreWork
from palimp_daemon.features.memories.find import search_ahead
from palimp_daemon.features.memories.recall import checked, recall, together
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.store.tables.vectors import QueryVectors
from palimp_daemon.store.worker.group_commit import FEWER_WORDS, Job, read_job
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memories import Recall, Recalled
from palimp_protocol.operations import OPERATIONS

WORK = StoreWork(recall, checked)

TURNS_MAX: Final = 3
"""Turns and commits told where no memory answers."""


class Turns(Protocol):
    """What is asked where no memory answers: `features.conversations`, which is above this module."""

    def is_asked(self, request: Recall) -> bool:
        """Tell whether *request* asks for turns or commits only."""
        ...

    def ids_in(self, request: Recall) -> Sequence[str]:
        """Return those of the ids of a view that are of turns or commits."""
        ...

    def may_answer(self, request: Recall) -> bool:
        """Tell whether there may be turns that answer *request*."""
        ...

    def begin_canonical(self, caller: Caller) -> Callable[[], Awaitable[Caller]]:
        """Ask how the conversations' store knows *caller*'s project; return what waits for the answer."""
        ...

    async def recall(self, request: Recall, caller: Caller) -> Recalled:
        """Return the turns and commits that *request* asks for."""
        ...


class RecallService:
    """The handler of `recall`.

    *search_documents* answers `kind="doc"`; *offer* explains an empty project; *turns* are asked where no memory
    answers.
    """

    def __init__(
        self,
        jobs: StoreJobs,
        counts: RecallCounts,
        semantic: Semantic | None,
        search_documents: Callable[[Recall, Caller], Awaitable[Recalled]],
        offer: Callable[[Caller], Awaitable[str]],
        turns: Turns | None = None,
    ) -> None:
        self._jobs = jobs
        self._counts = counts
        self._semantic = semantic
        self._search_documents = search_documents
        self._offer = offer
        self._turns = turns

    def job(self, call: Invocation) -> Job | None:
        """Return the job that is all of *call*; None for documents, lists, and a search that needs a vector."""
        request: Recall = call.request
        if request.kind == "doc" or self._is_semantic(request) or _is_list(request) or self._asks_turns(request):
            return None
        if request.kind != "removed-code":  # a search of everything is one recall
            self._counts.note(call.caller, self._jobs.now_ms())
        return self._lexical_job(call)

    async def __call__(self, call: Invocation) -> Recalled:
        """Return the memories that *call* asks for.

        Raises:
            PalimpError: its parameters contradict each other, or the store cannot be used.
        """
        if job := self.job(call):
            return await self._jobs.actor.ask(job)
        request: Recall = call.request
        if request.kind == "doc":
            return await self._search_documents(checked(request), call.caller)
        self._counts.note(call.caller, self._jobs.now_ms())
        if self._turns and self._asks_turns(request):
            return await self._of_turns(self._turns, call)
        return await (self._ranked(call) if request.query else self._listed(call))

    async def lexical(self, request: Recall, caller: Caller) -> Recalled:
        """Return the answer to a search without asking the embedder, which would have to be started."""
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

    def _asks_turns(self, request: Recall) -> bool:
        turns = self._turns
        return turns is not None and bool(turns.is_asked(request) or turns.ids_in(request) or turns.may_answer(request))

    async def _of_turns(self, turns: Turns, call: Invocation) -> Recalled:
        request: Recall = call.request
        if turns.is_asked(request):
            return await turns.recall(checked(request), call.caller)
        if ids := turns.ids_in(request):
            return await self._of_both(turns, call, ids)
        return await self._with_turns(turns, call)

    async def _of_both(self, turns: Turns, call: Invocation, ids: Sequence[str]) -> Recalled:
        request: Recall = checked(call.request)
        names = list(request.ids or [])
        others = call._replace(request=replace(request, ids=[name for name in names if name not in ids]))
        reply: Recalled = await self._jobs.actor.ask(self._lexical_job(others))
        try:
            said = await turns.recall(replace(request, ids=[*ids]), call.caller)
        except PalimpError as error:  # what is of memories is told all the same
            said = Recalled(unknown=[f"{name}: {error.text}" for name in ids])
        return together(reply, said, names)

    async def _with_turns(self, turns: Turns, call: Invocation) -> Recalled:
        """Both stores are asked at once: a search waits for the slower of the two, and not for one after the other."""
        outcome: Recalled | PalimpError | None = None
        said = Recalled()

        canonical = turns.begin_canonical(call.caller)  # before the memories' store is busy with the search

        async def ask_turns() -> None:
            with suppress(PalimpError):  # `palimp health` says why
                nonlocal said
                asked = replace(call.request, limit=TURNS_MAX, detail="compact")
                said = await turns.recall(asked, await canonical())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask_turns)
            try:
                outcome = await self._ranked(call)
            except PalimpError as error:
                outcome = error
            if isinstance(outcome, PalimpError) or outcome.is_certain:
                nursery.cancel_scope.cancel()
        if isinstance(outcome, PalimpError):
            raise outcome
        assert outcome is not None  # noqa: S101  nothing else leaves the nursery
        if outcome.is_certain:
            return outcome
        # What has no words of the question, in neither store, is not taken for near either.
        is_near = outcome.is_near and not said.unrelated
        unrelated = [*outcome.unrelated, *said.unrelated]
        return replace(outcome, conversations=said.memories, unrelated=unrelated, is_near=is_near)

    async def _ranked(self, call: Invocation) -> Recalled:
        if self._is_semantic(call.request):
            return await self._ranked_semantically(call)
        return await self._jobs.actor.ask(self._lexical_job(call))

    async def _listed(self, call: Invocation) -> Recalled:
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
