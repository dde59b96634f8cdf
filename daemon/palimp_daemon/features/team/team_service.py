"""The team of this machine in the daemon: one task for each shared project, and the answers to `palimp team`.

A task fails, waits longer and tries again by itself: one project that cannot be exchanged stops no other. Where there
is no team nothing runs, and nothing of the exchange is imported.
"""

import contextlib
import math
import random
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import trio
from msgspec.structs import replace

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.memories.recording import require_person
from palimp_daemon.features.team.password_file import remove_password, with_password, without_password
from palimp_daemon.git.git_repository import first_commits
from palimp_daemon.git.remote_url import remote_of
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.store import Store, ensure_project, project_row
from palimp_daemon.store.tables import team_tables
from palimp_daemon.store.tables.team_pending import has_changes
from palimp_daemon.store.tables.team_tables import SharedProject, TeamRow
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.team_messages import SHARING, Team, TeamStatus

if TYPE_CHECKING:
    from palimp_daemon.features.team.exchange import ProjectExchange, Round
    from palimp_daemon.features.team.transport import Transport

T = TypeVar("T")

AGAIN_S: Final = 2.0
"""Seconds after which it is tried again where something cannot be exchanged: each failure doubles them."""

WAIT_MAX_S: Final = 300.0
"""Seconds between two tries where a project cannot be exchanged."""

CLOSE_S: Final = 1.0
"""Seconds that a connection has to be closed in."""

GATHER_S: Final = 0.3
"""Seconds at most between news and the round for it: more may come with it, and not all machines work at once."""

_REPLICA_BYTES: Final = 8
_TEAM_BYTES: Final = 16

NO_TEAM: Final = "`palimp team create PLACE` makes one, `palimp team join PLACE` joins one."


class TeamServices(NamedTuple):
    """What teams use of the daemon."""

    actor: Actor
    settings: Settings
    redact: Redactor
    now_ms: Callable[[], int]
    log: Log
    on_save: Callable[[], None] | None
    finish_erasing: Callable[[], Awaitable[object]]
    """Has the database written anew after others' erasures."""
    folder: Path
    """Of the data, where the password of a team's database is kept."""


class _Work:
    def __init__(self, project: SharedProject, exchange: "ProjectExchange") -> None:
        self.project = project
        self.exchange = exchange
        self.lock = trio.Lock()
        self.news = trio.Event()
        """Set when there may be something to send or to read."""
        self.failures = 0
        self.problem: PalimpError | None = None
        self.last: Round | None = None

    def round(self, hold_ms: int) -> "tuple[Round, frozenset[str] | None]":
        return self.exchange.round(hold_ms), self.exchange.transport.news()


@contextlib.asynccontextmanager
async def _closing(transport: "Transport | None") -> AsyncGenerator[None]:
    """Give *transport* up afterwards; what its place does not let go at once ends with its connection."""
    try:
        yield
    finally:
        if transport:
            with trio.move_on_after(CLOSE_S, shield=True):
                await in_thread(transport.close)


def _again_s(failures: int) -> float:
    return _spread(min(WAIT_MAX_S, AGAIN_S * 2**failures))


def _spread(wait_s: float) -> float:
    """Return about *wait_s*, so that projects and machines do not work all at once."""
    return wait_s * random.uniform(0.8, 1.0)  # noqa: S311  nothing is to be kept from anybody


def _gather_s() -> float:
    return random.uniform(0.0, GATHER_S)  # noqa: S311  the same


def _refuse_agents(call: Invocation) -> None:
    if call.request.action not in ("status", "sync") or call.request.now:
        require_person(call.caller, SHARING)


