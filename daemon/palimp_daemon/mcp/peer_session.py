"""Serve one peer's MCP session in both protocol eras, and replay it after a reconnect.

Clients speak the handshake era (2024-11-05 to 2025-11-25) or the stateless one (2026-07-28), and some probe one first;
the SDK locks a stream to the era of its first request. So a peer has two streams: requests with the version in `_meta`,
except `initialize`, go to the stateless one, `notifications/cancelled` to that of its request, the rest to the other.

After a reconnect the client's `initialize`, from HELLO, is replayed under our id, and its answer swallowed.
"""

import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple, cast

import mcp_types as types
import trio
from mcp.server.runner import serve_dual_era_loop, serve_loop
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from msgspec import UnsetType
from pydantic import ValidationError

from palimp_daemon.mcp.list_changed import TOOLS_CHANGED, Changed
from palimp_daemon.mcp.plain_calls import VERSION_KEY, PlainCall, plain_answer, plain_call_in
from palimp_daemon.mcp.request_caller import Client, FromRelay
from palimp_daemon.mcp.sdk_streams import Incoming, Outgoing
from palimp_daemon.mcp.server import PalimpServer, initialization_options
from palimp_daemon.store.worker.refusals import bug_error, unsendable_error
from palimp_protocol.errors import FrameError, PalimpError
from palimp_protocol.limits import PEER_INBOX_FRAMES_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.surrogates import mended_json
from palimp_protocol.text import encodable

REPLAY_ID: Final = "palimp-replayed-initialize"
"""Id of a replayed `initialize`; a client using the same would only miss that answer."""

STREAM_MESSAGES_MAX: Final = PEER_INBOX_FRAMES_MAX + 2
"""Messages on their way to the SDK: a peer's before its session, and a replay."""

CANCELLED: Final = "notifications/cancelled"

ID_DIGITS_MAX: Final = 18
"""Digits of our ids' number, the session's count of questions."""

HANDSHAKE: Final = "handshake"
STATELESS: Final = "stateless"


GiveTo = Callable[[Callable[[bytes, bytes], bool]], None]
"""Passes the client's JSON-RPC messages, with their frames' ids, to a function from now on; it returns False for one it
cannot take.
"""

Send = Callable[[bytes, bytes], None]
"""Sends a JSON-RPC message under the id of the frame it answers, or none."""

ReportBug = Callable[[Exception], None]


