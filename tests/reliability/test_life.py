"""A daemon's beginning, its end, and what may befall it between; the ids are those of the page reliability."""

import itertools
import os
import resource
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import apsw
import memory_limit
import pytest
from claude_hooks import PALIMP
from daemon_asking import ask
from disks import Disk
from lanes import IS_SOAK, many
from mcp_clients import BareClient
from running_daemon import RunningDaemon, owner_pids, temporary_home, wait_until
from running_daemon import palimp_environment as environment

from palimp_protocol.env.paths import database_path
from palimp_protocol.limits import PEER_EXPIRY_S

RACES, RACING = many(4, 50), 8
STOPS = many(5, 50)
SAVERS, SERVED_S = 4, 40.0

MEMORY_BYTES = 8 << 20
"""What a daemon may take besides what it has: a fifth of what the SDK takes."""

DESCRIPTORS = 64
CROWD = 120

DAY_MS, YEAR_MS = 86_400_000, 365 * 86_400_000


def test_f7_whoever_races_to_start_it_one_owns_it_and_all_are_served(tally):
    """With sockets that nobody answers on left from before in every second race. After kills: test_kills.py."""
    slowest = 0.0
    for race in range(RACES):
        with temporary_home() as home:
            env = environment(home)
            if race % 2:
                left = RunningDaemon(env)
                left.start()
                left.kill()
            began = time.monotonic()
            clients = [BareClient(env) for _ in range(RACING)]
            for number, client in enumerate(clients):
                client.request("init", "initialize", _initialize())
                client.call(1, "save_memory", text=f"Racer {number} was here.")
            for client in clients:
                assert "serverInfo" in client.answer("init")["result"]
                assert client.answer(1)["result"]["isError"] is False
            slowest = max(slowest, time.monotonic() - began)
            assert len(owner_pids(env)) == 1
            assert "8 memories" in clients[0].ask(2, "health")
            for client in clients:
                assert client.close() == 0
    tally("F7", f"{RACES} races of {RACING} from nothing", owners=1, slowest_s=round(slowest, 1))


def test_f12_a_clock_that_jumps_loses_nothing(env, home, project, tally):
    """A day back, ten years ahead, and back again."""
    disk = Disk(home)
    daemon = RunningDaemon(env | disk.env)
    daemon.start()
    client = BareClient(env)
    client.initialize()
    said = []
    for turn, ahead in enumerate([0, -DAY_MS, 10 * YEAR_MS, 0, -DAY_MS, 1]):
        disk.turn_clock(ahead)
        client.ask(turn, "save_memory", text=f"Said in turn {turn}.")
        said.append(f"Said in turn {turn}.")
        ask(env, home, "health")
    found = ask(env, home, "recall", limit=50)
    # A list goes by the dates that memories have; nothing is missing from it, and nothing stands twice.
    assert sorted(memory.title + "." for memory in found.memories) == said
    dates = [memory.created_at for memory in found.memories]
    assert dates == sorted(dates, reverse=True)
    assert len({memory.id for memory in found.memories}) == len(said)
    assert owner_pids(env) == [daemon.pid]
    assert client.is_silent()
    assert client.close() == 0
    assert daemon.stop() == 0
    tally("F12", "clock -1 day, +10 years", saves=len(said), lost=0)


@pytest.mark.skipif(not IS_SOAK, reason="make soak: a suspend outlasts what peers are given")
def test_f12_a_suspended_machine_goes_on(daemon, env, tally):
    """Everything stands still for longer than a silent peer is remembered; then no session notices."""
    clients = [BareClient(env) for _ in range(4)]
    for number, client in enumerate(clients):
        client.initialize()
        client.ask(1, "save_memory", text=f"Before the lid was closed {number}.")
    pids = [daemon.pid, *(client.process.pid for client in clients)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    threading.Event().wait(PEER_EXPIRY_S + 10)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    for number, client in enumerate(clients):
        assert "1 of 1" in client.ask(2, "recall", query=f"lid {number}", title=f"closed {number}")
        assert client.unread() == []
        assert client.close() == 0
    assert owner_pids(env) == [daemon.pid]
    tally("F12", f"suspended for {PEER_EXPIRY_S + 10:g} s", sessions=len(clients), lost=0)


def test_f14_a_crowd_finds_no_descriptor_and_the_daemon_lives(env, project, tally):
    """Who was there before is served; who comes in the crowd waits, and is served when it goes."""
    daemon = RunningDaemon(env)
    daemon.start(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS)))
    first = BareClient(env)
    first.initialize()
    first.ask(1, "save_memory", text="Before the crowd.")
    with ExitStack() as stack:
        for _ in range(CROWD):
            each = stack.enter_context(socket.socket(socket.AF_UNIX))
            each.settimeout(0)  # a full backlog is an answer, too
            each.connect_ex(str(daemon.socket))
        assert first.ask(2, "save_memory", text="In the crowd.").startswith("Saved")
        second = BareClient(env)
        second.request("init", "initialize", _initialize())
    assert "serverInfo" in second.answer("init")["result"]
    assert "2 memories" in second.ask(1, "health")
    assert owner_pids(env) == [daemon.pid]
    for client in (first, second):
        assert client.is_silent()
        assert client.close() == 0
    assert daemon.stop() == 0
    tally("F14", f"{CROWD} clients on {DESCRIPTORS} descriptors", daemons_ended=0, lost=0)


