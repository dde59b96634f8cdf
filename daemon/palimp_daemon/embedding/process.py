"""The embedder process as the daemon sees it: started, asked and ended here.

Theory
------
The process (`palimp_daemon.embedding.worker`) has two lanes, each a pair of sockets with a thread at its other end: one
for queries, for which somebody waits, and one for memories, whose thread yields to everything. So no query waits for
the memory before it; the kernel takes the processor from the one and gives it to the other. In a lane one exchange
follows the other. Each message is four bytes of length, most significant first, and JSON.
"""

import base64
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio

ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
"""Has the arithmetic of numpy stay on one processor: the others are for those whose work is remembered."""

REPLY_BYTES_MAX: Final = 1024 * 1024
"""A reply of the process; a batch's is a few kilobytes."""


class EmbedderError(Exception):
    """The process did not answer as it should."""


class Runtime(StrEnum):
    """What runs a model."""

    ONNX = "onnx"
    SENTENCE_ENCODER = "sentence-encoder"


class ModelFile(NamedTuple):
    """Which model, the checksum that it must have (none: any), and what runs it."""

    path: Path
    sha256: str
    runtime: Runtime = Runtime.ONNX


class Lane(IntEnum):
    """Whose texts are embedded."""

    QUERIES = 0
    MEMORIES = 1


class EmbedderProcess:
    """A running embedder process."""

    def __init__(self, process: trio.Process, streams: Sequence[trio.SocketStream]) -> None:
        self.process = process
        self._streams = streams
        """One for each Lane."""

    async def vectors(self, lane: Lane, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each of *texts*. Of one lane it is called once at a time.

        Raises:
            EmbedderError: there is no such answer; the process is of no more use.
        """
        body = json.dumps(texts).encode()
        try:
            await self._streams[lane].send_all(struct.pack("!I", len(body)) + body)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise EmbedderError("The embedder ended.") from error
        found = [base64.b64decode(text) for text in (await self.message(lane)).get("vectors", ())]
        if len(found) != len(texts):
            raise EmbedderError("The embedder answered with another number of vectors.")
        return found

    async def message(self, lane: Lane) -> dict[str, Any]:
        """Return the next message in *lane*.

        Raises:
            EmbedderError: there is none.
        """
        (length,) = struct.unpack("!I", await self._read(lane, 4))
        if length > REPLY_BYTES_MAX:
            raise EmbedderError("The embedder's answer is too long.")
        return json.loads(await self._read(lane, length))

    async def _read(self, lane: Lane, count: int) -> bytes:
        data = b""
        while len(data) < count:
            try:
                more = await self._streams[lane].receive_some(count - len(data))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                more = b""
            if not more:
                raise EmbedderError("The embedder ended.")
            data += more
        return data

    async def end(self) -> None:
        """End the process; who waits for it in a lane is told."""
        self.process.kill()
        with trio.CancelScope(shield=True):  # it is dead at once; this only takes its body away
            for stream in self._streams:
                await stream.aclose()
            await self.process.wait()


async def start_embedder(model: ModelFile) -> EmbedderProcess:
    """Return a process that has loaded *model*.

    Raises:
        EmbedderError: the model cannot be used, or no process can be started.
    """
    if not model.path.exists():
        raise EmbedderError(f"There is no model at {model.path}. Install palimp[semantic], or set search.model_path.")
    pairs = [socket.socketpair() for _ in Lane]
    streams = [trio.SocketStream(trio.socket.from_stdlib_socket(ours)) for ours, _ in pairs]
    try:
        process = EmbedderProcess(await _child(model, [theirs.fileno() for _, theirs in pairs]), streams)
    except BaseException as error:
        for ours in streams:
            ours.socket.close()
        if isinstance(error, OSError):
            raise EmbedderError(f"The embedder cannot be started: {error.strerror}.") from error
        raise
    finally:
        for _, theirs in pairs:
            theirs.close()
    try:
        if problem := (await process.message(Lane.QUERIES)).get("problem"):
            raise EmbedderError(problem)
    except BaseException:
        await process.end()
        raise
    return process


async def _child(model: ModelFile, lanes: Sequence[int]) -> trio.Process:
    arguments = [model.runtime, str(model.path), model.sha256, *map(str, lanes)]
    return await trio.lowlevel.open_process(
        [sys.executable, "-E", "-P", "-m", "palimp_daemon.embedding.worker", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD},
        pass_fds=lanes,
    )
