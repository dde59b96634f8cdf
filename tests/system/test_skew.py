"""Clients and daemons of different versions: replaced once, never in a loop, and the session goes on.

The newer client is the relay of this tree that takes itself for a later version; the wheels of two real versions are
tried in tests/system/packages.py.
"""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import mcp_clients
import pytest
from daemon_asking import ask
from mcp_clients import BareClient
from running_daemon import RunningDaemon, owner_pids, wait_until

from palimp_protocol import versions
from palimp_protocol.env.paths import handover_path
from palimp_shim.transport import daemon_client as waiting_client
from palimp_shim.transport.dial import Dialer

LATER = (
    "import palimp_protocol; palimp_protocol.__version__ = '9.0.0';"
    "from palimp_shim.relay import relay_loop as relay; relay.__version__ = '9.0.0'; relay.main()"
)
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture
def later_client(monkeypatch, env):
    """Makes clients whose relays are of a later version than the daemon."""

    def make(folder: Path) -> BareClient:
        monkeypatch.setattr(mcp_clients, "SHIM", [sys.executable, "-c", LATER])
        client = BareClient(env, folder)
        monkeypatch.undo()
        return client

    return make


def test_an_older_daemon_is_replaced_once_and_no_session_notices(daemon: RunningDaemon, env, project, later_client):
    """By whoever comes first, and by nobody again; the session that was there goes on, and loses nothing."""
    there = BareClient(env, project)
    there.initialize()
    assert there.ask(1, "save_memory", text="Said before.").startswith("Saved")

    later = later_client(project)
    later.initialize()
    assert "Said before" in later.ask(1, "recall")
    wait_until(lambda: owner_pids(env) not in ([], [daemon.pid]), 60)
    replaced = owner_pids(env)
    assert daemon.process.wait(10) == 0
    assert "Said before" in there.ask(2, "recall")

    another = later_client(project)
    another.initialize()
    assert "Said before" in another.ask(1, "recall")
    assert later.ask(2, "save_memory", text="Said after.").startswith("Saved")
    assert "Said after" in there.ask(3, "recall")
    assert owner_pids(env) == replaced
    assert [each.close() for each in (there, later, another)] == [0, 0, 0]


def test_nobody_asks_twice_in_ten_minutes(daemon, env):
    """Whoever has two versions installed sees no loop."""
    one, other = Dialer(env, honours_stop=True), Dialer(env, honours_stop=True)
    assert one.may_replace("9.0.0", 0.0)
    one.stand_down()
    assert not other.may_replace("9.0.0", 0.0)
    assert other.may_replace("9.1.0", 0.0)
    other.stand_down()
    assert Path(handover_path(env)).read_text() == "9.1.0"


def finds_a_daemon(dialer: Dialer, now: float) -> bool:
    connected = dialer.step(now)
    if connected is not None:
        connected.close()
    return connected is not None


def test_while_one_starts_the_next_daemon_nobody_else_does(daemon, env):
    """The one that asked holds the lock, also while the old daemon still answers."""
    one, other = Dialer(env, honours_stop=True), Dialer(env, honours_stop=True)
    assert one.may_replace("9.0.0", 100.0)
    assert finds_a_daemon(one, 101.0)
    assert not other.may_replace("9.1.0", 100.0)
    assert finds_a_daemon(one, 111.0)
    assert other.may_replace("9.1.0", 100.0)


@pytest.mark.parametrize("is_stateless", [False, True], ids=["handshake", "stateless"])
def test_new_tools_are_announced(daemon, env, project, monkeypatch, is_stateless: bool):
    """To a client that a daemon of another version served before."""
    monkeypatch.setattr(
        mcp_clients,
        "SHIM",
        [
            sys.executable,
            "-c",
            "from palimp_shim.relay import relay_loop as relay; relay.is_newer = lambda *_: False; " + STALE,
        ],
    )
    client = BareClient(env, project)
    if is_stateless:
        client.request("l", "subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": STATELESS})
        assert client.read()["method"] == "notifications/subscriptions/acknowledged"
    else:
        client.initialize()
        assert client.ask(1, "recall").startswith("Nothing is stored")
    daemon.kill()
    assert client.read()["method"] == "notifications/tools/list_changed"
    assert client.close() == 0


