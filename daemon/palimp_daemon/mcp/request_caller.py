"""Identify a request's caller: by its relay's HELLO, or by the HTTP request.

Over HTTP, `X-Palimp-Project` or the query's `project` names the project (a folder in it, a known name, or `global`),
else it is the only known one.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import trio
from mcp.server import ServerRequestContext
from msgspec.structs import replace
from starlette.requests import Request

from palimp_clients.hooks.programs import UNTOLD, client_called, session_in
from palimp_daemon.mcp.backend import Backend
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.tables.project_rows import projects_named
from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.errors import RequestError
from palimp_protocol.limits import SESSION_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.text import quote_text

HEADER: Final = "x-palimp-project"
PARAMETER: Final = "project"
GLOBAL: Final = "global"
NAMED_MAX: Final = 5
"""Projects named when one must be chosen."""

HOW: Final = f"Send the header {HEADER.title()}, or ?{PARAMETER}= in the address: a folder's path, a name, or {GLOBAL}."


class Client(NamedTuple):
    """A handshake-era client, after its first call through the SDK."""

    name: str
    can_ask: bool
    """Whether it can show its user a form."""


class FromRelay(NamedTuple):
    """The origin of a relay's request, in place of HTTP's."""

    frame_id: bytes
    say_working: Callable[[], None]
    """Has the relay wait on."""
    note_client: Callable[[Client], None]
    """Learns the client once the SDK has taken its call (handshake era)."""


async def caller_of(backend: Backend, context: ServerRequestContext[Any]) -> Caller:
    """Return the caller, with its program's name if known.

    Raises:
        PalimpError: over HTTP, the project is not clear.
    """
    name = client_name_of(context)
    request: Any = context.request
    if isinstance(request, Request):
        of_session = cast("Request[Any]", request)
        key = of_session.headers.get("mcp-session-id", "")[:SESSION_CHARACTERS_MAX]
        project = await _project_of(backend, of_session)
        return Caller(project, SessionRef(key, name) if key else None)
    return caller_named(backend, context.lifespan_context, name, context.meta)


def client_name_of(context: ServerRequestContext[Any]) -> str:
    """Return the client program's name, if known."""
    client = context.session.client_params
    return client_called(client.client_info.name[:100]) if client else ""


def caller_named(backend: Backend, caller: Caller, name: str, meta: Mapping[str, Any] | None) -> Caller:
    """Return *caller* with program *name* and the session in the call's *meta*."""
    if caller.session is None or not (name := caller.session.client or name):
        return caller
    told = session_in(name, meta)[:SESSION_CHARACTERS_MAX]
    if name in UNTOLD:
        told = backend.calling.only_session(name, caller, trio.current_time())
    return replace(caller, session=SessionRef(told or caller.session.key, name))


def frame_id_of(context: ServerRequestContext[Any]) -> bytes:
    """Return the id of the request's frame, which identifies resent writes; empty over HTTP."""
    return context.request.frame_id if isinstance(context.request, FromRelay) else b""


def say_working(context: ServerRequestContext[Any]) -> None:
    """Make the relay wait longer for its answer."""
    if isinstance(context.request, FromRelay):
        context.request.say_working()


async def _project_of(backend: Backend, request: Request[Any]) -> ProjectRef | None:
    named = request.headers.get(HEADER) or request.query_params.get(PARAMETER) or ""
    if named == GLOBAL:
        return None
    if named.startswith("/"):
        return await in_thread(partial(_project_at, named, backend))
    found = await backend.actor.read(lambda store: projects_named(store, named, NAMED_MAX))
    if len(found) == 1:
        return found[0]
    if not found:
        text = f"No project is called {quote_text(named)}." if named else "No project is named."
        raise RequestError(text, HOW)
    roots = ", ".join(quote_text(project.root) for project in found)
    which = f"called {quote_text(named)}" if named else "known, and none is named"
    raise RequestError(f"Several projects are {which}: {roots}.", HOW)


def _project_at(path: str, backend: Backend) -> ProjectRef | None:
    if "\0" in path or not Path(path).is_dir():
        raise RequestError(f"{quote_text(path)} is not a folder.", HOW)
    project = project_from_directory(path, home_directory(backend.settings.env))
    return ProjectRef(*project) if project else None
