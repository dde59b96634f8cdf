"""A command's request: how long a daemon is waited for, and how often it is sent again."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import zmq

from palimp_protocol import limits
from palimp_protocol.errors import UnreachableError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import Health
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport import daemon_client as client_module
from palimp_shim.transport.daemon_client import Client

LONG_S = 10 * limits.CLIENT_DEADLINE_S
SENDS = limits.RESENDS_MAX + 1


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, home: Path):
    """One that waits long for an answer, starts no daemon, and for which time passes when a test says so."""
    made = Client({"HOME": str(home), "PALIMP_SOCKET": str(home / "s.sock")}, deadline_s=LONG_S)
    monkeypatch.setattr(made._dialer, "_spawn_if_due", lambda *_, **__: None)
    made.passed_s = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + made.passed_s, sleep=lambda _: None)
    monkeypatch.setattr(client_module, "time", clock)
    return made


def ask(client: Client) -> None:
    client.call(OPERATIONS["health"], Health(), Caller())


def beside(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_who_waits_long_for_an_answer_does_not_wait_so_long_for_a_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path):
    """A backup may take an hour; that no daemon can be started is said in seconds."""
    monkeypatch.setattr(limits, "CLIENT_DEADLINE_S", 0.2)
    (tmp_path / "file").touch()
    client = Client({"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "file" / "state")}, deadline_s=LONG_S)

    with pytest.raises(UnreachableError, match=r"cannot be started \(.*file/state"):
        ask(client)


def test_a_request_that_takes_daemons_down_is_not_sent_for_ever(client: Client, home: Path):
    """Each that takes it goes away, however long it worked on it; somebody has to stop."""

    def take_and_go() -> None:
        with zmq.Context() as context:
            for _ in range(SENDS):
                with context.socket(zmq.ROUTER) as router:
                    router.linger = 0
                    router.bind(f"ipc://{home / 's.sock'}")
                    router.recv_multipart()
                    client.passed_s += limits.CLIENT_DEADLINE_S + 1

    beside(take_and_go)
    with pytest.raises(UnreachableError, match=f"went away {SENDS} times"):
        ask(client)


def test_a_daemon_that_ends_and_takes_nothing_any_more_has_not_worked_on_it(client: Client, home: Path):
    """It accepts connections while it ends: that is waited for as if there was none."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "s.sock"))
        listener.listen()

        def accept_and_close() -> None:
            with contextlib.suppress(OSError):  # shut down below
                while client.passed_s <= limits.CLIENT_DEADLINE_S:
                    listener.accept()[0].close()
                    client.passed_s += 1

        accepting = beside(accept_and_close)
        with pytest.raises(UnreachableError, match=f"could not be reached within {limits.CLIENT_DEADLINE_S:g} s"):
            ask(client)
        listener.shutdown(socket.SHUT_RDWR)  # an accept on a descriptor that is closed may be one on another's
        accepting.join(10)


@pytest.mark.parametrize(("is_terminal", "starts", "times"), [(True, True, 1), (False, True, 0), (True, False, 0)])
def test_a_terminal_is_told_once_that_a_daemon_is_starting(
    client: Client, monkeypatch, capsys, is_terminal: bool, starts: bool, times: int
):
    """After a moment: mostly it takes less. The first start after an installation compiles what was installed."""
    monkeypatch.setattr(type(client._dialer), "is_starting", property(lambda _: starts))
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)

    def pass_s(_: float) -> None:
        said.append(capsys.readouterr().err)
        client.passed_s += client_module.STARTING_SAID_S / 2

    said: list[str] = []
    monkeypatch.setattr(client_module.time, "sleep", pass_s)
    with pytest.raises(UnreachableError):
        ask(client)

    assert said[:2] == ["", ""]
    assert "".join(said).count(client_module.STARTING) == times
