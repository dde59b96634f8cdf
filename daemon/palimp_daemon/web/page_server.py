"""Serve the page while it is wanted and used.

Connections of other users are closed before a byte is read (`runtime.peer_user`); each request must pass
`page_entry.refusal`.
"""

import math
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple
from urllib.parse import parse_qsl

import trio
from markupsafe import Markup
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_daemon.runtime.http_serving import HOST, HttpConnections, PortTakenError, listen_on
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.peer_user import user_of_peer
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.page_access import PageAccess
from palimp_daemon.web.asking import Asking
from palimp_daemon.web.browser_sessions import BrowserSession, BrowserSessions, cookie_values
from palimp_daemon.web.live_updates import LiveUpdates
from palimp_daemon.web.page_entry import HEADERS, LATE, NO_TOKEN, WAY_IN, Knock, Refusal, refusal
from palimp_daemon.web.page_layout import FOLLOWS
from palimp_daemon.web.page_projects import PageProjects
from palimp_daemon.web.page_routes import EVENTS, page_app
from palimp_protocol.env.clock import now_ms
from palimp_protocol.env.page_address import UNUSED_S
from palimp_protocol.env.used_page import UsedPage
from palimp_protocol.text import encodable

LOOK_S: Final = 15.0
"""Seconds between two checks for use, at which the last use is stored, too."""

CONNECTIONS_MAX: Final = 48
"""Connections at once; a browser opens six."""

FORM_BYTES_MAX: Final = 256 * 1024
"""Bytes of a form: a memory's longest text, each character as `%F0%9F%98%80`, and title."""

