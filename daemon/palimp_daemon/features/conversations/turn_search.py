"""Search turns and commits beside memories."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall, Recalled

TURNS_MAX: Final = 6
"""Turns and commits returned if no memory certainly answers, perhaps of several sessions."""


class TurnSearch:
    """Calls *recall* for *request* and the canonical caller."""

    is_for_doubt = True

    def __init__(
        self,
        recall: Callable[[Recall, Caller], Awaitable[Recalled]],
        request: Recall,
        canonical: Callable[[], Awaitable[Caller]],
    ) -> None:
        self._recall = recall
        self._request = request
        self._canonical = canonical
        self._found = Recalled()

    async def find(self) -> None:
        """Find turns; none if unreadable (`palimp health` says why)."""
        with suppress(PalimpError):
            asked = replace(self._request, limit=TURNS_MAX, detail="compact")
            self._found = await self._recall(asked, await self._canonical())

    async def added_to(self, reply: Recalled) -> Recalled:
        """Return *reply* with the turns, unless a memory certainly answers.

        Rows without words of the question in either store are not near.
        """
        if reply.is_certain:
            return reply
        said = self._found
        unrelated, is_near = [*reply.unrelated, *said.unrelated], reply.is_near and not said.unrelated
        return replace(reply, conversations=said.memories, unrelated=unrelated, is_near=is_near)
