"""A client's connection against libzmq, which is what the daemon has."""

import socket
import threading
import time

import pytest
import zmq

from palimp_protocol.frames import Frame, Kind
from palimp_shim.connection import Connection
from palimp_shim.zmtp import OPENING

WITHIN_S = 10.0
HEARTBEAT_MS = 20


@pytest.fixture
def echoing(home):
    """A ROUTER of libzmq that answers each frame with a REPLY of twice its body; BYE makes it say who it was."""
    path = home / "s"
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.setsockopt(zmq.LINGER, 0)
    router.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS)
    router.setsockopt(zmq.HEARTBEAT_TIMEOUT, 5 * HEARTBEAT_MS)
    router.bind(f"ipc://{path}")
    left: list[bytes] = []

    def echo() -> None:
        try:
            while True:
                identity, head, frame_id, body = router.recv_multipart()
                if head[1] == Kind.BYE:
                    left.append(body)
                else:
                    router.send_multipart([identity, bytes((1, Kind.REPLY)), frame_id, body * 2])
        except zmq.ContextTerminated:
            router.close()

    thread = threading.Thread(target=echo)
    thread.start()
    yield path, left
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
    with connected(echoing[0]) as connection:
        for number in range(3):
            assert connection.ask(question(b"x" * size, number), soon()).body == b"x" * 2 * size


def test_what_is_said_before_the_other_side_is_ready_is_sent_then(echoing):
    """On 200 connections: libzmq ends one on which a message comes too soon."""
    for _ in range(200):
        with connected(echoing[0]) as connection:
            assert not connection.is_ready
            assert connection.ask(question(b"x"), soon()).body == b"xx"


def test_a_connection_on_which_nothing_is_said_stays(echoing):
    """The other side's heartbeats are answered; it would end the connection after five that are not."""
    with connected(echoing[0]) as connection:
        connection.ask(question(b"x"), soon())
        until = time.monotonic() + 20 * HEARTBEAT_MS / 1000
        while time.monotonic() < until:
            with pytest.raises(TimeoutError):
                connection.ask(Frame(Kind.BYE, b"nobody answers this"), time.monotonic() + HEARTBEAT_MS / 1000)
        assert connection.ask(question(b"y", 1), soon()).body == b"yy"


def test_a_last_word_arrives_though_answers_are_unread(echoing):
    path, left = echoing
    for number in range(100):
        connection = connected(path)
        connection.ask(question(b"x"), soon())
        connection.send([bytes((1, Kind.REQUEST)), b"unread", b"x" * 1000])
        with pytest.raises(ConnectionError):
            connection.leave(Frame(Kind.BYE, b"", b"%d" % number), soon())
        connection.close()
    with connected(path) as connection:
        connection.ask(question(b"all before this was read"), soon())
    assert sorted(map(int, left)) == list(range(100))


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
