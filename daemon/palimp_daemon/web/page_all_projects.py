"""The first page."""

from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from palimp_daemon.web.asking import request_from
from palimp_daemon.web.browser_sessions import BrowserSession
from palimp_daemon.web.page_layout import Layout
from palimp_daemon.web.page_projects import PageProjects
from palimp_daemon.web.page_templates import MARK
from palimp_protocol.env.page_address import GLOBAL_KEY, key_of
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.messages.project_messages import KnownProject

PROJECTS_SEARCHED_MAX: Final = 20
"""Projects in a search of all, last active first: each is one search more."""

ROWS_OF_PROJECT: Final = 5
"""Rows per project in such a search."""


class _FoundIn(NamedTuple):
    key: str
    name: str
    memories: Sequence[Memory]
    total: int


class AllProjects:
    """The page of all projects."""

    def __init__(self, layout: Layout, projects: PageProjects) -> None:
        self._layout = layout
        self._projects = projects

    async def show(self, request: Request) -> Response:
        """Show the known projects, or results of a search in all."""
        session: BrowserSession = request.scope["palimp.session"]
        rows = [(key_of(each.root), each) for each in await self._projects.all()]
        query = request.query_params.get("q", "").strip()
        found, problem = [], ""
        if query:
            try:
                found = [each async for each in self._found_in_all(query, rows, session.zone)]
            except PalimpError as error:
                problem = f"{error.text} {error.hint}".strip()
        return await self._layout.show(
            request,
            "projects.html",
            session,
            rows=rows,
            query=query,
            found=found,
            problem=problem,
            left=len(rows) - PROJECTS_SEARCHED_MAX,
        )

    async def _found_in_all(
        self, query: str, rows: Sequence[tuple[str, KnownProject]], zone: str
    ) -> AsyncIterator[_FoundIn]:
        wanted = {"query": query, "limit": ROWS_OF_PROJECT, "mark": MARK}
        places = [(key, each.name, ProjectRef(each.root, each.name)) for key, each in rows[:PROJECTS_SEARCHED_MAX]]
        for key, name, project in [*places, (GLOBAL_KEY, "for all projects", None)]:
            scope = "project" if project else "global"
            asked = request_from(Recall, scope=scope, **wanted)
            reply: Recalled = await self._layout.ask(asked, Caller(project, None, zone))
            if reply.memories:
                yield _FoundIn(key, name, reply.memories, reply.total)
