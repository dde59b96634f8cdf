"""What the daemon does for itself, on a clock that jumps."""

from types import SimpleNamespace

import pytest
import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.systemd_messages import notify, passed_listener, watchdog_interval_s
from palimp_daemon.server.background.housekeeping import IDLE_CHECK_S, LONG_S, exit_when_idle, ping_watchdog
from palimp_protocol.errors import ErrorCode, PalimpError

IDLE_S = 600.0


class Idling:
    """What idleness is about: requests, sessions, HTTP."""

    def __init__(self) -> None:
        self.state = DaemonState(boot="b", started_at=trio.current_time())
        self.peers: list[str] = []
        self.http_access = SimpleNamespace(url="")
        self.page_access = SimpleNamespace(url="")

    async def run(self) -> None:
        await exit_when_idle(self.state, self.peers, self.http_access, self.page_access, IDLE_S)


async def test_a_daemon_that_nobody_needs_ends(autojump_clock, nursery):
    """After the idle time, and not before."""
    daemon = Idling()
    nursery.start_soon(daemon.run)

    await trio.sleep(IDLE_S - IDLE_CHECK_S)
    assert not daemon.state.stop.is_set()
    await trio.sleep(2 * IDLE_CHECK_S)

    assert daemon.state.stop.is_set()


async def test_a_session_or_a_request_keeps_it(autojump_clock, nursery):
    """A session for as long as it lasts, a request for the idle time."""
    daemon = Idling()
    daemon.peers.append("one")
    nursery.start_soon(daemon.run)
    await trio.sleep(10 * IDLE_S)
    assert not daemon.state.stop.is_set()

    daemon.peers.clear()
    daemon.state.note_request()
    await trio.sleep(IDLE_S - IDLE_CHECK_S)
    assert not daemon.state.stop.is_set()

    await trio.sleep(2 * IDLE_CHECK_S)
    assert daemon.state.stop.is_set()


async def test_a_daemon_that_serves_http_stays(autojump_clock, nursery):
    """Whoever connects over HTTP could not start another."""
    daemon = Idling()
    daemon.http_access.url = "http://127.0.0.1:1/mcp"
    nursery.start_soon(daemon.run)
    await trio.sleep(10 * IDLE_S)
    assert not daemon.state.stop.is_set()


class FakeActor:
    """Answers, refuses, or hangs."""

    def __init__(self) -> None:
        self.mode = "answers"
        self.takes_long = False

    async def ask(self, _: object) -> None:
        if self.mode == "hangs":
            await trio.sleep_forever()
        if self.mode == "refuses":
            raise PalimpError(ErrorCode.STORE_UNAVAILABLE, "degraded")


async def test_the_watchdog_is_fed_as_long_as_the_store_answers(autojump_clock, nursery):
    """A degraded store answers too; one that hangs does not, and the service manager restarts us."""
    actor, pings = FakeActor(), []
    nursery.start_soon(ping_watchdog, actor, 10.0, lambda: pings.append(trio.current_time()))
    await trio.sleep(25)
    assert len(pings) == 3

    actor.mode = "refuses"
    await trio.sleep(20)
    assert len(pings) == 5

    actor.mode = "hangs"
    await trio.sleep(100)
    assert len(pings) == 5

    actor.mode = "answers"
    await trio.sleep(20)
    assert len(pings) > 5


async def test_a_database_that_is_being_opened_is_given_time(autojump_clock, nursery):
    """A quarter of an hour: starting again would begin it anew."""
    actor, pings = FakeActor(), []
    actor.takes_long, actor.mode = True, "hangs"
    nursery.start_soon(ping_watchdog, actor, 10.0, lambda: pings.append(trio.current_time()))
    await trio.sleep(LONG_S - 1)
    assert len(pings) == 90
    await trio.sleep(100)
    assert len(pings) == 90


def test_the_service_manager_is_told(tmp_path):
    """Over the datagram socket that it named."""
    import socket  # noqa: PLC0415

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        notify({"NOTIFY_SOCKET": str(tmp_path / "notify")}, "READY=1")

        assert manager.recv(100) == b"READY=1"
    notify({}, "READY=1")  # without a service manager nothing happens


@pytest.mark.parametrize(
    ("env", "interval_s"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_interval_is_half_of_what_is_asked(env: dict[str, str], interval_s: float | None):
    """And none when it is not meant for us."""
    assert watchdog_interval_s(env) == interval_s


def test_sockets_for_another_process_are_not_ours():
    """LISTEN_PID says whose they are."""
    assert passed_listener({"LISTEN_PID": "1", "LISTEN_FDS": "1"}) is None
    assert passed_listener({}) is None
