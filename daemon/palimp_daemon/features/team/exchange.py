"""Do one round of a project's exchange: clear, send, read, apply.

It is synchronous, and calls the store only by *write* and *read*. Progress is kept by page for the next round.
"""

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, NamedTuple, Protocol, TypeVar

from msgspec.structs import replace

from palimp_daemon.features.team import applying, holding_first, sending
from palimp_daemon.features.team.deciding import first_difference
from palimp_daemon.features.team.team_operation import OPERATIONS_MAX, Line, sum_of
from palimp_daemon.features.team.transport import NOT_ERASED_MAX, Notice, RefusedError, Transport, UnacceptableError
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import team_heard, team_log, team_pending, team_tables
from palimp_daemon.store.tables.team_heard import Parked
from palimp_daemon.store.tables.team_tables import SharedProject, TeamRow
from palimp_daemon.text.redact import PatternError, Redactor
from palimp_protocol import __version__
from palimp_protocol.errors import ErrorCode, PalimpError

T = TypeVar("T")


class Run(Protocol):
    """Runs work in the store's thread."""

    def __call__(self, work: Callable[[Store], T]) -> T:
        """Return the result of *work*; of a write, once durable."""
        ...


LOGGED_AT_ONCE: Final = 500
"""Operations appended at once: usually a megabyte at worst."""

PARKED_AGAIN_MS: Final = 3_600_000
"""Milliseconds before others' operations ahead of the clock are tried again."""

CLEARED: Final = b'"kind":"cleared"'


class Site(NamedTuple):
    """The parts that a round works with."""

    read: Run
    write: Run
    transport: Transport
    redact: Callable[[str], str]
    now_ms: Callable[[], int]
    new_replica: Callable[[], str]
    is_reader: bool = False
    """Whether nothing is sent, so others do not learn of this machine."""


class Round(NamedTuple):
    """The result of a round."""

    sent: int = 0
    stored: int = 0
    erased: int = 0
    merged: int = 0
    """Keys of the project that are new here."""
    vector: Mapping[str, int] = {}
    """By replica, the last counter up to which operations can be read."""
    is_renumbered: bool = False
    """Whether this replica was a copy and got another id."""
    refused: RefusedError | None = None
    """Why nothing of this replica is accepted; it may read."""


@contextmanager
def _note_refusal(refusals: list[RefusedError]) -> Generator[None]:
    """Note a refusal to write: reading may still be allowed."""
    try:
        yield
    except RefusedError as error:
        refusals.append(error)


