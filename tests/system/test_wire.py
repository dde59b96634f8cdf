"""The wire as any client sees it: frames in, frames out, against a running daemon."""

import json
import os

import pytest
import zmq
from running_daemon import RunningDaemon, palimp_environment, temporary_home

from palimp_protocol.wire.frames import Frame, Kind, decode, encode

ANSWER_MS = 20_000


class BareWire:
    """A DEALER that sends and receives frames."""

    def __init__(self, context: zmq.Context, path) -> None:
        self.socket = context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.connect(f"ipc://{path}")

    def ask(self, kind: Kind, body: object = None, frame_id: bytes = b"1") -> Frame:
        data = b"" if body is None else json.dumps(body).encode()
        self.socket.send_multipart(encode(Frame(kind, frame_id, data)))
        return self.read()

    def read(self) -> Frame:
        assert self.socket.poll(ANSWER_MS), "no answer"
        return decode(self.socket.recv_multipart())


@pytest.fixture(scope="module")
def daemon():
    """A running daemon, the same for all tests: none of them minds what the others have said."""
    with temporary_home() as home:
        running = RunningDaemon(palimp_environment(home))
        running.start()
        yield running
        running.stop()


@pytest.fixture
def wire(daemon: RunningDaemon):
    """A client of the daemon."""
    with zmq.Context() as context:
        client = BareWire(context, daemon.socket)
        yield client
        client.socket.close()


HELLO = {"client": "c" * 32, "version": "0.1.0"}
SAVE = {"operation": "save_memory", "arguments": {"text": "Over the bare wire."}}


def test_a_request_needs_no_hello(wire: BareWire):
    """The reply carries the request's id."""
    reply = wire.ask(Kind.REQUEST, SAVE, b"my-id")

    assert (reply.kind, reply.id) == (Kind.REPLY, b"my-id")
    assert json.loads(reply.body)["title"] == "Over the bare wire"


def test_a_request_sent_again_is_applied_once(wire: BareWire):
    """The second reply is the first one."""
    save = {"operation": "save_memory", "arguments": {"text": "Said twice."}}
    first, second = wire.ask(Kind.REQUEST, save, b"same"), wire.ask(Kind.REQUEST, save, b"same")
    third = wire.ask(Kind.REQUEST, save, b"other")

    assert first.body == second.body != third.body


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"operation": "nonsense"}, "unknown_operation"),
        ({"operation": "recall", "arguments": {"limit": 0}}, "bad_request"),
        ({"operation": "recall", "arguments": {"query": 1}}, "bad_request"),
        ({"operation": 1}, "bad_request"),
        ([], "bad_request"),
    ],
)
def test_a_wrong_request_is_answered_with_its_error(wire: BareWire, body: object, code: str):
    """Code, text and hint, under the request's id."""
    answer = wire.ask(Kind.REQUEST, body, b"x")

    assert (answer.kind, answer.id) == (Kind.ERROR, b"x")
    assert json.loads(answer.body)["code"] == code


def test_hello_is_answered_with_welcome(wire: BareWire):
    """Which says who the daemon is."""
    welcome = wire.ask(Kind.HELLO, HELLO)

    assert welcome.kind is Kind.WELCOME
    assert set(json.loads(welcome.body)) == {"boot", "version", "protocol"}
    assert wire.ask(Kind.PING).kind is Kind.PONG


@pytest.mark.parametrize("kind", [Kind.PING, Kind.MCP])
def test_an_unknown_peer_is_told_to_say_hello(wire: BareWire, kind: Kind):
    """RESET carries the frame's id."""
    assert wire.ask(kind, {}, b"7") == Frame(Kind.RESET, b"7")


def test_a_peer_that_said_bye_is_unknown(wire: BareWire):
    """Its session is over."""
    wire.ask(Kind.HELLO, HELLO)
    wire.socket.send_multipart(encode(Frame(Kind.BYE, b"")))

    assert wire.ask(Kind.PING).kind is Kind.RESET


@pytest.mark.parametrize("kind", [Kind.WELCOME, Kind.REPLY, Kind.ERROR, Kind.RESET, Kind.PONG])
def test_what_only_the_daemon_sends_is_refused(wire: BareWire, kind: Kind):
    """With an error that names the kind."""
    answer = wire.ask(kind, {})

    assert json.loads(answer.body)["code"] == "bad_frame"
    assert kind.name in json.loads(answer.body)["text"]


def test_another_version_is_refused_in_words(wire: BareWire):
    """So that an older client can show its user one clear sentence."""
    wire.socket.send_multipart([bytes((99, Kind.PING)), b"", b""])

    assert json.loads(wire.read().body)["code"] == "unsupported_version"


def test_mcp_answers_carry_the_id_of_the_frame_they_answer(wire: BareWire):
    """So nobody has to look into a body to match them."""
    wire.ask(Kind.HELLO, HELLO)

    answer = wire.ask(Kind.MCP, {"jsonrpc": "2.0", "id": "a", "method": "ping"}, b"frame-9")

    assert (answer.kind, answer.id) == (Kind.MCP, b"frame-9")
    assert json.loads(answer.body) == {"jsonrpc": "2.0", "id": "a", "result": {}}


def test_work_on_a_long_request_is_told_under_its_id(wire: BareWire):
    """With PONG, also to a client that did not ask for progress; then comes the answer."""
    info = {"name": "t", "version": "1"}
    begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    for text in ("Tests need a running Postgres server.", "The tests need a running Postgres server!"):
        wire.ask(Kind.REQUEST, {"operation": "save_memory", "arguments": {"text": text}}, text[:3].encode())
    wire.ask(Kind.HELLO, HELLO)
    wire.ask(Kind.MCP, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}, b"begin")
    call = {"name": "compact", "arguments": {"apply": True}}

    signs = [wire.ask(Kind.MCP, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, b"long")]
    while (answer := wire.read()).kind is not Kind.MCP:
        signs.append(answer)

    assert {(sign.kind, sign.id, sign.body) for sign in signs} == {(Kind.PONG, b"long", b"")}
    assert (answer.id, json.loads(answer.body)["id"]) == (b"long", 2)


def test_health_tells_what_it_is(wire: BareWire, daemon):
    """The pid is the daemon's, the store is there."""
    health = json.loads(wire.ask(Kind.REQUEST, {"operation": "health"}).body)

    assert health["pid"] == daemon.pid != os.getpid()
    assert health["store"]["engine"] == "fts5"
    assert health["problem"] == ""
