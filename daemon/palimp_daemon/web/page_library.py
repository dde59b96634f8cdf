"""Pages of a project besides those of memories."""

from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from palimp_daemon.web.asking import request_from
from palimp_daemon.web.browser_sessions import Message
from palimp_daemon.web.page_forms import form_of, once_of
from palimp_daemon.web.page_layout import Layout, Place, number_in
from palimp_daemon.web.plots_over_time import hook_days, hook_plots, plots_of, size_plot, weeks_of
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import TURNS_LISTED_MAX
from palimp_protocol.messages.about_messages import About, AboutPage
from palimp_protocol.messages.conversation_messages import SessionTurns, TurnList
from palimp_protocol.messages.daemon_messages import DaemonHealth, Diagnose, Diagnosis, Health
from palimp_protocol.messages.documents import DocList, DocPage, DocsHistory, DocVersions, ListDocs, ReadDoc
from palimp_protocol.messages.removed_code import ChangeList, DismissChange, ListChanges, RemovedHunk, ShowChange
from palimp_protocol.messages.rule_messages import AT_BREACH, AtBreach, RuleList, Rules
from palimp_protocol.messages.setting_messages import Configure, Settings, value_text
from palimp_protocol.messages.team_messages import Team, TeamStatus
from palimp_protocol.messages.team_people import TeamPeople, TeamPeopleList
from palimp_protocol.messages.usage_messages import Usage, UsageReport
from palimp_protocol.text import encodable, without_control

WEEKS_SHOWN: Final = 12
"""Weeks of usage: a quarter of a year."""

AGENTS_WAIT_FOR: Final = {"hook": "hooks", "recall": "searches", "save_memory": "saves"}

CHANGES_SHOWN: Final = 100
"""Pieces of removed code, the newest; a filter by path finds older ones."""

AT_BREACH_SAID: Final[dict[AtBreach, str]] = {
    "remind": "The agent is reminded, once in a session.",
    "off": "Nothing is checked any more; it is still told as text.",
    "refuse": "What would break it is refused once.",
    "ask": "You are asked where the client can; elsewhere it is refused once.",
}
"""Confirmations of a changed reaction to breaches."""

MARKDOWN: Final = (
    MarkdownIt("commonmark", {"html": False})
    .enable("table")
    .disable(["link", "image", "autolink", "reference"])  # these stay as they are written: they would lead elsewhere
)
"""No HTML of a document: anybody may have written it."""

WATCHING: Final = {"dismiss": "Not watched for any more.", "watch": "Watched for again."}