class Teams:
    """The team of this machine, if it is in one."""

    def __init__(self, services: TeamServices) -> None:
        self._services = services
        self._works: dict[int, _Work] = {}
        self._changed = trio.Event()
        self._problem: PalimpError | None = None
        """Why no project can be exchanged."""
        self._transport: tuple[tuple[str, str], Transport] | None = None

    async def run(self) -> None:
        """Exchange the shared projects, as long as there are any. Runs until cancelled."""
        while True:
            changed = self._changed
            works = await self._works_now()
            async with _closing(self._transport and self._transport[1]), trio.open_nursery() as nursery:
                for work in works:
                    nursery.start_soon(self._keep_exchanging, work)
                if works and self._transport:
                    nursery.start_soon(self._listen, self._transport[1])
                    nursery.start_soon(self._notice_changes)
                with trio.move_on_after(WAIT_MAX_S if self._problem else math.inf):
                    await changed.wait()
                self._transport = None
                nursery.cancel_scope.cancel()

    async def _works_now(self) -> list[_Work]:
        works: dict[int, _Work] = {}
        self._problem = None
        try:
            if team := await self._services.actor.read(team_tables.team_of):
                for project in await self._services.actor.read(team_tables.shared_projects):
                    works[project.project] = await self._work_on(team, project)
        except PalimpError as error:
            self._services.log("team_not_begun", code=error.code, reason=error.text)
            self._problem = error
        self._works = works
        return [*works.values()]

    async def _work_on(self, team: TeamRow, project: SharedProject) -> _Work:
        from palimp_daemon.features.team.exchange import ProjectExchange, Site  # noqa: PLC0415  only with a team
        from palimp_daemon.features.team.project_key import hashed_commits  # noqa: PLC0415  the same

        services = self._services
        site = Site(
            _from_thread(services.actor.read),
            _from_thread(services.actor.write),
            await self._transport_of(team),
            services.redact,
            services.now_ms,
            new_replica,
        )
        commits = await in_thread(partial(first_commits_of, Path(project.root)))
        return _Work(project, ProjectExchange(site, project, hashed_commits(team.id, commits)))

    async def _transport_of(self, team: TeamRow) -> "Transport":
        from palimp_daemon.features.team.team_places import transport_of  # noqa: PLC0415  only with a team

        if self._transport is None or self._transport[0] != (team.place, team.id):
            made = await in_transport(partial(transport_of, team.place, team.id))
            self._transport = ((team.place, team.id), made)
        return self._transport[1]

    async def _keep_exchanging(self, work: _Work) -> None:
        while True:
            work.news = trio.Event()
            await self._exchange(work)
            if work.failures:
                await trio.sleep(_again_s(work.failures))
                continue
            with trio.move_on_after(_spread(work.exchange.transport.look_s)):
                await work.news.wait()
                await trio.sleep(_gather_s())

    def _wake(self, keys: frozenset[str] | None) -> None:
        for work in self._works.values():
            if keys is None or work.project.key in keys:
                work.news.set()

    async def _listen(self, transport: "Transport") -> None:
        failures = 0
        while True:
            try:
                with await in_transport(transport.bell) or contextlib.nullcontext() as bell:
                    news = await in_transport(transport.news)
                    failures = 0
                    self._wake(news)
                    if bell is None:
                        await trio.sleep(WAIT_MAX_S)
                    elif news == frozenset():
                        await trio.lowlevel.wait_readable(bell)
                        await trio.sleep(_gather_s())  # the answers to a round come by it, too
            except PalimpError:  # the rounds say so
                failures += 1
                await trio.sleep(_again_s(failures))

    async def _notice_changes(self) -> None:
        actor = self._services.actor
        while True:
            written = actor.written
            for work in [*self._works.values()]:
                with contextlib.suppress(PalimpError):  # the rounds say so
                    now_ms = self._services.now_ms()
                    if await actor.read(partial(has_changes, project=work.project.project, now_ms=now_ms)):
                        work.news.set()
            await written.wait()

    async def _exchange(self, work: _Work) -> None:
        from palimp_daemon.features.team.transport import TransportError  # noqa: PLC0415  only with a team

        services = self._services
        hold_ms = services.settings.current(None).number("team.hold") * 60_000
        async with work.lock:
            try:
                # A disk that hangs must not keep the daemon from ending; the round stops where it next asks the store.
                work.last, news = await trio.to_thread.run_sync(work.round, hold_ms, abandon_on_cancel=True)
            except (TransportError, PalimpError) as error:
                problem = PalimpError(ErrorCode.STORE_UNAVAILABLE, error.text, error.hint)
                if work.problem is None or work.problem.text != problem.text:
                    services.log("team_exchange_failed", project=work.project.name, reason=problem.text)
                work.problem, work.failures = problem, work.failures + 1
                return
            except Exception as error:  # noqa: BLE001  whatever others sent must not end the daemon
                services.log.bug(error)
                text = f"A bug in palimp: {type(error).__name__}."
                work.problem = PalimpError(ErrorCode.INTERNAL, text, "The daemon's log has more.")
                work.failures += 1
                return
            self._wake(news)
            refused = work.last.refused
            work.problem = refused and PalimpError(ErrorCode.STORE_UNAVAILABLE, refused.text, refused.hint)
            work.failures = 0
        if work.last.stored and services.on_save:
            services.on_save()
        if work.last.erased:
            await services.finish_erasing()

    # --- palimp team ------------------------------------------------------------------------------

    async def answer(self, call: Invocation) -> TeamStatus:
        """Do what the request asks for, and tell how the team is then.

        Raises:
            PalimpError: it cannot be done; the text says why, and the hint the remedy.
        """
        from palimp_daemon.features.team.team_places import schema_of  # noqa: PLC0415  only with a team

        request: Team = call.request
        notes: list[str] = []
        _refuse_agents(call)
        if request.action == "create" and request.dry_run:
            return TeamStatus(schema=await in_transport(partial(schema_of, request.place)))
        if request.action in ("create", "join"):
            await self._join(request)
        elif request.action == "share":
            if request.dry_run:
                return await self._would_share(call.caller)
            await self._share(request, call.caller)
        elif request.action == "unshare":
            await self._unshare(call.caller)
        elif request.action == "sync":
            await self._sync(request)
        elif request.action == "leave":
            notes = await self._leave(request)
        return await self._status(notes)

    async def read(self, work: Callable[[Store], T]) -> T:
        """Return the result of *work*, which reads the store."""
        return await self._services.actor.read(work)

    async def change(self, work: Callable[[Store], None]) -> None:
        """Do *work*, which changes what is believed of others, and begin the exchange again with it."""
        await self._services.actor.write(work)
        self._change()

    async def team(self) -> TeamRow:
        """Return the team of this machine.

        Raises:
            PalimpError: it is in none.
        """
        team = await self._services.actor.read(team_tables.team_of)
        if team is None:
            raise PalimpError(ErrorCode.NOT_FOUND, "This machine is in no team.", NO_TEAM)
        return team

    def _change(self) -> None:
        self._transport = None
        self._changed.set()
        self._changed = trio.Event()

    async def _join(self, request: Team) -> None:
        from palimp_daemon.features.team import team_places  # noqa: PLC0415  only with a team

        if await self._services.actor.read(team_tables.team_of):
            raise PalimpError(ErrorCode.CONFLICT, "This machine is in a team already.", "Leave it: palimp team leave")
        place, replica = request.place, new_replica()
        if request.password and not team_places.is_database(place):
            raise PalimpError(ErrorCode.BAD_REQUEST, "A folder has no password.", "Leave --password out.")
        if request.password:
            place = await in_thread(partial(with_password, place, request.password, self._services.folder))
        try:
            if request.action == "create":
                team = secrets.token_hex(_TEAM_BYTES)
                await in_transport(partial(team_places.create_team, place, team))
            else:
                team = await in_transport(partial(team_places.team_in, place))
        except PalimpError:
            await in_thread(partial(remove_password, self._services.folder))
            raise
        name = request.name.strip() or f"machine {replica[:4]}"
        row = TeamRow(team, place, replica, name)
        await self._services.actor.write(partial(_join_once, team=row))
        self._change()

    async def _key_of(self, team: TeamRow, request: Team, caller: Caller) -> tuple[str, list[str]]:
        from palimp_daemon.features.team.project_key import hashed_commits, project_key  # noqa: PLC0415  the same

        if caller.project is None:
            hint = "Go into a project, or say --project DIR. What holds in all projects stays on this machine."
            raise PalimpError(ErrorCode.BAD_REQUEST, "The scope outside all projects is not shared.", hint)
        root = Path(caller.project.root)
        remote = "" if request.name else await in_thread(partial(remote_of, root))
        commits = hashed_commits(team.id, await in_thread(partial(first_commits_of, root)))
        return project_key(team.id, remote, request.name or caller.project.name), commits

    async def _share(self, request: Team, caller: Caller) -> None:
        team = await self.team()
        key, commits = await self._key_of(team, request, caller)
        known = await self._services.actor.read(partial(team_tables.project_with_key, key=key))
        if known and caller.project and known.root == caller.project.root:
            return
        if known:
            hint = "Share this one under another name: palimp team share --as NAME; or `palimp projects link` both."
            raise PalimpError(ErrorCode.CONFLICT, f"{known.root} is shared as this project already.", hint)
        others = await in_transport(partial((await self._transport_of(team)).notices, key))
        if not request.is_same and (other := next((each for each in others if differs(each.commits, commits)), None)):
            raise PalimpError(
                ErrorCode.CONFLICT,
                f"{other.name} shares a project of this address or name, but none of its first commits is here.",
                "If it is the same project, say --same; else give this one a name of its own: --as NAME.",
            )
        await self._services.actor.write(partial(_share, caller=caller, key=key, now_ms=self._services.now_ms()))
        self._change()

    async def _would_share(self, caller: Caller) -> TeamStatus:
        from palimp_daemon.features.team.preview import would_share  # noqa: PLC0415  only with a team

        team = await self.team()
        shared, examples, stays = await self._services.actor.read(partial(would_share, caller=caller))
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
        self._change()

    async def _sync(self, request: Team) -> None:
        await self.team()
        if problem := self._problem:
            self._change()  # by the next time it may be mended
            raise problem
        for work in [*self._works.values()]:
            if request.now:
                async with work.lock:
                    await trio.to_thread.run_sync(work.exchange.send_now)
            await self._exchange(work)

    async def _leave(self, request: Team) -> list[str]:
        await self.team()
        unsent = sum(each.not_sent for each in (await self._status([])).projects)
        if request.dry_run:
            return [f"{unsent} changes were not sent."] if unsent else []
        await self._services.actor.write(team_tables.leave_team)
        await in_thread(partial(remove_password, self._services.folder))
        self._works = {}
        self._change()
        return [f"{unsent} changes were not sent; they stay on this machine."] if unsent else []

    async def describe(self) -> tuple[list[str], bool]:
        """Return how far each shared project is exchanged, a sentence each, and whether one cannot be now."""
        try:
            status = await self._status([])
        except PalimpError:  # which says so itself
            return [], False
        now_ms = self._services.now_ms()
        told = [
            f"{project.name}: {project.sentence(now_ms)}" + (f"; {project.problem}" if project.problem else "")
            for project in status.projects
        ]
        return told, any(project.problem for project in status.projects)

    async def _status(self, notes: list[str]) -> TeamStatus:
        team = await self._services.actor.read(team_tables.team_of)
        if team is None:
            return TeamStatus(notes=notes)
        from palimp_daemon.features.team.project_progress import project_progress  # noqa: PLC0415  only with a team

        projects = await self._services.actor.read(team_tables.shared_projects)
        told: list[Any] = []
        for project in projects:
            work = self._works.get(project.project)
            vector: Mapping[str, int] = work.last.vector if work and work.last else {}
            notices = work.exchange.notices if work else []
            progress = await self._services.actor.read(
                partial(
                    project_progress,
                    project=project,
                    replica=team.replica,
                    vector=vector,
                    notices=notices,
                    now_ms=self._services.now_ms(),
                )
            )
            problem = work.problem if work else self._problem
            told.append(replace(progress, problem=problem.text, hint=problem.hint) if problem else progress)
        return TeamStatus(
            place=without_password(team.place),
            name=team.name,
            replica=team.replica,
            projects=told,
            hold_minutes=self._services.settings.current(None).number("team.hold"),
            notes=notes,
        )


