"""Answer `recall` from memories and all other sources."""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Protocol

import trio
from msgspec.structs import replace

from palimp_daemon.features.handler import Handler, Invocation
from palimp_daemon.features.memories.recall import check_request, together
from palimp_daemon.features.recall.source import SearchBeside, Source, SourceBeside, ViewElsewhere
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall, Recalled


class CountingRecall(Handler, Protocol):
    """Answers with memories, and counts a session's recalls."""

    def count(self, caller: Caller) -> None:
        """Count a recall without memories."""
        ...


class MergedRecall:
    """Answers `recall` with *memories*, and *beside* below them; *alone* must be requested.

    *elsewhere* is asked for unknown ids.
    """

    def __init__(
        self,
        memories: CountingRecall,
        beside: Sequence[SourceBeside],
        alone: Sequence[Source] = (),
        elsewhere: ViewElsewhere | None = None,
    ) -> None:
        self._memories = memories
        self._elsewhere = elsewhere
        self._beside = beside
        self._sources = (*alone, *beside)

    def job(self, call: Invocation) -> Job | None:
        """Return the single job that answers *call*; None if other sources may."""
        request: Recall = call.request
        concerns = any(source.is_asked(request) for source in self._sources) or any(
            source.ids_in(request) or source.may_answer(request, call.caller) for source in self._beside
        )
        concerns = concerns or bool(self._elsewhere and self._elsewhere.ids_in(request))
        return None if concerns else self._memories.job(call)

    async def __call__(self, call: Invocation) -> Recalled:
        """Answer *call*.

        Raises:
            PalimpError: its parameters contradict each other, or the store cannot be used.
        """
        request = check_request(call.request)
        for source in self._sources:
            if source.is_asked(request):
                if source in self._beside:  # a search of everything asks the others besides: it is one recall
                    self._memories.count(call.caller)
                return await source.recall(request, call.caller)
        if named := [(source, ids) for source in self._beside if (ids := source.ids_in(request))]:
            return await self._view(call, request, named)
        if asked := [source for source in self._beside if source.may_answer(request, call.caller)]:
            return await self._search(call, [source.begin_search(call) for source in asked])
        return await self._with_those_elsewhere(request, await self._memories(call))

    async def _with_those_elsewhere(self, request: Recall, reply: Recalled) -> Recalled:
        names = self._elsewhere.ids_in(request) if self._elsewhere else ()
        unknown = {name: said for name in names for said in reply.unknown if said.startswith(f"{name}: ")}
        if not (self._elsewhere and unknown):
            return reply
        found = await self._elsewhere.view([*unknown])
        known = {each.id for each in found.memories}
        left = [said for said in reply.unknown if said.partition(":")[0].strip().lower() not in known]
        return replace(
            reply,
            memories=[*reply.memories, *found.memories],
            total=reply.total + found.total,
            notes=[*reply.notes, *found.notes],
            unknown=left,
        )

    async def _view(
        self, call: Invocation, request: Recall, named: Sequence[tuple[SourceBeside, Sequence[str]]]
    ) -> Recalled:
        names = [request.id] if request.id else list(request.ids or [])
        elsewhere = {name for _, ids in named for name in ids}
        others = [name for name in names if name not in elsewhere]
        replies: list[Recalled] = []
        if others:
            replies.append(await self._memories(call._replace(request=replace(request, id=None, ids=others))))
        for source, ids in named:
            try:
                replies.append(await source.recall(replace(request, id=None, ids=[*ids]), call.caller))
            except PalimpError as error:  # the others are told all the same
                replies.append(Recalled(unknown=[f"{name}: {error.text}" for name in ids]))
        return reduce(partial(together, names=names), replies)

    async def _search(self, call: Invocation, searches: Sequence[SearchBeside]) -> Recalled:
        scopes = [trio.CancelScope() for _ in searches]
        outcome: Recalled | PalimpError = Recalled()

        async def find(search: SearchBeside, scope: trio.CancelScope) -> None:
            with scope:
                await search.find()

        async with trio.open_nursery() as nursery:
            for search, scope in zip(searches, scopes, strict=True):
                nursery.start_soon(find, search, scope)
            outcome = await self._memories_or_error(call)
            for search, scope in zip(searches, scopes, strict=True):
                if isinstance(outcome, PalimpError) or (outcome.is_certain and search.is_for_doubt):
                    scope.cancel()
        if isinstance(outcome, PalimpError):
            raise outcome
        for search in searches:
            outcome = await search.added_to(outcome)
        return outcome

    async def _memories_or_error(self, call: Invocation) -> Recalled | PalimpError:
        try:
            return await self._memories(call)
        except PalimpError as error:
            return error


async def recall_alone(sources: Sequence[Source], request: Recall, caller: Caller) -> Recalled:
    """Answer *request* from the first source it asks for, if any.

    Raises:
        PalimpError: that one cannot be read here.
    """
    asked = next((source for source in sources if source.is_asked(request)), None)
    return await asked.recall(request, caller) if asked else Recalled()
