"""Lines on their way to the client, counted while it does not take them."""

import os
from collections import deque


class LineWriter:
    """Lines for the descriptor *output*, which does not block."""

    def __init__(self, output: int) -> None:
        self._output = output
        self._waiting: deque[bytes] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """Return how many bytes wait."""
        return self._bytes

    def put(self, line: bytes) -> None:
        """Add *line*, which has no end yet."""
        self._waiting.append(line + b"\n")
        self._bytes += len(line) + 1

    def write(self) -> None:
        """Write what the client takes without waiting.

        Raises:
            OSError: the client is gone.
        """
        while self._waiting:
            data = self._waiting[0]
            try:
                written = os.write(self._output, data)
            except BlockingIOError:
                return
            self._bytes -= written
            if written < len(data):
                self._waiting[0] = data[written:]
            else:
                self._waiting.popleft()
