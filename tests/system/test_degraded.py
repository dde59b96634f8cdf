"""A store that cannot be used never takes the session down: it is an answer that says what to do."""

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_clients import BareClient
from running_daemon import RunningDaemon, wait_until

from palimp_daemon.store.sqlite_connection import migrations, open_database
from palimp_protocol.env.paths import database_path

PALIMP = [sys.executable, "-m", "palimp_shim.cli.main"]


def damaged(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)


def newer(path: Path) -> None:
    connection = open_database(path)
    connection.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    connection.close()


def foreign(path: Path) -> None:
    path.write_bytes(b"this is my diary, not a database\n" * 200)


@pytest.mark.parametrize(("spoil", "reason"), [(damaged, "damaged"), (newer, "newer palimp"), (foreign, "damaged")])
def test_a_degraded_daemon_serves_what_it_can(env, spoil, reason: str):
    """Handshake, tool list and health work; every other call says what is wrong; the file is untouched."""
    path = Path(database_path(env))
    path.parent.mkdir(parents=True)
    spoil(path)
    before = path.read_bytes()
    client = BareClient(env)

    client.initialize()
    client.request(1, "tools/list")
    tools = {tool["name"] for tool in client.answer(1)["result"]["tools"]}
    health = client.ask(2, "health")
    client.call(3, "save_memory", text="Where would this go?")
    saved = client.answer(3)["result"]
    found = client.ask(4, "recall", query="anything")

    assert {"save_memory", "recall", "add_doc", "health"} <= tools
    assert "PROBLEM" in health
    assert reason in health
    assert saved["isError"] is True
    assert reason in saved["content"][0]["text"]
    assert reason in found
    assert path.read_bytes() == before
    checked = subprocess.run([*PALIMP, "health", "--json"], env=env, capture_output=True, text=True, check=False)
    assert checked.returncode == 4
    assert reason in json.loads(checked.stdout)["problem"]
    assert client.close() == 0


def test_a_hanging_daemon_costs_a_deadline_and_not_the_session(daemon, env):
    """While it hangs each request gets an error that says what to do; afterwards the session goes on."""
    BareClient(env).initialize()  # the SDK is imported with the first message of all
    client = BareClient(env | {"PALIMP_DEADLINE_S": "0.5"})
    client.initialize()
    os.kill(daemon.pid, signal.SIGSTOP)

    client.call(1, "save_memory", text="Said while it hung.")
    answer = client.answer(1)

    assert answer["error"]["code"] == -32000
    assert "within 0.5 s" in answer["error"]["message"]
    assert "palimp doctor" in answer["error"]["message"]
    os.kill(daemon.pid, signal.SIGCONT)
    numbers = itertools.count(2)

    def is_found() -> bool:  # a daemon that goes on may be late once more
        client.call(number := next(numbers), "recall", query="hung")
        return "1 of 1" in json.dumps(client.answer(number))

    wait_until(is_found, 60)
    assert client.is_silent()
    assert client.close() == 0


def test_a_daemon_that_cannot_start_costs_a_deadline_and_not_the_session(env, tmp_path: Path):
    """With a daemon that exits at once the relay answers, says where the log is, and lives on."""
    (tmp_path / "file").write_text("")
    client = BareClient(env | {"PALIMP_DEADLINE_S": "0.5", "PALIMP_SOCKET": str(tmp_path / "file" / "p.sock")})

    client.request(1, "initialize", {})
    answer = client.answer(1)

    assert "palimpd.log" in answer["error"]["message"]
    assert client.process.poll() is None
    wait_until(lambda: "cannot be made" in (Path(database_path(env)).parent / "palimpd.log").read_text(), 60)
    assert client.close() == 0


def test_a_command_without_a_daemon_says_so(env, tmp_path: Path):
    """A state folder that cannot be made is reported with the reason; nothing hangs."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    script = (
        "import sys; from palimp_protocol import limits; limits.CLIENT_DEADLINE_S = 0.5; "
        "import palimp_shim.transport.daemon_client as c; c.Client.__init__.__kwdefaults__['deadline_s'] = 0.5; "
        "from palimp_shim.cli.main import main; sys.argv[1:] = ['list']; sys.exit(main())"
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        env=env | {"PALIMP_HOME": str(blocked / "state")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 3
    assert "cannot be started" in done.stderr  # known at once, so nobody waits for the deadline
    assert "file/state" in done.stderr


@pytest.mark.parametrize(
    ("module", "arguments", "code"),
    [
        ("palimp_shim.__main__", ["list"], 2),
        ("palimp_shim.__main__", ["hook", "PostToolUse"], 0),
        ("palimp_shim.relay.relay_loop", [], 2),
        ("palimp_daemon", [], 2),
    ],
)
def test_a_relative_folder_is_refused_by_every_program(env, home: Path, module: str, arguments: list[str], code: int):
    """Nothing is written into the folder that it happens to be run in."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=env | {"PALIMP_HOME": "data"},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        input="{}",
    )

    assert done.returncode == code
    assert "PALIMP_HOME is 'data'; it must be an absolute path." in done.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["--repair"]])
def test_a_daemon_without_a_folder_says_so_and_ends(env, tmp_path: Path, arguments: list[str]):
    (tmp_path / "file").write_text("")

    done = subprocess.run(
        [sys.executable, "-m", "palimp_daemon", *arguments],
        env=env | {"PALIMP_HOME": str(tmp_path / "file" / "state")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr == (
        f"palimpd: {tmp_path}/file/state cannot be used: Not a directory. Set PALIMP_HOME to a folder of yours.\n"
    )


def test_the_log_never_holds_what_a_memory_says(env):
    """Not even when a request fails."""
    running = RunningDaemon(env)
    running.start()
    client = BareClient(env)
    client.initialize()
    client.ask(1, "save_memory", text="The secret word is xyzzy.")
    client.ask(2, "recall", query="xyzzy", limit=99)
    assert client.close() == 0
    assert running.stop() == 0

    log = running.log.read_text()

    assert "xyzzy" not in log
    for line in log.splitlines():
        assert "event" in json.loads(line)
