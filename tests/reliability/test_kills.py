"""The daemon is killed in every state that a relay can be in; the clients must not notice.

Each client has a proxy of its own to the daemon, which stops the talk at a chosen message, so that the
state is certain and not a matter of luck.
"""

import itertools
import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
from lanes import IS_SOAK, many
from mcp_clients import BareClient
from running_daemon import RunningDaemon, end_daemon, owner_pids, wait_until
from zmtp_proxy import DOWN, UP, Proxy

from palimp_protocol.env.paths import database_path
from palimp_protocol.wire.frames import Kind

ROUNDS = many(5, 25)
IN_EACH_STATE = 2
"""Relays in each state at each kill: 20 in each, killed and killed while it drains. A daemon's start is what costs."""

KILLS_UNDER_LOAD, RACING = many(50, 500), many(8, 16)
"""After each kill all relays race to start the next daemon: as many start races (F7) as kills."""

HELD_S = 20.0
"""Seconds in which a state must be reached."""

STATES = {
    "before hello": (UP, None, False),
    "hello sent": (DOWN, Kind.WELCOME, False),
    "request written": (DOWN, Kind.MCP, False),
    "reply half read": (DOWN, Kind.MCP, True),
}
"""Where the proxy stops the talk: direction, kind of message, after half of it."""

BEGINNING = ("before hello", "hello sent")
"""States of a relay that has just begun; in the others it goes through one kill after the other."""


class ProxiedClient:
    """A client whose relay reaches the daemon through a proxy, and is killed at in one state, once or often."""

    def __init__(self, state: str, daemon: RunningDaemon, number: str) -> None:
        self.state = state
        self.number = number
        self.saved: list[str] = []
        self.request_id = 0
        path = Path(daemon.env["HOME"]) / f"proxy-{number}"
        self.proxy = Proxy(path, daemon.socket)
        if state in BEGINNING:
            self.proxy.hold(*STATES[state][:2])
        self.client = BareClient(daemon.env | {"PALIMP_SOCKET": str(path), "PALIMP_DEADLINE_S": "60"})

    def reach_state(self) -> None:
        """Bring relay and daemon into the state, with a save on its way (or done, when idle)."""
        if self.state in BEGINNING:
            self.client.request("init", "initialize", _initialize())
            self.client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        elif not self.saved:
            self.client.initialize()
        if self.state in STATES and self.state not in BEGINNING:
            direction, kind, half = STATES[self.state]
            self.proxy.hold(direction, kind, half=half)
        self.saved.append(f"Kept through {self.state} number {self.number} time {len(self.saved)}")
        self.request_id += 1
        self.client.call(self.request_id, "save_memory", text=self.saved[-1])
        if self.state in STATES:
            assert self.proxy.held.wait(HELD_S)
        else:
            self._check_save()

    def check(self) -> None:
        """Every request is answered once, and the session goes on as if nothing had been."""
        if self.state in BEGINNING:
            assert "serverInfo" in self.client.answer("init")["result"]
        if self.state in STATES:
            self._check_save()
        self.request_id += 1
        said = self.client.ask(self.request_id, "recall", query=self.saved[-1], title=self.saved[-1])
        assert "1 of 1" in said
        assert self.client.is_silent()

    def _check_save(self) -> None:
        assert self.client.answer(self.request_id)["result"]["isError"] is False

    def close(self) -> None:
        """Let the client go."""
        self.proxy.close()
        assert self.client.close() == 0


def _initialize() -> dict:
    return {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "killed", "version": "1"}}


def stored_titles(daemon: RunningDaemon) -> list[str]:
    """Stop the daemon and return the titles of all memories in its database."""
    assert daemon.stop() == 0
    connection = apsw.Connection(database_path(daemon.env))
    titles = [title for (title,) in connection.execute("SELECT title FROM memories")]
    connection.close()
    return titles


