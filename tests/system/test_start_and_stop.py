"""Starting by need, stopping on request, and leaving when nobody is there."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_clients import SHIM, BareClient, KilledParent, is_alive
from running_daemon import RunningDaemon, end_daemon, owner_pids, wait_until

from palimp_protocol.env import file_lock
from palimp_protocol.env.paths import database_path, log_path, socket_path, spawn_lock_path

PALIMP = [sys.executable, "-m", "palimp_shim.cli.main"]

LEAVE_S = 30.0
"""Seconds in which a relay must be gone here. It promises one (EOF_GRACE_S, PARENT_CHECK_S), on a machine with time."""


def run(env: dict[str, str], *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does."""
    return subprocess.run(
        [*PALIMP, *arguments], env=env, cwd=folder or env["HOME"], capture_output=True, text=True, check=False
    )


def test_eight_relays_that_race_start_one_daemon(env):
    """Eight clients that start at the same moment are all served, by one daemon that owns the database."""
    clients = [BareClient(env) for _ in range(8)]
    for number, client in enumerate(clients):
        client.request("init", "initialize", _initialize())
        client.call(1, "save_memory", text=f"Relay number {number} was here.")
    for client in clients:
        assert "serverInfo" in client.answer("init")["result"]
        assert client.answer(1)["result"]["isError"] is False

    health = json.loads(run(env, "health", "--json").stdout)

    assert owner_pids(env) == [health["pid"]]
    assert health["store"]["memories"] == len(clients)
    assert health["peers"] == len(clients)
    assert not file_lock.is_held(spawn_lock_path(env))  # whoever started it lets others start the next one
    for client in clients:
        assert client.close() == 0


def test_a_daemon_that_dies_is_started_again_by_its_relay(env):
    """With nobody to supervise it, a killed daemon is replaced by the relay that misses it."""
    client = BareClient(env)
    client.initialize()
    client.ask(1, "save_memory", text="Before the kill.")
    (first,) = owner_pids(env)

    os.kill(first, signal.SIGKILL)

    assert "1 of 1" in client.ask(2, "recall", query="kill")
    assert owner_pids(env) != [first]
    assert client.close() == 0


def test_a_stopped_daemon_stays_stopped(env):
    """`palimp stop` returns when the daemon is gone, and idle relays do not start it again."""
    client = BareClient(env)
    client.initialize()

    stopped = run(env, "stop")

    assert stopped.returncode == 0
    assert "Stopped" in stopped.stdout
    assert owner_pids(env) == []
    assert run(env, "stop").stdout == "No daemon is running.\n"
    assert client.is_silent()
    # A command that a person types starts it again, and the waiting relay finds it.
    assert run(env, "add", "After the stop.").returncode == 0
    assert "1 of 1" in client.ask(2, "recall", query="stop")
    assert client.close() == 0


def test_a_request_of_an_open_session_has_a_stopped_daemon_started(env):
    """Nobody types a command: what its client asks for is reason enough, and is answered by the next daemon."""
    client = BareClient(env)
    client.initialize()
    client.ask(1, "save_memory", text="Before the stop.")
    for number in range(2, 5):
        (pid,) = owner_pids(env)
        assert f"pid {pid}" in run(env, "stop").stdout
        assert "1 of 1" in client.ask(number, "recall", query="stop")
        assert owner_pids(env) not in ([], [pid])
    assert client.close() == 0


def test_a_request_that_comes_while_the_daemon_is_stopped_is_answered_by_the_next_one(env):
    """It was said while `palimp stop` waited, which ends well all the same."""
    client = BareClient(env)
    client.initialize()
    stop = subprocess.Popen([*PALIMP, "stop"], env=env, cwd=env["HOME"], stdout=subprocess.PIPE, text=True)
    answers = 0
    while stop.poll() is None:
        answers += 1
        assert "Nothing" in client.ask(answers, "recall", limit=1)
    assert (stop.returncode, "Stopped" in stop.communicate()[0]) == (0, True)
    assert "Nothing" in client.ask(answers + 1, "recall", limit=1)
    assert client.close() == 0