class LibraryPages:
    """The pages of one server."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    async def rules(self, request: Request, place: Place) -> Response:
        """Show the rules with their checks, kept and broken counts."""
        reply: RuleList = await self._layout.ask(Rules(), place.caller)
        return await self._layout.show_at(
            request, place, "rules.html", part="rules", rules=reply.rules, choices=AT_BREACH, said=AT_BREACH_SAID
        )

    async def set_rule(self, request: Request, place: Place) -> Response:
        """Set the reaction to a violation of a rule."""
        form = form_of(request)
        id_, at_breach = request.path_params["id"], request.path_params["at_breach"]
        if at_breach not in AT_BREACH:
            raise HTTPException(404)
        wanted = request_from(Rules, ids=[id_], at_breach=at_breach)
        reply: RuleList = await self._layout.ask(wanted, place.caller, once_of(form))
        said = AT_BREACH_SAID[at_breach] if reply.changed else "It was so already."
        act = await self._layout.last_act(place, id_) if reply.changed else ""
        return RedirectResponse(place.path("rules", Message(said, act)), 303)

    async def removed_code(self, request: Request, place: Place) -> Response:
        """List removed code, newest first."""
        path = request.query_params.get("path", "").strip()
        wanted = request_from(ListChanges, path=path, limit=CHANGES_SHOWN)
        reply: ChangeList = await self._layout.ask(wanted, place.caller)
        return await self._layout.show_at(
            request, place, "removed.html", part="removed", hunks=reply.hunks, total=reply.total, path=path
        )

    async def hunk(self, request: Request, place: Place) -> Response:
        """Show a piece of removed code, and why it went."""
        wanted = request_from(ShowChange, id=request.path_params["id"])
        hunk: RemovedHunk = await self._layout.ask(wanted, place.caller)
        lines = [(_SORTS.get(line[:1], ""), line) for line in without_control(hunk.diff).split("\n")]
        return await self._layout.show_at(request, place, "hunk.html", part="removed", hunk=hunk, lines=lines)

    async def dismiss(self, request: Request, place: Place) -> Response:
        """Stop or resume watching for a piece of removed code."""
        form = form_of(request)
        id_, answer = request.path_params["id"], request.path_params["answer"]
        if answer not in WATCHING:
            raise HTTPException(404)
        wanted = request_from(DismissChange, id=id_, watch=answer == "watch")
        await self._layout.ask(wanted, place.caller, once_of(form))
        return RedirectResponse(place.path(f"removed/{id_}", Message(WATCHING[answer])), 303)

    async def documents(self, request: Request, place: Place) -> Response:
        """List the documents."""
        reply: DocList = await self._layout.ask(ListDocs(), place.caller)
        return await self._layout.show_at(request, place, "documents.html", part="documents", docs=reply)

    async def document(self, request: Request, place: Place) -> Response:
        """Show a document, or a page of it, with former versions."""
        slug = request.path_params["slug"]
        wanted = request_from(ReadDoc, slug=slug, page=number_in(request.query_params.get("page", "1")))
        reply: DocPage = await self._layout.ask(wanted, place.caller)
        former: DocVersions = await self._layout.ask(request_from(DocsHistory, slug=slug), place.caller)
        text = document_html(reply.content)
        return await self._layout.show_at(
            request, place, "document.html", part="documents", doc=reply, text=text, versions=former.versions
        )

    async def conversation(self, request: Request, place: Place) -> Response:
        """Show a slice of a session's conversation, from a turn's number or around a turn."""
        asked = request.query_params
        first = max(1, number_in(asked.get("from", "1")))
        wanted = request_from(SessionTurns, session=asked.get("session", ""), first=first, at=asked.get("at", ""))
        reply: TurnList = await self._layout.ask(wanted, place.caller)
        return await self._layout.show_at(
            request, place, "conversation.html", part="sessions", said=reply, slice=TURNS_LISTED_MAX
        )

    async def about(self, request: Request, place: Place) -> Response:
        """Show the page on a path, symbol or other name."""
        name, reply = request.query_params.get("name", "").strip(), None
        if name:
            reply: AboutPage | None = await self._layout.ask(request_from(About, name=name), place.caller)
        return await self._layout.show_at(request, place, "about.html", part="search", name_asked=name, about=reply)

    async def settings(self, request: Request, place: Place) -> Response:
        """Show settings with origins and the commands to change them."""
        reply: Settings = await self._layout.ask(Configure(), place.caller)
        files = {"user": reply.user_file, "project": reply.project_file}
        rows = [(each, value_text(each.value), files.get(each.origin, each.origin)) for each in reply.settings]
        return await self._layout.show_at(request, place, "settings.html", part="health", rows=rows, notes=reply.notes)

    async def health(self, request: Request, place: Place) -> Response:
        """Show the state of the daemon and the store."""
        health: DaemonHealth = await self._layout.ask(Health(), place.caller)
        usage: UsageReport = await self._layout.ask(Usage(weeks=WEEKS_SHOWN), place.caller)
        doctor: Diagnosis = await self._layout.ask(Diagnose(), place.caller)
        weeks, took = weeks_of(usage.counts, usage.saved), {each.operation: each for each in health.latencies}
        latencies = [(called, took[operation]) for operation, called in AGENTS_WAIT_FOR.items() if operation in took]
        return await self._layout.show_at(
            request,
            place,
            "health.html",
            part="health",
            health=health,
            doctor=doctor,
            weeks=weeks,
            plots=plots_of(weeks),
            hooks=hook_plots(usage.hooks),
            hook_days=hook_days(usage.hooks),
            sizes=size_plot(usage.sizes),
            latencies=latencies,
        )

    async def diagnose(self, request: Request, place: Place) -> Response:
        """Run the doctor, and show its findings."""
        form = form_of(request)
        reply: Diagnosis = await self._layout.ask(Diagnose(look=True), place.caller, once_of(form))
        said = Message(reply.problem or "The doctor has looked.", is_error=bool(reply.problem))
        return RedirectResponse(place.path("health", said), 303)

    async def team(self, request: Request, place: Place) -> Response:
        """Show the team's machines and people, and each project's exchange."""
        team: TeamStatus = await self._layout.ask(Team(), place.caller)
        people, problem = TeamPeopleList(people=[]), ""
        if team.place:
            try:
                people = await self._layout.ask(TeamPeople(), place.caller)
            except PalimpError as error:  # a folder has no logins, and a database may not be reached
                problem = f"{error.text} {error.hint}".strip()
        return await self._layout.show_at(
            request, place, "team.html", part="team", team=team, people=people.people, people_problem=problem
        )


_SORTS: Final = {"-": "gone", "+": "come"}
"""Sorts of lines in a diff, by their first character."""


def document_html(text: str) -> Markup:
    """Render markdown as HTML; links stay as written."""
    return Markup(MARKDOWN.render(encodable(without_control(text))))  # noqa: S704  the renderer escapes all of it
