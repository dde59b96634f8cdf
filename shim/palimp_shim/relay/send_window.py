"""Frames for the daemon, IN_FLIGHT_MAX requests at a time: it drops peers with more.

Other frames (cancellations, heartbeats) do not wait.
"""

from collections import deque
from collections.abc import Callable, Iterable

from palimp_protocol.limits import IN_FLIGHT_MAX
from palimp_protocol.wire.frames import Frame


class SendWindow:
    """A connection's frames; *is_awaited*: a frame id still needs an answer."""

    def __init__(self, is_awaited: Callable[[bytes], bool]) -> None:
        self._is_awaited = is_awaited
        self._frames: deque[Frame] = deque()
        self._in_flight: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._frames)

    def put(self, frame: Frame) -> None:
        """Add *frame*."""
        self._frames.append(frame)

    def start_over(self, frames: Iterable[Frame] = ()) -> None:
        """Forget all; begin with *frames*."""
        self._frames = deque(frames)
        self._in_flight.clear()

    def take(self) -> Frame | None:
        """Return the next frame to be sent, then in flight, or None."""
        if len(self._in_flight) >= IN_FLIGHT_MAX:
            self._in_flight = set(filter(self._is_awaited, self._in_flight))
        has_room = len(self._in_flight) < IN_FLIGHT_MAX
        for place, frame in enumerate(self._frames):
            is_awaited = self._is_awaited(frame.id)
            if has_room or not is_awaited:
                del self._frames[place]
                if is_awaited:
                    self._in_flight.add(frame.id)
                return frame
        return None
