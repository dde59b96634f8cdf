"""Run a child process and exchange messages with it in lanes.

A lane is a pair of sockets with framed messages (`framed_json`). The child gets its descriptors as last arguments, and
ends when the first is closed, lest it outlive a killed daemon.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import trio

from palimp_daemon.runtime.framed_json import LENGTH, encode_frame

PART_BYTES: Final = 256 * 1024
"""Bytes of a message received at once."""


class ChildError(Exception):
    """The process ended, or gave a wrong answer; it is useless now."""


class ChildProcess:
    """A running child process; *name* is its subject in sentences. Each lane has one exchange at a time."""

    def __init__(self, name: str, process: trio.Process, streams: Sequence[trio.SocketStream]) -> None:
        self.process = process
        self._name = name
        self._streams = streams

    async def send(self, lane: int, message: Any) -> None:
        """Send *message* as JSON.

        Raises:
            ChildError: the process ended.
        """
        try:
            await self._streams[lane].send_all(encode_frame(message))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ChildError(f"{self._name} ended.") from error

    async def receive(self, lane: int, bytes_max: int) -> Any:
        """Return the next message in *lane*, of at most *bytes_max*.

        Raises:
            ChildError: there is none.
        """
        (length,) = LENGTH.unpack(await self._read(lane, LENGTH.size))
        if length > bytes_max:
            raise ChildError(f"{self._name} answered with more than it may.")
        return json.loads(await self._read(lane, length))

    async def _read(self, lane: int, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            try:
                more = await self._streams[lane].receive_some(min(PART_BYTES, count - len(data)))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                more = b""
            if not more:
                raise ChildError(f"{self._name} ended.")
            data += more
        return bytes(data)

    async def end(self) -> None:
        """End the process; waiting callers get ChildError."""
        self.process.kill()
        with trio.CancelScope(shield=True):  # it is dead at once; this only takes its body away
            for stream in self._streams:
                await stream.aclose()
            await self.process.wait()


async def start_child(
    name: str, module: str, arguments: Sequence[str], *, lanes: int = 1, env: Mapping[str, str] | None = None
) -> ChildProcess:
    """Run *module* with *arguments* and the descriptors of its *lanes*; *env* extends the daemon's environment.

    Raises:
        ChildError: it cannot be started.
    """
    pairs = [socket.socketpair() for _ in range(lanes)]
    streams = [trio.SocketStream(trio.socket.from_stdlib_socket(ours)) for ours, _ in pairs]
    descriptors = [theirs.fileno() for _, theirs in pairs]
    try:
        process = await trio.lowlevel.open_process(
            [sys.executable, "-E", "-P", "-m", module, *arguments, *map(str, descriptors)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
            pass_fds=descriptors,
        )
    except BaseException as error:
        for stream in streams:
            stream.socket.close()
        if isinstance(error, OSError):
            raise ChildError(f"{name} cannot be started: {error.strerror}.") from error
        raise
    finally:
        for _, theirs in pairs:
            theirs.close()
    return ChildProcess(name, process, streams)
