"""More at once than a developer's machine ever sees; the ids are those of the catalogue in the page reliability."""

import itertools
import json
import statistics
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
import zmq
from claude_hooks import PALIMP, Agent
from daemon_asking import ask
from lanes import IS_SOAK, many
from mcp_clients import BareClient
from running_daemon import RunningDaemon, wait_until

from palimp_protocol.env.paths import database_path
from palimp_protocol.limits import PEER_REQUESTS_MAX
from palimp_protocol.wire.frames import Frame, Kind, decode, encode

SESSIONS, LOAD_S = many(32, 200), many(10, 300)

STORM = many(200, 1_000)
AT_ONCE = 16

WITHIN_S = 10
"""What a loaded machine may take to start and end a process; the hook's own deadline is a fraction of a second."""

SLOW_READERS, UNREAD = 5, 10_000
"""Clients that read slowly or never, and the requests that each of the latter sends."""

READ_S = 0.02
"""Seconds between two answers that each of those reads who only read slowly: what they ask for then is a load, too."""

ASKED = 1_000
"""Requests of another client, before them and from the moment they have sent: ten are slower than a 99th percentile."""

SOAK_S, SOAKING, REQUESTS_PER_S, RECONNECT_S = many(0, 300), 20, 100, 60.0
WARM_S, WARMING, WARMING_REQUESTS, SETTLING_S = 300.0, 2 * SOAKING, 200, 75.0
"""Before memory is looked at: seconds of as many requests as there can be, from sessions that are all open together and
end after so many. Then the allocators hold more than what comes, on a slow machine, too, where there are always some
whose relays are just being started. And each session has what libzmq keeps for a peer: room for 256 parts of messages
in either direction, and as much again once those came (message_pipe_granularity, 16 KB). Then seconds in which those
that are too many leave, and the others come once more.
"""
SAVING_S = 10.0
"""Seconds of those in which memories are saved, too: a database that grows fills SQLite's cache, up to 32 MB."""

MB_PER_HOUR_MAX = 1.0
"""84 KB in the five minutes."""

KNOWN = 50
"""Facts of each session that are asked for."""

IDLE_S = many(0, 120)


@pytest.mark.alone
def test_l1_many_sessions_save_and_recall_at_once(daemon, env, home: Path, tally):
    """Every session finds what it saved; every save that was acknowledged is stored, once, in its project."""
    folders = [home / "red", home / "blue"]
    for folder in folders:
        folder.mkdir()
    clients = [BareClient(env, folders[number % 2]) for number in range(SESSIONS)]
    for client in clients:
        client.initialize()
    ledger: dict[str, list[str]] = {folder.name: [] for folder in folders}
    times: dict[str, list[float]] = {"save": [], "recall": []}
    ends_at = time.monotonic() + LOAD_S

    def work(number: int) -> None:
        client, folder = clients[number], folders[number % 2]
        for turn in itertools.count(0, 2):
            if time.monotonic() > ends_at:
                return
            text = f"Session {number} of {folder.name} noted fact {turn} in word{number}x{turn}."
            began = time.monotonic()
            said = client.ask(turn, "save_memory", text=text)
            assert said.startswith("Saved"), said
            times["save"].append(time.monotonic() - began)
            ledger[folder.name].append(text)
            began = time.monotonic()
            said = client.ask(turn + 1, "recall", query=f"word{number}x{turn}")
            assert "1 of 1" in said, said
            times["recall"].append(time.monotonic() - began)

    with ThreadPoolExecutor(SESSIONS) as pool:
        for done in [pool.submit(work, number) for number in range(SESSIONS)]:
            done.result()
    for client in clients:
        assert client.is_silent()
        assert client.close() == 0
    assert daemon.stop() == 0
    connection = apsw.Connection(database_path(env))
    for folder in folders:
        rows = connection.execute(
            "SELECT content FROM memories WHERE project_id = (SELECT id FROM projects WHERE root = ?)", (str(folder),)
        )
        assert sorted(content for (content,) in rows) == sorted(ledger[folder.name])
    connection.close()
    requests = sum(map(len, times.values()))
    tally(
        "L1",
        f"{SESSIONS} sessions for {LOAD_S} s",
        requests=requests,
        per_second=round(requests / LOAD_S),
        save_p99_ms=_p99_ms(times["save"]),
        recall_p99_ms=_p99_ms(times["recall"]),
        lost=0,
    )


@pytest.mark.alone
def test_l4_who_never_reads_slows_nobody(daemon, env, project, tally):
    """Their answers are bounded and then dropped; the others hardly notice."""
    _save_long_ones(env, project)
    alone, before = _p99_of_another(env, project), memory_mb(daemon)
    with _slow_readers(daemon) as readers:
        for number in range(UNREAD):
            for reader in readers:
                if reader.poll(0, zmq.POLLOUT):
                    reader.send_multipart(_long_request(number))
        # While the last of their requests are still refused, then while they only leave their answers unread.
        flooded, stuck = _p99_of_another(env, project), _p99_of_another(env, project)
        grown = memory_mb(daemon) - before
    tally(
        "L4",
        f"{SLOW_READERS} who never read",
        alone_p99_ms=alone,
        flooded_p99_ms=flooded,
        stuck_p99_ms=stuck,
        grown_mb=round(grown, 1),
    )
    assert daemon.process.poll() is None
    assert "answers_unread" in daemon.log.read_text()


