"""How fast a team's operations are sent, taken in by a new replica, seen elsewhere, and searched on the server.

    python benchmarks/team.py                   20,000 memories
    python benchmarks/team.py 100000            so many
    python benchmarks/team.py search 1000000    only a search among so many, which the server itself makes

One replica, words alone, client and server on the same cores; the server is the one of the dev dependencies, or, with
PALIMP_TEST_POSTGRES=/usr/lib/postgresql/15/bin, another. Then machines of a team save in turn, and all at once: how
long it takes until each of the others has what was saved.
"""

import math
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import psycopg
import trio

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from postgres_server import new_database, remove_servers
from replicas import KEY, Replica

from palimp_daemon.features.memories.save import draft_of, save_memory, store_drafts
from palimp_daemon.features.team import postgres, postgres_schema
from palimp_daemon.features.team.carried_folder import Folder, create_team
from palimp_daemon.features.team.found_texts import Asked, asked_words, memories_in
from palimp_daemon.features.team.postgres_search import search
from palimp_daemon.features.team.server_source import FOUND_MAX
from palimp_daemon.features.team.team_rounds import TeamServices, new_replica
from palimp_daemon.features.team.team_service import Teams
from palimp_daemon.features.team.transport import Transport
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.sql import value
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.ids import RANDOM_BITS
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables import team_tables
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

MEMORIES = 20_000
AT_ONCE = 500
MACHINES = 20
WARM_UP = 5
SAVES_IN_TURN = 40
SAVES_AT_ONCE = 25
SEARCHED = 100_000
MADE_AT_ONCE = 20_000
SEARCHES = 100
TEXT = (
    "Decision {number} about part{part} of the service: the handler of case {number} keeps its own queue. "
    + "x{number} " * 40
)


def measure(name: str, one: Transport, other: Transport, folder: Path, memories: int) -> None:
    """Print the figures of one transport."""
    ana = Replica(folder, f"ana-{name}", one)
    for start in range(0, memories, AT_ONCE):
        texts = [TEXT.format(number=number, part=number % 997)[:500] for number in range(start, start + AT_ONCE)]
        context = ana.context()
        drafts = [(context, draft_of(SaveMemory(text=text, kind="decision"))) for text in texts]
        ana.write(lambda _, drafts=drafts: store_drafts(drafts))
    begin = time.perf_counter()
    sent = ana.sync().sent
    push_s = time.perf_counter() - begin
    begin = time.perf_counter()
    bo = Replica(folder, f"bo-{name}", other)
    bo.sync()
    join_s = time.perf_counter() - begin
    assert value(bo.store.connection, "SELECT count(*) FROM memories") == memories
    begin = time.perf_counter()
    for _ in range(10):
        ana.sync()
    idle_ms = (time.perf_counter() - begin) * 100
    print(f"{name:<10} {sent:>9,} {sent / push_s:>12,.0f} {join_s:>10.1f} {memories / join_s:>12,.0f} {idle_ms:>10.1f}")