class ProjectExchange:
    """Exchanges the operations of one shared project."""

    def __init__(self, site: Site, project: SharedProject, commits: list[str] | None = None) -> None:
        self._site = site
        self._project = project
        self._commits = commits or []
        self._sums: dict[str, dict[int, bytes]] = {}
        """By replica id and counter, sums of this replica's logged lines."""
        self.notices: list[Notice] = []
        self.ahead_ms = 0
        """Milliseconds by which the local clock is ahead of the medium's; negative: behind."""
        self._told: Notice | None = None
        self._looked: Mapping[str, int] | None = None
        """The medium's vector at the end of the last round."""
        self._logins: Mapping[str, str] | None = {}
        """The login of each replica; None: all belong to one person."""
        self._team_redactor = Redactor()
        """Also removes matches of the team's patterns before sending."""
        self._parked_tried_at = 0
        """Unix milliseconds, by a clock that may be reset."""

    @property
    def transport(self) -> Transport:
        """The transport in use."""
        return self._site.transport

    def round(self, hold_ms: int) -> Round:
        """Do one round, holding changes for *hold_ms*.

        Raises:
            TransportError: the medium cannot be reached.
            PalimpError: the store cannot be used.
        """
        site, key = self._site, self._project.key
        self._project = site.read(lambda store: team_tables.shared_log(store, self._project.project)) or self._project
        parked = applying.Applied()
        if abs(site.now_ms() - self._parked_tried_at) >= PARKED_AGAIN_MS:
            parked = self._apply_parked()
        if site.is_reader:
            self._looked = vector = self._look()
            self.notices = site.transport.notices(key)
            applied = parked + self._pull(self._team(), vector)
            self._stamp_all()
            return Round(0, *applied, vector)
        refusals: list[RefusedError] = []
        with _note_refusal(refusals):
            self._clear()
        is_new = self._look() is not self._looked
        is_renumbered = (is_new or self._is_full()) and self._be_one_replica()
        team = self._team()
        if self._is_shared_anew():  # what the team has already is no change of ours
            parked += self._pull(team, site.transport.look(key))
        with _note_refusal(refusals):
            self._make_all(hold_ms)
        with _note_refusal(refusals):
            self._clear()
        last = site.read(lambda store: team_log.last_counter(store, self._project.project, team.replica))
        is_sent = not is_new and last == (self._looked or {}).get(team.replica, 0)
        sent = 0
        with _note_refusal(refusals):
            sent = 0 if is_sent else self._append(team)
        vector = self._looked = site.transport.look(key)
        applied = parked + self._pull(team, vector)
        with _note_refusal(refusals):
            self._make_all(hold_ms)  # what was applied is no change of ours
        with _note_refusal(refusals):
            self._clear()
            self._tell(team)
        return Round(sent, *applied, vector, is_renumbered, next(iter(refusals), None))

    def _look(self) -> Mapping[str, int]:
        site = self._site
        vector = site.transport.look(self._project.key)
        self.ahead_ms = site.now_ms() - site.transport.clock_ms if site.transport.clock_ms else 0
        return vector

    def _is_shared_anew(self) -> bool:
        if self._looked is not None:
            return False
        project = self._project.project
        return not any(self._site.read(lambda store: team_heard.heard_counters(store, project)).values())

    def _make_all(self, hold_ms: int) -> None:
        site, project = self._site, self._project.home
        if not self._project.is_main:
            return
        if site.read(lambda store: team_pending.has_changes(store, project, site.now_ms())):
            self._hear_of_patterns()
        while site.read(lambda store: team_pending.has_changes(store, project, site.now_ms())):
            if not site.write(lambda store: self._make(store, hold_ms)):
                return

    def _hear_of_patterns(self) -> None:
        site = self._site
        patterns = site.transport.patterns()
        if (*patterns,) == self._team_redactor.patterns:
            return
        try:
            self._team_redactor = Redactor(patterns)
        except PatternError as error:
            self._stamp_all()
            hint = "`palimp team patterns` shows and changes them; nothing is sent before."
            raise RefusedError(f"Of the team's patterns one cannot be used: {error}", hint) from error

    def _redact(self, text: str) -> str:
        of_team = self._team_redactor
        return of_team(self._site.redact(text)) if of_team.patterns else self._site.redact(text)

    def send_now(self) -> None:
        """End all holds, and log refused operations again."""
        now_ms = self._site.now_ms()

        def work(store: Store) -> None:
            while self._make_stamps(store, now_ms):
                pass
            team_pending.end_holds(store, self._project.home, now_ms)
            if team := team_tables.team_of(store):
                sending.try_again(self._sending(store, team, 0, now_ms))

        self._site.write(work)

    def _stamp_all(self) -> None:
        """Stamp changes; applied operations are none."""
        site = self._site
        while site.write(lambda store: self._make_stamps(store, site.now_ms())):
            pass

    def _make_stamps(self, store: Store, now_ms: int) -> int:
        team = team_tables.team_of(store)
        return sending.stamp_changes(self._sending(store, team, 0, now_ms)) if team else 0

    def _team(self) -> TeamRow:
        team = self._site.read(team_tables.team_of)
        if team is None:
            raise PalimpError(ErrorCode.NOT_FOUND, "This machine is in no team any more.")
        return team

    def _sending(self, store: Store, team: TeamRow, hold_ms: int, now_ms: int) -> sending.Sending:
        return sending.Sending(store, team, self._project, now_ms, hold_ms, self._redact)

    def _make(self, store: Store, hold_ms: int) -> int:
        team = team_tables.team_of(store)
        return sending.make_operations(self._sending(store, team, hold_ms, self._site.now_ms())) if team else 0

    def _clear(self) -> None:
        site, project = self._site, self._project
        waiting = site.read(lambda store: team_log.operations_to_clear(store, project.project))
        for replica in {replica for replica, _ in waiting}:
            bodies = {logged.counter: logged.body for owner, logged in waiting if owner == replica}
            site.transport.clear(project.key, replica, bodies)
            known = self._sums.get(replica, {})
            known.update({each: sum_of(replica, each, body) for each, body in bodies.items() if each in known})
            settle = partial(team_log.settle_cleared, project=project.project, replica=replica, counters=[*bodies])
            site.write(settle)

    def _read_log(self, replica: str, after: int, limit: int = LOGGED_AT_ONCE) -> list[team_log.Logged]:
        ask = partial(team_log.logged_operations, project=self._project.project, replica=replica, after=after)
        return self._site.read(partial(ask, limit=limit))

    def _own_sums(self, replica: str) -> dict[int, bytes]:
        known = self._sums.setdefault(replica, {})
        while True:
            page = self._read_log(replica, max(known, default=0))
            known.update({each.counter: sum_of(replica, each.counter, each.body) for each in page})
            if not page:
                return known

    def _be_one_replica(self) -> bool:
        """Become another replica if a copy used this one's counters; tell whether that was so."""
        site, project, team = self._site, self._project, self._team()
        found = site.transport.sums(project.key, team.replica)
        own = self._own_sums(team.replica)
        if self._clear_again(team, own, found):
            site.transport.look(project.key)
            found = site.transport.sums(project.key, team.replica)
        start = first_difference(own, found)
        if start is None and OPERATIONS_MAX in found:
            start = OPERATIONS_MAX + 1
        if start is None:
            return False
        replica = site.new_replica()

        def work(store: Store) -> None:
            for each in team_tables.shared_projects(store):
                of_each = (
                    start
                    if each.project == project.project
                    else team_log.last_counter(store, each.project, team.replica) + 1
                )
                sending.renumber(store, team, each, of_each, replica)
            team_tables.become(store, replica)

        site.write(work)
        self._sums.clear()
        return True

    def _is_full(self) -> bool:
        project, replica = self._project.project, self._team().replica
        return self._site.read(lambda store: team_log.last_counter(store, project, replica)) >= OPERATIONS_MAX

    def _clear_again(self, team: TeamRow, own: Mapping[int, bytes], found: Mapping[int, bytes]) -> bool:
        project = self._project
        differing = [counter for counter, total in found.items() if counter in own and own[counter] != total]
        if not differing:
            return False
        pages = {counter: self._read_log(team.replica, counter - 1, 1) for counter in differing}
        bodies = {counter: page[0].body for counter, page in pages.items() if page and CLEARED in page[0].body}
        with contextlib.suppress(RefusedError):  # where nothing may be written, nothing of it is ours to mend
            if bodies:
                self._site.transport.clear(project.key, team.replica, bodies)
                return True
        return False

    def _append(self, team: TeamRow) -> int:
        site, project = self._site, self._project
        own, found = self._own_sums(team.replica), site.transport.sums(project.key, team.replica)
        missing = [counter for counter in sorted(own) if counter not in found and counter <= OPERATIONS_MAX]
        for start in range(0, len(missing), LOGGED_AT_ONCE):
            page = missing[start : start + LOGGED_AT_ONCE]
            wanted = set(page)
            bodies: list[tuple[int, bytes]] = []
            after = page[0] - 1
            while after < page[-1]:
                logged = self._read_log(team.replica, after)
                bodies += [(each.counter, each.body) for each in logged if each.counter in wanted]
                after = logged[-1].counter
            self._append_page(team.replica, bodies)
        return len(missing)

    def _append_page(self, replica: str, bodies: Sequence[tuple[int, bytes]]) -> None:
        """Append *bodies*; ones refused for their content are set aside."""
        site, project = self._site, self._project
        try:
            site.transport.append(project.key, replica, bodies)
        except UnacceptableError as error:
            if len(bodies) > 1:
                middle = len(bodies) // 2
                self._append_page(replica, bodies[:middle])
                self._append_page(replica, bodies[middle:])
                return
            refused = team_log.Logged(*bodies[0])
            aside = partial(sending.set_aside, project=project, replica=replica, logged=refused, why=error.text)
            body = site.write(aside)
            if body is None:
                raise
            self._sums[replica][refused.counter] = sum_of(replica, refused.counter, body)
            site.transport.append(project.key, replica, [(refused.counter, body)])

    def _pull(self, team: TeamRow, vector: Mapping[str, int]) -> applying.Applied:
        site, project = self._site, self._project
        heard = site.read(lambda store: team_heard.heard_counters(store, project.project))
        applied = applying.Applied()
        self._hear_of_members(vector)
        unread = {
            replica: (heard.get(replica, 0), last)
            for replica, last in vector.items()
            if replica != team.replica
            and heard.get(replica, 0) < last
            and (self._logins is None or replica in self._logins)  # else nobody vouches for it
        }
        if sum(last - after for after, last in unread.values()) > holding_first.MANY:
            applied += self._take_first(unread)
        for replica, (first, last) in sorted(unread.items()):
            after = first
            while after < last:
                lines = site.transport.read(project.key, replica, after, applying.LINES_AT_ONCE)
                if not lines:
                    break
                applied += site.write(partial(self._apply, replica=replica, page=self._prepare(lines)))
                after = lines[-1].counter
        return applied

    def _prepare(self, lines: Sequence[Line]) -> list[applying.Arrived]:
        parked = [Parked(line.replica, line.counter, line.body) for line in lines]
        return [applying.prepare(self._project, self._site.redact, each) for each in parked]

    def _take_first(self, unread: Mapping[str, tuple[int, int]]) -> applying.Applied:
        """Apply the last current memories first: catching up may take minutes."""
        site, page = self._site, applying.LINES_AT_ONCE
        read = partial(site.transport.read, self._project.key)
        ends = holding_first.last_lines(read, unread, page)
        is_whole = [not end or end[0].counter == unread[end[0].replica][0] + 1 for end in ends]
        arrived = [[(each.operation, each) for each in self._prepare(end) if each.operation] for end in ends]
        chosen = holding_first.holding_first(arrived, is_whole)
        applied = applying.Applied()
        for start in range(0, len(chosen), page):
            applied += site.write(partial(self._apply, replica="", page=chosen[start : start + page]))
        return applied

    def _hear_of_members(self, vector: Mapping[str, int]) -> None:
        site = self._site
        if self._logins is None or all(replica in self._logins for replica in vector):
            return
        self._logins = found = site.transport.members()
        if found:
            site.write(lambda store: team_heard.note_replicas(store, found))

    def _apply(self, store: Store, replica: str, page: list[applying.Arrived]) -> applying.Applied:
        if team_tables.shared_log(store, self._project.project) is None:
            return applying.Applied()
        to = applying.Applying(store, self._project, self._site.now_ms(), self._site.redact)
        return applying.apply_page(to, replica, page) if replica else applying.apply_all(to, page)

    def _apply_parked(self) -> applying.Applied:
        site, project = self._site, self._project
        self._parked_tried_at = site.now_ms()
        if not site.read(lambda store: team_heard.has_parked(store, project.project)):
            return applying.Applied()

        def work(store: Store) -> applying.Applied:
            return applying.apply_parked(applying.Applying(store, project, site.now_ms(), site.redact))

        return site.write(work)

    def _tell(self, team: TeamRow) -> None:
        site, project = self._site, self._project
        heard = site.read(lambda store: team_heard.heard_counters(store, project.project))
        waiting = site.read(lambda store: team_heard.erasures_parked(store, project.project, NOT_ERASED_MAX))
        now = Notice(
            not_erased=waiting,
            replica=team.replica,
            name=team.name,
            version=__version__,
            project=project.name,
            commits=self._commits,
            heard=heard,
        )
        if now != self._told:
            site.transport.tell(project.key, replace(now, at=site.now_ms()))
            self._told = now
        self.notices = [each for each in site.transport.notices(project.key) if each.replica != team.replica]