def test_f14_where_the_limit_is_taken_away_later_the_next_daemon_takes_over(daemon, env, project, tally):
    """Libzmq ends a process that cannot accept. At its start, the daemon lifts the limit to what its user may have."""
    soft, hard = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    assert soft == hard
    client = BareClient(env)
    client.initialize()
    client.ask(1, "save_memory", text="Before the crowd.")
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    with ExitStack() as stack:
        for _ in range(CROWD):
            each = stack.enter_context(socket.socket(socket.AF_UNIX))
            each.settimeout(0)
            each.connect_ex(str(daemon.socket))
        assert client.ask(2, "save_memory", text="In the crowd.").startswith("Saved")
    assert "2 memories" in client.ask(3, "health")
    assert client.is_silent()
    assert client.close() == 0
    ended = daemon.process.poll() is not None
    tally("F14", "the same, taken away while it runs", daemons_ended=int(ended), lost=0)


def test_f14_a_daemon_that_needs_more_memory_than_it_may_have_is_followed_by_another(daemon, env, project, tally):
    """The kernel ends it, as with systemd's MemoryMax: here when the first session has the SDK imported."""
    if reason := memory_limit.why_not():
        pytest.skip(reason)
    saved = ask(env, project, "save_memory", text="Before the limit.")
    with memory_limit.bounded(daemon.pid, MEMORY_BYTES):
        client = BareClient(env, project)
        client.initialize()
        assert client.ask(1, "save_memory", text="At the limit.").startswith("Saved")
    assert daemon.process.wait(SERVED_S) == -signal.SIGKILL
    assert saved.id in client.ask(2, "recall", query="before the limit")
    assert "2 memories" in client.ask(3, "health")
    assert client.close() == 0
    tally("F14", f"a limit of {MEMORY_BYTES >> 20} MB", daemons_ended=1, lost=0)


def test_f15_a_stop_while_it_is_busy_keeps_what_was_acknowledged(env, tally):
    """It is over in seconds, and whoever waits for an answer has the next daemon started, which gives it."""
    clients = [BareClient(env) for _ in range(SAVERS)]
    for client in clients:
        client.initialize()
    kept: list[str] = []
    is_over = threading.Event()

    def save_on(number: int) -> None:
        for turn in itertools.count():
            if is_over.is_set():
                return
            text = f"Client {number} noted fact {turn} before a stop."
            said = clients[number].ask(turn, "save_memory", text=text)
            assert said.startswith("Saved"), said
            kept.append(text)

    slowest = 0.0
    with ThreadPoolExecutor(SAVERS) as pool:
        savers = [pool.submit(save_on, number) for number in range(SAVERS)]
        try:
            for _ in range(STOPS):
                goal = len(kept) + 20
                wait_until(lambda goal=goal: len(kept) >= goal or any(each.done() for each in savers), SERVED_S)
                assert not [each.result() for each in savers if each.done()]
                slowest = max(slowest, _stopped_s(env))
        finally:
            is_over.set()
        for saver in savers:
            saver.result(timeout=SERVED_S)
    for client in clients:
        assert client.is_silent()
        assert client.close() == 0
    _stopped_s(env)
    wait_until(lambda: owner_pids(env) == [], SERVED_S)
    assert sorted(stored_texts(env)) == sorted(kept)
    tally("F15", f"{STOPS} stops while busy", kept=len(kept), lost=0, slowest_s=round(slowest, 2))


def _stopped_s(env: dict[str, str]) -> float:
    """Stop the daemon as a user does, and return the seconds that it took."""
    began = time.monotonic()
    said = subprocess.run([*PALIMP, "stop"], env=env, capture_output=True, check=False, timeout=SERVED_S)
    assert said.returncode == 0
    return time.monotonic() - began


def stored_texts(env: dict[str, str]) -> list[str]:
    """Return what the memories say in a database that nobody has open."""
    connection = apsw.Connection(database_path(env))
    texts = [text for (text,) in connection.execute("SELECT content FROM memories")]
    connection.close()
    return texts


def _initialize() -> dict:
    return {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "racer", "version": "1"}}


def test_f12_a_clock_that_is_centuries_ahead_stops_nothing(env, home):
    """Python cannot say what time it is then; what is saved is of the last day that it can."""
    disk = Disk(home)
    daemon = RunningDaemon(env | disk.env)
    daemon.start()
    ask(env, home, "save_memory", text="Said before the clock jumped.")
    disk.turn_clock(900 * YEAR_MS)
    ask(env, home, "save_memory", text="Said afterwards.")
    found = ask(env, home, "recall", query="said jumped afterwards").memories
    assert {memory.title for memory in found} == {"Said before the clock jumped", "Said afterwards"}
    assert len(ask(env, home, "recall", since="yesterday").memories) == 1
    assert ask(env, home, "context").text
    assert owner_pids(env) == [daemon.pid]
    assert daemon.stop() == 0
