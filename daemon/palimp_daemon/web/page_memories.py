"""Pages of memories.

A change is a form, answered by a redirect (303) to a page that tells the outcome and offers to undo it. Its name
(`once`) is the idempotency key.
"""

from collections.abc import Callable
from typing import Any, Final, get_args

from msgspec import Struct
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from palimp_daemon.web.asking import request_from
from palimp_daemon.web.browser_sessions import BrowserSession, Message
from palimp_daemon.web.page_forms import form_of, once_of
from palimp_daemon.web.page_layout import Layout, Place, number_in
from palimp_daemon.web.page_subjects import Subject, by_subject
from palimp_daemon.web.page_templates import MARK
from palimp_daemon.web.session_moments import CODE, moments_of
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX, TITLE_CHARACTERS_MAX
from palimp_protocol.messages.act_messages import ActList, Acts, Undo, Undone
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.links import Edited, EditMemory, Mute, Muted, Pin, Pinned, Supersede
from palimp_protocol.messages.memory_messages import Memory, MemoryKind, Recall, Recalled, RowKind
from palimp_protocol.messages.review_messages import Review, Reviewed
from palimp_protocol.messages.rule_messages import RuleList, Rules
from palimp_protocol.messages.session_messages import SessionList, Sessions
from palimp_protocol.messages.tag_messages import ListTags, TagList
from palimp_protocol.messages.team_messages import Team, TeamStatus, may_leave
from palimp_protocol.text import without_control

ROWS: Final = 50
"""Memories per page, as many as `recall` gives at once."""

FOUND_ROWS: Final = 20
"""Rows of a search shown at first; each is searched for matching words and explained."""

BESIDE: Final[dict[RowKind, str]] = {
    "doc": "From documents",
    "removed-code": "Removed code",
    "conversation": "From conversations and commits",
}
"""Kinds found besides memories, in order, with their headings."""

BESIDE_ROWS: Final = 5
"""Rows of each; a search for one kind alone has more."""

PAGES_READ_MAX: Final = 10
"""Batches of ROWS read for one page, if many rows are outdated."""

VERSIONS_FOLLOWED_MAX: Final = 100
"""Versions followed to a memory's newest."""

GIVEN_SHOWN: Final = 20
"""A memory's last deliveries to sessions; `palimp sessions --given` lists more."""

RULES_SHOWN: Final = 10
"""Standing rules above other memories, broken ones first; their own page has all."""

TAGS_SHOWN: Final = 12

SETTLED: Final = "kept of two that disagreed"

KINDS: Final = get_args(MemoryKind)

STATUS: Final = {ErrorCode.NOT_FOUND: 404, ErrorCode.BAD_REQUEST: 400, ErrorCode.CONFLICT: 409}
"""HTTP status of the request's errors; others are 503."""