@pytest.mark.parametrize("is_draining", [False, True], ids=["killed", "killed while it drains"])
def test_f8_a_killed_daemon_loses_and_doubles_nothing(daemon, is_draining: bool):
    """In every state, 20 times: every id is answered exactly once and every save is stored exactly once."""
    numbers = itertools.count()
    lasting = [
        ProxiedClient(state, daemon, str(next(numbers)))
        for state in [*STATES, "idle"]
        if state not in BEGINNING
        for _ in range(IN_EACH_STATE)
    ]
    expected: list[str] = []
    for _ in range(ROUNDS):
        new = [ProxiedClient(state, daemon, str(next(numbers))) for state in BEGINNING for _ in range(IN_EACH_STATE)]
        clients = [*new, *lasting]
        for client in clients:
            client.reach_state()
        if is_draining:
            clients[-1].proxy.hold(DOWN, Kind.BYE)
            daemon.process.terminate()
            assert clients[-1].proxy.held.wait(HELD_S)
        daemon.kill()
        for client in clients:
            client.proxy.release()
        daemon.start()
        for client in clients:
            client.check()
        for client in new:
            client.close()
        expected += [client.saved[-1] for client in clients]
    for client in lasting:
        client.close()

    assert sorted(stored_titles(daemon)) == sorted(expected)


@pytest.mark.alone(IS_SOAK)
def test_f1_f7_kills_under_load_lose_and_double_nothing_and_one_daemon_follows(env, tally):
    """Clients save without pause while the daemon is killed again and again; their relays race to start the next."""
    clients = [BareClient(env) for _ in range(RACING)]
    for client in clients:
        client.initialize()
    acknowledged: list[list[str]] = [[] for _ in clients]
    answered_at = [time.monotonic()]
    is_over = threading.Event()

    def save_on(number: int, client: BareClient) -> None:
        for turn in itertools.count():
            if is_over.is_set():
                return
            text = f"Client {number} noted fact {turn}."
            assert client.ask(turn, "save_memory", text=text).startswith("Saved")
            answered_at.append(time.monotonic())
            acknowledged[number].append(text)

    def saved() -> list[int]:
        return [len(texts) for texts in acknowledged]

    with ThreadPoolExecutor(len(clients)) as pool:
        savers = [pool.submit(save_on, number, client) for number, client in enumerate(clients)]
        chance, silent_s, served_s = random.Random(3), 0.0, 0.0
        for _ in range(KILLS_UNDER_LOAD):
            goal = sum(saved()) + chance.randint(1, 60)
            wait_until(lambda goal=goal: sum(saved()) >= goal, HELD_S)
            [killed] = owner_pids(env)
            os.kill(killed, signal.SIGKILL)
            killed_at, before, answers = time.monotonic(), saved(), len(answered_at)
            # Of each client one answer of the killed daemon may still be on its way.
            wait_until(lambda before=before: all(b + 2 <= n for b, n in zip(before, saved(), strict=True)), HELD_S)
            served_s = max(served_s, time.monotonic() - killed_at)
            silent_s = max(
                silent_s, *(later - one for one, later in itertools.pairwise(sorted(answered_at[answers - 1 :])))
            )
            [owner] = owner_pids(env)
            assert owner != killed
        is_over.set()
        for saver in savers:
            saver.result(timeout=HELD_S)
    for client in clients:
        assert client.is_silent()
        assert client.close() == 0
    end_daemon(env)
    wait_until(lambda: not owner_pids(env), HELD_S)

    connection = apsw.Connection(database_path(env))
    stored = [text for (text,) in connection.execute("SELECT content FROM memories")]
    connection.close()
    assert sorted(stored) == sorted(itertools.chain(*acknowledged))
    counts = {"saves": len(stored), "lost": 0, "doubled": 0}
    tally("F1", f"{KILLS_UNDER_LOAD} kills under load", **counts, next_answer_s=round(silent_s, 2))
    tally("F7", f"{KILLS_UNDER_LOAD} races of {RACING} after a kill", owners=1, all_served_s=round(served_s, 2))