class _Session:
    def __init__(self, server: PalimpServer, caller: Caller, send: Send, report_bug: ReportBug) -> None:
        self._report_bug = report_bug
        self._server = server
        self._caller = caller
        self._send = send
        self._streams: dict[str, Incoming] = {}
        self._in_progress: dict[types.RequestId, tuple[str, bytes]] = {}
        self._is_closed = False
        self._client: Client | None = None
        """Set once the SDK has taken a call of the handshake era."""
        self._handshakes = 0
        self._plain: dict[int | str, trio.CancelScope] = {}
        """Calls answered without the SDK."""
        self._own = f"palimp-{secrets.token_hex(4)}-"
        """Prefix of our own requests' ids."""

    def tell(self, notification: bytes) -> None:
        if HANDSHAKE in self._streams:
            self._send(b"", notification)

    def close(self) -> None:
        self._is_closed = True
        for stream in self._streams.values():
            stream.close()

    def send(self, message: types.JSONRPCMessage) -> None:
        frame_id = b""
        message = self._asked_by_us(message)
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            if message.id not in self._in_progress:
                return  # answered before, or cancelled; without its frame's id the client would get it as something new
            _, frame_id = self._in_progress.pop(message.id)
            if message.id == REPLAY_ID:
                return
        self._send_encoded(
            frame_id,
            lambda: message.model_dump_json(by_alias=True, exclude_unset=True).encode(),
            partial(self._refuse, message, frame_id),
        )

    def _refuse(self, message: types.JSONRPCMessage, frame_id: bytes, error: PalimpError) -> None:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._send_failure(message.id, frame_id, error)

    def _send_encoded(
        self, frame_id: bytes, encode: Callable[[], bytes], refuse: Callable[[PalimpError], None]
    ) -> None:
        try:
            self._send(frame_id, encode())
        except FrameError as error:
            refuse(error)
        except Exception as error:  # noqa: BLE001  an answer that cannot be encoded must not end the session
            self._report_bug(error)
            refuse(unsendable_error(error))

    def _asked_by_us(self, message: types.JSONRPCMessage) -> types.JSONRPCMessage:
        """Make ids unique: the SDK counts from one, and a client may still answer a former daemon."""
        if isinstance(message, types.JSONRPCRequest):
            return message.model_copy(update={"id": f"{self._own}{message.id}"})
        if isinstance(message, types.JSONRPCNotification) and message.method == CANCELLED:
            params = message.params or {}
            return message.model_copy(update={"params": {**params, "requestId": f"{self._own}{params['requestId']}"}})
        return message

    def _send_failure(self, request_id: types.RequestId | None, frame_id: bytes, error: PalimpError) -> None:
        text = f"{error.code}: {encodable(str(error))}"
        answer = {"jsonrpc": "2.0", "id": request_id, "error": {"code": types.INTERNAL_ERROR, "message": text}}
        with suppress(FrameError):  # an id that fills a frame by itself
            self._send(frame_id, json.dumps(answer).encode())

    def replay(self, nursery: trio.Nursery, initialize: dict[str, Any], *, initialized: bool) -> None:
        request = {**initialize, "id": REPLAY_ID}
        try:
            message = types.jsonrpc_message_adapter.validate_python(request, by_name=False)
        except ValidationError:
            return  # the daemon before this one has refused it, too, and the client knows
        self._feed(nursery, message, b"")
        if initialized:
            notification = types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
            self._feed(nursery, notification, b"")

    def receive(self, nursery: trio.Nursery, frame_id: bytes, body: bytes) -> bool:
        if self._is_closed:
            return True
        if self._client and not self._in_progress and (call := plain_call_in(body)) is not None:
            self._in_progress[call.id] = (HANDSHAKE, frame_id)
            self._plain[call.id] = trio.CancelScope()
            nursery.start_soon(self._answer_plainly, nursery, self._client, call, frame_id, body)
            return True
        try:
            message = _message(body)
        except ValidationError as error:
            self._send(frame_id, _parse_error(body, error))
            return True
        return self._feed(nursery, message, frame_id)

    async def _answer_plainly(
        self, nursery: trio.Nursery, client: Client, call: PlainCall, frame_id: bytes, body: bytes
    ) -> None:
        named, scope, answer = call.params, self._plain[call.id], None
        try:
            with scope:
                meta = None if isinstance(named.meta, UnsetType) else named.meta
                calls = self._server.tool_calls
                caller = calls.caller(self._caller, client.name, meta)
                answer = await calls.answer_plainly(
                    named.name, named.arguments or {}, caller, frame_id, can_ask=client.can_ask
                )
        finally:
            if self._plain.get(call.id) is scope:
                del self._plain[call.id]
        if scope.cancelled_caught or self._is_closed or call.id not in self._in_progress:
            return
        if answer is None:
            self._feed(nursery, _message(body), frame_id)
            return
        del self._in_progress[call.id]
        told = answer
        self._send_encoded(
            frame_id,
            lambda: plain_answer(call.id, told),
            lambda error: self._send_failure(call.id, frame_id, error),
        )

    def _note_client(self, handshakes: int, client: Client) -> None:
        if handshakes == self._handshakes and client.name:
            self._client = client

    def _feed(self, nursery: trio.Nursery, message: types.JSONRPCMessage, frame_id: bytes) -> bool:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            own, _, number = str(message.id).rpartition("-")
            if f"{own}-" != self._own or not number.isdecimal() or len(number) > ID_DIGITS_MAX:
                return True  # it answers another daemon's question, or none
            message = message.model_copy(update={"id": int(number)})
        era = self._era(message)
        if isinstance(message, types.JSONRPCRequest):
            self._in_progress[message.id] = (era, frame_id)
            if message.method == "initialize":
                self._client, self._handshakes = None, self._handshakes + 1
        if era not in self._streams:
            self._streams[era] = self._open_stream(nursery, era)
        note_client = partial(self._note_client, self._handshakes if era == HANDSHAKE else -1)
        origin = FromRelay(frame_id, partial(self._send, frame_id, b""), note_client)
        return self._streams[era].put(SessionMessage(message, ServerMessageMetadata(request_context=origin)))

    def _era(self, message: types.JSONRPCMessage) -> str:
        if not isinstance(message, types.JSONRPCRequest | types.JSONRPCNotification):
            return HANDSHAKE
        params = message.params or {}
        if message.method == CANCELLED:
            cancelled = params.get("requestId")
            # A cancelled request is never answered, so this is where it is forgotten.
            known = isinstance(cancelled, str | int) and self._in_progress.pop(cancelled, None)
            if known and (scope := self._plain.get(cast("str | int", cancelled))):
                scope.cancel()
            return known[0] if known else HANDSHAKE
        meta = params.get("_meta")
        is_stateless = isinstance(meta, dict) and VERSION_KEY in meta and message.method != "initialize"
        return STATELESS if is_stateless else HANDSHAKE

    def _open_stream(self, nursery: trio.Nursery, era: str) -> Incoming:
        incoming = Incoming(STREAM_MESSAGES_MAX)
        serve = serve_loop if era == HANDSHAKE else serve_dual_era_loop

        async def run() -> None:
            try:
                await serve(
                    self._server,
                    incoming,
                    Outgoing(self.send),
                    lifespan_state=self._caller,
                    init_options=initialization_options(self._server),
                )
            except* Exception as errors:
                for request_id, (of_era, frame_id) in list(self._in_progress.items()):
                    if of_era == era:
                        del self._in_progress[request_id]
                        self._send_failure(request_id, frame_id, bug_error(errors))
                raise  # whoever serves the peer logs it and has the client begin anew

        nursery.start_soon(run)
        return incoming


