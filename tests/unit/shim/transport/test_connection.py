"""A client's connection against libzmq, which is what the daemon has."""

import contextlib
import select
import socket
import threading
import time
from functools import partial

import pytest
import zmq

from palimp_protocol.wire.frames import Frame, Kind
from palimp_shim.transport.connection import Connection
from palimp_shim.transport.zmtp import OPENING, encode_message

WITHIN_S = 10.0
HEARTBEAT_MS = 20


@pytest.fixture
def echoing(home):
    """A ROUTER of libzmq that answers each frame with a REPLY of twice its body."""
    path = home / "s"
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.setsockopt(zmq.LINGER, 0)
    router.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS)
    router.setsockopt(zmq.HEARTBEAT_TIMEOUT, 5 * HEARTBEAT_MS)
    router.bind(f"ipc://{path}")

    def echo() -> None:
        try:
            while True:
                identity, _, frame_id, body = router.recv_multipart()
                router.send_multipart([identity, bytes((1, Kind.REPLY)), frame_id, body * 2])
        except zmq.ContextTerminated:
            router.close()

    thread = threading.Thread(target=echo)
    thread.start()
    yield path
    context.term()
    thread.join()


def connected(path) -> Connection:
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(path))
    return Connection(client)


def soon() -> float:
    return time.monotonic() + WITHIN_S


def question(body: bytes, number: int = 0) -> Frame:
    return Frame(Kind.REQUEST, b"id%d" % number, body)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 255, 256, 70_000, 2_000_000])
def test_messages_of_every_length_go_and_come(echoing, size):
    with connected(echoing) as connection:
        for number in range(3):
            assert connection.ask(question(b"x" * size, number), soon()).body == b"x" * 2 * size


def test_what_is_said_before_the_other_side_is_ready_is_sent_then(echoing):
    """On 200 connections: libzmq ends one on which a message comes too soon."""
    for _ in range(200):
        with connected(echoing) as connection:
            assert not connection.is_ready
            assert connection.ask(question(b"x"), soon()).body == b"xx"


def test_a_connection_on_which_nothing_is_said_stays(echoing):
    """The other side's heartbeats are answered; it would end the connection after five that are not."""
    with connected(echoing) as connection:
        connection.ask(question(b"x"), soon())
        poller = select.poll()
        poller.register(connection, select.POLLIN)
        for _ in range(20):
            assert poller.poll(WITHIN_S * 1000)
            assert connection.receive() == []  # a heartbeat, and nothing else
        assert connection.ask(question(b"y", 1), soon()).body == b"yy"


def test_a_last_word_arrives_though_answers_are_unread():
    """To close a socket with something unread takes back what the other side has not read."""
    ours, theirs = socket.socketpair()
    connection = Connection(ours)
    theirs.sendall(OPENING)
    connection.receive()
    theirs.sendall(encode_message([b"unread"]))

    def leave() -> None:
        with contextlib.suppress(ConnectionError):
            connection.leave(Frame(Kind.BYE, b"", b"last word"), soon())
        connection.close()

    leaving = threading.Thread(target=leave)
    leaving.start()
    ended = select.poll()
    ended.register(theirs, select.POLLRDHUP)
    assert ended.poll(WITHIN_S * 1000)
    read = b"".join(iter(partial(theirs.recv, 1 << 16), b""))
    theirs.close()
    leaving.join()

    assert read.endswith(b"last word")


def test_it_does_not_wait_longer_than_it_may(home):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(home / "s"))
        silent.listen()
        with connected(home / "s") as connection:
            with pytest.raises(TimeoutError):
                connection.ask(question(b"x"), time.monotonic() + 0.05)
            with pytest.raises(TimeoutError):
                connection.ask(question(b"x"), time.monotonic() - 1)


def test_an_end_in_the_middle_is_an_error():
    ours, theirs = socket.socketpair()
    with Connection(ours) as connection:
        theirs.send(OPENING + b"\x01\x02")
        theirs.close()
        with pytest.raises(OSError, match=r"closed|reset|Broken"):
            connection.ask(question(b"x"), soon())