def new_replica() -> str:
    """Draw the id of a replica."""
    return secrets.token_hex(_REPLICA_BYTES)


def differs(theirs: list[str], ours: list[str]) -> bool:
    """Tell whether two repositories, by their first commits, are known to be different ones."""
    return bool(theirs and ours) and not set(theirs) & set(ours)


def first_commits_of(root: Path) -> list[str]:
    """Return the first commits of the repository at *root*; empty where git does not say."""
    try:
        return first_commits(root)
    except PalimpError:
        return []


async def in_transport(work: Callable[[], T]) -> T:
    """Run *work* in a thread.

    Raises:
        PalimpError: the medium cannot be used.
    """
    from palimp_daemon.features.team.transport import TransportError  # noqa: PLC0415  only with a team

    try:
        return await in_thread(work)
    except TransportError as error:
        raise PalimpError(ErrorCode.STORE_UNAVAILABLE, error.text, error.hint) from error


def _from_thread(ask: Callable[[Callable[[Store], Any]], Awaitable[Any]]) -> Any:
    def run(work: Callable[[Store], Any]) -> Any:
        return trio.from_thread.run(ask, work)

    return run


def _join_once(store: Store, team: TeamRow) -> None:
    if team_tables.team_of(store) is None:
        team_tables.join_team(store, team)


def _share(store: Store, caller: Caller, key: str, now_ms: int) -> None:
    project = ensure_project(store, caller, now_ms)
    if team_tables.shared_project(store, project) is None:
        team_tables.share_project(store, project, key, now_ms)


def _unshare(store: Store, caller: Caller) -> bool:
    project = project_row(store, caller)
    if project is None or team_tables.shared_project(store, project) is None:
        return False
    team_tables.unshare_project(store, project)
    return True
