"""Route frames from the socket to their receivers, and answers back.

Receiving waits only for the next frame: a request becomes a job of the store actor, a JSON-RPC message goes into its
peer's bounded inbox; a surplus is answered `busy`. Sending never waits: a peer that leaves PEER_OUTBOX_FRAMES_MAX
frames unread (ROUTER_MANDATORY reports it) is dropped, and resends after its next HELLO.

A loop of refusals hardly releases the interpreter's lock, so `_pause` lets the store answer first, REFUSING_RESTS_S at
most.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import trio

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.log import Log
from palimp_daemon.server.peers import Hello, Peer, Peers, Welcome, decode_hello
from palimp_daemon.server.zmq_socket import Sent, TrioSocket
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.refusals import bug_error, unsendable_error
from palimp_protocol.errors import ErrorCode, FrameError, PalimpError, RequestError
from palimp_protocol.limits import HEARTBEAT_INTERVAL_S, PEER_OUTBOX_FRAMES_MAX, PEER_REQUESTS_MAX
from palimp_protocol.operations import Operation, operation_named
from palimp_protocol.versions import running_version
from palimp_protocol.wire.decoding import decode_arguments, decode_call, encode_error
from palimp_protocol.wire.frames import PROTOCOL_VERSION, Frame, Kind, decode, encode

TELL_S: Final = 0.25
"""Seconds between two attempts to tell a peer that it was dropped: it may read, but slowly."""

REFUSING_RESTS_S: Final = 0.002
"""Longest extra pause while a flood is refused, in seconds: a usual answer's time."""

GiveTo = Callable[[Callable[[bytes, bytes], bool]], None]
"""Passes a peer's JSON-RPC messages, with their frames' ids, to a function from now on."""

Send = Callable[[bytes, bytes], None]
"""Sends a peer a JSON-RPC message under the id of the frame it answers, or none; an empty one says that the request is
in progress.
"""


def _busy(why: str) -> bytes:
    return encode_error(PalimpError(ErrorCode.BUSY, why, "Wait for an answer, then send it again."))


# Encoded once: who does not wait for answers sends thousands, and the others wait meanwhile.
_UNREAD: Final = _busy(f"More than {PEER_OUTBOX_FRAMES_MAX} answers were unread.")
_IN_PROGRESS: Final = _busy(f"{PEER_REQUESTS_MAX} requests of this client are in progress.")


class SessionServer(Protocol):
    """Serves the MCP session of one peer (`palimp_daemon.mcp.peer_session`)."""

    def __call__(self, hello: Hello, give_to: GiveTo, send: Send) -> Awaitable[None]:
        """Serve until cancelled."""
        ...


class Wire(NamedTuple):
    """The socket, its peers, and the identities that take no answers at present."""

    socket: TrioSocket
    peers: Peers
    overfull: set[bytes]
    """Peers with too much unread at the last send; read by the store's thread."""


class Core(NamedTuple):
    """The receivers of requests."""

    dispatcher: Dispatcher
    actor: Actor
    state: DaemonState
    expect_calls: Callable[[], None]
    """Prepares for calls: a session has begun."""


