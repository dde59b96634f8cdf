"""Split bytes into lines of bounded length."""


class LineReader:
    """Bytes in, whole lines out; one over *bytes_max* is skipped and gives None, once."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._parts: list[bytes] = []
        self._length = 0
        self._is_skipping = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """Return the lines that *chunk* completes, without ends and blank ones."""
        lines: list[bytes | None] = []
        *finished, rest = chunk.split(b"\n")
        for piece in finished:
            self._add(piece, lines)
            if not self._is_skipping and (line := b"".join(self._parts).strip(b" \t\r")):
                lines.append(line)
            self._clear()
            self._is_skipping = False
        self._add(rest, lines)
        return lines

    def _add(self, piece: bytes, lines: list[bytes | None]) -> None:
        if self._is_skipping:
            return
        self._parts.append(piece)
        self._length += len(piece)
        if self._length > self._bytes_max:
            self._is_skipping = True
            self._clear()
            lines.append(None)

    def _clear(self) -> None:
        self._parts = []
        self._length = 0
