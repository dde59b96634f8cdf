"""A real server that crashes, and a line to it that is cut or stands still: nothing is lost, nothing comes twice."""

import struct
import threading
from functools import partial

import psycopg
import pytest
import trio
from fault_proxy import Fault, FaultProxy
from postgres_server import Server, new_database, programs
from psycopg.conninfo import conninfo_to_dict
from replicas import Replica, sync_all

from palimp_daemon.features.team import postgres, postgres_connection, postgres_schema
from palimp_daemon.features.team.transport import TransportError
from palimp_daemon.runtime.threads import in_thread

SAFETY_S = 120.0
"""Seconds after which a test that would hang is red."""

CUTS = 12
"""Places at which the line is cut in each direction: between two of them are some messages of the protocol."""

SAVES = 15

FLOOD_BYTES_MAX = 64 << 20
"""Bytes that a server which floods may get rid of: what is taken, with what waits in the sockets."""

MESSAGE_BYTES = 1 << 30
"""Of one message without end."""

STILL_S = 0.3
"""Seconds after which a line that stands still is given up here."""


@pytest.fixture
def transport(request):
    """Makes transports by a database."""

    def make(address: str) -> postgres.Postgres:
        made = postgres.Postgres(address, "t")
        request.addfinalizer(made.close)
        return made

    return make


def operations_without_hole(address: str) -> int:
    """Return how many operations the server has; of each replica they are numbered from 1 on."""
    with psycopg.connect(address) as connection:
        found = connection.execute(
            "SELECT o.replica, count(*), max(o.counter), max(h.counter) FROM palimp.op o JOIN palimp.head h"
            " ON h.project = o.project AND h.replica = o.replica GROUP BY o.replica"
        ).fetchall()
    assert all(count == last == head for _, count, last, head in found)
    return sum(count for _, count, _, _ in found)


async def proxied(address: str, nursery: trio.Nursery) -> tuple[FaultProxy, str]:
    """Begin a proxy before the database at *address*; return its address."""
    parts = conninfo_to_dict(address)
    proxy = FaultProxy(partial(trio.open_unix_socket, f"{parts['host']}/.s.PGSQL.5432"))
    await nursery.start(proxy.run)
    return proxy, f"postgresql://postgres@127.0.0.1:{proxy.port}/{parts['dbname']}?sslmode=disable"


