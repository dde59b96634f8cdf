"""Lines for the client, counted while it takes none."""

import os
from collections import deque


class LineWriter:
    """Lines for the non-blocking descriptor *output*."""

    def __init__(self, output: int) -> None:
        self._output = output
        self._waiting: deque[bytes] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of waiting bytes."""
        return self._bytes

    def put(self, line: bytes) -> None:
        """Add *line*, without its end."""
        self._waiting.append(line + b"\n")
        self._bytes += len(line) + 1

    def write(self) -> None:
        """Write without waiting.

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
