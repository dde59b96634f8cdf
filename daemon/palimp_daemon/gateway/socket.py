"""One ZeroMQ socket for trio: receive and send, safe to cancel, with no lost wake-up.

Theory
------
libzmq signals through one file descriptor that is edge-triggered for all events at once: sending may
consume the edge that announced a message, and whoever sleeps on the descriptor is then never woken
(27 of 30 requests stalled in a test). So one task waits on the descriptor, and after *every* send and
receive the socket's EVENTS are read again and sleepers are woken accordingly.

A cancelled `receive` has taken no message: it only sleeps in a parking lot. (zmq-anyio keeps a future in
a queue and loses the next message to it.)

Under load each pass through trio's scheduler costs more than a message. So messages that are there are
taken together, and after any number of sends in one pass there is one look at EVENTS.
"""

from collections.abc import Sequence
from typing import Final

import trio
import zmq

BATCH_MESSAGES_MAX: Final = 64
"""Messages taken at once; then other tasks get their turn."""

_LAST: Final = int(zmq.NOBLOCK)
_MORE: Final = int(zmq.NOBLOCK | zmq.SNDMORE)
"""As plain integers: putting enum flags together costs as much as sending."""


class TrioSocket:
    """A ZeroMQ socket in a trio program. Run `pump` in the background; one receiver at a time."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._socket = socket
        self._descriptor = int(socket.getsockopt(zmq.FD))  # pyright: ignore[reportArgumentType]  an int for FD
        self._receivers = trio.lowlevel.ParkingLot()
        self._token = trio.lowlevel.current_trio_token()
        self._is_look_due = False

    async def pump(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Wake the receiver whenever libzmq signals. Runs until cancelled."""
        task_status.started()
        while True:
            self._wake()
            await trio.lowlevel.wait_readable(self._descriptor)

    async def receive(self) -> list[list[bytes]]:
        """Return the messages that are there, one at least, each as its parts. A cancelled call has taken none."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while not (messages := self._take()):
            await self._receivers.park()
        # Taking may have consumed the signal for what came meanwhile; whoever receives next looks by itself.
        await trio.lowlevel.cancel_shielded_checkpoint()
        return messages

    def send_nowait(self, parts: Sequence[bytes]) -> bool:
        """Queue a message; return False when its peer is gone or leaves too much unread."""
        *first, last = parts
        try:
            for part in first:
                self._socket.send(part, _MORE)  # only the first part can be refused
            self._socket.send(last, _LAST)
        except zmq.Again:
            return False
        except zmq.ZMQError as error:
            if error.errno == zmq.EHOSTUNREACH:
                return False
            raise
        finally:
            if self._receivers and not self._is_look_due:
                self._is_look_due = True
                self._token.run_sync_soon(self._wake)
        return True

    def _take(self) -> list[list[bytes]]:
        messages: list[list[bytes]] = []
        try:
            while len(messages) < BATCH_MESSAGES_MAX:
                messages.append(self._socket.recv_multipart(_LAST))
        except zmq.Again:
            pass  # that is all there is
        return messages

    def _wake(self) -> None:
        self._is_look_due = False
        if int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:  # pyright: ignore[reportArgumentType]  an int
            self._receivers.unpark()