@pytest.mark.parametrize("direction", ["to the server", "to the client"])
async def test_a_line_that_is_cut_anywhere_loses_nothing(tmp_path, transport, nursery, direction) -> None:
    address = new_database()
    postgres_schema.create_team(address, "t")
    proxy, by_proxy = await proxied(address, nursery)
    ana = Replica(tmp_path, "ana", transport(by_proxy))
    bo = Replica(tmp_path, "bo", transport(address))
    saved: list[str] = []

    async def life(fault: Fault | None) -> None:
        """Have both save, and *fault* befall a round of ana's."""
        ana.transport = transport(by_proxy)
        ana.open(ana.store)
        saved.append(ana.save(f"Ana's thing {len(saved)}."))
        saved.append(bo.save(f"Bo's thing {len(saved)}."))
        bo.sync()
        proxy.faults.extend([fault] if fault else [])
        try:
            await in_thread(ana.sync)
        except TransportError:
            assert fault
        proxy.faults.clear()

    with trio.fail_after(SAFETY_S):
        await life(None)
        whole = proxy.passed[direction]
        for number in range(CUTS):
            await life(Fault(direction, whole * number // CUTS + number % 5, "cut"))
        await in_thread(partial(sync_all, [ana, bo]))
    assert sorted(saved) == ana.ids() == bo.ids()
    assert operations_without_hole(address) == len(saved)


async def about_to_send(tmp_path, transport, nursery) -> tuple[str, FaultProxy, Replica]:
    """Return a database, a proxy before it, and a replica that has exchanged by it and saved something since."""
    address = new_database()
    postgres_schema.create_team(address, "t")
    proxy, by_proxy = await proxied(address, nursery)
    ana = Replica(tmp_path, "ana", transport(by_proxy))
    ana.save("Before.")
    await in_thread(ana.sync)
    ana.transport = transport(by_proxy)
    ana.open(ana.store)
    ana.save("Since then.")
    return address, proxy, ana


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
async def test_a_line_that_stands_still_is_given_up(tmp_path, transport, nursery, monkeypatch, part) -> None:
    with trio.fail_after(SAFETY_S):
        address, proxy, ana = await about_to_send(tmp_path, transport, nursery)
        proxy.faults.append(Fault("to the client", int(proxy.passed["to the client"] * part), "stall"))
        monkeypatch.setattr(postgres_connection, "SILENT_S", STILL_S)
        with pytest.raises(TransportError, match="cannot be reached"):
            await in_thread(ana.sync)
        monkeypatch.undo()
        await in_thread(ana.sync)
        bo = Replica(tmp_path, "bo", transport(address))
        await in_thread(bo.sync)
    assert bo.ids() == ana.ids()


def message(kind: str, rest: bytes) -> bytes:
    """Return a message of the server's protocol."""
    return kind.encode() + struct.pack("!i", len(rest) + 4) + rest


HEAD = message("T", struct.pack("!h4sihihih", 1, b"sum\0", 0, 0, 17, -1, -1, 0))
"""Of an answer with a column of bytes."""

HUGE = struct.pack("!i", MESSAGE_BYTES)
"""How long a message is said to be."""

FLOODS = {
    "rows": (HEAD, message("D", struct.pack("!hi", 1, -1))),
    "one row": (HEAD + b"D" + HUGE + struct.pack("!hi", 1, MESSAGE_BYTES - 10), b"x"),
    "one error": (b"E" + HUGE + b"SERROR\0C42000\0M", b"x"),
    "warnings": (b"", message("N", b"SWARNING\0C01000\0Mw\0\0")),
    "notifications": (b"", message("A", struct.pack("!i", 7) + b"palimp\0" + b"ab" * 16 + b"\0")),
    "settings": (b"", message("S", b"in_hot_standby\0on\0")),
    "columns": (b"T" + HUGE, b"x"),
}


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("part", [0.0, 0.5])
async def test_a_server_that_sends_without_end_is_given_up_early(tmp_path, transport, nursery, flood, part) -> None:
    with trio.fail_after(SAFETY_S):
        address, proxy, ana = await about_to_send(tmp_path, transport, nursery)
        first, rest = FLOODS[flood]
        if not part:  # while the connection is made
            first = message("R", struct.pack("!i", 0)) + first
        whole = proxy.passed["to the client"]
        proxy.faults.append(Fault("to the client", int(whole * part), "flood", (first + rest, rest)))
        with pytest.raises(TransportError) as refused:
            await in_thread(ana.sync)
        assert proxy.passed["to the client"] < FLOOD_BYTES_MAX
        assert refused.value.hint
        assert not part or "more than 16 MB at once" in refused.value.text
        await in_thread(ana.sync)
        bo = Replica(tmp_path, "bo", transport(address))
        await in_thread(bo.sync)
    assert bo.ids() == ana.ids()


class Worker(threading.Thread):
    """A machine that saves, and exchanges all the time."""

    def __init__(self, replica: Replica, enough: threading.Event) -> None:
        super().__init__()
        self.replica, self.enough = replica, enough
        self.saved: list[str] = []
        self.has_sent, self.was_cut_off = threading.Event(), threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Work until it is enough and all is saved."""
        try:
            while not self.enough.is_set() or len(self.saved) < SAVES:
                if len(self.saved) < SAVES:
                    self.saved.append(self.replica.save(f"Thing {len(self.saved)} of {self.replica.name}."))
                try:
                    self.replica.sync()
                    self.has_sent.set()
                except TransportError:
                    self.was_cut_off.set()
        except BaseException as error:  # noqa: BLE001  it is raised where the test waits
            self.error = error


def test_a_server_that_crashes_under_load_has_all_that_it_took_and_gets_the_rest(tmp_path, transport) -> None:
    server = Server(programs())
    address = new_database(server=server)
    postgres_schema.create_team(address, "t")
    enough = threading.Event()
    workers = [Worker(Replica(tmp_path, name, transport(address)), enough) for name in ("ana", "bo", "cy")]
    for each in workers:
        each.start()
    assert all(each.has_sent.wait(SAFETY_S) for each in workers)
    server.stop("immediate")
    assert all(each.was_cut_off.wait(SAFETY_S) for each in workers)
    server.start()
    enough.set()
    for each in workers:
        each.join(SAFETY_S)
    assert [each.error for each in workers] == [None] * 3
    replicas = [each.replica for each in workers]
    sync_all(replicas)
    saved = sorted(memory for each in workers for memory in each.saved)
    assert [each.ids() for each in replicas] == [saved] * 3
    assert operations_without_hole(address) == len(saved)
    server.remove()