DISCARDED_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes read and discarded of a longer form, pasted by mistake."""

FIELDS_MAX: Final = 64
"""Fields of a form; a review of fifty proposals has fifty."""

HOW_TO_MOVE: Final = "`palimp page --port N`"


async def keep_serving_page(
    access: PageAccess, dispatcher: Dispatcher, written: Callable[[], trio.Event], log: Log
) -> None:
    """Serve the page whenever wanted, on the wanted port, until cancelled.

    *written* returns the event of the next write.
    """
    updates = LiveUpdates(written)
    while True:
        port = await access.wait_until_wanted()
        try:
            await _serve(access, dispatcher, port, updates, log)
        except Exception as error:  # noqa: BLE001  the page must not take the core down, whatever is wrong with it
            problem = str(error) if isinstance(error, PortTakenError) else f"The page failed: {error!r}."
            log("page_failed", why=problem)
            access.kept.forget()
            access.settle("", problem)


async def _serve(access: PageAccess, dispatcher: Dispatcher, port: int, updates: LiveUpdates, log: Log) -> None:
    with listen_on(port, HOW_TO_MOVE) as listener:
        number = listener.getsockname()[1]
        door = Door(access, Asking(dispatcher), number, updates, log)
        used = HttpConnections(door, log, _is_ours, CONNECTIONS_MAX)

        async def keep_known() -> None:
            kept_at = -math.inf
            while True:
                if door.used_at > kept_at:
                    kept_at = door.used_at
                    await in_thread(partial(access.kept.keep, door.as_used()))
                with trio.move_on_after(LOOK_S):
                    await door.entered.wait()

        async def until_unused() -> None:
            access.settle(f"http://{HOST}:{number}/")
            log("page_listening", port=number)
            while access.wanted_port == port and trio.current_time() - max(door.used_at, access.asked_at) < UNUSED_S:
                with trio.move_on_after(LOOK_S):
                    await access.changed.wait()
            if access.wanted_port == port:
                access.settle("")  # who asks from here on gets a new one

        is_over = False
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(updates.keep_counting)
                nursery.start_soon(keep_known)
                await used.serve(listener, until_unused)
                is_over = True
                nursery.cancel_scope.cancel()
        finally:
            if is_over:
                access.kept.forget()
            else:  # the daemon stops: the next one serves the open pages
                access.kept.keep(door.as_used())
    log("page_closed", port=number)


async def _is_ours(stream: trio.SocketStream) -> bool:
    return await user_of_peer(stream) == os.getuid()


class _Asked(NamedTuple):
    knock: Knock
    cookies: list[str]
    form: Mapping[str, str]
    is_by_itself: bool
    """Whether the page asks, after a write, and not a person."""


class Door:
    """The app of the page behind its checks."""

    def __init__(self, access: PageAccess, asking: Asking, port: int, updates: LiveUpdates, log: Log) -> None:
        self._log = log
        self._access = access
        self._port = port
        self._cookie = f"palimp_page_{port}"
        self._sessions = BrowserSessions(access.known_at(port))
        self._projects = PageProjects(asking)
        self._app: ASGIApp = page_app(asking, self._projects, updates)
        self.used_at = access.asked_at
        """Time of the last admitted request."""
        self.entered = trio.Event()
        """Set, and replaced, when a browser is let in."""

    def as_used(self) -> UsedPage:
        """Return the state for the next daemon."""
        unused_ms = int((trio.current_time() - self.used_at) * 1000)
        return UsedPage(port=self._port, used_at=now_ms() - unused_ms, browsers=self._sessions.as_known())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        send = _with_headers(send)
        asked = await _read(scope, receive, self._cookie)
        if isinstance(asked, Refusal):
            await _refusing(asked)(scope, receive, send)
            return
        session = self._sessions.of(asked.cookies)
        no = refusal(asked.knock, self._port, session.form_token if session else None)
        if no:
            await (_with_typed(no, asked.form) if no in LATE else _refusing(no))(scope, receive, send)
        elif asked.knock.path.startswith(WAY_IN):
            await self._let_in(asked.knock.path.removeprefix(WAY_IN), session)(scope, receive, send)
        else:
            if not asked.is_by_itself:
                self.used_at = trio.current_time()
            scope["palimp.session"], scope["palimp.form"] = session, asked.form
            try:
                await self._app(scope, receive, send)
            except Exception as error:  # noqa: BLE001  a bug in one page is said in the log, and others are answered
                self._log.bug(error)

    def _let_in(self, token: str, session: BrowserSession | None) -> Response:
        """An admitted browser keeps its session, so forms in other tabs stay valid."""
        arrival = self._access.spend(token, trio.current_time())
        if arrival is None:
            return _refusing(NO_TOKEN)
        self.used_at = trio.current_time()
        answer = RedirectResponse(self._projects.path_of(arrival), 303, {"referrer-policy": "no-referrer"})
        if session is None:
            secret, _ = self._sessions.open(arrival.zone)
            self.entered.set()
            self.entered = trio.Event()
            answer.set_cookie(self._cookie, secret, path="/", httponly=True, samesite="strict")
        return answer


def _refusing(no: Refusal) -> Response:
    return PlainTextResponse(f"{no.text}\n", no.status)


def _with_typed(no: Refusal, form: Mapping[str, str]) -> Response:
    typed = [value for name in ("title", "text", "tags") if (value := form.get(name, "").strip())]
    if not typed:
        return _refusing(no)
    text = Markup("<!doctype html><meta charset=utf-8><title>palimp</title><p>{}<p>This is what you typed:").format(
        no.text
    )
    return HTMLResponse(
        text + Markup("").join(Markup("<pre>{}</pre>").format(encodable(each)) for each in typed), no.status
    )


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return send_with_headers


async def _read(scope: Scope, receive: Receive, cookie: str) -> _Asked | Refusal:
    headers: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    form: dict[str, str] = {}
    if scope["method"] == "POST":
        body = await _body(receive)
        if body is None:
            return Refusal(413, "That is too long. Nothing was changed.")
        try:
            pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS_MAX)
        except ValueError:
            return Refusal(400, "This form cannot be read. Nothing was changed.")
        form = {name: value.replace("\r\n", "\n") for name, value in pairs}
    knock = Knock(
        method=scope["method"],
        path=scope["path"],
        hosts=headers.get("host", ()),
        origins=headers.get("origin", ()),
        sites=headers.get("sec-fetch-site", ()),
        destinations=headers.get("sec-fetch-dest", ()),
        purposes=headers.get("sec-purpose", ()),
        content_types=headers.get("content-type", ()),
        form_token=form.get("form_token", ""),
    )
    is_by_itself = scope["path"] == EVENTS or FOLLOWS in headers
    return _Asked(knock, cookie_values(headers.get("cookie", ()), cookie), form, is_by_itself)


async def _body(receive: Receive) -> bytes | None:
    """Read slightly too long bodies to their end: else the sender would not read the answer."""
    body, size = bytearray(), 0
    while size <= DISCARDED_BYTES_MAX:
        message = await receive()
        if message["type"] != "http.request":
            return None
        piece = message.get("body", b"")
        size += len(piece)
        if size <= FORM_BYTES_MAX:
            body += piece
        if not message.get("more_body"):
            return bytes(body) if size <= FORM_BYTES_MAX else None
    return None
