"""A ZeroMQ socket for trio that loses no wake-up.

libzmq's file descriptor is edge-triggered for all events at once: sending may consume the edge of a message (27 of 30
requests stalled in a test). So one task waits for it, and after each batch of sends the socket is asked for messages.
Messages are passed by a plain call: a pass of trio's scheduler costs more.
"""

from collections.abc import Awaitable, Callable, Sequence
from enum import Enum, auto
from typing import Final

import trio
import zmq

from palimp_protocol.limits import FRAME_PARTS

BATCH_MESSAGES_MAX: Final = 16
"""Messages taken at once; then other tasks and the store's answers have their turn, each millisecond in a flood."""

PARTS_MAX: Final = 1 + FRAME_PARTS + 1
"""Parts kept of a message: sender, frame, and one more, which shows that it is none."""

Take = Callable[[list[bytes]], None]

Pause = Callable[[], Awaitable[None]]
"""Lets other tasks run before the next messages are taken."""

_LAST: Final = int(zmq.NOBLOCK)
_MORE: Final = int(zmq.NOBLOCK | zmq.SNDMORE)
_IN: Final = int(zmq.POLLIN)
_EVENTS: Final = int(zmq.EVENTS)
"""As plain integers: combining enum flags takes as long as sending."""


class Sent(Enum):
    """The outcome of sending."""

    DONE = auto()
    UNREAD = auto()
    """Not sent: its peer leaves too much unread."""
    GONE = auto()
    """Not sent: its peer is gone."""


class TrioSocket:
    """A ZeroMQ socket in trio: `serve` yields messages, `send_nowait` takes answers."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._socket = socket
        self._descriptor = int(socket.getsockopt(zmq.FD))  # pyright: ignore[reportArgumentType]  an int for FD
        self._found_by_sends = trio.lowlevel.ParkingLot()
        self._looks_later = False
        """Whether the present send is followed by a look for messages."""

    async def serve(
        self,
        take: Take,
        pause: Pause,
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Pass every message to *take* until cancelled; none received is lost.

        Under load *pause* is awaited after each BATCH_MESSAGES_MAX.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._take_what_sends_find, take, pause)
            task_status.started()
            while True:
                await self._take_all(take, pause)
                await trio.lowlevel.wait_readable(self._descriptor)

    def send_nowait(self, parts: Sequence[bytes]) -> Sent:
        """Queue a message, without waiting for room."""
        *first, last = parts
        try:
            for part in first:
                self._socket.send(part, _MORE)  # only the first part can be refused
            self._socket.send(last, _LAST)
        except zmq.Again:
            return Sent.UNREAD
        except zmq.ZMQError as error:
            if error.errno == zmq.EHOSTUNREACH:
                return Sent.GONE
            raise
        finally:
            if not self._looks_later:
                self._look()
        return Sent.DONE

    def send_together(self, send: Callable[[], None]) -> None:
        """Run *send*, then look once for messages that its sending may hide."""
        self._looks_later = True
        try:
            send()
        finally:
            self._looks_later = False
            self._look()

    def _look(self) -> None:
        if int(self._socket.getsockopt(_EVENTS)) & _IN:  # pyright: ignore[reportArgumentType]  an int
            self._found_by_sends.unpark()

    async def _take_what_sends_find(self, take: Take, pause: Pause) -> None:
        while True:
            await self._found_by_sends.park()
            await self._take_all(take, pause)

    async def _take_all(self, take: Take, pause: Pause) -> None:
        while self._take_some(take):
            await pause()

    def _take_some(self, take: Take) -> bool:
        self._looks_later = True
        try:
            for _ in range(BATCH_MESSAGES_MAX):
                take(self._receive())
        except zmq.Again:
            return False
        finally:
            self._looks_later = False
        return True

    def _receive(self) -> list[bytes]:
        """Receive as `recv_multipart`, at most PARTS_MAX parts.

        Asking libzmq for more takes as long as receiving two parts: a frame knows, and a part follows the identity for
        certain.
        """
        parts = [self._socket.recv(_LAST)]
        is_last = False
        while not is_last:
            frame = self._socket.recv(_LAST, copy=False)
            if len(parts) < PARTS_MAX:
                parts.append(frame.bytes)
            is_last = not frame.more
        return parts
