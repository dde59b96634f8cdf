"""The interface to the medium of a team's operations."""

from collections.abc import Mapping, Sequence
from socket import socket
from typing import Annotated, Final, Protocol

from msgspec import Meta, Struct

from palimp_daemon.features.team.team_operation import Line, Time
from palimp_protocol import limits

NOT_ERASED_MAX: Final = 1_000
"""Erasures of one replica that a notice names."""

PATTERNS_MAX: Final = 50
"""Patterns of one team, each tried on every text sent."""

PATTERN_CHARACTERS_MAX: Final = 500

Patterns = Annotated[list[Annotated[str, Meta(max_length=PATTERN_CHARACTERS_MAX)]], Meta(max_length=PATTERNS_MAX)]
"""RE2 patterns of text that no machine of a team sends."""

PAGE_BYTES_MAX: Final = 4 << 20
"""Bytes of operations, or of notices, read at once; one operation always fits."""


class TransportError(Exception):
    """Operations cannot be exchanged now; the hint is the remedy."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


class RefusedError(TransportError):
    """This replica may not write; it may still read."""


class UnacceptableError(TransportError):
    """The medium refuses an operation for its content; of several together, it takes none."""


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A replica's state for the others."""

    replica: str
    name: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)] = ""
    version: Annotated[str, Meta(max_length=64)] = ""
    """Of palimp."""
    at: Time = 0
    """In Unix milliseconds."""
    project: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)] = ""
    """The project's name there."""
    commits: list[str] = []
    """Hashes of its repository's first commits; empty: none, or a shallow clone."""
    heard: dict[str, Annotated[int, Meta(ge=0, lt=2**53)]] = {}
    """By replica, the last counter that it has applied."""
    not_erased: dict[str, Annotated[list[int], Meta(max_length=NOT_ERASED_MAX)]] = {}
    """By replica, counters of its erasures read there but not yet applied."""


class Transport(Protocol):
    """Carries operations of projects, given by key, for one thread at a time.

    Each method raises `TransportError` if the medium cannot be reached.
    """

    @property
    def look_s(self) -> float:
        """Seconds until the next look without news."""
        ...

    @property
    def clock_ms(self) -> int:
        """The medium's clock at the last look, Unix milliseconds; 0: none."""
        ...

    def bell(self) -> socket | None:
        """Return a socket readable with news, for the caller to close, or None."""
        ...

    def news(self) -> frozenset[str] | None:
        """Return the projects with news since the last call; None: any."""
        ...

    def look(self, project: str) -> Mapping[str, int]:
        """Return each replica's last counter readable without a hole; the same mapping without news."""
        ...

    def sums(self, project: str, replica: str) -> Mapping[int, bytes]:
        """Return the sums of *replica*'s lines by counter, at the last `look`."""
        ...

    def read(self, project: str, replica: str, after: int, limit: int) -> list[Line]:
        """Return operations of *replica* after *after*, in order and without a hole.

        At most *limit*, and about `PAGE_BYTES_MAX`.
        """
        ...

    def append(self, project: str, replica: str, bodies: Sequence[tuple[int, bytes]]) -> None:
        """Add operations of *replica* with their counters, durably.

        Raises:
            UnacceptableError: one is refused for its content.
        """
        ...

    def clear(self, project: str, replica: str, bodies: Mapping[int, bytes]) -> None:
        """Replace operations of *replica*, leaving nothing of the former ones."""
        ...

    def tell(self, project: str, notice: Notice) -> None:
        """Publish *notice* to the other replicas."""
        ...

    def notices(self, project: str) -> list[Notice]:
        """Return the last notice of each replica."""
        ...

    def patterns(self) -> Patterns:
        """Return the patterns of unsent texts."""
        ...

    def set_patterns(self, patterns: Patterns) -> None:
        """Set these patterns for all machines."""
        ...

    def members(self) -> Mapping[str, str] | None:
        """Return {replica: login}, empty for the caller's own; None: all are."""
        ...

    def close(self) -> None:
        """Close it, also during a call."""
        ...
