"""How fast a team's operations are sent, and a new replica takes them in, by a folder and by PostgreSQL.

    python benchmarks/team.py            20,000 memories
    python benchmarks/team.py 100000     so many

One replica, words alone, client and server on the same cores; the server is the one of the dev dependencies.
"""

import sys
import tempfile
import time
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from postgres_server import new_database
from replicas import Replica

from palimp_daemon.features.memories.save import draft_of, store_drafts
from palimp_daemon.features.team import postgres
from palimp_daemon.features.team.carried_folder import Folder, create_team
from palimp_daemon.features.team.transport import Transport
from palimp_daemon.runtime.sql import value
from palimp_protocol.messages.memories import SaveMemory

MEMORIES = 20_000
AT_ONCE = 500
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


def main() -> None:
    """Print a table with a line for each transport."""
    memories = int(sys.argv[1]) if len(sys.argv) > 1 else MEMORIES
    print(f"{'by':<10} {'sent':>9} {'sent / s':>12} {'join, s':>10} {'applied / s':>12} {'idle, ms':>10}")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        create_team(folder / "shared", "t")
        measure("folder", Folder(folder / "shared", "t"), Folder(folder / "shared", "t"), folder, memories)
        address = new_database()
        postgres.create_team(address, "t")
        measure("postgres", postgres.Postgres(address, "t"), postgres.Postgres(address, "t"), folder, memories)
        with psycopg.connect(address) as connection:
            row = connection.execute("SELECT pg_total_relation_size('palimp.op')").fetchone()
            assert row
            print(f"bytes of a memory on the server, with indexes: {row[0] / memories:,.0f}")


if __name__ == "__main__":
    main()
