"""A command whose daemon is replaced while it waits for the answer."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from palimp_protocol.frames import Kind
from palimp_protocol.operations import Caller, Recall, SaveMemory
from palimp_protocol.table import OPERATIONS
from palimp_shim.client import Client
from zmtp_proxy import UP, Proxy

HELD_S = 20.0
"""Seconds in which the request must have been sent."""


def test_a_command_whose_daemon_is_replaced_asks_the_next_one(daemon):
    """Though that one is there before the command has looked: it is asked again, and the save is applied once."""
    path = Path(daemon.env["HOME"]) / "proxy"
    proxy = Proxy(path, daemon.socket)
    client = Client(daemon.env | {"PALIMP_SOCKET": str(path)}, deadline_s=HELD_S / 2)
    client._dialer._spawn_if_due = lambda now: None  # the test starts the next one, and no other may get there first
    proxy.hold(UP, Kind.REQUEST)
    with ThreadPoolExecutor(1) as pool:
        saved = pool.submit(client.call, OPERATIONS["save_memory"], SaveMemory(text="Asked of two."), Caller())
        assert proxy.held.wait(HELD_S)
        daemon.kill()
        daemon.start()
        proxy.release()
        assert saved.result(timeout=HELD_S).title == "Asked of two"
    proxy.close()
    found = Client(daemon.env).call(OPERATIONS["recall"], Recall(), Caller())
    assert [row.title for row in found.memories] == ["Asked of two"]
