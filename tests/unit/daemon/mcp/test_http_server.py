"""HTTP connections: each is served by itself, and everybody has to say who they are."""

from contextlib import suppress

import pytest
import trio
from hypercorn.trio.tcp_server import TCPServer

from palimp_daemon.mcp.http_connection_limit import inner_listener
from palimp_daemon.mcp.http_server import guard_app
from palimp_daemon.runtime.http_serving import HttpConnections
from palimp_daemon.runtime.log import Log

GET = b"GET / HTTP/1.0\r\nHost: localhost:80\r\n"
TOKEN = b"Authorization: Bearer right\r\n"
WEB_SOCKET = (
    b"GET / HTTP/1.1\r\nHost: localhost:80\r\n"
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


async def app(scope, _receive, send) -> None:
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"Welcome."})


@pytest.fixture
async def port(nursery):
    """Where *app* is served."""
    with inner_listener() as (path, inner):
        served = HttpConnections(guard_app(app, "right".__eq__, 80), Log("info", "/dev/null"))
        unwanted = trio.Event()
        nursery.start_soon(served.serve, inner, unwanted.wait)
        yield path
        unwanted.set()


async def status_of(path, request: bytes) -> bytes:
    """Return the status with which a request is answered; empty: the connection was closed."""
    said = bytearray()
    with trio.fail_after(60):
        async with await trio.open_unix_socket(path) as stream:
            await stream.send_all(request + b"\r\n")
            with suppress(trio.BrokenResourceError):
                while b"\r\n" not in said and (chunk := await stream.receive_some()):
                    said += chunk
    return bytes(said).partition(b"\r\n")[0][9:12]


async def test_what_fails_in_one_connection_ends_that_one_alone(port, monkeypatch: pytest.MonkeyPatch):
    """Whoever is at fault: the library, or what it was sent."""
    run = TCPServer.run
    fails = [False, True, False]

    async def run_or_fail(self: TCPServer) -> None:
        if fails.pop():
            raise ExceptionGroup("in a task of its", [RuntimeError("a bug")])
        await run(self)

    monkeypatch.setattr(TCPServer, "run", run_or_fail)
    assert [await status_of(port, GET + TOKEN) for _ in range(3)] == [b"200", b"", b"200"]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (WEB_SOCKET, b"401"),
        (WEB_SOCKET.replace(b"localhost", b"elsewhere.example") + TOKEN, b"421"),
        (WEB_SOCKET + TOKEN + b"Origin: http://elsewhere.example\r\n", b"403"),
        (WEB_SOCKET + TOKEN, b"404"),
    ],
)
async def test_a_web_socket_is_refused_as_every_request_and_there_is_none(port, request_: bytes, status: bytes):
    assert await status_of(port, request_) == status
