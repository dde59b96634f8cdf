"""Streams between an SDK loop and one era of one peer.

anyio's take an extra pass of the scheduler per message, which costs more than the message; these do not. Of several
messages each but the first waits for a pass: trio starts the SDK's tasks of one pass in any order.
"""

from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

import mcp_types as types
import trio
from mcp.shared.message import SessionMessage


class _Stream:
    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


class Incoming(_Stream):
    """Messages for the SDK, at most *most*."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._messages: deque[SessionMessage] = deque()
        self._reader = trio.lowlevel.ParkingLot()
        self._is_closed = False
        self._reads_on = False
        """Whether more messages waited at the last read."""

    def put(self, message: SessionMessage) -> bool:
        """Queue *message*; return False if full or closed."""
        if self._is_closed or len(self._messages) >= self._most:
            return False
        self._messages.append(message)
        self._reader.unpark()
        return True

    def close(self) -> None:
        """End the stream after the queued messages."""
        self._is_closed = True
        self._reader.unpark_all()

    async def aclose(self) -> None:
        """Stop reading."""
        self.close()
        await super().aclose()

    async def receive(self) -> SessionMessage:
        """Return the next message.

        Raises:
            trio.EndOfChannel: the stream is closed.
        """
        if self._reads_on and self._messages:
            await trio.lowlevel.checkpoint()
        while not self._messages:
            if self._is_closed:
                raise trio.EndOfChannel
            await self._reader.park()
        self._reads_on = bool(self._messages)
        return self._messages.popleft()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except trio.EndOfChannel:
            raise StopAsyncIteration from None


class Outgoing(_Stream):
    """Passes each message of the SDK's to *send*."""

    def __init__(self, send: Callable[[types.JSONRPCMessage], None]) -> None:
        self._send = send

    async def send(self, item: SessionMessage, /) -> None:
        """Send *item*."""
        self._send(item.message)
