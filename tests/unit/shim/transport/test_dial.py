"""The dial ladder: who answers is ours, who does not is started, by one and not in a loop."""

import fcntl
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from palimp_protocol import limits
from palimp_protocol.env import address, file_lock, paths
from palimp_protocol.env.address import address_bytes
from palimp_shim.transport import dial
from palimp_shim.transport.dial import Dialer


class Child:
    """A process that was started and runs as long as *runs* says so."""

    def __init__(self, runs: Callable[[], bool]) -> None:
        self._runs = runs

    def poll(self) -> int | None:
        return None if self._runs() else 1


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The starts that were attempted; none is made."""
    made: list[float] = []

    monkeypatch.setattr(dial, "_spawn", lambda *_: made.append(1) or Child(lambda: False))
    return made


def listen(path: Path) -> socket.socket:
    path.parent.mkdir(parents=True, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(4)
    return listener


def dialled(env: dict[str, str]) -> str | None:
    """Return the path that a first step connects to."""
    connected = Dialer(env, honours_stop=True).step(0)
    if connected is None:
        return None
    with connected:
        return connected.getpeername()


def own_socket(env: dict[str, str]) -> Path:
    return Path(paths.socket_path(env, user_id=os.getuid()))


def test_a_daemon_that_answers_is_taken(env, starts):
    """At our own socket."""
    listener = listen(own_socket(env))

    assert dialled(env) == str(own_socket(env))
    assert starts == []
    listener.close()


def test_the_address_that_the_owner_wrote_down_is_tried_too(env, home: Path, starts):
    """For clients with another runtime folder."""
    listener = listen(home / "elsewhere.sock")
    address = Path(paths.address_path(env))
    address.parent.mkdir(parents=True, exist_ok=True)
    lock = Path(paths.lock_path(env))
    lock.touch()
    address.write_bytes(address_bytes(home / "elsewhere.sock", lock))

    assert dialled(env) == str(home / "elsewhere.sock")
    listener.close()


def test_none_is_started_beside_an_owner_outside_of_this_container(env, starts, monkeypatch: pytest.MonkeyPatch):
    """Its socket cannot be reached: it is waited for as long as an owner may be about to end, and then named."""
    lock = Path(paths.lock_path(env))
    lock.parent.mkdir(parents=True)
    held = file_lock.take(lock)
    with monkeypatch.context() as outside:
        outside.setattr(address, "mounts_seen", lambda: "another boot mnt:[1]")
        Path(paths.address_path(env)).write_bytes(address_bytes("/run/outside.sock", lock))

    dialer = Dialer(env, honours_stop=True)
    dialer.step(0)
    assert (starts, dialer.is_stuck) == ([], False)
    dialer.step(dial.LEAVES_S)
    assert (starts, dialer.is_stuck) == ([], True)
    assert "/run/outside.sock" in dialer.obstacle

    file_lock.release(held)
    dialer.step(dial.LEAVES_S + limits.DIAL_RETRY_S)
    assert len(starts) == 1


@pytest.mark.parametrize("is_held", [True, False], ids=["held", "free"])
def test_an_address_without_an_identity_counts_while_the_lock_is_held(env, home: Path, starts, is_held: bool):
    """So an older daemon wrote it; in a copy of its folder nobody holds the lock."""
    listener = listen(home / "elsewhere.sock")
    address = Path(paths.address_path(env))
    address.parent.mkdir(parents=True, exist_ok=True)
    address.write_text(f"{home / 'elsewhere.sock'}\n")
    lock = file_lock.take(paths.lock_path(env)) if is_held else None

    found = dialled(env)
    listener.close()
    if lock is not None:
        file_lock.release(lock)
    assert found == (str(home / "elsewhere.sock") if is_held else None)


@pytest.mark.parametrize("content", ["", "\n", "/nonexistent\n", "\0", "x" * 5000])
def test_a_strange_address_is_ignored(env, starts, content: str):
    """The daemon is started as if it were not there."""
    address = Path(paths.address_path(env))
    address.parent.mkdir(parents=True, exist_ok=True)
    address.write_text(content)

    assert dialled(env) is None
    assert len(starts) == 1


def test_a_daemon_that_cannot_start_is_not_started_in_a_loop(env, starts):
    """Some attempts with pauses, then a long rest."""
    dialer, now = Dialer(env, honours_stop=True), 0.0
    while now < limits.SPAWN_ATTEMPTS_MAX * limits.SPAWN_QUIET_S + limits.SPAWN_PAUSE_S - 1:
        dialer.step(now)
        now += limits.DIAL_RETRY_S

    assert len(starts) <= limits.SPAWN_ATTEMPTS_MAX + 1


def test_a_daemon_that_is_slow_to_start_is_waited_for(env, starts, monkeypatch: pytest.MonkeyPatch):
    """A second one would take time from it. One that ended is followed by the next, one that hangs some time, too."""
    runs = True
    monkeypatch.setattr(dial, "_spawn", lambda *_: starts.append(1) or Child(lambda: runs))
    dialer = Dialer(env, honours_stop=True)

    dialer.step(0)
    dialer.step(limits.START_S - 0.1)
    assert len(starts) == 1
    dialer.step(limits.START_S)
    dialer.step(limits.START_S + limits.SPAWN_QUIET_S)
    assert len(starts) == 2
    runs = False
    dialer.step(limits.START_S + limits.SPAWN_QUIET_S)
    assert len(starts) == 3


def test_one_client_starts_and_the_others_wait(env, starts):
    """Whoever has the spawn lock."""
    one, other = Dialer(env, honours_stop=True), Dialer(env, honours_stop=True)
    one.step(0)
    other.step(0)

    assert len(starts) == 1


def test_the_lock_is_given_back_when_the_daemon_answers(env, starts):
    """So that another client can start it the next time."""
    dialer = Dialer(env, honours_stop=True)
    dialer.step(0)
    listener = listen(own_socket(env))
    if connected := dialer.step(1):
        connected.close()

    with Path(paths.spawn_lock_path(env)).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    listener.close()


def test_a_stop_is_honoured_for_a_while_by_relays_only(env, starts):
    """And while nobody waits for an answer: a command that a person types, and a request, start the daemon at once."""
    stopped = Path(paths.stopped_path(env))
    stopped.parent.mkdir(parents=True, exist_ok=True)
    stopped.touch()

    waiting = Dialer(env, honours_stop=True)
    waiting.step(0, is_wanted=False)
    assert starts == []
    command = Dialer(env, honours_stop=False)
    command.step(0, is_wanted=False)
    assert len(starts) == 1
    command._release_lock()
    waiting.step(1, is_wanted=True)
    assert len(starts) == 2


def test_why_a_daemon_ended_is_known_when_it_has(env, starts, monkeypatch: pytest.MonkeyPatch):
    """Its last words are in the log. That another one owns the database, or that it was killed, is no such reason."""
    log = Path(paths.log_path(env))
    log.parent.mkdir(parents=True)
    log.write_text("palimpd: an older complaint.\n")

    def dialer_whose_child_ends_with(code: int, said: str) -> Dialer:
        dialer = Dialer(env, honours_stop=True)
        child = Child(lambda: True)
        monkeypatch.setattr(dial, "_spawn", lambda *_: child)
        dialer.step(0)
        with log.open("a") as file:
            file.write(said)
        child.poll = lambda: code
        dialer.step(limits.DIAL_RETRY_S)
        dialer._release_lock()
        return dialer

    refused = dialer_whose_child_ends_with(1, "starting\npalimpd: The folder is gone.\n")
    assert (refused.is_stuck, refused.obstacle) == (True, "The folder is gone")
    assert dialer_whose_child_ends_with(1, "Traceback …\nKeyError: 'x'\n").obstacle == "KeyError: 'x'"
    assert not dialer_whose_child_ends_with(75, "palimpd: Another palimpd owns it.\n").is_stuck
    assert not dialer_whose_child_ends_with(-signal.SIGKILL, "").is_stuck
    crashed = dialer_whose_child_ends_with(-signal.SIGABRT, "no memory (thread.cpp)\n")
    assert crashed.is_stuck
    assert "SIGABRT" in crashed.obstacle
    assert "no memory" in crashed.obstacle


@pytest.mark.parametrize("offset_s", [-limits.STOP_QUIET_S - 1, 3600])
def test_an_old_stop_and_one_from_the_future_are_over(env, starts, offset_s: float):
    """A clock that went back does not keep the daemon away."""
    stopped = Path(paths.stopped_path(env))
    stopped.parent.mkdir(parents=True, exist_ok=True)
    stopped.touch()
    at = stopped.stat().st_mtime + offset_s
    os.utime(stopped, (at, at))

    Dialer(env, honours_stop=True).step(0, is_wanted=False)

    assert len(starts) == 1


def test_a_file_at_the_socket_is_no_daemon(env, starts):
    """And the client can say what is in the way."""
    own_socket(env).parent.mkdir(parents=True, exist_ok=True)
    own_socket(env).write_text("")
    dialer = Dialer(env, honours_stop=True)

    assert dialer.step(0) is None
    assert "not a socket of yours" in dialer.obstacle


def test_where_systemd_runs_it_its_socket_is_started_first(env, monkeypatch, tmp_path):
    """If that brings no daemon about, or hangs, `palimpd` is started after all."""
    made: list[str] = []
    monkeypatch.setattr(dial, "_spawn", lambda _, command: made.append(command[-1]) or Child(lambda: True))
    env = {**env, "XDG_RUNTIME_DIR": str(tmp_path / "run"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    for file in (tmp_path / "run/systemd/private", tmp_path / "config/systemd/user/palimp.socket"):
        file.parent.mkdir(parents=True)
        file.touch()
    dialer = Dialer(env, honours_stop=True)
    dialer.step(0.0)
    dialer.step(limits.SPAWN_QUIET_S)
    assert made == ["palimp.socket", "--exit-when-idle"]
