"""Start, ask and end the embedder process (`embedding.worker`).

It has two lanes, each a pair of sockets with a thread: queries, and memories at low priority.
"""

import base64
from collections.abc import Sequence
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.runtime.child_process import ChildError, ChildProcess, start_child
from palimp_protocol.env.installation import how_to_add

ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
"""Keeps numpy on one processor: the others are the user's."""

REPLY_BYTES_MAX: Final = 1024 * 1024
"""Bytes of a reply; a batch's has a few kilobytes."""


class Runtime(StrEnum):
    """Libraries that run a model."""

    ONNX = "onnx"
    SENTENCE_ENCODER = "sentence-encoder"


class ModelFile(NamedTuple):
    """A model's file, its checksum (empty: any), and its runtime."""

    path: Path
    sha256: str
    runtime: Runtime = Runtime.ONNX


class Lane(IntEnum):
    """Kind of the texts."""

    QUERIES = 0
    MEMORIES = 1


class EmbedderProcess:
    """A running embedder process."""

    def __init__(self, child: ChildProcess) -> None:
        self.child = child

    async def vectors(self, lane: Lane, texts: Sequence[str]) -> list[bytes]:
        """Embed *texts*, one call at a time per lane.

        Raises:
            ChildError: the process failed and is of no more use.
        """
        await self.child.send(lane, list(texts))
        reply = await self.child.receive(lane, REPLY_BYTES_MAX)
        found = [base64.b64decode(text) for text in reply.get("vectors", ())]
        if len(found) != len(texts):
            raise ChildError("The embedder answered with another number of vectors.")
        return found

    async def end(self) -> None:
        """End the process; waiting callers get ChildError."""
        await self.child.end()


async def start_embedder(model: ModelFile) -> EmbedderProcess:
    """Start a process, and wait until it has loaded *model*.

    Raises:
        ChildError: the model cannot be used, or no process can be started.
    """
    if not model.path.exists():
        how = f"{how_to_add('semantic')} installs one; or set search.model_path"
        raise ChildError(f"There is no model at {model.path}. {how}.")
    arguments = [model.runtime, str(model.path), model.sha256]
    child = await start_child(
        "The embedder", "palimp_daemon.embedding.worker", arguments, lanes=len(Lane), env=ONE_THREAD
    )
    try:
        if problem := (await child.receive(Lane.QUERIES, REPLY_BYTES_MAX)).get("problem"):
            raise ChildError(problem)
    except BaseException:
        await child.end()
        raise
    return EmbedderProcess(child)
