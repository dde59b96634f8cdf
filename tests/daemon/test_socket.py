"""The adapter between ZeroMQ and trio: no message is lost to a cancellation, no wake-up to a send."""

import os
from pathlib import Path

import pytest
import trio
import zmq

from palimp_daemon.gateway.listener import ListenError, listening_socket, router
from palimp_daemon.gateway.socket import TrioSocket
from running_daemon import fresh_home


@pytest.fixture
def path():
    folder = fresh_home()
    yield folder / "test.sock"
    for left in folder.iterdir():
        left.unlink()
    folder.rmdir()


@pytest.fixture
async def pair(path: Path):
    """A served ROUTER and a connected DEALER; nobody looks at the socket any more when it is closed."""
    with router(listening_socket(path), path, os.getuid()) as served, zmq.Context() as context:
        async with trio.open_nursery() as serving:
            adapter = TrioSocket(served)
            await serving.start(adapter.pump)
            with context.socket(zmq.DEALER) as dealer:
                dealer.setsockopt(zmq.LINGER, 0)
                dealer.connect(f"ipc://{path}")
                yield adapter, dealer
            serving.cancel_scope.cancel()


async def test_a_cancelled_receive_takes_no_message(pair):
    """Whoever receives next gets it."""
    adapter, dealer = pair
    for number in range(50):
        with trio.move_on_after(0):
            await adapter.receive()
        dealer.send(b"%d" % number)
        with trio.fail_after(5):
            assert (await adapter.receive())[0][1] == b"%d" % number


async def test_sending_loses_no_wake_up(pair):
    """A request that arrives during a burst of sends wakes the receiver, hundreds of times."""
    adapter, dealer = pair
    dealer.send(b"hello")
    with trio.fail_after(5):
        identity = (await adapter.receive())[0][0]
    for _ in range(300):
        got: list[list[bytes]] = []

        async def receive(into: list[list[bytes]] = got) -> None:
            into.extend(await adapter.receive())

        with trio.fail_after(5):
            async with trio.open_nursery() as receiver:
                receiver.start_soon(receive)
                await trio.lowlevel.checkpoint()
                dealer.send(b"request")
                for _ in range(20):
                    assert adapter.send_nowait([identity, b"burst"])
        assert got[0][1] == b"request"
        while dealer.poll(0):
            dealer.recv()


async def test_a_peer_that_is_gone_is_noticed(pair):
    """Sending to it says so instead of losing the message in silence."""
    adapter, _ = pair

    assert adapter.send_nowait([b"nobody", b"x"]) is False


async def test_a_peer_that_does_not_read_is_noticed(pair):
    """Its outbox is bounded, and what does not fit is refused, not dropped."""
    adapter, dealer = pair
    dealer.send(b"hello")
    with trio.fail_after(5):
        identity = (await adapter.receive())[0][0]

    with trio.fail_after(20):
        while adapter.send_nowait([identity, b"x" * 10_000]):
            await trio.lowlevel.checkpoint()


def test_the_listening_socket_is_private(path: Path):
    """Only its owner may connect."""
    listener = listening_socket(path)

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    listener.close()


def test_a_stale_socket_is_replaced_and_a_file_is_not(path: Path):
    """Only what is a socket is removed."""
    listening_socket(path).close()
    listening_socket(path).close()
    path.unlink()
    path.write_text("precious")

    with pytest.raises(ListenError, match="not a socket"):
        listening_socket(path)
    assert path.read_text() == "precious"


def test_an_open_folder_is_closed(path: Path):
    """A socket folder that others could enter is made private."""
    path.parent.chmod(0o777)

    listening_socket(path).close()

    assert path.parent.stat().st_mode & 0o777 == 0o700
