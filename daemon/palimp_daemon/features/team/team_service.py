"""`palimp team`: create, join, share, sync, leave, status."""

import secrets
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import trio
from msgspec.structs import replace

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.memories.recording import require_person
from palimp_daemon.features.team.password_file import (
    forget_tried,
    keep_password,
    remove_password,
    with_password,
    without_password,
)
from palimp_daemon.features.team.team_rounds import Rounds, TeamServices, first_commits_of, in_transport, new_replica
from palimp_daemon.git.remote_url import remote_of
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, project_row
from palimp_daemon.store.tables import team_tables
from palimp_daemon.store.tables.team_keys import KEYS_MAX, add_key, free_row, go_on_as, keys_of
from palimp_daemon.store.tables.team_tables import SharedProject, TeamRow
from palimp_daemon.text.redact import PatternError, Redactor
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.team_messages import SHARING, Team, TeamStatus, progress_sentence

T = TypeVar("T")

_TEAM_BYTES: Final = 16

INDEX_MISSING: Final = (
    "The team's server is making the index by which it is searched: until that is done, `--team` finds what is here"
    " alone. Nothing else waits for it."
)

READS_ALONE: Final = (
    "This machine only reads: CI or PALIMP_TEAM=read is set. It sends nothing, and the others do not hear of it;"
    " PALIMP_TEAM=write has it take part."
)

LEAVE: Final = "Leave it: palimp team leave"

NO_TEAM: Final = "`palimp team create PLACE` makes one, `palimp team join PLACE` joins one."


def _refuse_agents(call: Invocation) -> None:
    if call.request.action not in ("status", "sync") or call.request.now:
        require_person(call.caller, SHARING)


