"""Clients that go, however they go: no relay stays behind, and the daemon keeps no session of theirs (F9)."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from daemon_asking import ask
from lanes import IS_SOAK, many
from mcp_clients import BareClient, KilledParent, is_alive
from running_daemon import wait_until

from palimp_protocol.limits import PEER_EXPIRY_S

RELAYS = many(4, 50)
"""Relays that are left at once, in each way."""

GONE_S = 20.0
"""Seconds in which all must be gone here. Each promises one (EOF_GRACE_S, PARENT_CHECK_S), on a machine with time."""


def initialized(env: dict[str, str]) -> BareClient:
    client = BareClient(env)
    client.initialize()
    client.ask(1, "health")
    return client


def end_input(client: BareClient) -> None:
    assert client.process.stdin
    client.process.stdin.close()


def terminate(client: BareClient) -> None:
    client.process.send_signal(signal.SIGTERM)


WAYS: dict[str, tuple[Callable[[dict[str, str]], BareClient], Callable[[BareClient], None]]] = {
    "stdin ends before initialize": (BareClient, end_input),
    "stdin ends after initialize": (initialized, end_input),
    "SIGTERM": (initialized, terminate),
}


@pytest.mark.parametrize("way", WAYS)
def test_f9_relays_leave_with_their_clients(daemon, env, project: Path, way: str, tally):
    """All at once; and who stays is served as before."""
    start, leave = WAYS[way]
    stays = initialized(env)
    clients = [start(env) for _ in range(RELAYS)]

    began = time.monotonic()
    for client in clients:
        leave(client)
    for client in clients:
        client.process.wait(timeout=GONE_S)
    slowest = time.monotonic() - began

    for client in clients:
        client.kill()
    assert stays.ask(2, "save_memory", text="After a crowd had left.").startswith("Saved")
    assert stays.close() == 0
    _nobody_is_left(env, project)
    tally("F9", f"{RELAYS} relays: {way}", gone_within_s=round(slowest, 2), sessions_left=0)


def test_f9_relays_leave_with_a_parent_that_is_killed(daemon, env, project: Path, tally):
    """Though their stdin stays open."""
    parents = [KilledParent(env) for _ in range(RELAYS)]
    wait_until(lambda: ask(env, project, "health").peers == RELAYS, GONE_S)

    began = time.monotonic()
    for parent in parents:
        parent.kill()
    wait_until(lambda: not any(is_alive(parent.relay) for parent in parents), GONE_S)
    slowest = time.monotonic() - began

    for parent in parents:
        parent.close()
    _nobody_is_left(env, project)
    tally("F9", f"{RELAYS} relays: parent killed", gone_within_s=round(slowest, 2), sessions_left=0)


def test_f9_relays_that_are_killed_hinder_nobody(daemon, env, project: Path, tally):
    """They cannot say goodbye: their sessions are there until they were silent for too long."""
    clients = [initialized(env) for _ in range(RELAYS)]
    for client in clients:
        client.kill()
    honest = initialized(env)
    assert honest.ask(2, "save_memory", text="After a crowd was killed.").startswith("Saved")
    assert honest.close() == 0
    if IS_SOAK:
        _nobody_is_left(env, project, PEER_EXPIRY_S + GONE_S)
    tally("F9", f"{RELAYS} relays: SIGKILL", lost=0)


def _nobody_is_left(env: dict[str, str], project: Path, timeout_s: float = GONE_S) -> None:
    wait_until(lambda: ask(env, project, "health").peers == 0, timeout_s)
