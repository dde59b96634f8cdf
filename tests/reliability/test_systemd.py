"""The daemon under a real systemd user manager: it is started by who connects, and started again when it dies."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import user_manager
from running_daemon import wait_until
from user_manager import UserManager

WITHIN_S = 20.0
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def manager() -> Iterator[UserManager]:
    """A user manager for all tests of this module, which run one after the other."""
    if why := user_manager.why_not():
        pytest.skip(why)
    try:
        with user_manager.user_manager() as running:
            yield running
    except user_manager.NoManagerError as error:
        pytest.skip(f"no user manager could be started: {error}")


@pytest.fixture
def installed(manager: UserManager) -> Iterator[UserManager]:
    """Palimp installed with its units."""
    manager.palimp("install", "--systemd")
    yield manager
    manager.palimp("uninstall", "--purge-data", "--yes")


def pid_of(manager: UserManager) -> int:
    return int(manager.shows("palimp.service", "MainPID"))


def drop_in(manager: UserManager, text: str) -> Path:
    """Change the service as its owner would, with a file beside it."""
    folder = manager.home / ".config/systemd/user/palimp.service.d"
    folder.mkdir(exist_ok=True)
    (folder / "test.conf").write_text(f"[Service]\n{text}\n")
    manager.systemctl("daemon-reload")
    return folder / "test.conf"


def remove(manager: UserManager, file: Path) -> None:
    file.unlink()
    file.parent.rmdir()
    manager.systemctl("daemon-reload")


def trace(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.name != "manager.log"
    }


def test_installing_and_uninstalling_leaves_nothing(manager, record_property):
    """A dry run neither; and a second installation changes nothing."""
    before = trace(manager.home)
    assert "+ExecStart=" in manager.palimp("install", "--systemd", "--dry-run")
    assert trace(manager.home) == before

    assert "listens for clients" in manager.palimp("install", "--systemd")
    assert manager.systemctl("is-active", "palimp.socket") == "active"
    assert manager.systemctl("is-enabled", "palimp.socket") == "enabled"
    unit = manager.home / ".config/systemd/user/palimp.service"
    analyze = ["systemd-analyze", "--user"]
    manager.run(*analyze, "verify", str(unit), str(unit.with_suffix(".socket")))
    score = manager.run("systemd-analyze", "security", "--offline=yes", "--no-pager", str(unit)).splitlines()[-1]
    record_property("printed", f"systemd-analyze: units verified; security, without what needs namespaces: {score}")
    assert "already" in manager.palimp("install", "--systemd")

    said = manager.palimp("uninstall", "--purge-data", "--yes")
    assert "as it was" in said
    assert manager.run("systemctl", "--user", "is-active", "palimp.socket", is_right=False) == "inactive"
    left = {name: what for name, what in trace(manager.home).items() if name not in before}
    assert left.keys() <= {".local", ".local/state"}


def test_many_cold_clients_get_one_daemon(installed):
    """Ten at once; the socket is the owner's alone."""
    assert pid_of(installed) == 0
    with ThreadPoolExecutor(10) as pool:
        saved = list(pool.map(lambda number: installed.palimp("add", f"Fact {number}."), range(10)))
    assert all(line.startswith("Saved") for line in saved)
    assert "10 memories in" in installed.palimp("health")
    assert pid_of(installed) > 0
    assert installed.shows("palimp.service", "NRestarts") == "0"
    assert installed.run("stat", "--format=%a", f"{installed.env['XDG_RUNTIME_DIR']}/palimp/palimp.sock") == "600"
    assert installed.shows("palimp.service", "NoNewPrivileges") == "yes"


def test_a_killed_daemon_and_one_that_hangs_are_replaced(installed):
    """At once, and by the watchdog; nothing that was acknowledged is lost."""
    file = drop_in(installed, "WatchdogSec=5")
    installed.palimp("add", "Before the kill.")
    first = pid_of(installed)
    installed.run("kill", "-KILL", str(first))
    assert "Before the kill" in installed.palimp("list")
    second = pid_of(installed)
    assert second not in (0, first)

    installed.run("kill", "-STOP", str(second))
    wait_until(lambda: pid_of(installed) not in (0, second), WITHIN_S)
    assert "Before the kill" in installed.palimp("list")
    remove(installed, file)


