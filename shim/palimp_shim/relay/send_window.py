"""Frames on their way to the daemon: in order, and no more requests at once than it holds for one peer.

Theory
------
The daemon drops a peer that sends faster than it is answered, or leaves too many answers unread. A client may send a
thousand requests without waiting for the first answer, so the relay lets IN_FLIGHT_MAX of them go and the next one
when one is answered. What is no request (a cancellation, a heartbeat) does not wait behind those that do.
"""

from collections import deque
from collections.abc import Callable, Iterable

from palimp_protocol.limits import IN_FLIGHT_MAX
from palimp_protocol.wire.frames import Frame


class SendWindow:
    """The frames of one connection. *is_awaited* tells whether a frame, by its id, still needs an answer."""

    def __init__(self, is_awaited: Callable[[bytes], bool]) -> None:
        self._is_awaited = is_awaited
        self._frames: deque[Frame] = deque()
        self._in_flight: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._frames)

    def put(self, frame: Frame) -> None:
        """Let *frame* follow the others."""
        self._frames.append(frame)

    def start_over(self, frames: Iterable[Frame] = ()) -> None:
        """Forget what waits and what was sent; begin with *frames*."""
        self._frames = deque(frames)
        self._in_flight.clear()

    def take(self) -> Frame | None:
        """Return the next frame that may go, which is then on its way; None when there is none."""
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