class MemoryPages:
    """The pages of one server."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    async def now(self, request: Request, place: Place) -> Response:
        """Show current memories, newest first, with those that they replaced."""
        kind, tag = request.query_params.get("kind", ""), request.query_params.get("tag", "")
        offset = number_in(request.query_params.get("from", "0"))
        saved_by = _saved_by(request)
        wanted = {"limit": ROWS, "mark": "", "kind": kind or None, "tags": [tag] if tag else [], **saved_by}
        found, after = Recalled(), offset
        listed: list[Memory] = []
        for _ in range(PAGES_READ_MAX):  # what waits for a yes, and what was replaced, is among them
            found = await self._layout.ask(request_from(Recall, offset=after, **wanted), place.caller)
            listed, after = [*listed, *found.memories], after + ROWS
            if after >= found.total or len(_fold(listed)[0]) >= ROWS:
                break
        tags: TagList = await self._layout.ask(ListTags(), place.caller)
        is_first = not (kind or tag or offset or any(saved_by.values()))
        rules: RuleList = await self._layout.ask(Rules(), place.caller) if is_first else RuleList(rules=[])
        pins: Pinned = await self._layout.ask(Pin(), place.caller) if is_first else Pinned()
        holding, former = _fold(listed)
        is_by_subject = request.query_params.get("by") != "time"
        return await self._layout.show_at(
            request,
            place,
            "now.html",
            part="",
            kinds=KINDS,
            tags=tags.tags[:TAGS_SHOWN],
            kind=kind,
            tag=tag,
            saved_by=saved_by,
            rules=rules.rules[:RULES_SHOWN],
            rules_left=len(rules.rules[RULES_SHOWN:]),
            pins=pins.pinned,
            is_first=is_first,
            new=sum(each.created_at > place.looked_at for each in holding) if place.looked_at else 0,
            subjects=by_subject(holding) if is_by_subject else [Subject("", holding)],
            is_by_subject=is_by_subject,
            rows=holding,
            former=former,
            total=found.total,
            offset=offset,
            next=after if after < found.total else 0,
            notes=found.notes,
        )

    async def search(self, request: Request, place: Place) -> Response:
        """Find memories, conversations, documents and removed code, with each row's explanation."""
        asked = {name: request.query_params.get(name, "").strip() for name in ("q", "kind", "tag", "since", "until")}
        saved_by, is_long = _saved_by(request), bool(request.query_params.get("long"))
        found, problem, beside = Recalled(), "", dict[str, list[Memory]]()
        if asked["q"]:
            tags = [asked["tag"]] if asked["tag"] else []
            times = {name: asked[name] for name in ("since", "until") if asked[name]}
            try:
                wanted = request_from(
                    Recall,
                    query=asked["q"],
                    kind=asked["kind"] or None,
                    tags=tags,
                    limit=ROWS if is_long else FOUND_ROWS,
                    mark=MARK,
                    explain=True,
                    **times,
                    **saved_by,
                )
                found = await self._layout.ask(wanted, place.caller)
                if not asked["kind"]:
                    beside = await self._beside(place, wanted, found)
            except PalimpError as error:
                problem = f"{error.text} {error.hint}".strip()
        best = max((each.score or 0 for each in found.memories), default=0)
        return await self._layout.show_at(
            request,
            place,
            "search.html",
            part="search",
            asked=asked,
            saved_by=saved_by,
            found=found,
            beside=beside,
            problem=problem,
            kinds=(*KINDS, *OTHER_KINDS),
            memory_kinds=KINDS,
            best=best or 1,
            has_meanings=any(each.score_parts.get("meaning") for each in found.memories),
            all_asked={**asked, **saved_by},
            longer=0 if is_long else min(found.total, ROWS),
        )

    async def _beside(self, place: Place, wanted: Recall, found: Recalled) -> dict[str, list[Memory]]:
        """Agents get these kinds without a matching memory or by request; a person always."""
        beside = {"From conversations and commits": found.conversations} if found.conversations else {}
        for kind, called in BESIDE.items():
            if called not in beside:
                try:
                    asked = replace(wanted, kind=kind, limit=BESIDE_ROWS, explain=False)
                    reply: Recalled = await self._layout.ask(asked, place.caller)
                except PalimpError:  # not each of them knows tags, authors or times
                    continue
                if reply.memories:
                    beside[called] = reply.memories
        return beside

    async def inbox(self, request: Request, place: Place) -> Response:
        """Show proposals and open questions."""
        reply: Reviewed = await self._layout.ask(Review(disputes=True), place.caller)
        return await self._layout.show_at(
            request,
            place,
            "inbox.html",
            part="inbox",
            rows=reply.proposals,
            total=reply.total,
            disputes=reply.disputes,
        )

    async def settle(self, request: Request, place: Place) -> Response:
        """Decide between two memories that disagree; both may hold."""
        form = form_of(request)
        link, kept, dropped = request.path_params["link"], form.get("kept", ""), form.get("dropped", "")
        try:
            if kept:
                wanted = request_from(Supersede, newer=kept, older=dropped, why=SETTLED)
                await self._layout.ask(wanted, place.caller, once_of(form))
                said = Message("Kept: the other one is replaced by it.", await self._layout.last_act(place, kept))
            else:
                done: Undone = await self._layout.ask(request_from(Undo, id=link), place.caller, once_of(form))
                said = Message("Both hold, and do not disagree any more.", done.name)
        except PalimpError as error:
            said = _problem(error)
        return RedirectResponse(place.path("inbox", said), 303)

    async def review(self, request: Request, place: Place) -> Response:
        """Keep or drop a proposal."""
        form = form_of(request)
        id_, answer = request.path_params["id"], request.path_params["answer"]
        if answer not in ANSWERS:
            raise HTTPException(404)
        try:
            reply: Reviewed = await self._layout.ask(
                request_from(Review, limit=1, **{answer: [id_]}), place.caller, once_of(form)
            )
        except PalimpError as error:
            return RedirectResponse(place.path("inbox", _problem(error)), 303)
        if reply.unknown or reply.unchanged:
            said = next(iter(reply.unknown), "That was answered before.")
            return RedirectResponse(place.path("inbox", Message(said, is_error=bool(reply.unknown))), 303)
        return RedirectResponse(
            place.path("inbox", Message(ANSWERS[answer], await self._layout.last_act(place, id_))), 303
        )

    async def sessions(self, request: Request, place: Place) -> Response:
        """Show the project's sessions, or the timeline of one."""
        key = request.query_params.get("session", "")
        reply: SessionList = await self._layout.ask(
            request_from(Sessions, session=key or None, limit=ROWS), place.caller
        )
        if not key:
            return await self._layout.show_at(
                request, place, "sessions.html", part="sessions", sessions=reply.sessions, total=reply.total
            )
        if not reply.sessions:
            raise PalimpError(ErrorCode.NOT_FOUND, next(iter(reply.notes), "There is no such session here."))
        saved: dict[str, Memory] = {}
        ids = [each.id for each in reply.events if each.what != CODE]
        for first in range(0, len(ids), ROWS):
            wanted = request_from(
                Recall, ids=ids[first : first + ROWS], detail="full", include_purged=True, scope="all"
            )
            shown: Recalled = await self._layout.ask(wanted, place.caller)
            saved |= {each.id: each for each in shown.memories}
        return await self._layout.show_at(
            request,
            place,
            "session.html",
            part="sessions",
            one=reply.sessions[0],
            moments=moments_of(reply, saved),
            memory_kinds=KINDS,
            notes=reply.notes,
        )

    async def edit_form(self, request: Request, place: Place) -> Response:
        """Show the form for another version of a memory, or of its newest replacement."""
        memory = await self._memory(place, request.path_params["id"])
        newest = await self._newest(place, memory)
        if newest is not memory:
            said = Message("This memory was replaced meanwhile: this is the newest version.")
            return RedirectResponse(place.path(f"memory/{newest.id}/edit", said), 303)
        return await self.memory(request, place, "edit.html", typed=None, newer=None, problem="")

    async def memory(self, request: Request, place: Place, template: str = "memory.html", **values: Any) -> Response:
        """Show a memory with its acts, or another *template*."""
        memory = await self._memory(place, request.path_params["id"])
        acts: ActList = await self._layout.ask(Acts(id=memory.id), place.caller)
        told: SessionList = await self._layout.ask(Sessions(given=memory.id, limit=GIVEN_SHOWN), place.caller)
        team: TeamStatus = await self._layout.ask(Team(), place.caller)
        root = place.project.root if place.project else ""
        return await self._layout.show_at(
            request,
            place,
            template,
            part="",
            is_in_team=bool(team.place),
            is_for_team=may_leave(memory.kind, memory.tags, is_proposal=memory.is_proposal),
            shared_as=next((each.name for each in team.projects if each.root == root), ""),
            memory=memory,
            text=without_control(_content(memory)),
            is_cleaned=without_control(_content(memory)) != _content(memory),
            acts=acts.acts,
            given=told.given,
            given_shown=GIVEN_SHOWN,
            limits={"text": TEXT_CHARACTERS_MAX, "title": TITLE_CHARACTERS_MAX},
            **values,
        )

    async def edit(self, request: Request, place: Place) -> Response:
        """Make another version of a memory; on a conflict show the newer one beside the text."""
        form = form_of(request)
        id_ = request.path_params["id"]
        text, title, tags = form.get("text", ""), form.get("title", ""), form.get("tags")
        try:
            wanted = request_from(
                EditMemory, id=id_, text=text, title=title or None, tags=None if tags is None else tags.split()
            )
            reply: Edited = await self._layout.ask(wanted, place.caller, once_of(form))
        except PalimpError as error:
            former = await self._memory(place, id_)
            newest = await self._newest(place, former)
            newer = newest if newest is not former else None
            problem = f"{error.text} {'' if newer else error.hint}".strip()
            typed = {"text": text, "title": title, "tags": tags or ""}
            shown = {
                "typed": typed,
                "newer": newer,
                "problem": problem,
                "status": _status(error),
            }
            return await self.memory(request, place, "edit.html", **shown)
        said = "Nothing was changed: the text is the same." if reply.is_unchanged else "Kept as a new version."
        said += " A secret in it was removed." if reply.is_redacted else ""
        return await self._back_to(place, reply.id, said, is_act=not reply.is_unchanged)

    async def change(self, request: Request, place: Place) -> Response:
        """Pin, unpin, mute, unmute, purge or restore a memory."""
        form = form_of(request)
        id_ = request.path_params["id"]
        action = CHANGES.get(request.path_params["action"])
        if action is None:
            raise HTTPException(404)
        wanted, said = action
        reply: Pinned | Muted | Recalled = await self._layout.ask(wanted(id_), place.caller, once_of(form))
        if reply.unknown:
            raise PalimpError(ErrorCode.NOT_FOUND, reply.unknown[0])
        is_act = not reply.unchanged
        return await self._back_to(place, id_, said if is_act else "It was so already.", is_act=is_act)

    async def erase(self, request: Request, place: Place) -> Response:
        """Erase a memory for good."""
        form = form_of(request)
        reply: Erased = await self._layout.ask(Erase(ids=[request.path_params["id"]]), place.caller, once_of(form))
        if reply.unknown:
            raise PalimpError(ErrorCode.NOT_FOUND, reply.unknown[0])
        text = " ".join(["Erased for good.", *reply.notes])
        return RedirectResponse(place.path("", Message(text)), 303)

    async def history(self, request: Request, place: Place) -> Response:
        """Show all acts on memories of the project."""
        before = request.query_params.get("before", "")
        reply: ActList = await self._layout.ask(request_from(Acts, before=before), place.caller)
        more = reply.acts[-1].name if reply.total > len(reply.acts) and reply.acts else ""
        return await self._layout.show_at(
            request, place, "history.html", part="history", acts=reply.acts, more=more, before=before
        )

    async def undo(self, request: Request, place: Place) -> Response:
        """Undo an act."""
        form = form_of(request)
        back = form.get("memory", "")
        rest = f"memory/{back}" if back.isalnum() else "history"
        if not form.get("act"):  # without a name the last act would be meant
            raise RequestError("The form names no act to undo.", "Nothing was undone.")
        try:
            done: Undone = await self._layout.ask(
                request_from(Undo, id=form.get("act", "")), place.caller, once_of(form)
            )
        except PalimpError as error:
            return RedirectResponse(place.path(rest, _problem(error)), 303)
        left = f" {done.left_total:,} stay as they are, because they were changed since." if done.left_total else ""
        return RedirectResponse(place.path(rest, Message(f"Undone.{left}", done.name)), 303)

    async def answer_problem(self, request: Request, error: Exception) -> Response:
        """Explain an error, and what to do."""
        assert isinstance(error, PalimpError)  # noqa: S101  that is what it is bound to
        session: BrowserSession = request.scope["palimp.session"]
        key = request.path_params.get("key", "")
        shown = {"problem": error.text, "hint": error.hint, "back": f"/p/{key}/" if key else ""}
        return await self._layout.show(request, "problem.html", session, status=_status(error), **shown)

    async def answer_missing(self, request: Request, error: Exception) -> Response:
        """Say that there is no such page."""
        session: BrowserSession = request.scope["palimp.session"]
        status = error.status_code if isinstance(error, HTTPException) else 404
        problem, hint = "There is no such page.", "The list of projects leads to all there are."
        return await self._layout.show(request, "problem.html", session, status=status, problem=problem, hint=hint)

    async def _back_to(self, place: Place, id_: str, said: str, *, is_act: bool) -> Response:
        act = await self._layout.last_act(place, id_) if is_act else ""
        return RedirectResponse(place.path(f"memory/{id_}", Message(said, act)), 303)

    async def _newest(self, place: Place, memory: Memory) -> Memory:
        for _ in range(VERSIONS_FOLLOWED_MAX):
            if not memory.superseded_by:
                break
            memory = await self._memory(place, memory.superseded_by)
        return memory

    async def _memory(self, place: Place, id_: str) -> Memory:
        wanted = request_from(Recall, ids=[id_], detail="full", include_purged=True, scope="all")
        reply: Recalled = await self._layout.ask(wanted, place.caller)
        if not reply.memories:
            raise PalimpError(ErrorCode.NOT_FOUND, next(iter(reply.unknown), f"Nothing is called {id_} here."))
        return reply.memories[0]


