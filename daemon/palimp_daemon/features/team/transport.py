"""The seam between a team's operations and the medium that carries them between replicas."""

from collections.abc import Mapping, Sequence
from socket import socket
from typing import Annotated, Final, Protocol

from msgspec import Meta, Struct

from palimp_daemon.features.team.team_operation import Line, Time
from palimp_protocol import limits

NOT_ERASED_MAX: Final = 1_000
"""Erasures of one replica that a notice names."""

PATTERNS_MAX: Final = 50
"""Patterns of one team: each is tried on every text that is sent."""

PATTERN_CHARACTERS_MAX: Final = 500

Patterns = Annotated[list[Annotated[str, Meta(max_length=PATTERN_CHARACTERS_MAX)]], Meta(max_length=PATTERNS_MAX)]
"""Of RE2: what no machine of a team sends."""

PAGE_BYTES_MAX: Final = 4 << 20
"""Bytes of operations that are read at once, or of notices; one operation always fits."""


class TransportError(Exception):
    """Operations cannot be exchanged now; the text is a sentence, and the hint says the remedy."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


class RefusedError(TransportError):
    """The medium does not let this replica write; it may let it read."""


class UnacceptableError(TransportError):
    """The medium takes no such operation; of several that were appended at once, none of them."""


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of one replica, as it tells the others."""

    replica: str
    name: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)] = ""
    version: Annotated[str, Meta(max_length=64)] = ""
    """Of palimp."""
    at: Time = 0
    """In Unix milliseconds."""
    project: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)] = ""
    """What the project is called there."""
    commits: list[str] = []
    """The first commits of its repository, hashed; empty: it has none, or is a shallow clone."""
    heard: dict[str, Annotated[int, Meta(ge=0, lt=2**53)]] = {}
    """How far it has applied the operations of each replica."""
    not_erased: dict[str, Annotated[list[int], Meta(max_length=NOT_ERASED_MAX)]] = {}
    """By replica, the numbers of its erasures that wait there nevertheless."""


class Transport(Protocol):
    """Carries the operations of projects, each called by its key. It is used by one thread at a time.

    Each method raises `TransportError` where the medium cannot be reached.
    """

    @property
    def look_s(self) -> float:
        """Seconds after which it is to be looked at again, though there was no news."""
        ...

    @property
    def clock_ms(self) -> int:
        """What the medium's own clock said at the last look, in Unix milliseconds; 0: it has none."""
        ...

    def bell(self) -> socket | None:
        """Return a socket that is readable once there may be news, for the caller to close; None: there is none."""
        ...

    def news(self) -> frozenset[str] | None:
        """Return the projects of which something came since this was asked last; None: it may be any."""
        ...

    def look(self, project: str) -> Mapping[str, int]:
        """Return for each replica up to which counter its operations can be read, without a hole.

        Where nothing has come since the last look, it is the same mapping.
        """
        ...

    def sums(self, project: str, replica: str) -> Mapping[int, bytes]:
        """Return the sums of the lines of *replica* by counter, as of the last `look`."""
        ...

    def read(self, project: str, replica: str, after: int, limit: int) -> list[Line]:
        """Return operations of *replica* after the counter *after*, in order and without a hole.

        They are *limit* at most, and about `PAGE_BYTES_MAX`.
        """
        ...

    def append(self, project: str, replica: str, bodies: Sequence[tuple[int, bytes]]) -> None:
        """Add operations of *replica*, each with its counter; they are durable afterwards.

        Raises:
            UnacceptableError: one of them is refused for what is in it.
        """
        ...

    def clear(self, project: str, replica: str, bodies: Mapping[int, bytes]) -> None:
        """Put *bodies* in the place of operations of *replica*, so that nothing of the former ones is left."""
        ...

    def tell(self, project: str, notice: Notice) -> None:
        """Tell the other replicas *notice*."""
        ...

    def notices(self, project: str) -> list[Notice]:
        """Return the last notice of each replica."""
        ...

    def patterns(self) -> Patterns:
        """Return the patterns of what no machine sends."""
        ...

    def set_patterns(self, patterns: Patterns) -> None:
        """Have no machine send what *patterns* fit."""
        ...

    def members(self) -> Mapping[str, str] | None:
        """Return {replica: login}, with an empty text for those of the person who asks; None: all are theirs."""
        ...

    def close(self) -> None:
        """Give it up, whatever is being done."""
        ...
