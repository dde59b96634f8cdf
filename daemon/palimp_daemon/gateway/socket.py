"""One ZeroMQ socket for trio: receive and send, safe to cancel, with no lost wake-up.

Theory
------
libzmq signals through one file descriptor that is edge-triggered for all events at once: sending may
consume the edge that announced a message, and whoever sleeps on the descriptor is then never woken
(27 of 30 requests stalled in a test). So one task waits on the descriptor, and after *every* send and
receive the socket's EVENTS are read again and sleepers are woken accordingly.

A cancelled `recv` has taken no message: it only sleeps in a parking lot. (zmq-anyio keeps a future in a
queue and loses the next message to it.)
"""

from collections.abc import Sequence

import trio
import zmq


class TrioSocket:
    """A ZeroMQ socket in a trio program. Run `pump` in the background; one receiver at a time."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._socket = socket
        self._descriptor = int(socket.getsockopt(zmq.FD))  # pyright: ignore[reportArgumentType]  an int for FD
        self._receivers = trio.lowlevel.ParkingLot()

    async def pump(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Wake the receiver whenever libzmq signals. Runs until cancelled."""
        task_status.started()
        while True:
            self._wake()
            await trio.lowlevel.wait_readable(self._descriptor)

    async def recv(self) -> list[bytes]:
        """Return the parts of the next message. A cancelled call has taken none."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while True:
            try:
                parts = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                await self._receivers.park()
                continue
            self._wake()
            await trio.lowlevel.cancel_shielded_checkpoint()
            return parts

    def send_nowait(self, parts: Sequence[bytes]) -> bool:
        """Queue a message; return False when its peer is gone or leaves too much unread."""
        try:
            self._socket.send_multipart(parts, zmq.NOBLOCK)
        except zmq.Again:
            return False
        except zmq.ZMQError as error:
            if error.errno == zmq.EHOSTUNREACH:
                return False
            raise
        finally:
            self._wake()
        return True

    def _wake(self) -> None:
        if int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN:  # pyright: ignore[reportArgumentType]  an int
            self._receivers.unpark()