class Before(NamedTuple):
    """The client's handshake with a former daemon."""

    initialize: dict[str, Any] | None = None
    is_initialized: bool = False
    is_upgraded: bool = False
    """Whether another version's daemon served it: tools may differ."""


async def serve_session(
    served: tuple[PalimpServer, Changed],
    caller: Caller,
    before: Before,
    give_to: GiveTo,
    send: Send,
    report_bug: ReportBug,
) -> None:
    """Serve one peer until cancelled. *served* is the server and its notifications.

    *give_to* is called once, with the receiver of the peer's messages; *report_bug* logs an exception that costs an
    answer.
    """
    server, changed = served
    session = _Session(server, caller, send, report_bug)
    async with trio.open_nursery() as nursery:
        with changed.notifying(caller, session.tell):
            try:
                if before.initialize is not None:
                    session.replay(nursery, before.initialize, initialized=before.is_initialized)
                if before.is_upgraded:
                    changed.greet(caller)
                    if before.is_initialized:
                        session.tell(TOOLS_CHANGED)
                give_to(partial(session.receive, nursery))
                await trio.sleep_forever()
            finally:
                session.close()


def _message(body: bytes) -> types.JSONRPCMessage:
    """Return the message in *body*, with lone surrogates mended if necessary.

    Raises:
        ValidationError: it is no message.
    """
    try:
        return types.jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError:
        mended = mended_json(body)
        if mended == body:
            raise
        message = types.jsonrpc_message_adapter.validate_json(mended, by_name=False)
        if isinstance(message, types.JSONRPCRequest) and message.id != json.loads(body)["id"]:
            raise  # an answer under another id would never be received
        return message


def _parse_error(body: bytes, error: ValidationError) -> bytes:
    try:
        message: Any = json.loads(body)
    except (ValueError, RecursionError):
        message, code = None, types.PARSE_ERROR
    else:
        code = types.INVALID_REQUEST
    fields = cast("dict[str, Any]", message) if isinstance(message, dict) else {}
    found = fields.get("id")
    request_id = found if isinstance(found, str | int) and not isinstance(found, bool) else None
    reason = error.errors(include_url=False, include_input=False)[0]["msg"]
    answer = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": f"Not a message: {reason}"}}
    return json.dumps(answer).encode()
