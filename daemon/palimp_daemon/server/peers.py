"""Peers: connected relays, and when each was last heard."""

from collections import deque
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import trio
from msgspec import Meta, Struct

from palimp_protocol.decoders import decoder_of
from palimp_protocol.limits import PEER_EXPIRY_S, PEER_INBOX_FRAMES_MAX, PEERS_MAX, ZONE_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.daemon_messages import ConnectedSession
from palimp_protocol.surrogates import mended_json


class Hello(Struct, frozen=True, kw_only=True):
    """The body of a HELLO frame; unknown fields are ignored."""

    client: Annotated[str, Meta(min_length=1, max_length=64)]
    version: str
    pid: int = 0
    cwd: Annotated[str, Meta(max_length=4096)] = ""
    project: ProjectRef | None = None
    session: Annotated[str, Meta(max_length=200)] = ""
    """Session id of the program that started it, if told."""
    program: Annotated[str, Meta(max_length=100)] = ""
    """Client's name, if its own program does not tell it."""
    initialize: msgspec.Raw = msgspec.Raw(b"null")
    """After a reconnect: the client's `initialize` request, to be replayed."""
    initialized: bool = False
    """After a reconnect: whether the client sent `notifications/initialized`."""
    zone: Annotated[str, Meta(max_length=ZONE_CHARACTERS_MAX)] = ""
    served_by: Annotated[str, Meta(max_length=64)] = ""
    """After a reconnect: version of the former daemon."""

    store: Annotated[str, Meta(max_length=64)] = ""
    """Wanted store (`palimp_protocol.env.address`); empty: the listener's."""

    def caller(self) -> Caller:
        """Return the caller of this peer's requests."""
        return Caller(self.project, SessionRef(self.session or self.client, self.program), self.zone)


class Welcome(Struct, frozen=True, kw_only=True):
    """The body of a WELCOME frame."""

    boot: str
    version: str
    protocol: int


class Inbox:
    """JSON-RPC messages for one peer's session, queued until it takes them."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[bytes, bytes]] = deque()
        self._take: Callable[[bytes, bytes], bool] | None = None

    def put(self, frame_id: bytes, message: bytes) -> bool:
        """Deliver or queue *message*; return False if there are too many."""
        if self._take is not None:
            return self._take(frame_id, message)
        if len(self._waiting) >= PEER_INBOX_FRAMES_MAX:
            return False
        self._waiting.append((frame_id, message))
        return True

    def give_to(self, take: Callable[[bytes, bytes], bool]) -> None:
        """Deliver queued and future messages to *take*."""
        while self._waiting:
            take(*self._waiting.popleft())
        self._take = take


class Peer:
    """A connected client process with an MCP session."""

    def __init__(self, identity: bytes, hello: Hello, now: float) -> None:
        self.identity = identity
        self.hello = hello
        self.heard_at = now
        self.opened_at = now
        self.scope = trio.CancelScope()
        """Lifetime of the peer's session; cancelled when the peer leaves."""
        self.inbox = Inbox()

    def close(self) -> None:
        """End the peer's session."""
        self.scope.cancel()


class Peers:
    """Peers by the ROUTER's identity of their connection. Does no I/O."""

    def __init__(self) -> None:
        self._by_identity: dict[bytes, Peer] = {}

    def __len__(self) -> int:
        return len(self._by_identity)

    def find(self, identity: bytes, now: float) -> Peer | None:
        """Return the peer with *identity*, and note the time."""
        peer = self._by_identity.get(identity)
        if peer is not None:
            peer.heard_at = now
        return peer

    def open(self, identity: bytes, hello: Hello, now: float) -> Peer | None:
        """Add a peer, replacing an earlier one of its process; None if full."""
        for other in list(self._by_identity.values()):
            if other.identity == identity or other.hello.client == hello.client:
                self.remove(other)
        if len(self._by_identity) >= PEERS_MAX:
            return None
        peer = Peer(identity, hello, now)
        self._by_identity[identity] = peer
        return peer

    def remove(self, peer: Peer) -> None:
        """Forget *peer* and end its session; its next frame is answered with RESET."""
        if self._by_identity.get(peer.identity) is peer:
            del self._by_identity[peer.identity]
        peer.close()

    def remove_expired(self, now: float) -> list[Peer]:
        """Forget and return the peers that were silent for too long."""
        expired = [peer for peer in self._by_identity.values() if now - peer.heard_at > PEER_EXPIRY_S]
        for peer in expired:
            self.remove(peer)
        return expired

    def sessions(self, now: float) -> list[ConnectedSession]:
        """Return the connected sessions for `health`."""
        return [
            ConnectedSession(
                pid=peer.hello.pid,
                version=peer.hello.version,
                project=peer.hello.project.name if peer.hello.project else "",
                connected_s=round(now - peer.opened_at, 1),
                silent_s=round(now - peer.heard_at, 1),
            )
            for peer in self._by_identity.values()
        ]

    def identities(self) -> list[bytes]:
        """Return the identities of all peers."""
        return list(self._by_identity)


def decode_hello(body: bytes) -> Hello:
    """Decode the *body* of a HELLO.

    Raises:
        msgspec.DecodeError: it is invalid.
    """
    hello: Hello = _HELLO.decode(mended_json(body))
    _INITIALIZE.decode(hello.initialize)
    return hello


_HELLO: msgspec.json.Decoder[Any] = decoder_of(Hello)
_INITIALIZE: msgspec.json.Decoder[Any] = msgspec.json.Decoder(dict[str, Any] | None)  # no class