@pytest.mark.alone
def test_l4_who_reads_slowly_slows_nobody_and_gets_every_answer(daemon, env, project, tally):
    """Many of their answers wait, as many as there may be."""
    _save_long_ones(env, project)
    alone = _p99_of_another(env, project)
    is_over, kinds = threading.Event(), Counter[Kind]()
    with _slow_readers(daemon) as readers:

        def read_slowly() -> None:
            for number in range(PEER_REQUESTS_MAX):
                for reader in readers:
                    reader.send_multipart(_long_request(number))
            for number in itertools.count(PEER_REQUESTS_MAX):
                kinds.update(decode(reader.recv_multipart()).kind for reader in readers)
                if is_over.wait(READ_S):
                    break
                for reader in readers:
                    reader.send_multipart(_long_request(number))

        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(read_slowly)
            beside = _p99_of_another(env, project)
            is_over.set()
            reading.result()
        for reader in readers:
            for _ in range(PEER_REQUESTS_MAX - 1):
                assert reader.poll(WITHIN_S * 1000), "an answer is missing"
                kinds[decode(reader.recv_multipart()).kind] += 1
            assert not reader.poll(0)
    tally("L4", f"{SLOW_READERS} who read slowly", alone_p99_ms=alone, beside_p99_ms=beside, answers=kinds.total())
    assert set(kinds) == {Kind.REPLY}


def _save_long_ones(env: dict[str, str], project: Path) -> None:
    for number in range(50):
        ask(env, project, "save_memory", text=f"Fact {number}: {'so many words ' * 100}")


def _long_request(number: int) -> list[bytes]:
    """Return a request for all of them."""
    body = json.dumps({"operation": "recall", "arguments": {"detail": "full", "limit": 50}}).encode()
    return encode(Frame(Kind.REQUEST, str(number).encode(), body))


@contextmanager
def _slow_readers(daemon: RunningDaemon) -> Iterator[list[zmq.Socket[bytes]]]:
    """Yield connections that take hardly anything unless it is read."""
    with zmq.Context() as context:
        readers: list[zmq.Socket[bytes]] = []
        for _ in range(SLOW_READERS):
            reader = context.socket(zmq.DEALER)
            reader.setsockopt(zmq.LINGER, 0)
            reader.setsockopt(zmq.RCVHWM, 1)
            reader.connect(f"ipc://{daemon.socket}")
            readers.append(reader)
        yield readers
        for reader in readers:
            reader.close()


def _p99_of_another(env: dict[str, str], project: Path) -> float:
    """Return what is hardly ever exceeded by the requests of a client that reads its answers, in milliseconds."""
    taken: list[float] = []
    for _ in range(ASKED):
        began = time.monotonic()
        ask(env, project, "recall", query="words", limit=1)
        taken.append(time.monotonic() - began)
    return _p99_ms(taken)