class Teams:
    """This machine's team, if any."""

    def __init__(self, services: TeamServices) -> None:
        self._services = services
        self._rounds = Rounds(services)
        self.run = self._rounds.run

    async def answer(self, call: Invocation) -> TeamStatus:
        """Execute the request, and return the team's status.

        Raises:
            PalimpError: it is refused, with a reason and a remedy.
        """
        request: Team = call.request
        notes: list[str] = []
        _refuse_agents(call)
        if asked := await self._look(request, call.caller):
            return asked
        if request.action in ("create", "join"):
            await self._join(request)
        elif request.action == "share":
            await self._share(request, call.caller)
        elif request.action == "unshare":
            await self._unshare(call.caller)
        elif request.action == "sync":
            await self._sync(request)
        elif request.action == "leave":
            notes = await self._leave(request)
        return await self._status(notes)

    async def _look(self, request: Team, caller: Caller) -> TeamStatus | None:
        """Answer a request that only looks; None for any other."""
        from palimp_daemon.features.team.team_places import schema_of  # noqa: PLC0415  only with a team

        if request.action == "create" and request.dry_run:
            return TeamStatus(schema=await in_transport(partial(schema_of, request.place)))
        if request.action == "share" and request.dry_run:
            return await self._would_share(request, caller)
        if request.action == "patterns":
            return TeamStatus(patterns=await self._patterns(request))
        return None

    async def read(self, work: Callable[[Store], T]) -> T:
        """Read the store with *work*."""
        return await self._services.actor.read(work)

    async def change(self, work: Callable[[Store], None]) -> None:
        """Change trust by *work*, and restart the exchange."""
        await self._services.actor.write(work)
        self._rounds.begin_again()

    async def team(self) -> TeamRow:
        """Return this machine's team.

        Raises:
            PalimpError: it has none.
        """
        team = await self._services.actor.read(team_tables.team_of)
        if team is None:
            raise PalimpError(ErrorCode.NOT_FOUND, "This machine is in no team.", NO_TEAM)
        return team

    async def _join(self, request: Team) -> None:
        from palimp_daemon.features.team import team_places  # noqa: PLC0415  only with a team

        known = await self._services.actor.read(team_tables.team_of)
        if known and request.action == "create":
            raise PalimpError(ErrorCode.CONFLICT, "This machine is in a team already.", LEAVE)
        place, folder = request.place, self._services.folder
        if request.password and not team_places.is_database(place):
            raise RequestError("A folder has no password.", "Leave --password out.")
        tried = await in_thread(partial(with_password, place, request.password, folder)) if request.password else place
        try:
            if request.action == "create":
                team = secrets.token_hex(_TEAM_BYTES)
                await in_transport(partial(team_places.create_team, tried, team))
            else:
                team = await in_transport(partial(team_places.team_in, tried))
            if known and known.id != team:
                raise PalimpError(ErrorCode.CONFLICT, "This machine is in another team already.", LEAVE)
            if request.password:
                place = await in_thread(partial(keep_password, place, folder))
            else:
                await in_thread(partial(remove_password, folder))
        finally:
            forget_tried(folder)
        replica = known.replica if known else new_replica()
        name = request.name.strip() or (known.name if known else f"machine {replica[:4]}")
        await self._services.actor.write(partial(team_tables.join_team, team=TeamRow(team, place, replica, name)))
        self._rounds.begin_again()

    async def _key_of(self, team: TeamRow, request: Team, caller: Caller) -> tuple[str, list[str]]:
        from palimp_daemon.features.team.project_key import hashed_commits, project_key  # noqa: PLC0415  the same

        if caller.project is None:
            hint = "Go into a project, or say --project DIR. What holds in all projects stays on this machine."
            raise RequestError("The scope outside all projects is not shared.", hint)
        root = Path(caller.project.root)
        remote = "" if request.name else await in_thread(partial(remote_of, root))
        commits = hashed_commits(team.id, await in_thread(partial(first_commits_of, root)))
        return project_key(team.id, remote, request.name or caller.project.name), commits

    async def _share(self, request: Team, caller: Caller) -> None:
        team = await self.team()
        key, commits = await self._key_of(team, request, caller)
        if request.left_out:
            await self._services.actor.write(partial(self._leave_out, caller=caller, names=request.left_out))
        known = await self._services.actor.read(partial(team_tables.project_with_key, key=key))
        is_here = known is not None and caller.project is not None and known.root == caller.project.root
        if known and is_here and known.is_main:
            return
        if known and not is_here:
            hint = "Share this one under another name: palimp team share --as NAME; or `palimp projects link` both."
            raise PalimpError(ErrorCode.CONFLICT, f"{known.root} is shared as this project already.", hint)
        others = await in_transport(partial((await self._rounds.transport_of(team)).notices, key))
        if not request.is_same and (other := next((each for each in others if differs(each.commits, commits)), None)):
            raise PalimpError(
                ErrorCode.CONFLICT,
                f"{other.name} shares a project of this address or name, but none of its first commits is here.",
                "If it is the same project, say --same; else give this one a name of its own: --as NAME.",
            )
        await self._services.actor.write(partial(_share, caller=caller, key=key, now_ms=self._services.now_ms()))
        self._rounds.begin_again()

    def _leave_out(self, store: Store, caller: Caller, names: list[str]) -> None:
        from palimp_daemon.features.team.preview import leave_out  # noqa: PLC0415  only with a team

        leave_out(RequestContext(store, caller, self._services.now_ms(), lambda: 0), names)

    async def _would_share(self, request: Team, caller: Caller) -> TeamStatus:
        from palimp_daemon.features.team.preview import would_share  # noqa: PLC0415  only with a team

        team = await self.team()
        look = partial(would_share, caller=caller, names_all=request.names_all)
        shared, examples, stays = await self._services.actor.read(look)
        return TeamStatus(
            place=without_password(team.place),
            name=team.name,
            would_share=shared,
            examples=examples,
            stays=stays,
            hold_minutes=self._services.settings.current(None).number("team.hold"),
        )

    async def _unshare(self, caller: Caller) -> None:
        await self.team()
        was_shared: bool = await self._services.actor.write(partial(_unshare, caller=caller))
        if not was_shared:
            raise PalimpError(ErrorCode.NOT_FOUND, "This project is not shared.", "")
        self._rounds.begin_again()

    async def _sync(self, request: Team) -> None:
        await self.team()
        if problem := self._rounds.problem:
            self._rounds.begin_again()  # by the next time it may be mended
            raise problem
        for work in [*self._rounds.works.values()]:
            if request.now:
                async with work.lock:
                    await trio.to_thread.run_sync(work.exchange.send_now)
            await self._rounds.exchange(work)

    async def _patterns(self, request: Team) -> list[str]:
        from palimp_daemon.features.team.transport import PATTERNS_MAX  # noqa: PLC0415  only with a team

        transport = await self._rounds.transport_of(await self.team())
        known = await in_transport(transport.patterns)
        changed = [each for each in known if each != request.removes]
        if request.removes and changed == known:
            raise PalimpError(
                ErrorCode.NOT_FOUND, "The team has no such pattern.", "`palimp team patterns` lists them."
            )
        if request.adds and request.adds not in changed:
            try:
                Redactor([request.adds])
            except PatternError as error:
                raise RequestError(f"It was not added: {error}", "`redact.patterns` has the same form.") from error
            changed.append(request.adds)
        if len(changed) > PATTERNS_MAX:
            raise RequestError(f"A team has {PATTERNS_MAX} patterns at most.", "Remove one, or join two with |.")
        if changed != known:
            await in_transport(partial(transport.set_patterns, changed))
        return changed

    async def _leave(self, request: Team) -> list[str]:
        await self.team()
        unsent = sum(each.not_sent for each in (await self._status([])).projects)
        if request.dry_run:
            return [f"{unsent} changes were not sent."] if unsent else []
        await self._services.actor.write(team_tables.leave_team)
        await in_thread(partial(remove_password, self._services.folder))
        self._rounds.works = {}
        self._rounds.begin_again()
        return [f"{unsent} changes were not sent; they stay on this machine."] if unsent else []

    async def describe(self) -> tuple[list[str], bool]:
        """Return a sentence per shared project, and whether one fails."""
        try:
            status = await self._status([])
        except PalimpError:  # which says so itself
            return [], False
        if not status.projects:
            return [], False
        now_ms = self._services.now_ms()
        told = [progress_sentence(status.projects, now_ms)]
        several = status.projects if len(status.projects) > 1 else []
        told += [f"{project.name}: {project.sentence(now_ms)}" for project in several]
        told += [f"{project.name}: {project.problem}" for project in status.projects if project.problem]
        return [*told, *status.notes], any(project.problem for project in status.projects)

    def _progress_of(self, log: SharedProject) -> Any:
        from palimp_daemon.features.team.project_progress import Heard  # noqa: PLC0415  only with a team

        work = self._rounds.works.get(log.project)
        last = work.last if work else None
        return Heard(log, last.vector if last else None, work.exchange.notices if work else [])

    async def _status(self, notes: list[str]) -> TeamStatus:
        team = await self._services.actor.read(team_tables.team_of)
        if team is None:
            return TeamStatus(notes=notes)
        from palimp_daemon.features.team.project_progress import (  # noqa: PLC0415  only with a team
            clock_note,
            project_progress,
        )

        projects = await self._services.actor.read(team_tables.shared_projects)
        told: list[Any] = []
        for project in filter(lambda each: each.is_main, projects):
            logs = [self._progress_of(each) for each in projects if each.home == project.home]
            progress = await self._services.actor.read(
                partial(
                    project_progress, project=project, replica=team.replica, logs=logs, now_ms=self._services.now_ms()
                )
            )
            work = self._rounds.works.get(project.project)
            problem = work.problem if work else self._rounds.problem
            told.append(replace(progress, problem=problem.text, hint=problem.hint) if problem else progress)
        if skew := clock_note([work.exchange.ahead_ms for work in self._rounds.works.values()]):
            notes = [*notes, skew]
        if self._rounds.is_index_missing:
            notes = [*notes, INDEX_MISSING]
        if self._rounds.is_reader:
            notes = [*notes, READS_ALONE]
        return TeamStatus(
            place=without_password(team.place),
            name=team.name,
            replica=team.replica,
            projects=told,
            hold_minutes=self._services.settings.current(None).number("team.hold"),
            notes=notes,
        )


def differs(theirs: list[str], ours: list[str]) -> bool:
    """Tell whether two repositories differ by their first commits."""
    return bool(theirs and ours) and not set(theirs) & set(ours)


def _share(store: Store, caller: Caller, key: str, now_ms: int) -> None:
    project = ensure_project(store, caller, now_ms)
    if team_tables.shared_project(store, project) is None:
        free_row(store, project, now_ms)
        team_tables.share_project(store, project, key, now_ms)
        return
    # It has another name, or its repository another address; or its former one again.
    known = [each.key for each in keys_of(store, project)]
    if key not in known:
        if len(known) >= KEYS_MAX:
            raise RequestError(f"A project has {KEYS_MAX} names at most.", "`palimp team unshare`, then share it.")
        add_key(store, project, key, now_ms)
    go_on_as(store, key, "")


def _unshare(store: Store, caller: Caller) -> bool:
    project = project_row(store, caller)
    if project is None or team_tables.shared_project(store, project) is None:
        return False
    team_tables.unshare_project(store, project)
    return True