def test_a_daemon_that_cannot_start_does_not_take_the_socket_down(installed):
    """However often it is tried; as soon as it can, everybody is served."""
    file = drop_in(installed, "ExecStart=\nExecStart=/bin/false\nRestartSec=20ms")
    client = subprocess.Popen(
        installed.command(str(BIN / "palimp"), "add", "Said while it could not start."),
        env=installed.env, cwd=installed.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(lambda: int(installed.shows("palimp.service", "NRestarts")) >= 8, WITHIN_S)
    assert installed.systemctl("is-active", "palimp.socket") == "active"
    remove(installed, file)
    out, err = client.communicate(timeout=60)
    assert client.returncode == 0, err
    assert out.startswith("Saved")


def test_a_stop_stops_the_socket_and_the_next_command_starts_it(installed):
    """Else the next client that looks would have the daemon started again."""
    installed.palimp("add", "Kept.")
    first = pid_of(installed)
    assert f"pid {first}" in installed.palimp("stop")
    assert installed.run("systemctl", "--user", "is-active", "palimp.socket", is_right=False) == "inactive"
    assert pid_of(installed) == 0
    assert "No daemon is running" in installed.palimp("stop")
    assert "Kept" in installed.palimp("list")
    assert installed.systemctl("is-active", "palimp.socket") == "active"
    assert pid_of(installed) > 0


def test_a_daemon_that_a_client_started_gives_way(installed):
    """It has the database, and systemd has the socket: the one that systemd starts has the other end."""
    installed.systemctl("stop", "palimp.socket", "palimp.service")
    log = (installed.home / "plain.log").open("w")
    plain = subprocess.Popen(
        installed.command(str(BIN / "palimpd")), env=installed.env, cwd=installed.home, stdout=log, stderr=log
    )
    wait_until(lambda: "listening" in (installed.home / "plain.log").read_text(), WITHIN_S)
    installed.palimp("add", "Said to the first.")
    installed.systemctl("start", "palimp.socket")
    assert "Said to the first" in installed.palimp("list")
    assert plain.wait(10) == 0
    log.close()
    assert pid_of(installed) > 0


def test_what_palimp_does_is_not_shut_out(installed):
    """Documents, git, and a program that the user named: all of them work in the service."""
    project = installed.home / "project"
    project.mkdir()
    program = installed.home / "extract.sh"
    program.write_text('#!/bin/sh\ncat >/dev/null\ngetent hosts localhost >"$HOME/ran"\necho "[]"\n')
    program.chmod(0o755)
    os.chown(project, installed.user, installed.user)
    git = ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@t"]
    for text in ("def gone(value):\n    return value * 17 + 4\n", ""):
        (project / "a.py").write_text(f"keep = 1\n{text}")
        if not text:
            installed.run(*git, "commit", "-qam", "second")
            continue
        installed.run(*git, "init", "-q")
        installed.run(*git, "add", "a.py")
        installed.run(*git, "commit", "-qm", "first")
    at = ("--project", str(project))
    installed.palimp("docs", "add", "guide", "-", "--title", "Guide", *at, text="# Guide\n")
    assert (project / ".palimp/docs/guide.md").exists()
    assert "gone" in installed.palimp("changes", "import", *at) + installed.palimp("changes", "log", *at)
    installed.palimp("config", "set", "capture.command", str(program))
    said = "User: We decided to use integer cents for money in this project.\n"
    installed.run(str(BIN / "palimp"), "capture", "-", *at, is_right=False, text=said)  # there is nothing in "[]"
    assert (installed.home / "ran").read_text()


def test_units_that_the_manager_does_not_take_are_not_left(manager):
    """It looks for units elsewhere: what was put there is taken back, and clients start the daemon themselves."""
    before = trace(manager.home)
    manager.env["XDG_CONFIG_HOME"] = str(manager.home / "elsewhere")
    try:
        said = manager.run(str(BIN / "palimp"), "install", "--client", "zed", "--systemd", is_right=False)
        assert "palimp.socket" in said
        assert "zed" in manager.palimp("uninstall")
    finally:
        del manager.env["XDG_CONFIG_HOME"]
    left = {name for name in trace(manager.home) if name not in before}
    assert left <= {".local", ".local/state", ".local/state/palimp"}


def test_without_a_manager_it_says_so_and_changes_nothing(env, project):
    """Palimp works without it."""
    before = trace(project.parent)
    done = subprocess.run(
        [sys.executable, "-m", "palimp_shim.__main__", "install", "--systemd"],
        env={**env, "XDG_RUNTIME_DIR": str(project)}, cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "No systemd user manager answers here" in done.stderr
    assert "clients start its daemon" in done.stderr
    assert trace(project.parent) == before
