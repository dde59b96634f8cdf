"""Where descriptors are few: who finds no room waits, and libzmq hears of nobody else."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio
import trio.testing

from palimp_daemon.server import connection_limit as module
from palimp_daemon.server.connection_limit import ConnectionLimit, seats
from palimp_daemon.server.listener import listening_socket
from palimp_shim.transport.zmtp import Decoder, RefusedError


@pytest.mark.parametrize(
    ("descriptors", "expected"),
    [(-1, None), (1 << 20, None), (4_096, None), (4_095, 1353), (64, 10), (40, 2), (20, 1), (0, 1)],
)
def test_a_limit_gives_room_for_some_clients_or_for_all(descriptors: int, expected: int | None):
    assert seats(descriptors) == expected


@pytest.fixture
async def connection_limit(path: Path, request: pytest.FixtureRequest) -> AsyncIterator[ConnectionLimit]:
    """A connection limit for two clients of this user, or of the user that the test asks for."""
    made = ConnectionLimit(listening_socket(path), path, 2, getattr(request, "param", os.getuid()))
    async with trio.open_nursery() as nursery:
        await nursery.start(made.run)
        made.inner.settimeout(0)
        yield made
        nursery.cancel_scope.cancel()
    made.close()
    made.inner.close()


async def served(connection_limit: ConnectionLimit) -> trio.SocketStream:
    """Return the next connection that libzmq would get."""
    with trio.fail_after(60):
        return await trio.SocketListener(trio.socket.from_stdlib_socket(connection_limit.inner)).accept()


async def test_what_both_sides_say_is_carried(connection_limit: ConnectionLimit, path: Path):
    async with await trio.open_unix_socket(path) as client, await served(connection_limit) as server:
        await client.send_all(b"ping")
        assert await server.receive_some(10) == b"ping"
        await server.send_all(b"pong")
        assert await client.receive_some(10) == b"pong"


@pytest.mark.parametrize("leaves", ["client", "server"])
async def test_when_one_side_leaves_so_does_the_other(connection_limit: ConnectionLimit, path: Path, leaves: str):
    client, server = await trio.open_unix_socket(path), await served(connection_limit)
    stays = server if leaves == "client" else client
    await (client if leaves == "client" else server).aclose()
    with trio.fail_after(60):
        assert await stays.receive_some(10) == b""
    await stays.aclose()


async def test_who_finds_no_room_is_told_why_in_words_that_a_client_understands(
    connection_limit: ConnectionLimit, path: Path
):
    """After a moment; then the connection is closed, and libzmq has heard of none."""
    clients = [await trio.open_unix_socket(path) for _ in range(3)]
    taken = [await served(connection_limit) for _ in range(2)]
    with trio.fail_after(60):
        heard = b"".join([chunk async for chunk in clients[2]])
    with pytest.raises(RefusedError, match=r"2 are connected.*ulimit -n"):
        Decoder().feed(heard)
    for each in (*clients, *taken):
        await each.aclose()


async def test_who_finds_no_room_is_let_in_when_somebody_leaves(
    connection_limit: ConnectionLimit, path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "WAITS_S", 60.0)
    clients = [await trio.open_unix_socket(path) for _ in range(3)]
    for number, client in enumerate(clients):
        await client.send_all(b"%d" % number)
    first, second = await served(connection_limit), await served(connection_limit)
    assert {await first.receive_some(10), await second.receive_some(10)} == {b"0", b"1"}
    await trio.testing.wait_all_tasks_blocked()
    with pytest.raises(BlockingIOError):
        connection_limit.inner.accept()
    await clients[0].aclose()
    third = await served(connection_limit)
    assert await third.receive_some(10) == b"2"
    for each in (first, second, third, *clients):
        await each.aclose()


@pytest.mark.parametrize("connection_limit", [os.getuid() + 1], indirect=True)
async def test_a_process_of_another_user_is_shown_the_door(connection_limit: ConnectionLimit, path: Path):
    async with await trio.open_unix_socket(path) as client:
        with trio.fail_after(60):
            assert await client.receive_some(10) == b""
    with pytest.raises(BlockingIOError):
        connection_limit.inner.accept()


async def test_it_leaves_no_socket_of_its_own_behind(connection_limit: ConnectionLimit, path: Path):
    assert len(list(path.parent.iterdir())) == 2
    connection_limit.close()
    assert list(path.parent.iterdir()) == [path]