class Router:
    """One ROUTER socket and its peers."""

    def __init__(self, wire: Wire, core: Core, serve_session: SessionServer, log: Log) -> None:
        self._socket = wire.socket
        self._peers = wire.peers
        self._overfull = wire.overfull
        self._core = core
        self._serve_session = serve_session
        self._log = log
        self._untold: dict[bytes, bytes] = {}
        """Dropped peers to be told, each with the frame id to use: its HELLO's, or none."""
        self._has_untold = trio.Event()
        self._has_refused = False
        """Whether an overfull peer asked again since the loop's last pause."""
        self._in_progress: Counter[bytes] = Counter()
        self._is_idle = trio.Event()
        self._has_left = False

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve the socket until cancelled. It already listens."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self._socket.serve, partial(self._receive, nursery), self._pause)
            nursery.start_soon(self._expire_peers)
            nursery.start_soon(self._tell_dropped)
            task_status.started()
            await trio.sleep_forever()

    async def _pause(self) -> None:
        if self._has_refused and self._core.actor.waiting_jobs:
            self._has_refused = False
            with trio.move_on_after(REFUSING_RESTS_S):
                await self._core.actor.next_answer()
        else:
            await trio.lowlevel.checkpoint()

    async def drain(self) -> None:
        """Wait until no typed request is in progress."""
        while self._in_progress.total():
            self._is_idle = trio.Event()
            await self._is_idle.wait()

    def leave(self) -> None:
        """Announce the end to all peers; relays resend to the next daemon."""
        self._has_left = True
        for identity in self._peers.identities():
            self._send(identity, Frame(Kind.BYE, b"", b'{"stopped":%s}' % self._stopped_by_user()))

    def _stopped_by_user(self) -> bytes:
        return b"true" if self._core.state.is_stopped_by_user else b"false"

    # --- what came in ----------------------------------------------------------------------------

    def _receive(self, nursery: trio.Nursery, message: list[bytes]) -> None:
        """A bug becomes the answer to its sender alone."""
        identity, *parts = message
        try:
            frame = decode(parts)
        except FrameError as error:
            self._send_error(identity, b"", error)
            return
        try:
            match frame.kind:
                case Kind.REQUEST:
                    self._start_request(nursery, identity, frame)
                case Kind.HELLO:
                    self._greet(nursery, identity, frame)
                case Kind.MCP | Kind.PING | Kind.BYE:
                    self._receive_from_peer(identity, frame)
                case _:
                    text = f"A client does not send {frame.kind.name} frames."
                    self._send_error(identity, frame.id, PalimpError(ErrorCode.BAD_FRAME, text))
        except Exception as error:  # noqa: BLE001  a bug with one message must not end the daemon
            self._log.bug(error)
            self._send_error(identity, frame.id, bug_error(error))

    def _receive_from_peer(self, identity: bytes, frame: Frame) -> None:
        peer = self._peers.find(identity, trio.current_time())
        if frame.kind is Kind.BYE:
            if peer:
                self._forget(peer)
        elif peer is None:
            self._send(identity, Frame(Kind.RESET, frame.id))
        elif frame.kind is Kind.PING:
            self._send(identity, Frame(Kind.PONG, frame.id))
        else:
            self._hand_over(peer, frame)

    def _start_request(self, nursery: trio.Nursery, identity: bytes, frame: Frame) -> None:
        if identity in self._overfull:  # the work would be for nothing; if this arrives, the next is done again
            self._has_refused = True
            self._send(identity, Frame(Kind.ERROR, frame.id, _UNREAD))
            return
        if self._in_progress[identity] >= PEER_REQUESTS_MAX:
            self._send(identity, Frame(Kind.ERROR, frame.id, _IN_PROGRESS))
            return
        self._in_progress[identity] += 1
        try:
            began = self._core.dispatcher.begin()
            call = decode_call(frame.body)
            self._refuse_other_store(call.store)
            operation = operation_named(call.operation)
            request = decode_arguments(operation, bytes(call.arguments))
            job = self._core.dispatcher.job_for(operation, request, call.caller, frame.id)
            if job is None:
                ask = partial(self._core.dispatcher.answer, operation, request, call.caller, frame.id)
                nursery.start_soon(self._answer_in_task, identity, frame.id, ask, operation, began)
            else:
                # No task of its own for each request: under load, that would cost more than the request.
                tell = partial(self._answer, identity, frame.id, job.result, operation, began)
                self._core.actor.post(job.for_asker(identity).on_settle(tell))
        except PalimpError as error:
            self._send_error(identity, frame.id, error)
            self._done(identity)
        except Exception as error:  # noqa: BLE001  a bug in one request must not end the daemon
            self._log.bug(error)
            self._send_error(identity, frame.id, bug_error(error))
            self._done(identity)

    async def _answer_in_task(
        self, identity: bytes, frame_id: bytes, ask: Callable[[], Awaitable[Any]], operation: Operation, began: float
    ) -> None:
        try:
            reply = await ask()
        except PalimpError as error:
            self._send_error(identity, frame_id, error)
            self._done(identity)
            return
        self._answer(identity, frame_id, lambda: reply, operation, began)

    def _answer(
        self, identity: bytes, frame_id: bytes, result: Callable[[], Any], operation: Operation, began: float
    ) -> None:
        """Errors here reach nobody else."""
        self._core.dispatcher.end(operation, began)
        try:
            self._send(identity, Frame(Kind.REPLY, frame_id, msgspec.json.encode(result())))
        except PalimpError as error:
            self._send_error(identity, frame_id, error)
        except Exception as error:  # noqa: BLE001  an answer that cannot be encoded must not end the daemon
            self._log.bug(error)
            self._send_error(identity, frame_id, unsendable_error(error))
        self._done(identity)

    def _done(self, identity: bytes) -> None:
        self._in_progress[identity] -= 1
        if not self._in_progress[identity]:
            del self._in_progress[identity]
        self._is_idle.set()

    def _greet(self, nursery: trio.Nursery, identity: bytes, frame: Frame) -> None:
        try:
            hello = decode_hello(frame.body)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            self._send_error(identity, frame.id, RequestError(f"HELLO: {error}."))
            return
        try:
            self._refuse_other_store(hello.store)
        except PalimpError as error:
            self._send_error(identity, frame.id, error)
            return
        self._untold.pop(identity, None)
        peer = self._peers.open(identity, hello, trio.current_time())
        if peer is None:
            text = f"{len(self._peers)} sessions are open."
            self._send_error(identity, frame.id, PalimpError(ErrorCode.BUSY, text, "Close some, then try again."))
            return
        welcome = Welcome(boot=self._core.state.boot, version=running_version(), protocol=PROTOCOL_VERSION)
        self._send(identity, Frame(Kind.WELCOME, frame.id, msgspec.json.encode(welcome)))
        self._core.expect_calls()
        nursery.start_soon(self._serve_peer, peer)

    def _refuse_other_store(self, store: str) -> None:
        if store and self._core.state.store and store != self._core.state.store:
            raise PalimpError(
                ErrorCode.OTHER_STORE,
                "This daemon serves the store of another folder.",
                "Set PALIMP_HOME and PALIMP_SOCKET so that no two folders share a socket.",
            )

    def _hand_over(self, peer: Peer, frame: Frame) -> None:
        if not peer.inbox.put(frame.id, frame.body):
            self._log("peer_dropped", client=peer.hello.client, why="it sends faster than it is answered")
            self._forget(peer)
            self._send(peer.identity, Frame(Kind.RESET, frame.id))

    async def _serve_peer(self, peer: Peer) -> None:
        def send(frame_id: bytes, message: bytes) -> None:
            if not self._has_left:
                self._send(peer.identity, Frame(Kind.MCP if message else Kind.PONG, frame_id, message))

        try:
            with peer.scope:
                await self._serve_session(peer.hello, peer.inbox.give_to, send)
        except* Exception as errors:  # noqa: BLE001  a bug in one session must not end the daemon
            self._log.bug(errors)
            self._forget(peer)  # its next frame is answered with RESET, so it says HELLO and begins anew

    # --- what goes out ---------------------------------------------------------------------------

    def _send(self, identity: bytes, frame: Frame) -> None:
        sent = self._socket.send_nowait([identity, *encode(frame)])
        if sent is Sent.DONE:
            self._overfull.discard(identity)
            return
        if sent is Sent.UNREAD and identity not in self._overfull:
            self._log("answers_unread", what=f"{PEER_OUTBOX_FRAMES_MAX} of one connection; nothing more is done for it")
            self._overfull.add(identity)
        peer = self._peers.find(identity, trio.current_time())
        if sent is Sent.UNREAD and (peer or frame.kind is Kind.RESET):
            if frame.kind is Kind.WELCOME:
                self._untold[identity] = frame.id
            else:
                self._untold.setdefault(identity, b"")
            self._has_untold.set()
        if peer:
            self._log("peer_dropped", client=peer.hello.client, why="it is gone or does not read")
            self._forget(peer)

    def _send_error(self, identity: bytes, frame_id: bytes, error: PalimpError) -> None:
        self._send(identity, Frame(Kind.ERROR, frame_id, encode_error(error)))

    def _forget(self, peer: Peer) -> None:
        self._peers.remove(peer)

    async def _tell_dropped(self) -> None:
        while True:
            await self._has_untold.wait()
            for identity, frame_id in list(self._untold.items()):
                if self._socket.send_nowait([identity, *encode(Frame(Kind.RESET, frame_id))]) is not Sent.UNREAD:
                    del self._untold[identity]
            if self._untold:
                await trio.sleep(TELL_S)
            else:
                self._has_untold = trio.Event()

    async def _expire_peers(self) -> None:
        while True:
            await trio.sleep(HEARTBEAT_INTERVAL_S)
            self._overfull.clear()  # some of them are gone by now; who is not is found again with the next answer
            for peer in self._peers.remove_expired(trio.current_time()):
                self._log("peer_expired", client=peer.hello.client)
