"""The addresses of the page."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from palimp_daemon.web.asking import Asking
from palimp_daemon.web.live_updates import LiveUpdates
from palimp_daemon.web.page_all_projects import AllProjects
from palimp_daemon.web.page_layout import Layout, Place
from palimp_daemon.web.page_library import LibraryPages
from palimp_daemon.web.page_memories import MemoryPages
from palimp_daemon.web.page_projects import PageProjects
from palimp_daemon.web.page_templates import ROOM
from palimp_protocol.errors import PalimpError

MEDIA_TYPES: Final = {".css": "text/css", ".svg": "image/svg+xml", ".js": "text/javascript"}

EVENTS: Final = "/events"

PageOfProject = Callable[[Request, Place], Awaitable[Response]]


def page_app(asking: Asking, projects: PageProjects, updates: LiveUpdates) -> Starlette:
    """Return the app of the pages, without checks of admission."""
    layout = Layout(asking, projects, updates)
    pages, more = MemoryPages(layout), LibraryPages(layout)
    one = "/p/{key}/memory/{id}"

    gets: dict[str, PageOfProject] = {
        "/p/{key}/": pages.now,
        "/p/{key}/history": pages.history,
        one: pages.memory,
        "/p/{key}/search": pages.search,
        "/p/{key}/inbox": pages.inbox,
        "/p/{key}/sessions": pages.sessions,
        f"{one}/edit": pages.edit_form,
        f"{one}/erase": partial(pages.memory, template="erase.html"),
        "/p/{key}/rules": more.rules,
        "/p/{key}/removed": more.removed_code,
        "/p/{key}/removed/{id}": more.hunk,
        "/p/{key}/documents": more.documents,
        "/p/{key}/documents/{slug}": more.document,
        "/p/{key}/conversation": more.conversation,
        "/p/{key}/about": more.about,
        "/p/{key}/settings": more.settings,
        "/p/{key}/health": more.health,
        "/p/{key}/team": more.team,
    }
    posts: dict[str, PageOfProject] = {
        "/p/{key}/undo": pages.undo,
        "/p/{key}/inbox/{id}/{answer}": pages.review,
        "/p/{key}/disputes/{link}": pages.settle,
        f"{one}/edit": pages.edit,
        f"{one}/erase": pages.erase,
        one + "/{action}": pages.change,
        "/p/{key}/health/doctor": more.diagnose,
        "/p/{key}/rules/{id}/{at_breach}": more.set_rule,
        "/p/{key}/removed/{id}/{answer}": more.dismiss,
    }

    def at_place(answer: PageOfProject) -> Callable[[Request], Awaitable[Response]]:
        async def answer_request(request: Request) -> Response:
            return await answer(request, await layout.place_of(request))

        return answer_request

    routes = [Route("/", AllProjects(layout, projects).show)]
    static = [path for path in (ROOM / "static").rglob("*") if path.suffix in MEDIA_TYPES]
    routes += [Route(f"/{path.relative_to(ROOM).as_posix()}", _static_file(path)) for path in static]
    routes += [Route(EVENTS, updates.answer)]
    routes += [Route(path, at_place(answer)) for path, answer in gets.items()]
    routes += [Route(path, at_place(answer), methods=["POST"]) for path, answer in posts.items()]
    return Starlette(
        routes=routes, exception_handlers={PalimpError: pages.answer_problem, HTTPException: pages.answer_missing}
    )


def _static_file(path: Path) -> Callable[[Request], Awaitable[Response]]:
    content = path.read_bytes()

    async def answer(_: Request) -> Response:
        return Response(content, media_type=MEDIA_TYPES[path.suffix])

    return answer