@pytest.mark.parametrize("name", [b"tree", b"t\xff"])
def test_a_session_whose_folder_was_removed_goes_on_in_its_project(env, home: Path, name: bytes):
    """Also with the next daemon, which is told what the first was; and where the folder's name is no text."""
    folder = Path(os.fsdecode(os.fsencode(home) + b"/" + name))
    folder.mkdir()
    client = BareClient(env, folder)
    client.initialize()
    client.ask(1, "save_memory", text="Money is integer cents.")
    folder.rmdir()
    end_daemon(env)

    assert "integer **cents**" in client.ask(2, "recall", query="cents")
    assert client.close() == 0


def test_a_second_daemon_is_refused(daemon, env, home: Path):
    """A second daemon for the same database leaves with a message, even with another socket."""
    other = subprocess.run(
        [sys.executable, "-m", "palimp_daemon"],
        env=env | {"PALIMP_SOCKET": str(home / "other.sock")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert other.returncode == 75
    assert f"Another palimpd owns {database_path(env)} and listens at {daemon.socket}." in other.stderr


def test_a_client_with_another_runtime_folder_finds_the_owner(env, home: Path):
    """The owner writes down where it listens, so a client that would look elsewhere still finds it."""
    home_only = {name: value for name, value in env.items() if name != "PALIMP_HOME"}
    runtime = home / "runtime"
    running = RunningDaemon(home_only | {"XDG_RUNTIME_DIR": str(runtime)})
    running.start()
    elsewhere = home_only | {"XDG_RUNTIME_DIR": str(home / "elsewhere")}

    health = json.loads(run(elsewhere, "health", "--json").stdout)

    assert health["socket"] == str(runtime / "palimp" / "palimp.sock")
    assert health["pid"] == running.pid
    running.kill()


def test_the_address_of_a_dead_owner_misleads_nobody(env, home: Path):
    """A stale socket and a stale address are no obstacle to a start."""
    running = RunningDaemon(env)
    running.start()
    running.kill()
    assert Path(socket_path(env, user_id=os.getuid())).exists()

    assert run(env, "add", "After a crash.").returncode == 0


@pytest.mark.parametrize("obstacle", ["file", "folder"])
def test_what_is_no_socket_is_never_removed(env, obstacle: str):
    """Something else at the socket's path is reported and left alone."""
    path = Path(socket_path(env, user_id=os.getuid()))
    path.parent.mkdir(parents=True)
    path.mkdir() if obstacle == "folder" else path.write_text("precious")

    daemon = subprocess.run(
        [sys.executable, "-m", "palimp_daemon"], env=env, capture_output=True, text=True, check=False
    )

    assert daemon.returncode == 1
    assert f"{path} is not a socket." in daemon.stderr
    assert path.is_dir() if obstacle == "folder" else path.read_text() == "precious"


def test_files_and_sockets_are_private_whatever_the_umask(env, home: Path):
    """Database, log and socket can be read by their owner only, also under a permissive umask."""
    old = os.umask(0)
    try:
        assert run(env, "add", "Private.").returncode == 0
    finally:
        os.umask(old)

    state = home / "state"
    modes = {path.name: path.stat().st_mode & 0o777 for path in [state, *state.iterdir()]}
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    assert Path(log_path(env)).name in modes


def test_the_daemon_ends_gracefully(daemon, env):
    """SIGTERM: the daemon exits with 0 and leaves a database without a write-ahead log to recover."""
    assert run(env, "add", "Kept.").returncode == 0

    assert daemon.stop() == 0

    path = Path(database_path(env))
    wal = path.with_name(path.name + "-wal")
    assert not wal.exists() or wal.stat().st_size == 0


# --- leaving -------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before initialize", "after initialize"])
@pytest.mark.parametrize("how", ["stdin ends", "SIGTERM", "SIGINT"])
def test_a_relay_leaves_when_its_client_does(daemon, env, when: str, how: str):
    """Within a second of stdin's end or a signal the relay is gone, and the daemon's session with it."""
    client = BareClient(env)
    if when == "after initialize":
        client.initialize()
        client.ask(1, "health")
    if how == "stdin ends":
        client.process.stdin.close()
    else:
        # A signal that comes before the relay's own handler is one that Python handles.
        client.process.send_signal(getattr(signal, how))

    client.process.wait(timeout=LEAVE_S)

    client.kill()
    wait_until(lambda: json.loads(run(env, "health", "--json").stdout)["peers"] == 0, 60)


def test_a_relay_leaves_when_its_parent_is_killed(daemon, env):
    """A client that is killed while somebody else holds its pipes still takes its relay with it."""
    parent = KilledParent(env)
    wait_until(lambda: json.loads(run(env, "health", "--json").stdout)["peers"] == 1, 60)

    parent.kill()

    wait_until(lambda: not is_alive(parent.relay), LEAVE_S)
    parent.close()


def test_a_relay_leaves_a_client_that_breaks_off_with_answers_unread(daemon, env):
    """On one socket for both directions the kernel says so as an error, not as an end."""
    ours, theirs = socket.socketpair()
    with subprocess.Popen(SHIM, env=env, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE) as relay:
        theirs.close()
        ours.sendall(b"no JSON\n")
        assert ours.recv(1, socket.MSG_PEEK)
        ours.close()
        _, complaints = relay.communicate(timeout=60)
    assert (relay.returncode, complaints) == (0, b"")


def test_answers_reach_a_client_that_closed_stdin_at_once(daemon, env):
    """`printf … | palimp-shim` prints the answers before it leaves."""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _initialize()},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "health", "arguments": {}}},
    ]
    warm = BareClient(env)  # the SDK is imported with the first message of all
    warm.initialize()

    done = subprocess.run(
        SHIM,
        input="".join(json.dumps(line) + "\n" for line in lines),
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    assert warm.close() == 0


def _initialize() -> dict:
    return {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}}


