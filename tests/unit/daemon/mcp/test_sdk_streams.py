"""What the SDK's loops read from and write to: no pass through the scheduler that nobody needs, and no message lost."""

import mcp_types as types
import pytest
import trio
import trio.testing
from mcp.shared.message import SessionMessage

from palimp_daemon.mcp.sdk_streams import Incoming, Outgoing


def message(number: int) -> SessionMessage:
    return SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=number, method="ping"))


async def test_what_is_there_is_read_at_once():
    """Without a checkpoint, which would be a pass through the scheduler for each message."""
    incoming = Incoming(1)
    assert incoming.put(message(0))
    with trio.testing.assert_no_checkpoints():
        assert (await incoming.receive()).message.id == 0


async def test_what_is_begun_for_one_message_comes_before_the_next():
    """Of several that are there together: a save and a question behind it are worked on in that order."""
    incoming, begun = Incoming(50), list[int]()
    for number in range(50):
        assert incoming.put(message(number))
    incoming.close()

    async def begin(number: int) -> None:
        begun.append(number)

    async with trio.open_nursery() as nursery:
        async for each in incoming:
            nursery.start_soon(begin, each.message.id)

    assert begun == [*range(50)]


async def test_a_reader_waits_for_what_comes(autojump_clock: trio.testing.MockClock):
    """And is woken by it."""
    incoming = Incoming(1)
    read: list[SessionMessage] = []

    async def reader() -> None:
        read.extend([each async for each in incoming])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader)
        for number in range(3):
            await trio.testing.wait_all_tasks_blocked()
            assert incoming.put(message(number))
        await trio.testing.wait_all_tasks_blocked()
        incoming.close()

    assert [each.message.id for each in read] == [0, 1, 2]


async def test_only_so_many_wait():
    """Whoever sends faster than is read is told."""
    incoming = Incoming(2)
    assert [incoming.put(message(number)) for number in range(3)] == [True, True, False]
    await incoming.receive()
    assert incoming.put(message(3))


async def test_what_was_there_before_the_end_is_read():
    """Then the end is found, again and again, and nothing more is taken."""
    incoming = Incoming(2)
    incoming.put(message(0))
    incoming.close()

    assert not incoming.put(message(1))
    assert (await incoming.receive()).message.id == 0
    for _ in range(2):
        with pytest.raises(trio.EndOfChannel):
            await incoming.receive()


async def test_a_reader_that_leaves_takes_nothing_more():
    """The SDK closes what it reads from when its loop ends."""
    incoming = Incoming(1)
    async with incoming:
        pass
    assert not incoming.put(message(0))


async def test_what_is_written_is_sent_at_once():
    """Without a checkpoint here, too."""
    sent: list[types.JSONRPCMessage] = []
    async with Outgoing(sent.append) as outgoing:
        with trio.testing.assert_no_checkpoints():
            await outgoing.send(message(1))
    assert [each.id for each in sent] == [1]  # pyright: ignore[reportAttributeAccessIssue]  a request
