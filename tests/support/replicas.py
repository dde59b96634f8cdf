"""Replicas of a team for tests: a store each, with a clock that a test can set, and one medium."""

import itertools
from pathlib import Path

from new_stores import new_store
from request_contexts import NOON_MS

from palimp_daemon.features.memories.editing import edit, with_clean_texts
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.team.exchange import ProjectExchange, Round, Site
from palimp_daemon.features.team.team_service import _share
from palimp_daemon.features.team.transport import Transport
from palimp_daemon.runtime.sql import rows, transaction
from palimp_daemon.store.ids import RANDOM_BITS, shown_of
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables import memory_links, memory_rows, pins, team_links, team_tables
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.links import EditMemory
from palimp_protocol.messages.memory_messages import Relation, SaveMemory

KEY = "ab" * 16
HOUR_MS = 3_600_000


class Replica:
    """A machine of a team, with one project that is shared."""

    numbers = itertools.count(1)

    def __init__(self, folder: Path, name: str, transport: Transport, *, hold_ms: int = 0, key: str = KEY) -> None:
        self.name, self.transport, self.hold_ms, self.key = name, transport, hold_ms, key
        self.path = folder / f"{name}.db"
        self.now_ms = NOON_MS
        self.caller = Caller(ProjectRef(f"/work/{name}/shop", "shop"))
        self.bits = itertools.count(next(self.numbers) * 1_000_003)
        self.drawn = itertools.count(next(self.numbers) << 20)
        self.open(new_store(self.path))

    def open(self, store: Store) -> None:
        """Work with *store*, as after a start."""
        self.store = store
        if self.write(team_tables.team_of) is None:
            self.write(
                lambda store: team_tables.join_team(store, team_tables.TeamRow("t", "/", self.draw(), self.name))
            )
            self.write(lambda store: team_tables.share_project(store, self.row(), self.key, self.now_ms))
        self.exchanges: dict[int, ProjectExchange] = {}
        [self.exchange] = [each for each in self.logs() if each._project.is_main]

    def logs(self) -> list[ProjectExchange]:
        """Return the exchanges by each key of the project, that under which it goes on first."""
        site = Site(self.write, self.write, self.transport, Redactor(), lambda: self.now_ms, self.draw)
        keys = sorted(self.write(team_tables.shared_projects), key=lambda each: not each.is_main)
        return [self.exchanges.setdefault(each.project, ProjectExchange(site, each)) for each in keys]

    def rename(self, key: str) -> None:
        """Have the project go on under *key*, as after another `palimp team share`."""
        self.context()
        self.write(lambda store: _share(store, self.caller, key, self.now_ms))

    def draw(self) -> str:
        """Draw the id of a replica."""
        return f"{next(self.drawn):016x}"

    def write(self, work):
        """Do *work* in a transaction."""
        with transaction(self.store.connection):
            return work(self.store)

    def row(self) -> int:
        """Return the row of the project."""
        return ensure_project(self.store, self.caller, self.now_ms)

    def context(self) -> RequestContext:
        """Return a context of a person, a second later than the one before."""
        self.now_ms += 1_000
        return RequestContext(
            self.store, self.caller, self.now_ms, lambda: next(self.bits) * 7_919_191 % 2**RANDOM_BITS
        )

    def save(self, text: str, kind: str = "decision", **fields) -> str:
        """Save a memory; return its id."""
        context = self.context()
        saved = self.write(lambda _: save_memory(context, SaveMemory(text=text, kind=kind, source="cli", **fields)))
        return self.whole(saved.id)

    def edit(self, memory: str, text: str) -> str:
        """Make another version of a memory; return its id."""
        context = self.context()
        clean = with_clean_texts(Redactor(), EditMemory(id=memory, text=text))
        return self.whole(self.write(lambda _: edit(context, clean)).id)

    def whole(self, shown: str) -> str:
        """Return the whole id that is shown so."""
        return rows(self.store.connection, "SELECT id FROM memories WHERE id >= ? ORDER BY id", (shown,))[0][0]

    def seq(self, memory: str) -> int:
        """Return the number of a memory."""
        found = team_links.memory_with_id(self.store, memory)
        assert found
        return found.seq

    def purge(self, memory: str) -> None:
        """Purge a memory."""
        now_ms = self.context().now_ms
        self.write(lambda store: memory_rows.set_purged(store, self.seq(memory), now_ms))

    def restore(self, memory: str) -> None:
        """Restore a memory."""
        self.context()
        self.write(lambda store: memory_rows.set_purged(store, self.seq(memory), None))

    def pin(self, memory: str) -> None:
        """Pin a memory."""
        now_ms = self.context().now_ms
        self.write(lambda store: pins.pin(store, [self.seq(memory)], now_ms))

    def unpin(self, memory: str) -> None:
        """Unpin a memory."""
        self.context()
        self.write(lambda store: pins.unpin(store, [self.seq(memory)]))

    def link(self, newer: str, older: str, relation: Relation = "replaces") -> None:
        """Link two memories, unless that makes a circle."""
        now_ms = self.context().now_ms
        new = memory_links.NewLink(self.seq(newer), self.seq(older), relation, "user")
        if not memory_links.would_circle(self.store, new.newer, new.older, relation):
            self.write(lambda store: memory_links.add(store, new, now_ms))

    def unlink(self, newer: str, older: str, relation: str = "replaces") -> None:
        """Undo the link between two memories, if there is one."""
        now_ms = self.context().now_ms
        held = team_links.link_holding(self.store, self.seq(newer), self.seq(older), relation)
        if held:
            self.write(lambda store: memory_links.undo_link(store, held.number, now_ms))

    def erase(self, memory: str) -> None:
        """Erase a memory."""
        self.context()
        self.write(lambda store: memory_rows.erase(store, self.seq(memory), shown_of(memory)))

    def sync(self) -> Round:
        """Do one round by each key."""
        rounds = {each._project.key: each.round(self.hold_ms) for each in self.logs()}
        first = next(iter(rounds.values()))
        vectors = {key + name: counter for key, each in rounds.items() for name, counter in each.vector.items()}
        return first._replace(
            sent=sum(each.sent for each in rounds.values()),
            stored=sum(each.stored for each in rounds.values()),
            erased=sum(each.erased for each in rounds.values()),
            merged=sum(each.merged for each in rounds.values()),
            vector=vectors,
        )

    def ids(self) -> list[str]:
        """Return the ids of all memories."""
        return [memory for (memory,) in rows(self.store.connection, "SELECT id FROM memories ORDER BY id")]

    def shared_state(self) -> list[tuple]:
        """Return everything that replicas must agree on."""
        found = rows(
            self.store.connection,
            "SELECT m.id, m.title, m.content, m.tags, m.kind, m.created_at, m.deleted_at, s.id, p.at"
            " FROM memories m LEFT JOIN memories s ON s.seq = m.superseded_by LEFT JOIN pins p ON p.seq = m.seq"
            " ORDER BY m.id",
        )
        links = rows(
            self.store.connection,
            "SELECT n.id, o.id, l.relation, l.said_by, l.at FROM memory_links l JOIN memories n ON n.seq = l.newer"
            " JOIN memories o ON o.seq = l.older WHERE l.undone_at IS NULL AND l.said_by != 'inferred'"
            " ORDER BY 1, 2, 3",
        )
        return [*found, *links]


def sync_all(replicas: list[Replica]) -> None:
    """Exchange until nothing is new anywhere."""
    for _ in range(12):
        done = [replica.sync() for replica in replicas]
        seen = {of: counter for each in done for of, counter in each.vector.items()}
        is_same = all(seen[of] == counter for each in done for of, counter in each.vector.items())
        if is_same and not any(each.sent or each.stored or each.erased or each.merged for each in done):
            return
    raise AssertionError("the replicas do not come to rest")