# --- the service manager -------------------------------------------------------------------------


def test_a_socket_that_the_service_manager_made_is_served(env, home: Path):
    """The first client starts the daemon through it; its inode and mode stay, and READY and STOPPING are told."""
    path = Path(socket_path(env, user_id=os.getuid()))
    path.parent.mkdir(parents=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(8)
    inode = path.stat().st_ino
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(home / "notify"))
    manager.settimeout(20)
    waiting = subprocess.Popen(
        [*PALIMP, "add", "Said before the daemon ran."], env=env, cwd=home, stdout=subprocess.PIPE
    )
    # Descriptor 3 and a LISTEN_PID that is the daemon's own, as systemd passes them.
    activate = (
        "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ['LISTEN_PID'] = str(os.getpid()); "
        "os.execv(sys.executable, [sys.executable, '-m', 'palimp_daemon'])"
    )
    daemon = subprocess.Popen(
        [sys.executable, "-c", activate, str(listener.fileno())],
        env=env | {"LISTEN_FDS": "1", "NOTIFY_SOCKET": str(home / "notify")},
        pass_fds=[listener.fileno()],
        stderr=subprocess.DEVNULL,
    )

    assert manager.recv(200).startswith(b"READY=1")
    assert waiting.wait(timeout=60) == 0
    assert run(env, "search", "before").returncode == 0
    assert (path.stat().st_ino, path.stat().st_mode & 0o777) == (inode, 0o600)
    daemon.terminate()
    assert manager.recv(200) == b"STOPPING=1"
    assert daemon.wait(timeout=60) == 0
    assert path.exists()
    waiting.stdout.close()
    for each in (listener, manager):
        each.close()
