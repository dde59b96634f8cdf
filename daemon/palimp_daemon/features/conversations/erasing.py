"""`erase` of all that there is: memories and removed code in the one store, turns and commits in the other.

What is erased of conversations is known by its id, so that it is not read again from its client's file or from git
(`store.tables.conversations`); the file itself is its client's, and stays.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from palimp_daemon.features.conversations.recall_turns import NO_SUCH_TURN, is_turn_id
from palimp_daemon.features.conversations.service import Conversations
from palimp_daemon.features.memories.hard_delete import Erasures
from palimp_daemon.features.memories.names import NO_SUCH_MEMORY
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, project_row
from palimp_daemon.store.tables import conversations as table
from palimp_daemon.store.tables import memories
from palimp_daemon.store.tables.vacuum import note_erasure
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.erasure import Erase, Erased

ERASED_AT_ONCE: Final = 500
"""Rows deleted in one transaction, some 100 ms."""

CLIENTS_FILES: Final = "The client's own files and git still have them; palimp does not read them from there again."


class ConversationErasures:
    """Answers `erase`: hands on what is of memories, and erases the rest."""

    def __init__(self, conversations: Conversations, of_memories: Erasures) -> None:
        self._conversations = conversations
        self._of_memories = of_memories

    async def erase(self, request: Erase, caller: Caller, request_id: bytes) -> Erased:
        """Erase what *request* names.

        Raises:
            PalimpError: it names nothing, or a store cannot be used.
        """
        turns = [name for name in request.ids if is_turn_id(name)]
        others = [name for name in request.ids if name not in turns]
        is_wide = bool(request.session or request.containing or request.all_turns)
        if not (request.ids or is_wide):
            raise PalimpError(ErrorCode.BAD_REQUEST, "Nothing is named.", "Name ids, a session, or a text.")
        if sum(map(bool, (request.session, request.containing, request.all_turns))) > 1:
            text = "A session, a text and all conversations are named, more than one of them: nothing was erased."
            raise PalimpError(ErrorCode.BAD_REQUEST, text, "Name one, and then the other.")
        erased = Erased(memories=[])
        if others:
            texts = await self._of_memories.texts_of(others, caller)
            erased = await self._of_memories.erase(replace(request, ids=others), caller, request_id)
            erased = await self._erase_said(texts, caller, erased)
        if turns or is_wide:
            await self._conversations.drop_put_aside()
        if turns:
            of_turns = await self._conversations.erase_named(replace(request, ids=turns), caller)
            erased = replace(
                erased,
                memories=[*erased.memories, *of_turns.memories],
                unknown=[*erased.unknown, *(each.replace(NO_SUCH_MEMORY, NO_SUCH_TURN) for each in of_turns.unknown)],
                notes=list(dict.fromkeys([*erased.notes, *of_turns.notes])),
                is_pending=erased.is_pending or of_turns.is_pending,
            )
        if is_wide:
            erased = await self._erase_all(request, caller, erased)
        return replace(erased, notes=[*erased.notes, CLIENTS_FILES]) if erased.turns or turns else erased

    async def _erase_said(self, texts: Sequence[str], caller: Caller, erased: Erased) -> Erased:
        """Erase the turns in which *texts* of erased memories were said."""
        if not (texts and erased.memories and self._conversations.is_there):
            return erased
        await self._conversations.settled()
        for text in texts:
            of_turns = await self._erase_all(Erase(containing=text), caller, replace(erased, unknown=[]))
            is_pending = erased.is_pending or of_turns.is_pending
            erased = replace(erased, turns=of_turns.turns, is_pending=is_pending)
        return erased

    async def _erase_all(self, request: Erase, caller: Caller, erased: Erased) -> Erased:
        owner = await self._conversations.canonical(caller)
        count = 0
        work = partial(_erase_some, owner, request, self._conversations.now_ms())
        while more := await self._conversations.ask(work, is_write=True):
            count += more
        if not count:
            return replace(erased, unknown=[*erased.unknown, "No turn or commit of this project matches."])
        done = await self._conversations.erasures.finished(Erased(memories=[("", "")]))
        return replace(
            erased, turns=erased.turns + count, notes=[*erased.notes, *done.notes], is_pending=done.is_pending
        )


def _erase_some(owner: Caller, request: Erase, now_ms: int, store: Store) -> int:
    """Erase up to ERASED_AT_ONCE of the rows that *request* means; return how many."""
    project = project_row(store, owner)
    if project is None and not request.session:
        return 0
    found = table.rows_to_erase(store, project or GLOBAL_PROJECT, request.session, request.containing, ERASED_AT_ONCE)
    for row in memories.rows_by_seq(store, found):
        memories.erase(store, row.seq, shown_of(row.id))
    if found:
        note_erasure(store, now_ms)
    return len(found)
