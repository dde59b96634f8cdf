"""Exchange the shared projects of this machine's team: one task each, woken by news and changes.

A failing task retries after growing waits, and stops no other. Without a team nothing runs or is imported.
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

from palimp_daemon.git.git_repository import first_commits
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import team_tables
from palimp_daemon.store.tables.team_pending import has_changes
from palimp_daemon.store.tables.team_tables import SharedProject, TeamRow
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import ErrorCode, PalimpError

if TYPE_CHECKING:
    from palimp_daemon.features.team.exchange import ProjectExchange, Round
    from palimp_daemon.features.team.transport import Transport

T = TypeVar("T")

AGAIN_S: Final = 2.0
"""Seconds before a retry; each failure doubles them."""

WAIT_MAX_S: Final = 300.0
"""Longest delay between two tries after failures, in seconds."""

CLOSE_S: Final = 1.0
"""Seconds to close a connection."""

INDEX_LOOK_S: Final = 60.0
"""Seconds between two looks for a server's missing index."""

GATHER_S: Final = 0.3
"""Longest delay between news and its round, in seconds, to gather more news and spread machines' work."""

_REPLICA_BYTES: Final = 8


class TeamServices(NamedTuple):
    """The services of the daemon that teams use."""

    actor: Actor
    settings: Settings
    redact: Redactor
    now_ms: Callable[[], int]
    log: Log
    on_save: Callable[[], None] | None
    finish_erasing: Callable[[], Awaitable[object]]
    """Has the database rewritten after others' erasures."""
    folder: Path
    """The data folder, with the password of a team's database."""


class Work:
    """A project's exchange, and its last result."""

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
        """Do a round; return it, and the projects with news."""
        return self.exchange.round(hold_ms), self.exchange.transport.news()


@contextlib.asynccontextmanager
async def _closing(transport: "Transport | None") -> AsyncGenerator[None]:
    """Close *transport* afterwards, giving up after CLOSE_S."""
    try:
        yield
    finally:
        if transport:
            with trio.move_on_after(CLOSE_S, shield=True):
                await in_thread(transport.close)


def _again_s(failures: int) -> float:
    return _spread(min(WAIT_MAX_S, AGAIN_S * 2**failures))


def _spread(wait_s: float) -> float:
    return wait_s * random.uniform(0.8, 1.0)  # noqa: S311  nothing is to be kept from anybody


def _gather_s() -> float:
    return random.uniform(0.0, GATHER_S)  # noqa: S311  the same


