"""Search clients' notes beside memories.

Correcting spelling takes ten times as long as the search: it is done only if no note answers without, and no memory
certainly does.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec.structs import replace

from palimp_daemon.features.handler import Invocation
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.tables.words.unknown_words import CORRECTED
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.memory_messages import Recalled

NOTES_MAX: Final = 3
"""Notes shown below memories."""

NOT_YET: Final = "Agents' own memories are being read; ask again in a moment."


class NoteSearch:
    """Asks *recall* for *call*; bugs with foreign files are logged only."""

    is_for_doubt = False

    def __init__(self, recall: Callable[..., Awaitable[Recalled]], call: Invocation, log: Log) -> None:
        self._recall = recall
        self._call = call
        self._log = log
        self._found = Recalled()

    async def find(self) -> None:
        """Find notes with the very words."""
        self._found = await self._answering(is_spelled=False)

    async def added_to(self, reply: Recalled) -> Recalled:
        """Return *reply* with notes; if nothing answers yet, search other spellings."""
        found = self._found
        if not (found.memories or NOT_YET in found.notes or _needs_no_spelling(reply)):
            found = await self._answering(is_spelled=True)
        notes = [*reply.notes, *(note for note in found.notes if note == NOT_YET)]
        return replace(reply, claude_memory=found.memories, notes=notes)

    async def _answering(self, *, is_spelled: bool) -> Recalled:
        asked = replace(self._call.request, limit=NOTES_MAX, detail="compact")
        try:
            return await self._recall(asked, self._call.caller, is_spelled=is_spelled)
        except PalimpError:
            return Recalled()  # they were switched off meanwhile
        except Exception as error:  # noqa: BLE001  memories are told all the same
            self._log.bug(error)
            return Recalled()


def _needs_no_spelling(reply: Recalled) -> bool:
    return reply.is_certain and not any(CORRECTED in note for note in reply.notes)