class Machine:
    """A machine of a team, with a daemon's store and exchange."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder = folder / f"machine{number}"
        self.folder.mkdir()
        self.caller = Caller(ProjectRef(str(self.folder), "shop"))
        self.actor = Actor(partial(open_store, self.folder / "palimp.db", "auto"), print)
        self.came = trio.Event()

    async def run(self, place: str, *, task_status: trio.TaskStatus[None]) -> None:
        """Be in the team at *place* until cancelled."""
        settings = Settings({"HOME": str(self.folder), "PALIMP_TEAM_HOLD": "0"})
        log = Log("critical")
        services = TeamServices(
            self.actor, settings, Redactor(), now_ms, log, self.note, trio.sleep_forever, self.folder
        )
        async with trio.open_nursery() as nursery:
            await nursery.start(self.actor.run)
            await self.actor.write(partial(self.join, place=place))
            nursery.start_soon(Teams(services).run)
            task_status.started()

    def join(self, store: Store, place: str) -> None:
        """Share the project at *place*."""
        project = ensure_project(store, self.caller, now_ms())
        team_tables.join_team(store, team_tables.TeamRow("t", place, new_replica(), self.folder.name))
        team_tables.share_project(store, project, KEY, now_ms())

    def note(self) -> None:
        """Note that memories came."""
        self.came.set()
        self.came = trio.Event()

    async def save(self, text: str) -> None:
        """Save a memory."""

        def work(store: Store) -> None:
            context = RequestContext(store, self.caller, now_ms(), lambda: secrets.randbits(RANDOM_BITS))
            save_memory(context, SaveMemory(text=text, kind="decision"))

        await self.actor.write(work)

    async def until(self, count: int, done: Callable[[], None]) -> None:
        """Call *done* once there are *count* memories."""
        while True:
            came = self.came
            if await self.actor.read(lambda store: value(store.connection, "SELECT count(*) FROM memories")) >= count:
                done()
                return
            await came.wait()


def now_ms() -> int:
    """Return the time in Unix milliseconds."""
    return time.time_ns() // 1_000_000


async def seen_elsewhere(name: str, place: str, folder: Path, machines: int) -> None:
    """Print how long it takes until each of the other *machines* has what one of them saved."""
    team = [Machine(folder, number) for number in range(machines)]
    waited: list[float] = []
    async with trio.open_nursery() as nursery:
        for each in team:
            await nursery.start(each.run, place)
        saved = 0

        async def seen_after(saves: Sequence[tuple[Machine, str]]) -> None:
            nonlocal saved
            saved += len(saves)
            begin = trio.current_time()
            async with trio.open_nursery() as inner:
                for each in team:
                    if len(saves) > 1 or each is not saves[0][0]:
                        inner.start_soon(each.until, saved, lambda: waited.append(trio.current_time() - begin))
                for each, text in saves:
                    inner.start_soon(each.save, text)

        for number in range(SAVES_IN_TURN + WARM_UP):
            if number == WARM_UP:
                waited.clear()
            await seen_after([(team[number % machines], f"Decision {number} is about thing x{number}x.")])
        in_turn = sorted(waited)
        waited.clear()
        await seen_after([(each, f"Case {n} of {each.folder.name}.") for n in range(SAVES_AT_ONCE) for each in team])
        p50, p95 = (in_turn[math.ceil(len(in_turn) * part) - 1] for part in (0.5, 0.95))
        print(
            f"{name:<10} {machines} machines: seen elsewhere after {p50:.2f} s (p50), {p95:.2f} s (p95);"
            f" {SAVES_AT_ONCE} saves on each at once: on all after {max(waited):.1f} s"
        )
        nursery.cancel_scope.cancel()


MAKE = """
    INSERT INTO palimp.op (project, replica, counter, sum, body)
    SELECT %(project)s, %(replica)s, n, 'x', convert_to(json_build_object(
        'project', %(project)s::text, 'replica', %(replica)s::text, 'counter', n, 'kind', 'put', 'about', 'decision',
        'stamp', lpad(to_hex(n), 12, '0') || '.0000.' || %(replica)s, 'id', 'm' || lpad(n::text, 10, '0'), 'at', n,
        'by', 'laptop', 'title', 'Decision ' || n,
        'text', left('The handler of case rare' || n || ' keeps part' || n %% 997 || ' of the service, '
            || (SELECT string_agg('w' || floor(random() * random() * 20000)::int, ' ') FROM generate_series(1, 60)
                WHERE n > 0), 500))::text, 'UTF8')
    FROM generate_series(%(first)s::int, %(last)s::int) AS n"""
"""Texts of 500 characters of some 65 words, as unevenly frequent as words are."""

QUESTIONS = {
    "rare": lambda number: f"why does rare{number * 37 + 1} keep part{number} of the service",
    "frequent": lambda number: f"handler case service w{number} decision",
}


def search_times(memories: int) -> None:
    """Print how long a search on the server takes among *memories*, with its connection and the ranking here."""
    address = new_database("searched")
    postgres_schema.create_team(address, "t")
    begin, replica = time.perf_counter(), new_replica()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SELECT palimp.claim(%s)", (replica,))
        for first in range(1, memories + 1, MADE_AT_ONCE):
            last = min(memories, first + MADE_AT_ONCE - 1)
            connection.execute(MAKE, {"project": KEY, "replica": replica, "first": first, "last": last})
        made_s = time.perf_counter() - begin
        row = connection.execute(
            "SELECT pg_total_relation_size('palimp.op'), pg_relation_size('palimp.op_words')"
        ).fetchone()
        assert row
    print(
        f"search among {memories:,} made in {made_s:.0f} s: {row[0] / memories:,.0f} bytes each,"
        f" {row[1] / memories:,.0f} of words"
    )
    stems = open_store(Path(tempfile.mkdtemp()) / "palimp.db", "auto").stems
    for name, question in QUESTIONS.items():
        taken: list[float] = []
        for number in range(SEARCHES):
            query = question(number)
            begin = time.perf_counter()
            found = search(address, "t", [], asked_words(query), FOUND_MAX, 60.0)
            rows = memories_in(found.operations, found.names, Asked(Recall(query=query), stems, Redactor()))
            taken.append((time.perf_counter() - begin) * 1000)
            assert rows
        taken.sort()
        p50, p95 = (taken[math.ceil(SEARCHES * part) - 1] for part in (0.5, 0.95))
        print(f"{name:<10} words: {p50:,.0f} ms (p50), {p95:,.0f} ms (p95)")


def main() -> None:
    """Print a table with a line for each transport."""
    if sys.argv[1:2] == ["search"]:
        search_times(int(sys.argv[2]) if len(sys.argv) > 2 else SEARCHED)
        return
    memories = int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES
    print(f"{'by':<10} {'sent':>9} {'sent / s':>12} {'join, s':>10} {'applied / s':>12} {'idle, ms':>10}")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        create_team(folder / "shared", "t")
        measure("folder", Folder(folder / "shared", "t"), Folder(folder / "shared", "t"), folder, memories)
        address = new_database()
        postgres_schema.create_team(address, "t")
        measure("postgres", postgres.Postgres(address, "t"), postgres.Postgres(address, "t"), folder, memories)
        with psycopg.connect(address) as connection:
            row = connection.execute("SELECT pg_total_relation_size('palimp.op')").fetchone()
            assert row
            print(f"bytes of a memory on the server, with indexes: {row[0] / memories:,.0f}")
        create_team(folder / "carried", "t")
        postgres_schema.create_team(address := new_database(), "t")
        for name, place in (("folder", str(folder / "carried")), ("postgres", address)):
            (folder / name).mkdir()
            trio.run(seen_elsewhere, name, place, folder / name, MACHINES)
    search_times(SEARCHED)


if __name__ == "__main__":
    try:
        main()
    finally:
        remove_servers()
