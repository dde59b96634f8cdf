"""The hooks' own ZMTP against libzmq."""

import socket
import threading
import time

import pytest
import zmq

from palimp_shim.hooks.zmtp import Connection

WITHIN_S = 10.0


@pytest.fixture
def echoing(home):
    """A ROUTER of libzmq that sends back what it gets, twice as long."""
    path = home / "s"
    context = zmq.Context()
    router = context.socket(zmq.ROUTER)
    router.setsockopt(zmq.LINGER, 0)
    router.bind(f"ipc://{path}")

    def echo() -> None:
        try:
            while True:
                identity, *parts = router.recv_multipart()
                router.send_multipart([identity, *(part * 2 for part in parts)])
        except zmq.ContextTerminated:
            router.close()

    thread = threading.Thread(target=echo)
    thread.start()
    yield path
    context.term()
    thread.join()


@pytest.mark.parametrize("size", [0, 1, 127, 128, 255, 256, 70_000])
def test_messages_of_every_length_go_and_come(echoing, size):
    with Connection(echoing, time.monotonic() + WITHIN_S) as connection:
        for _ in range(3):
            connection.send([b"head", b"x" * size, b""])
            assert connection.receive() == [b"headhead", b"x" * 2 * size, b""]


def test_it_does_not_wait_longer_than_it_may(echoing):
    with Connection(echoing, time.monotonic() + 0.2) as connection:
        with pytest.raises(OSError, match=r"time|timed out"):
            connection.receive()
        with pytest.raises(OSError, match="time"):
            connection.send([b"x"])


def test_a_socket_that_nobody_answers_is_an_error(home):
    with pytest.raises(OSError, match="No such file"), Connection(home / "nothing", time.monotonic() + 1):
        pass


def test_what_is_no_zmtp_is_an_error(home):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(home / "s"))
    server.listen()

    def answer() -> None:
        client, _ = server.accept()
        with client:
            client.sendall(b"\xff" * 64 + b"\x02" + b"\xff" * 8)
            client.recv(1 << 16)

    thread = threading.Thread(target=answer)
    thread.start()
    with (
        Connection(home / "s", time.monotonic() + WITHIN_S) as connection,
        pytest.raises(OSError, match="no message"),
    ):
        connection.receive()
    thread.join()
    server.close()
