"""Serve MCP over HTTP, on 127.0.0.1 only, for clients with the token.

A web page can make a browser send requests here, also by a name that resolves to 127.0.0.1. So Host, Origin and token
are checked before the SDK sees anything. `palimp http` and `palimp health` report failures, which are retried.
"""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio
from mcp.server import Server
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palimp_daemon.mcp.http_connection_limit import HttpConnectionLimit, connections, inner_listener
from palimp_daemon.runtime.http_serving import HOST, HttpConnections, PortTakenError, listen_on
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.process_limits import descriptors
from palimp_daemon.settings.http_access import HttpAccess
from palimp_protocol.limits import FRAME_BYTES_MAX
from palimp_protocol.surrogates import mended_json

PATH: Final = "/mcp"

RETRY_S: Final = 30.0
"""Seconds until an occupied port is tried again."""

SESSIONS_MAX: Final = 64
"""Sessions of the handshake era at once."""

SESSION_IDLE_S: Final = 1_800.0
HOW_TO_MOVE: Final = "`palimp http enable --port N`"
"""Command that selects another port."""


async def keep_serving(access: HttpAccess, server_of: Callable[[], Awaitable[Server[Any]]], log: Log) -> None:
    """Serve HTTP whenever wanted, on the wanted port, until cancelled."""
    while True:
        port = access.wanted_port
        if port is None:
            access.settle("")
            await access.wait_for_change()
            continue
        try:
            await _serve(access, await server_of(), port, log)
        except Exception as error:  # noqa: BLE001  HTTP must not take the core down, whatever is wrong with it
            problem = str(error) if isinstance(error, PortTakenError) else f"HTTP failed: {error!r}."
            log("http_failed", why=problem)
            access.settle("", problem)
            await access.wait_for_change(RETRY_S)


async def _serve(access: HttpAccess, server: Server[Any], port: int, log: Log) -> None:
    with listen_on(port, HOW_TO_MOVE) as listener, inner_listener() as (path, inner):
        number = listener.getsockname()[1]
        limit = HttpConnectionLimit(listener, path, connections(descriptors()))
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            max_request_body_size=FRAME_BYTES_MAX,
            max_sessions=SESSIONS_MAX,
            session_idle_timeout=SESSION_IDLE_S,
            host=HOST,
        )

        async def until_unwanted() -> None:
            url = f"http://{HOST}:{number}{PATH}"
            log("http_listening", url=url)
            while access.wanted_port == port:
                access.settle(url)
                await access.wait_for_change()

        served = HttpConnections(guard_app(app, access.is_token, number), log)
        async with app.router.lifespan_context(app), trio.open_nursery() as nursery:
            nursery.start_soon(limit.run)
            await served.serve(inner, until_unwanted)
            nursery.cancel_scope.cancel()


def guard_app(app: ASGIApp, is_token: Callable[[str], bool], port: int) -> ASGIApp:
    """Return *app* behind checks of Host (with *port*), Origin and token."""
    names = {f"{name}:{port}" for name in (HOST, "localhost", "[::1]")}
    origins = {f"http://{name}" for name in names}

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        status, text = refusal(_headers(scope), names, origins, is_token)
        is_web_socket = scope["type"] == "websocket"
        if is_web_socket and not status:
            status, text = 404, "There is no web socket here."
        if status:
            await _refuse(send, status, text, "websocket.http" if is_web_socket else "http")
        else:
            await app(scope, _mending(receive), send)

    return guard


def _mending(receive: Receive) -> Receive:
    """Mend lone surrogates in bodies; too large ones pass, to be refused."""
    is_begun = False

    async def receive_mended() -> Message:
        nonlocal is_begun
        message = await receive()
        if is_begun or message["type"] != "http.request":
            return message
        is_begun = True
        body = bytearray(message.get("body", b""))
        while message.get("more_body") and len(body) <= FRAME_BYTES_MAX:
            message = await receive()
            if message["type"] != "http.request":
                return message
            body += message.get("body", b"")
        return {**message, "body": mended_json(bytes(body))}

    return receive_mended


def refusal(
    headers: dict[str, list[str]], names: set[str], origins: set[str], is_token: Callable[[str], bool]
) -> tuple[int, str]:
    """Return the status and reason of a refusal; 0: admitted."""
    hosts, origin, tokens = (headers.get(name, []) for name in ("host", "origin", "authorization"))
    if len(hosts) != 1 or hosts[0].lower() not in names:
        return 421, "This server is not called that."
    if len(origin) > 1 or any(each.lower() not in origins for each in origin):
        return 403, "Requests from web pages are not answered."
    scheme, _, token = tokens[0].partition(" ") if len(tokens) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not is_token(token.strip()):
        return 401, "The token is missing or wrong; `palimp http enable` tells where it is."
    return 0, ""


def _headers(scope: Scope) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


async def _refuse(send: Send, status: int, text: str, protocol: str) -> None:
    body = json.dumps({"error": text}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": f"{protocol}.response.start", "status": status, "headers": headers})
    await send({"type": f"{protocol}.response.body", "body": body})
