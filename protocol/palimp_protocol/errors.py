"""The taxonomy of errors, the same in frames, tool results and on the terminal; a *bug* is none.

Foreign names in them are quoted (`text.quote_text`), so that they cannot pose as more.
"""

from enum import StrEnum
from typing import Final

from palimp_protocol.limits import ERROR_CHARACTERS_MAX


class ErrorCode(StrEnum):
    """Stable codes. Adding one is compatible; changing one is not."""

    BAD_FRAME = "bad_frame"
    """The message is not a palimp frame."""
    UNSUPPORTED_VERSION = "unsupported_version"
    """The peer speaks another version of the protocol."""
    UNKNOWN_OPERATION = "unknown_operation"
    """No operation has this name."""
    BAD_REQUEST = "bad_request"
    """An argument is missing, unknown, of the wrong type or out of bounds."""
    NOT_FOUND = "not_found"
    """The named thing does not exist here, or nothing is to be done; nothing was done."""
    CONFLICT = "conflict"
    """A change made meanwhile prevents it; nothing was done."""
    TOO_LARGE = "too_large"
    """The message exceeds a bound."""
    BUSY = "busy"
    """A queue is full; the request may be sent again."""
    DEADLINE = "deadline"
    """The time allowed ran out."""
    STORE_UNAVAILABLE = "store_unavailable"
    """The database cannot be opened, or refused a write."""
    DISK_FULL = "disk_full"
    """The disk has no room; nothing was stored."""
    STOPPING = "stopping"
    """The daemon is shutting down."""
    UNREACHABLE = "unreachable"
    """No daemon answers; only clients report it."""
    OTHER_STORE = "other_store"
    """The request is for another folder's store; nothing was done."""
    INTERNAL = "internal"
    """A bug in palimp; the daemon's log has its traceback."""
    REFUSED = "refused"
    """The caller may not do this here."""


MAY_BE_DONE: Final = "It may have been done all the same: look before you ask again."
"""Added when a failed request may have been executed."""


class PalimpError(Exception):
    """An expected failure, for a person and a program.

    *lines*, to be put into a file as they stand, are never foreign text.
    """

    def __init__(self, code: ErrorCode, text: str, hint: str = "", lines: str = "") -> None:
        self.code = code
        self.text = _line(text)
        self.hint = _line(hint)
        self.lines = lines
        super().__init__(self.text)

    def __str__(self) -> str:
        return f"{self.text} {self.hint}".rstrip()


class RequestError(PalimpError):
    """A request asks for something missing or impossible."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(ErrorCode.BAD_REQUEST, text, hint)


class NotFoundError(PalimpError):
    """The requested thing is not here."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(ErrorCode.NOT_FOUND, text, hint)


class ArgumentError(PalimpError):
    """A *field* of a request to *operation* is wrong; *problem* continues its name: `must not be empty.`."""

    def __init__(self, operation: str, field: str, problem: str, hint: str = "") -> None:
        where = f"{operation}: {field}" if field else f"{operation}:"
        super().__init__(ErrorCode.BAD_REQUEST, f"{where} {problem}", hint)
        self.operation = operation
        self.field = field
        self.problem = problem


def _line(text: str) -> str:
    if text.isascii() and text.isprintable() and len(text) <= ERROR_CHARACTERS_MAX:
        return text
    from palimp_protocol.text import one_line  # noqa: PLC0415  relays and hooks start without it

    return one_line(text, ERROR_CHARACTERS_MAX)


class FrameError(PalimpError):
    """The peer's bytes are not a frame of this protocol."""


class UnreachableError(PalimpError):
    """No daemon answered within the client's deadline."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(ErrorCode.UNREACHABLE, text, hint)
