"""Notify browsers of writes, each by a stream of server-sent events."""

from collections.abc import AsyncIterator, Callable
from typing import Final

import trio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from palimp_protocol.env.clock import now_ms
from palimp_protocol.versions import running_version

STREAMS_MAX: Final = 8
"""Streams at once, one per browser, out of CONNECTIONS_MAX."""

PACE_S: Final = 2.0
"""Seconds between two events: after each, every visible tab reloads its page."""

PING_S: Final = 15.0
"""Seconds between two comments of a silent stream: nothing else shows that a browser is gone."""


class LiveUpdates:
    """Counts writes; *written* returns the event of the next write."""

    def __init__(self, written: Callable[[], trio.Event]) -> None:
        self._written = written
        self._streams = 0
        self.count = now_ms()
        """Differs between daemons, so that pages of the former one are reloaded."""
        self._counted = trio.Event()

    async def keep_counting(self) -> None:
        """Count writes until cancelled."""
        while True:
            await self._written().wait()
            self.count += 1
            self._counted.set()
            self._counted = trio.Event()

    async def answer(self, request: Request) -> Response:
        """Open a stream of write counts; `seen` is the count of the page."""
        if self._streams >= STREAMS_MAX:
            return PlainTextResponse("Too many browsers follow.\n", 503)
        return StreamingResponse(self._events(request.query_params.get("seen", "")), media_type="text/event-stream")

    async def _events(self, seen: str) -> AsyncIterator[str]:
        self._streams += 1
        try:
            yield f"event: served\ndata: {running_version()}\n\n"
            while True:
                if str(self.count) != seen:
                    seen = str(self.count)
                    yield f"event: written\ndata: {seen}\n\n"
                    await trio.sleep(PACE_S)
                    continue
                with trio.move_on_after(PING_S) as silence:
                    await self._counted.wait()
                if silence.cancelled_caught:
                    yield ": still here\n\n"
        finally:
            self._streams -= 1
