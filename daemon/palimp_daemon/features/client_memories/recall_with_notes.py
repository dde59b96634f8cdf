"""Answer `recall` with clients' own notes below the memories.

Correcting a query's spelling takes ten times as long as the search: it is done only if no note answers without, and no
memory certainly does.
"""

from typing import Final

import trio
from msgspec.structs import replace

from palimp_daemon.features.client_memories.project_notes import NOT_YET, ClientMemories
from palimp_daemon.features.handler import Handler, Invocation
from palimp_daemon.features.memories.recall import checked
from palimp_daemon.features.memories.recall_service import together
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.tables.unknown_words import CORRECTED
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.memories import Recall, Recalled

NOTES_MAX: Final = 3
"""Notes shown below memories."""


class RecallWithNotes:
    """The handler of `recall`: memories from *recall*, then *notes*."""

    def __init__(self, recall: Handler, notes: ClientMemories, log: Log) -> None:
        self._recall = recall
        self._notes = notes
        self._log = log

    def job(self, call: Invocation) -> Job | None:
        """Return the job that is all of *call*; None if notes may answer, too."""
        return None if self._asks_notes(call) else self._recall.job(call)

    async def __call__(self, call: Invocation) -> Recalled:
        """Answer *call*.

        Raises:
            PalimpError: its parameters contradict each other, or the store cannot be used.
        """
        request: Recall = call.request
        if not self._asks_notes(call):
            return await self._recall(call)
        request = checked(request)
        if self._notes.is_asked(request):
            return await self._notes.recall(request, call.caller)
        if names := self._notes.ids_in(request):
            return await self._recall_by_id(call, names)
        return await self._search(call)

    def _asks_notes(self, call: Invocation) -> bool:
        request: Recall = call.request
        notes = self._notes
        return notes.is_asked(request) or bool(notes.ids_in(request)) or notes.may_answer(request, call.caller)

    async def _recall_by_id(self, call: Invocation, names: list[str]) -> Recalled:
        request: Recall = call.request
        reply = await self._notes.recall(replace(request, id=None, ids=names), call.caller)
        asked = [request.id] if request.id else list(request.ids or [])
        others = [name for name in asked if name not in names]
        if not others:
            return reply
        return together(await self._recall(call._replace(request=replace(request, ids=others))), reply, asked)

    async def _search(self, call: Invocation) -> Recalled:
        outcome: Recalled | PalimpError | None = None
        found = Recalled()

        async def ask_notes() -> None:
            nonlocal found
            found = await self._answering(call, is_spelled=False)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask_notes)
            try:
                outcome = await self._recall(call)
            except PalimpError as error:
                outcome = error
                nursery.cancel_scope.cancel()
        if isinstance(outcome, PalimpError):
            raise outcome
        assert outcome is not None  # noqa: S101  nothing else leaves the nursery
        if not (found.memories or NOT_YET in found.notes or _needs_no_spelling(outcome)):
            found = await self._answering(call, is_spelled=True)
        notes = [*outcome.notes, *(note for note in found.notes if note == NOT_YET)]
        return replace(outcome, claude_memory=found.memories, notes=notes)

    async def _answering(self, call: Invocation, *, is_spelled: bool) -> Recalled:
        asked = replace(call.request, limit=NOTES_MAX, detail="compact")
        try:
            return await self._notes.recall(asked, call.caller, is_spelled=is_spelled)
        except PalimpError:
            return Recalled()  # they were switched off meanwhile
        except Exception as error:  # noqa: BLE001  memories are told all the same
            self._log.bug(error)
            return Recalled()


def _needs_no_spelling(reply: Recalled) -> bool:
    return reply.is_certain and not any(CORRECTED in note for note in reply.notes)