class Rounds:
    """The exchange of this machine's team, if any."""

    def __init__(self, services: TeamServices) -> None:
        self._services = services
        self.works: dict[int, Work] = {}
        """By project number."""
        self.problem: PalimpError | None = None
        """Why no project can be exchanged."""
        self.is_reader = is_reader(services.settings.env)
        self.is_index_missing = False
        """Whether the search index of the team's server is still missing."""
        self._changed = trio.Event()
        self._transport: tuple[tuple[str, str], Transport] | None = None

    async def run(self) -> None:
        """Exchange the shared projects until cancelled."""
        while True:
            changed = self._changed
            works = await self._works_now()
            async with _closing(self._transport and self._transport[1]), trio.open_nursery() as nursery:
                for work in works:
                    nursery.start_soon(self._keep_exchanging, work)
                if team := await self._team_now():
                    nursery.start_soon(self._see_to_index, team.place)
                if works and self._transport:
                    nursery.start_soon(self._listen, self._transport[1])
                    nursery.start_soon(self._notice_changes)
                with trio.move_on_after(WAIT_MAX_S if self.problem else math.inf):
                    await changed.wait()
                self._transport = None
                nursery.cancel_scope.cancel()

    async def _works_now(self) -> list[Work]:
        works: dict[int, Work] = {}
        self.problem = None
        try:
            if team := await self._services.actor.read(team_tables.team_of):
                for project in await self._services.actor.read(team_tables.shared_projects):
                    works[project.project] = await self._work_on(team, project)
        except PalimpError as error:
            self._services.log("team_not_begun", code=error.code, reason=error.text)
            self.problem = error
        self.works = works
        return [*works.values()]

    async def _team_now(self) -> TeamRow | None:
        try:
            return await self._services.actor.read(team_tables.team_of)
        except PalimpError:  # which is noted already
            return None

    async def _see_to_index(self, place: str) -> None:
        from palimp_daemon.features.team.team_places import build_index, needs_index  # noqa: PLC0415  only with a team

        failures = 0
        while True:
            try:
                self.is_index_missing = await in_transport(partial(needs_index, place))
                if self.is_index_missing:
                    await in_transport(partial(build_index, place))
                    self.is_index_missing = await in_transport(partial(needs_index, place))
                if not self.is_index_missing:
                    return
                failures = 0
            except PalimpError as error:  # where it cannot be reached, the rounds say so
                failures += 1
                self._services.log("team_index_not_made", reason=error.text)
            await trio.sleep(_again_s(failures) if failures else INDEX_LOOK_S)

    async def _work_on(self, team: TeamRow, project: SharedProject) -> Work:
        from palimp_daemon.features.team.exchange import ProjectExchange, Site  # noqa: PLC0415  only with a team
        from palimp_daemon.features.team.project_key import hashed_commits  # noqa: PLC0415  the same

        services = self._services
        site = Site(
            _from_thread(services.actor.read),
            _from_thread(services.actor.write),
            await self.transport_of(team),
            services.redact,
            services.now_ms,
            new_replica,
            self.is_reader,
        )
        commits = await in_thread(partial(first_commits_of, Path(project.root)))
        return Work(project, ProjectExchange(site, project, hashed_commits(team.id, commits)))

    async def transport_of(self, team: TeamRow) -> "Transport":
        """Return the transport of *team*, shared by all projects.

        Raises:
            PalimpError: it cannot be used on this machine.
        """
        from palimp_daemon.features.team.team_places import transport_of  # noqa: PLC0415  only with a team

        if self._transport is None or self._transport[0] != (team.place, team.id):
            made = await in_transport(partial(transport_of, team.place, team.id))
            self._transport = ((team.place, team.id), made)
        return self._transport[1]

    async def _keep_exchanging(self, work: Work) -> None:
        while True:
            work.news = trio.Event()
            await self.exchange(work)
            if work.failures:
                await trio.sleep(_again_s(work.failures))
                continue
            with trio.move_on_after(_spread(work.exchange.transport.look_s)):
                await work.news.wait()
                await trio.sleep(_gather_s())

    def _wake(self, keys: frozenset[str] | None) -> None:
        for work in self.works.values():
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
            for work in [*self.works.values()]:
                with contextlib.suppress(PalimpError):  # the rounds say so
                    now_ms = self._services.now_ms()
                    if await actor.read(partial(has_changes, project=work.project.home, now_ms=now_ms)):
                        work.news.set()
            await written.wait()

    async def exchange(self, work: Work) -> None:
        """Do one round of *work*, and note the result."""
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
        if work.last.merged:
            self.begin_again()
        if work.last.stored and services.on_save:
            services.on_save()
        if work.last.erased:
            await services.finish_erasing()

    def begin_again(self) -> None:
        """Restart with the projects shared now, apart from running rounds."""
        self._transport = None
        self._changed.set()
        self._changed = trio.Event()


def is_reader(env: Mapping[str, str]) -> bool:
    """Tell whether this machine only reads: a job of CI or a container is soon gone."""
    said = env.get("PALIMP_TEAM", "")
    return said == "read" or (not said and env.get("CI", "").lower() not in ("", "0", "false"))


def new_replica() -> str:
    """Draw a replica's id."""
    return secrets.token_hex(_REPLICA_BYTES)


def first_commits_of(root: Path) -> list[str]:
    """Return the repository's first commits; empty if git fails."""
    try:
        return first_commits(root)
    except PalimpError:
        return []


async def in_transport(work: Callable[[], T]) -> T:
    """Run *work* in a thread.

    Raises:
        PalimpError: the transport cannot be used.
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
