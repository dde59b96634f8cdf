"""The adapter between ZeroMQ and trio: no message is lost, no wake-up to a send."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing
import zmq

from palimp_daemon.server.listener import ListenError, listening_socket, router
from palimp_daemon.server.zmq_socket import BATCH_MESSAGES_MAX, PARTS_MAX, Sent, TrioSocket
from palimp_protocol.errors import FrameError
from palimp_protocol.wire.frames import decode
from palimp_shim.transport.zmtp import OPENING


class Served:
    """A served ROUTER, what it was given, and a connected DEALER."""

    def __init__(self, adapter: TrioSocket, dealer: zmq.Socket[bytes]) -> None:
        self.adapter = adapter
        self.dealer = dealer
        self.given: list[list[bytes]] = []
        self.take: Callable[[list[bytes]], None] = self.given.append
        self.paused_at: list[int] = []
        """How many messages had been given whenever there was a pause."""
        self._came = trio.lowlevel.ParkingLot()

    def notice(self, message: list[bytes]) -> None:
        self.take(message)
        self._came.unpark_all()

    async def pause(self) -> None:
        self.paused_at.append(len(self.given))
        await trio.lowlevel.checkpoint()

    async def until(self, count: int) -> None:
        """Wait until *count* messages were given."""
        with trio.fail_after(60):
            while len(self.given) < count:
                await self._came.park()

    async def identity(self) -> bytes:
        """Return what the DEALER is called, which it must say something for."""
        self.dealer.send(b"hello")
        await self.until(1)
        return self.given.pop()[0]


@pytest.fixture
async def served(path: Path):
    """Nobody looks at the socket any more when it is closed."""
    with router(listening_socket(path), path, os.getuid()) as listening, zmq.Context() as context:
        async with trio.open_nursery() as serving:
            with context.socket(zmq.DEALER) as dealer:
                served = Served(TrioSocket(listening), dealer)
                await serving.start(served.adapter.serve, served.notice, served.pause)
                dealer.setsockopt(zmq.LINGER, 0)
                dealer.connect(f"ipc://{path}")
                yield served
                serving.cancel_scope.cancel()


async def test_messages_are_given_in_their_order(served: Served):
    """More than are taken at once, too."""
    for number in range(3 * BATCH_MESSAGES_MAX):
        served.dealer.send(b"%d" % number)
    await served.until(3 * BATCH_MESSAGES_MAX)
    assert [message[1] for message in served.given] == [b"%d" % number for number in range(3 * BATCH_MESSAGES_MAX)]


async def test_after_as_many_messages_as_are_taken_at_once_is_a_pause(served: Served, monkeypatch):
    """In which whoever serves them may have others go first."""
    monkeypatch.setattr("palimp_daemon.server.zmq_socket.BATCH_MESSAGES_MAX", 1)
    for number in range(1, 4):
        served.dealer.send(b"one")
        await served.until(number)
    await trio.testing.wait_all_tasks_blocked()
    assert served.paused_at == [1, 2, 3]


async def test_sending_loses_no_wake_up(served: Served):
    """A request that arrives during a burst of sends is given, hundreds of times."""
    identity = await served.identity()
    for number in range(300):
        served.dealer.send(b"request")
        for _ in range(20):
            assert served.adapter.send_nowait([identity, b"burst"]) is Sent.DONE
        await served.until(number + 1)
        while served.dealer.poll(0):
            served.dealer.recv()


async def test_an_answer_at_once_loses_no_wake_up(served: Served):
    """What is sent while a message is being taken may have consumed the signal for the next one."""
    identity = await served.identity()

    def answer(message: list[bytes]) -> None:
        served.given.append(message)
        assert served.adapter.send_nowait([identity, b"answer"]) is Sent.DONE

    served.take = answer
    for number in range(300):
        served.dealer.send(b"one")
        served.dealer.send(b"two")
        await served.until(2 * number + 2)


async def test_sending_together_loses_no_wake_up(served: Served):
    """What arrives during such a burst is given, too, though it is looked for once only."""
    identity = await served.identity()

    def burst() -> None:
        for _ in range(20):
            assert served.adapter.send_nowait([identity, b"burst"]) is Sent.DONE

    for number in range(300):
        served.dealer.send(b"request")
        served.adapter.send_together(burst)
        await served.until(number + 1)
        while served.dealer.poll(0):
            served.dealer.recv()


async def test_messages_come_as_the_parts_that_were_sent(served: Served):
    """As many as a frame has and one more, also empty ones."""
    sent = [[b""], [b"one"], [b"", b"x" * 70_000, b""], [b"%d" % number for number in range(PARTS_MAX - 1)]]
    for parts in sent:
        served.dealer.send_multipart(parts)
    await served.until(len(sent))
    assert [message[1:] for message in served.given] == sent


async def test_of_a_message_with_many_parts_no_more_is_kept_than_shows_that_it_is_none(served: Served):
    identity = await served.identity()
    served.dealer.send_multipart([b"%d" % number for number in range(10_000)])
    served.dealer.send_multipart([b"next"])
    await served.until(2)
    assert served.given == [[identity, *(b"%d" % number for number in range(PARTS_MAX - 1))], [identity, b"next"]]
    with pytest.raises(FrameError, match="more"):
        decode(served.given[0][1:])


async def test_a_message_without_an_end_holds_up_nobody_and_ends_with_its_connection(served: Served, path: Path):
    """The library bounds each part, not their number: only the end of the connection lets go of what came of it."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(path))
        with suppress(ConnectionResetError, BrokenPipeError):  # the library may end it by itself
            peer.sendall(OPENING)
            for _ in range(1_000):
                peer.sendall(b"\x01\x80" + bytes(0x80))  # more follows, 128 bytes
        served.dealer.send(b"another")
        await served.until(1)
    served.dealer.send(b"after it")
    await served.until(2)
    assert [message[1:] for message in served.given] == [[b"another"], [b"after it"]]


async def test_a_peer_that_is_gone_is_noticed(served: Served):
    """Sending to it says so instead of losing the message in silence."""
    assert served.adapter.send_nowait([b"nobody", b"x"]) is Sent.GONE


async def test_a_peer_that_does_not_read_is_noticed(served: Served):
    """Its outbox is bounded, and what does not fit is refused, not dropped."""
    identity = await served.identity()
    with trio.fail_after(60):
        while (sent := served.adapter.send_nowait([identity, b"x" * 10_000])) is Sent.DONE:
            await trio.lowlevel.checkpoint()
    assert sent is Sent.UNREAD


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