OTHER_KINDS: Final = ("doc", "removed-code", "conversation", "commit")

ANSWERS: Final = {
    "keep": "Kept: sessions are told it from now on.",
    "here": "Kept, in this project only.",
    "drop": "Dropped.",
}

CHANGES: Final[dict[str, tuple[Callable[[str], Struct], str]]] = {
    "pin": (lambda id_: request_from(Pin, ids=[id_]), "Pinned: every session of the project starts with it."),
    "unpin": (lambda id_: request_from(Pin, ids=[id_], off=True), "Not pinned any more."),
    "mute": (lambda id_: request_from(Mute, ids=[id_]), "Muted: it is shown only when it is searched for."),
    "unmute": (lambda id_: request_from(Mute, ids=[id_], off=True), "Not muted any more."),
    "purge": (lambda id_: request_from(Recall, ids=[id_], action="purge"), "Purged: no session finds it any more."),
    "restore": (lambda id_: request_from(Recall, ids=[id_], action="restore"), "Restored."),
}


def _saved_by(request: Request) -> dict[str, str]:
    return {name: request.query_params.get(name, "").strip() for name in ("client", "author")}


def _fold(memories: list[Memory]) -> tuple[list[Memory], dict[str, list[Memory]]]:
    by_id = {each.id: each for each in memories}
    former: dict[str, list[Memory]] = {}
    for each in memories:
        above = each
        for _ in memories:  # no longer than the list, also if a chain were a circle
            if above.superseded_by not in by_id:
                break
            above = by_id[above.superseded_by]
        if above is not each:
            former.setdefault(above.id, []).append(each)
    return [each for each in memories if not (each.superseded_by or each.is_proposal)], former


def _status(error: PalimpError) -> int:
    return STATUS.get(ErrorCode(error.code), 503)


def _content(memory: Memory) -> str:
    return memory.content if isinstance(memory.content, str) else ""


def _problem(error: PalimpError) -> Message:
    return Message(f"{error.text} {error.hint}".strip(), is_error=True)