STALE = """
before = relay.Relay._settle_version
def welcomed(self, version):
    before(self, "0.0.1" if not self._served_by else version)
relay.Relay._settle_version = welcomed
relay.main()
"""


def test_a_command_that_an_older_daemon_does_not_know_has_it_replaced(daemon, env, project):
    """It asks what version that is, has it end, and asks the next one."""
    code = (
        "import sys; from palimp_shim.transport import daemon_client as client;"
        "client.running_version = lambda: '9.0.0';"
        "call = client.Call;"
        "client.Call = lambda name, **more: call('of_later' if name == 'tags' else name, **more);"
        "from palimp_shim.cli.main import main; sys.argv[1:] = ['tags']; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert "of_later" in done.stderr
    assert daemon.process.wait(10) == 0
    wait_until(lambda: owner_pids(env) != [], 60)


BUILD_AT = {"-1 day": -86_400, "+1 day": 86_400}
"""Seconds by which the files of another commit were changed before or after those of this tree."""


def other_commit(folder: Path, moved_s: int) -> list[str]:
    """Return the command of a daemon of the same release, whose files were changed *moved_s* later than this tree's."""
    packages = [Path(found) for name in versions.PACKAGES for found in import_module(name).__path__]
    for package in packages:
        copy = folder / package.name
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for path in copy.rglob("*.*"):
            at = path.stat().st_mtime + moved_s
            os.utime(path, (at, at))
    run = "runpy.run_module('palimp_daemon', run_name='__main__')"
    return [sys.executable, "-c", f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); {run}"]


@pytest.mark.parametrize("built", ["-1 day", "+1 day"])
def test_the_daemon_of_an_earlier_commit_is_replaced_and_that_of_a_later_one_is_not(env, project, tmp_path, built: str):
    """Both have the same release: their files tell which is the later."""
    daemon = RunningDaemon(env)
    daemon.command = other_commit(tmp_path, BUILD_AT[built])
    daemon.start()
    session = BareClient(env, project)
    session.initialize()
    assert session.ask(1, "save_memory", text="Said at first.").startswith("Saved")
    if built == "-1 day":
        assert daemon.process.wait(20) == 0
        wait_until(lambda: owner_pids(env) not in ([], [daemon.pid]), 60)
    else:
        assert owner_pids(env) == [daemon.pid]
    assert "Said at first" in session.ask(2, "recall")
    assert session.close() == 0


def test_what_the_daemon_of_an_earlier_commit_does_not_know_is_asked_of_the_next(env, project, tmp_path, monkeypatch):
    """A field of a request that this commit brought."""
    daemon = RunningDaemon(env)
    daemon.command = other_commit(tmp_path, BUILD_AT["-1 day"])
    messages = tmp_path / "palimp_protocol" / "messages" / "memory_messages.py"
    at = messages.stat().st_mtime
    messages.write_text(messages.read_text().replace("    since: ", "    since_when: "))
    os.utime(messages, (at, at))
    daemon.start()
    assert ask(env, project, "recall", since="2026-01-01").memories == []
    assert daemon.process.wait(20) == 0


def test_an_older_daemon_that_cannot_open_the_store_any_more_is_replaced_at_once(env, project, tmp_path):
    """Two installations: the session of the older one started it again after the newer one had upgraded the store."""
    daemon = RunningDaemon(env)
    daemon.start()
    ask(env, project, "save_memory", text="Said after the upgrade.")
    daemon.stop()
    Path(handover_path(env)).write_text(versions.running_version())
    daemon.command = other_commit(tmp_path, BUILD_AT["-1 day"])
    max((tmp_path / "palimp_daemon" / "store" / "migrations").glob("0*")).unlink()
    daemon.start()
    assert [each.title for each in ask(env, project, "recall").memories] == ["Said after the upgrade"]
    assert daemon.process.wait(20) == 0


def test_a_command_that_is_too_old_says_so(daemon, env, project, monkeypatch):
    """What the newer daemon refuses may be right for an older one."""
    monkeypatch.setattr(waiting_client, "running_version", lambda: "0.0.1")
    with pytest.raises(Exception, match=r"this command is palimp 0\.0\.1: it may be too old"):
        ask(env, project, "recall", limit=1_000)
