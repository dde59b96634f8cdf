"""The daemon's state, without the store's."""

from dataclasses import dataclass, field

import trio

from palimp_protocol.messages.daemon_messages import Canary


@dataclass
class DaemonState:
    """The daemon's identity, last request, checks and stop."""

    boot: str
    """Differs with each start."""
    started_at: float
    """On trio's clock, like all times here not in milliseconds."""
    store: str = ""
    """The store's identity (`palimp_protocol.env.address`), by which clients name it."""
    last_request_at: float = 0.0
    stop: trio.Event = field(default_factory=trio.Event)
    is_stopped_by_user: bool = False
    canary: Canary | None = None
    """Result of the last self-test."""
    examined_at: int = 0
    """When the database passed its last integrity check, in Unix milliseconds; 0: not yet."""

    def note_request(self) -> float:
        """Note a request; return the time."""
        self.last_request_at = trio.current_time()
        return self.last_request_at

    def note_self_test(self, canary: Canary) -> None:
        """Note the result of a self-test."""
        self.canary = canary

    def note_intact(self, at_ms: int) -> None:
        """Note that the database passed its integrity check."""
        self.examined_at = at_ms

    def request_stop(self, *, by_user: bool) -> None:
        """Stop the daemon; relays start no new one for a while if *by_user*."""
        self.is_stopped_by_user = self.is_stopped_by_user or by_user
        self.stop.set()
