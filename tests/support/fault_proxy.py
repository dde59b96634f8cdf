"""A TCP proxy before a database that cuts the line, lets it stand still or floods it, after so many bytes."""

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal, NamedTuple

import trio

CHUNK_BYTES = 65_536

CHUNK_S = 0.001
"""Seconds between two chunks of a flood: it comes as by a line of 500 megabits a second."""


class Fault(NamedTuple):
    """What befalls a connection."""

    direction: Literal["to the server", "to the client"]
    after: int
    """Bytes of that direction that pass before it."""
    then: Literal["cut", "stall", "flood"]
    flood: tuple[bytes, bytes] = (b"", b"")
    """What comes then in place of the rest, and what comes after it without end."""


class FaultProxy:
    """Forwards connections to a local port to *connect*. Each connection takes one of `faults`, if there is one."""

    def __init__(self, connect: Callable[[], Awaitable[trio.SocketStream]]) -> None:
        self._connect = connect
        self.faults: deque[Fault] = deque()
        self.passed = {"to the server": 0, "to the client": 0}
        """Bytes that passed, of the last connection."""
        self.port = 0

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Forward until cancelled."""
        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._forward, [listener])

    async def _forward(self, client: trio.SocketStream) -> None:
        fault = self.faults.popleft() if self.faults else None
        passed = self.passed = {"to the server": 0, "to the client": 0}
        async with client, await self._connect() as server, trio.open_nursery() as nursery:
            pump = partial(self._pump, passed=passed, fault=fault, cut=nursery.cancel_scope.cancel)
            nursery.start_soon(pump, client, server, "to the server")
            nursery.start_soon(pump, server, client, "to the client")

    async def _pump(
        self,
        source: trio.SocketStream,
        target: trio.SocketStream,
        direction: str,
        *,
        passed: dict[str, int],
        fault: Fault | None,
        cut: Callable[[], None],
    ) -> None:
        """Carry bytes from *source* to *target* until one of them ends, or the *fault* happens."""
        try:
            while data := await source.receive_some(CHUNK_BYTES):
                if fault and fault.direction == direction and passed[direction] + len(data) > fault.after:
                    if fault.then == "flood":
                        await self._flood(target, fault, passed)
                    await target.send_all(data[: fault.after - passed[direction]])
                    passed[direction] = fault.after
                    if fault.then == "stall":
                        await trio.sleep_forever()
                    break
                await target.send_all(data)
                passed[direction] += len(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        cut()

    async def _flood(self, target: trio.SocketStream, fault: Fault, passed: dict[str, int]) -> None:
        """Send until *target* is closed."""
        data = fault.flood[0]
        while True:
            await target.send_all(data)
            passed[fault.direction] += len(data)
            await trio.sleep(CHUNK_S)
            data = fault.flood[1] * (CHUNK_BYTES // len(fault.flood[1]))
