"""Run an embedding model in a child process, until EMBEDDER_IDLE_S without work.

One task serves each lane; an abandoned exchange is completed, so that the stream stays in step.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import trio

from palimp_daemon.embedding.models import Model
from palimp_daemon.embedding.process import EmbedderProcess, Lane, start_embedder
from palimp_daemon.runtime.child_process import ChildError

EMBEDDER_IDLE_S: Final = 600.0
"""Seconds without work until the process ends, to free 110 MB. Active sessions have prompts more often, and no time for
a start.
"""

FAILURES_MAX: Final = 3
"""Failures in a row after which the embedder rests."""

RETRY_S: Final = 600.0
"""Length of that rest."""

WARMING_TEXT: Final = "Hello."
"""Embedded at a session's start: a process's first text is its slowest."""


class _Request:
    def __init__(self, text: str) -> None:
        self.text = text
        self.done = trio.Event()
        self.vector: bytes | None = None


class Embedder:
    """One model. Start `run` in a nursery."""

    def __init__(self, model: Model, log: Callable[..., None]) -> None:
        self.model = model
        self._log = log
        self._waiting: dict[Lane, deque[_Request]] = {lane: deque() for lane in Lane}
        self._work = {lane: trio.Event() for lane in Lane}
        self._in_progress = 0
        self._used = trio.Event()
        self._process: EmbedderProcess | None = None
        self._starting = trio.Lock()
        self._failures = 0
        self._problem = ""
        self._rests_until = 0.0

    @property
    def problem(self) -> str:
        """Why it rests; empty if it does not."""
        if self._problem and trio.current_time() >= self._rests_until:
            self._failures, self._problem = 0, ""
        return self._problem

    async def run(self) -> None:
        """Serve requests, until cancelled."""
        async with trio.open_nursery() as nursery:
            for lane in Lane:
                nursery.start_soon(self._serve_lane, lane)
            try:
                while True:
                    self._used = trio.Event()
                    with trio.move_on_after(EMBEDDER_IDLE_S) as scope:
                        await self._used.wait()
                    if scope.cancelled_caught and not self._in_progress:
                        await self._end_process()
            finally:
                await self._end_process()

    def warm_up(self) -> None:
        """Start the process if it does not run."""
        if self._process is None and not (self.problem or self._in_progress):
            self._enqueue(_Request(WARMING_TEXT), Lane.QUERIES)

    async def vector(self, text: str, lane: Lane) -> bytes | None:
        """Embed *text*; None on failure."""
        if self.problem:
            return None
        request = _Request(text)
        self._enqueue(request, lane)
        try:
            await request.done.wait()
        except trio.Cancelled:
            if request in self._waiting[lane]:
                self._waiting[lane].remove(request)
                self._in_progress -= 1
            raise
        return request.vector

    def _enqueue(self, request: _Request, lane: Lane) -> None:
        self._waiting[lane].append(request)
        self._in_progress += 1
        self._work[lane].set()

    async def _serve_lane(self, lane: Lane) -> None:
        waiting = self._waiting[lane]
        while True:
            while not waiting:
                self._work[lane] = trio.Event()
                await self._work[lane].wait()
            request = waiting.popleft()
            process: EmbedderProcess | None = None
            try:
                async with self._starting:
                    self._process = process = self._process or await start_embedder(self.model.file)
                (request.vector,) = await process.vectors(lane, [request.text])
                self._failures, self._problem = 0, ""
            except ChildError as error:
                await self._note_failure(process, error)
            self._in_progress -= 1
            self._used.set()
            request.done.set()

    async def _note_failure(self, process: EmbedderProcess | None, error: ChildError) -> None:
        if process is not self._process:
            return
        await self._end_process()
        self._failures += 1
        self._log("embedder_failed", model=self.model.name, why=str(error))
        if self._failures >= FAILURES_MAX:
            self._problem, self._rests_until = str(error), trio.current_time() + RETRY_S

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end()


async def vectors_of(text: str, embedders: Sequence[Embedder], wait_s: float) -> dict[str, bytes]:
    """Embed *text* with all *embedders* within *wait_s* seconds, by model key."""
    found: dict[str, bytes] = {}

    async def ask(embedder: Embedder) -> None:
        if vector := await embedder.vector(text, Lane.QUERIES):
            found[embedder.model.key] = vector

    with trio.move_on_after(wait_s):
        async with trio.open_nursery() as nursery:
            for embedder in embedders:
                nursery.start_soon(ask, embedder)
    return found
