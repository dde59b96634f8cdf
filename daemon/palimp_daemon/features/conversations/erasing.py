"""Erase memories and removed code in one store, turns and commits in the other.

The id of an erased turn stays, so that it is not read again. Quotes are erased first, so that a killed erasure can be
repeated.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from palimp_daemon.features.conversations.conversation_service import Conversations
from palimp_daemon.features.conversations.recall_turns import NO_SUCH_TURN, is_turn_id
from palimp_daemon.features.conversations.transcript_reading import Transcripts
from palimp_daemon.features.memories.erase_rows import ErasedSource
from palimp_daemon.features.memories.hard_delete import HardDelete
from palimp_daemon.features.memories.memory_names import NO_SUCH_MEMORY
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, project_row
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.erasures import note_erasure
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.removed_code.change_rows import SENTENCE_CHARACTERS
from palimp_daemon.store.tables.sessions import conversation_rows as table
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.erasure import Erase, Erased

ROWS_READ_AT_ONCE: Final = 500
"""Rows with texts in memory at once during deletion."""

CLIENTS_FILES: Final = "The client's own files and git still have them; palimp does not read them from there again."


class ConversationErasures:
    """Answers `erase` in both stores, after *captures_settled*: captures would store the text again."""

    def __init__(
        self,
        conversations: Conversations,
        transcripts: Transcripts,
        of_memories: HardDelete,
        captures_settled: Callable[[], Awaitable[None]],
    ) -> None:
        self._conversations = conversations
        self._transcripts = transcripts
        self._of_memories = of_memories
        self._captures_settled = captures_settled

    async def erase(self, request: Erase, caller: Caller, request_id: bytes) -> Erased:
        """Erase the named rows, and turns that say a named memory.

        Raises:
            PalimpError: it names nothing, or too much at once, or a store cannot be used.
        """
        named = [bool(each) for each in (request.ids, request.session, request.containing, request.all_turns)]
        if sum(named) != 1:
            text = "Name ids, or a session, or a text, or all conversations: one of these. Nothing was erased."
            raise RequestError(text)
        await self._captures_settled()
        if request.ids:
            parts = await self._erase_named(request, caller, request_id)
        else:
            parts = await self._erase_matching(request, caller)
        if any(part.turns or part.memories for part in parts):
            await self._conversations.drop_put_aside()
        if any(part.turns or any(is_turn_id(shown) for shown, _ in part.memories) for part in parts):
            parts.append(Erased(memories=[], notes=[CLIENTS_FILES]))
        return _together(parts)

    async def _erase_matching(self, request: Erase, caller: Caller) -> list[Erased]:
        quotes = await self._of_memories.erase_quotes([request], caller)
        commands = await self._of_memories.erase_commands(request, caller)
        turns = await self._erase_turns([request], caller)
        unknown = [] if turns.turns or commands.notes else ["No turn or commit of this project matches."]
        return [replace(turns, unknown=unknown), commands, quotes]

    async def _erase_named(self, request: Erase, caller: Caller, request_id: bytes) -> list[Erased]:
        turns = [name for name in request.ids if is_turn_id(name)]
        others = [name for name in request.ids if name not in turns]
        parts = await self._erase_memories(replace(request, ids=others), caller, request_id) if others else []
        if turns:
            # First, for nobody knows afterwards what was quoted.
            said = [_source_of(row) for row in await self._conversations.rows_of(turns, caller)]
            parts.append(await self._of_memories.erase_quotes(said, caller))
            parts.append(_of_turns(await self._conversations.erase_named(replace(request, ids=turns), caller)))
        return parts

    async def _erase_memories(self, request: Erase, caller: Caller, request_id: bytes) -> list[Erased]:
        rows = await self._of_memories.rows_of(request.ids, caller)
        texts = dict.fromkeys(text.strip() for row in rows for text in (row.quote, row.content))
        said = [text for text in texts if len(text) >= SENTENCE_CHARACTERS]
        turns = Erased(memories=[])
        if said and self._conversations.is_there:
            turns = await self._erase_turns_if_possible([Erase(containing=text) for text in said], caller)
        return [await self._of_memories.erase(request, caller, request_id), turns]

    async def _erase_turns_if_possible(self, wanted: Sequence[Erase], caller: Caller) -> Erased:
        try:
            return await self._erase_turns(wanted, caller)
        except PalimpError as error:
            why = (
                f"The turns in which it was said were not erased: {error.text} When that is mended, erase them with"
                " `palimp delete --hard --containing TEXT`."
            )
            return Erased(memories=[], notes=[why], is_pending=True)

    async def _erase_turns(self, wanted: Sequence[Erase], caller: Caller) -> Erased:
        await self._transcripts.wait_settled()
        owner = await self._conversations.canonical(caller)
        work = partial(_erase_all, owner, wanted, self._conversations.now_ms())
        with self._conversations.actor.taking_long():
            count: int = await self._conversations.ask(work, is_write=True, is_alone=True)
        return await self._conversations.hard_delete.finish_erasing(Erased(memories=[], turns=count))


def _source_of(row: Row) -> ErasedSource:
    return (
        ErasedSource(row.content, commit=row.tags)
        if row.kind == table.COMMIT
        else ErasedSource(row.content, row.session or "")
    )


def _of_turns(erased: Erased) -> Erased:
    return replace(erased, unknown=[each.replace(NO_SUCH_MEMORY, NO_SUCH_TURN) for each in erased.unknown])


def _together(parts: Sequence[Erased]) -> Erased:
    return Erased(
        memories=[each for part in parts for each in part.memories],
        turns=sum(part.turns for part in parts),
        unknown=[each for part in parts for each in part.unknown],
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        is_pending=any(part.is_pending for part in parts),
    )


def _erase_all(owner: Caller, wanted: Sequence[Erase], now_ms: int, store: Store) -> int:
    count = sum(_erase_rows(owner, request, store) for request in wanted)
    if count:
        note_erasure(store, now_ms)
    return count


def _erase_rows(owner: Caller, request: Erase, store: Store) -> int:
    project = project_row(store, owner)
    if project is None and not request.session:
        return 0
    scope = (project or GLOBAL_PROJECT, request.session, request.containing, ROWS_READ_AT_ONCE)
    count = 0
    while found := table.rows_to_erase(store, *scope):
        for row in memory_rows.rows_by_seq(store, found):
            memory_rows.erase(store, row.seq, shown_of(row.id))
        count += len(found)
    return count
