"""A daemon that is replaced, or says nothing more, while somebody waits for its answer."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mcp_clients
from mcp_clients import BareClient
from zmtp_proxy import DOWN, UP, Proxy

from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.wire.frames import Kind
from palimp_shim.transport.daemon_client import Client

IMPATIENT = [
    sys.executable,
    "-c",
    "from palimp_shim.relay import relay_loop as relay; relay.SILENCE_S = 1.0; relay.main()",
]
"""A relay that takes a daemon for gone after a second without a byte; a loaded machine's is late by less."""

HELD_S = 20.0
"""Seconds in which the request must have been sent."""


def test_a_command_whose_daemon_is_replaced_asks_the_next_one(daemon):
    """Though that one is there before the command has looked: it is asked again, and the save is applied once."""
    path = Path(daemon.env["HOME"]) / "proxy"
    proxy = Proxy(path, daemon.socket)
    client = Client(daemon.env | {"PALIMP_SOCKET": str(path)}, deadline_s=HELD_S / 2)
    client._dialer._spawn_if_due = lambda *_, **__: (
        None
    )  # the test starts the next one, and no other may get there first
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


def test_a_relay_whose_daemon_says_nothing_more_connects_again(daemon, monkeypatch):
    """The daemon on the first connection hangs for good; what was asked there is asked, once, on the next."""
    BareClient(daemon.env).initialize()  # the SDK is imported with the first message of all
    path = Path(daemon.env["HOME"]) / "proxy"
    proxy = Proxy(path, daemon.socket)
    monkeypatch.setattr(mcp_clients, "SHIM", IMPATIENT)
    proxy.hold(DOWN, None, once=True)
    client = BareClient(daemon.env | {"PALIMP_SOCKET": str(path)})
    client.initialize()
    assert client.ask(1, "save_memory", text="Asked of a daemon that hung.").startswith("Saved")
    assert proxy.held.is_set()
    assert "1 of 1" in client.ask(2, "recall", query="daemon that hung")
    assert client.close() == 0
    proxy.close()