def test_l5_a_storm_of_hooks_leaves_no_process_and_loses_no_record(daemon, env, project, tally):
    """Each of many processes records its own edit; receipt or file, every one arrives."""
    for number in range(STORM):
        (project / f"f{number}.py").write_text("keep_this(1)\n")

    def edit(number: int) -> float:
        told = {
            "session_id": "s1",
            "cwd": str(project),
            "tool_name": "Edit",
            "tool_input": {
                "file_path": str(project / f"f{number}.py"),
                "old_string": f"gone_{number}(now)",
                "new_string": "",
            },
        }
        began = time.monotonic()
        done = subprocess.run(
            [*PALIMP, "hook", "PostToolUse"],
            env=env,
            input=json.dumps(told).encode(),
            capture_output=True,
            timeout=WITHIN_S,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        return time.monotonic() - began

    with ThreadPoolExecutor(AT_ONCE) as pool:
        taken = list(pool.map(edit, range(STORM)))
    spool = Path(env["PALIMP_HOME"]) / "spool"
    wait_until(lambda: not spool.exists() or not list(spool.iterdir()), 60)
    Agent(env, project).end()
    wait_until(lambda: _removals(env, project) >= STORM, 60, lambda: str(_removals(env, project)))
    assert _removals(env, project) == STORM
    tally("L5", f"{STORM} processes, {AT_ONCE} at once", slowest_ms=round(max(taken) * 1000), lost=0)


@pytest.mark.skipif(not IS_SOAK, reason="make soak: a soak takes minutes")
def test_l2_a_soak_grows_nothing(daemon, env, project, tally):
    """Sessions that come and go for minutes: memory, descriptors, log and p99 stay what they were."""
    is_over, taken = threading.Event(), []

    def opened(_: int) -> BareClient:
        client = BareClient(env, project)
        client.initialize()
        return client

    with ThreadPoolExecutor(WARMING) as pool:
        clients = list(pool.map(opened, range(WARMING)))
    began = time.monotonic()
    saved_at, warm_at = began + SAVING_S, began + WARM_S

    def session(number: int, client: BareClient) -> None:
        turns = itertools.count()
        while True:
            is_warm = time.monotonic() > warm_at
            until = time.monotonic() + RECONNECT_S if is_warm else warm_at
            for turn in itertools.islice(turns, None if is_warm else WARMING_REQUESTS):
                if time.monotonic() > until or is_over.wait(SOAKING / REQUESTS_PER_S if is_warm else 0):
                    break
                asked = time.monotonic()
                if turn % 2 or asked > saved_at:
                    client.ask(turn, "recall", query=f"fact{turn % KNOWN}")
                else:
                    client.ask(turn, "save_memory", text=f"Session {number} noted fact{turn} while it soaked.")
                taken.append((asked, time.monotonic() - asked))
            client.close()
            if is_over.is_set() or (number >= SOAKING and time.monotonic() > warm_at):
                return
            client = opened(number)

    threads = [threading.Thread(target=session, args=each) for each in enumerate(clients)]
    for thread in threads:
        thread.start()
    is_over.wait(WARM_S + SETTLING_S)
    looks: list[tuple[float, float]] = []
    descriptors = set()
    while time.monotonic() < warm_at + SETTLING_S + SOAK_S:
        looks.append((time.monotonic(), memory_mb(daemon)))
        descriptors.add(len(list(Path(f"/proc/{daemon.pid}/fd").iterdir())))
        is_over.wait(2)
    is_over.set()
    for thread in threads:
        thread.join()
    taken = [(at, took) for at, took in taken if at > warm_at]
    slope = statistics.linear_regression([at for at, _ in looks], [mb for _, mb in looks]).slope * 3600
    half = warm_at + (SETTLING_S + SOAK_S) / 2
    wal = Path(database_path(env)).with_name("palimp.db-wal").stat().st_size / 1e6
    tally(
        "L2",
        f"{SOAKING} sessions, {REQUESTS_PER_S}/s, {SOAK_S} s",
        requests=len(taken),
        memory_mb=round(looks[-1][1], 1),
        mb_per_hour=round(slope, 2),
        descriptors=f"{min(descriptors)} to {max(descriptors)}",
        wal_mb=round(wal, 1),
        p99_ms=f"{_p99_ms([took for at, took in taken if at < half])} then"
        f" {_p99_ms([took for at, took in taken if at >= half])}",
    )
    assert wal < 2 * 64
    assert slope < MB_PER_HOUR_MAX
    wait_until(lambda: ask(env, project, "health").peers <= 1, 60)


@pytest.mark.skipif(not IS_SOAK, reason="make soak: idleness takes minutes")
def test_l3_an_idle_daemon_is_idle(daemon, env, project, tally):
    """With a session connected, which asks for nothing."""
    client = BareClient(env, project)
    client.initialize()
    client.ask(1, "save_memory", text="Before the silence.")
    threading.Event().wait(15)
    before, switches = cpu_s(daemon), context_switches(daemon)
    threading.Event().wait(IDLE_S)
    share = (cpu_s(daemon) - before) / IDLE_S
    tally(
        "L3",
        f"idle for {IDLE_S} s",
        cpu_percent=round(share * 100, 3),
        wakeups_per_s=round((context_switches(daemon) - switches) / IDLE_S, 1),
    )
    assert share < 0.002
    assert client.close() == 0


def _p99_ms(taken: list[float]) -> float:
    return round(sorted(taken)[int(len(taken) * 0.99)] * 1000, 1)


def _status(daemon: RunningDaemon) -> Callable[[str], int]:
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{daemon.pid}/status").read_text().splitlines())
    return lambda name: int(lines[name].split()[0])


def memory_mb(daemon: RunningDaemon) -> float:
    """Return the resident memory of *daemon*."""
    return _status(daemon)("VmRSS") / 1e3


def context_switches(daemon: RunningDaemon) -> int:
    """Return how often a thread of *daemon* went to sleep."""
    tasks = Path(f"/proc/{daemon.pid}/task").iterdir()
    said = [line for task in tasks for line in (task / "status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in said if line.startswith("voluntary_ctxt_switches"))


def cpu_s(daemon: RunningDaemon) -> float:
    """Return the processor time of *daemon* in seconds."""
    fields = Path(f"/proc/{daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _removals(env: dict[str, str], project: Path) -> int:
    command = [*PALIMP, "changes", "log", "--json"]
    said = subprocess.run(command, env=env, cwd=project, capture_output=True, check=False).stdout
    return json.loads(said).get("total", 0)
