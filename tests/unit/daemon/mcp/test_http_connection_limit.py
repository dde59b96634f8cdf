"""The connection limit of HTTP: bounded, and who says nothing keeps nobody out."""

import socket
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.mcp.http_connection_limit import (
    CONNECTIONS_MAX,
    CONNECTIONS_MIN,
    HttpConnectionLimit,
    connections,
    inner_listener,
)
from palimp_daemon.server.connection_limit import OF_A_CLIENT, OWN_DESCRIPTORS, seats

MOST = 3


@given(st.integers(-1, 2**31))
def test_there_is_room_beside_it_for_everything_else(descriptors: int):
    """At least some connections, never more than a part of what the process may have."""
    most = connections(descriptors)
    assert CONNECTIONS_MIN <= most <= CONNECTIONS_MAX
    if descriptors >= 2 * OWN_DESCRIPTORS and seats(descriptors) is None:
        assert most * OF_A_CLIENT < descriptors // 2


@pytest.fixture
async def port_of_limit(nursery):
    """A port, behind it a server that gives back what it is told."""
    with inner_listener() as (path, inner), socket.create_server(("127.0.0.1", 0)) as port:
        assert Path(path).parent.stat().st_mode & 0o077 == 0
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(inner))

        async def echo(stream: trio.SocketStream) -> None:
            async for chunk in stream:
                await stream.send_all(chunk)

        nursery.start_soon(trio.serve_listeners, echo, [listener])
        nursery.start_soon(HttpConnectionLimit(port, path, MOST).run)
        yield port.getsockname()[1]
        nursery.cancel_scope.cancel()


async def said(stream: trio.SocketStream, words: bytes) -> bytes:
    await stream.send_all(words)
    return bytes(await stream.receive_some(100))


async def test_who_said_nothing_for_longest_gives_way(port_of_limit: int):
    """Who talks stays, however many connect and are silent."""
    with trio.fail_after(60):
        talks = await trio.open_tcp_stream("127.0.0.1", port_of_limit)
        assert await said(talks, b"first") == b"first"
        silent = []
        for _ in range(3 * MOST):
            silent.append(await trio.open_tcp_stream("127.0.0.1", port_of_limit))
            assert await said(talks, b"still") == b"still"
        for each in silent[: 2 * MOST]:
            assert await each.receive_some(1) == b""
        late = await trio.open_tcp_stream("127.0.0.1", port_of_limit)
        assert await said(late, b"late") == b"late"
        for each in (talks, late, *silent):
            await each.aclose()


async def test_nothing_is_left_of_the_socket_within():
    with inner_listener() as (path, _listener):
        _listener.close()
        assert path.exists()
    assert not path.parent.exists()
