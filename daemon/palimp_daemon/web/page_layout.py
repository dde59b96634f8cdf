"""The project, caller and layout of a project's pages."""

from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from palimp_daemon.web.asking import Asking
from palimp_daemon.web.browser_sessions import BrowserSession, Message
from palimp_daemon.web.live_updates import LiveUpdates
from palimp_daemon.web.page_projects import PageProjects
from palimp_daemon.web.page_templates import Templates
from palimp_protocol.env.clock import now_ms
from palimp_protocol.env.page_address import GLOBAL_KEY
from palimp_protocol.messages.act_messages import ActList, Acts
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.review_messages import Review, Reviewed
from palimp_protocol.messages.session_messages import StatusCounts, StatusLine

PARTS: Final = (
    ("", "Now"),
    ("search", "Search"),
    ("inbox", "Inbox"),
    ("sessions", "Sessions"),
    ("rules", "Rules"),
    ("removed", "Removed code"),
    ("documents", "Documents"),
    ("history", "History"),
    ("team", "Team"),
    ("health", "Health"),
)
"""Pages of a project, in the navigation's order."""


FOLLOWS: Final = "palimp-follows"
"""Header of the page's own requests after a write, which do not count as use."""

LOOKED: Final = "palimp_looked"
"""Cookie with a browser's last look at a project, used only to mark new rows."""

LOOKED_S: Final = 400 * 86_400
"""Seconds that browsers keep a cookie at most."""


class Place(NamedTuple):
    """A request's project and browser session."""

    key: str
    project: ProjectRef | None
    session: BrowserSession
    looked_at: int = 0
    """This browser's last look at the project before it was let in, in Unix milliseconds; 0: none."""
    seen: int = 0
    """Count of writes before the page was read."""

    @property
    def caller(self) -> Caller:
        """A person, without an agent's session."""
        return Caller(self.project, None, self.session.zone)

    def path(self, rest: str, message: Message | None = None, **query: str) -> str:
        """Return the path of a project's page that shows *message*."""
        asked = {**query, **({"said": self.session.keep(message)} if message else {})}
        return f"/p/{self.key}/{rest}" + (f"?{urlencode(asked)}" if asked else "")


class Layout:
    """Finds the place of a request, and renders pages in a common frame."""

    def __init__(self, asking: Asking, projects: PageProjects, updates: LiveUpdates) -> None:
        self.ask = asking.ask
        self._updates = updates
        self._projects = projects
        self._templates = Templates()

    async def place_of(self, request: Request) -> Place:
        """Return the project in the address, with the browser's session.

        Raises:
            HTTPException: it does not exist.
        """
        key = request.path_params["key"]
        is_known, project = await self._projects.find(key)
        if not is_known:
            raise HTTPException(404)
        session: BrowserSession = request.scope["palimp.session"]
        return Place(key, project, session, session.looked_before(key, _looked_at(request)), self._updates.count)

    async def last_act(self, place: Place, id_: str) -> str:
        """Return a memory's last act if it can be undone, else ""."""
        acts: ActList = await self.ask(Acts(id=id_, limit=1), place.caller)
        return acts.acts[0].name if acts.acts and acts.acts[0].is_undoable else ""

    async def show_at(self, request: Request, place: Place, template: str, **values: Any) -> Response:
        """Return a page of a project."""
        name = place.project.name if place.project else "all projects"
        root = place.project.root if place.project else ""
        waiting: Reviewed = await self.ask(Review(limit=1), place.caller)
        base: dict[str, Any] = {"key": place.key, "project": name, "root": root, "parts": PARTS}
        counts: StatusCounts = await self.ask(StatusLine(), place.caller)
        base |= {"is_off": counts.is_off}
        base |= {"waiting": waiting.total, "seen": place.seen}
        base |= {"is_global": place.key == GLOBAL_KEY, "looked_at": place.looked_at}
        answer = await self.show(request, template, place.session, **base, **values)
        if FOLLOWS in request.headers:
            return answer
        answer.set_cookie(
            LOOKED,
            str(now_ms()),
            max_age=LOOKED_S,
            path=f"/p/{place.key}/",
            httponly=True,
            samesite="strict",
        )
        return answer

    async def show(
        self, request: Request, template: str, session: BrowserSession, status: int = 200, **values: Any
    ) -> Response:
        """Return *template* rendered with *values* and *session*'s message."""
        message = session.message(request.query_params.get("said", ""))
        shown = {
            "key": "",
            "project": "",
            "is_off": False,
            "parts": (),
            "form_token": session.form_token,
            "message": message,
        }
        here = request.url.remove_query_params("said")
        shown |= {"here": f"{here.path}?{here.query}".rstrip("?"), "seen": self._updates.count, **values}
        return await self._templates.answer(template, shown, session.zone, status)


def _looked_at(request: Request) -> int:
    return number_in(request.cookies.get(LOOKED, ""))


def number_in(text: str) -> int:
    """Parse *text* from a browser as a number of at most 15 digits, else 0."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0
