"""A real daemon in a process of its own, in a home of its own, for tests."""

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from forked_palimpd import ForkedDaemon, can_fork

from palimp_protocol.env.file_lock import holders
from palimp_protocol.env.paths import lock_path, socket_path

START_S = 60.0
"""Seconds in which a daemon must listen; a loaded machine needs more than the usual third of one."""


def fresh_home() -> Path:
    """Return a new folder whose path is short enough for a socket in it."""
    return Path(tempfile.mkdtemp(prefix="palimp-", dir="/tmp"))


def palimp_environment(home: Path, **extra: str) -> dict[str, str]:
    """Return an environment in which palimp lives in *home* and nothing of the developer's is seen."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PALIMP_", "CLAUDE", "XDG_"))}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    env.pop("CI", None)  # there a machine of a team only reads
    # Lexical search only, unless a test is about meaning: what is found must not depend on what is installed.
    words = {"PALIMP_SEARCH_SEMANTIC": "off"}
    return {**env, "HOME": str(home), "PALIMP_HOME": str(home / "state"), **words, **extra}


COMMAND = [sys.executable, "-m", "palimp_daemon"]


class RunningDaemon:
    """A `palimpd` process that a test starts, kills and starts again."""

    def __init__(self, env: dict[str, str], *, is_forked: bool = False) -> None:
        self.env = env
        self.socket = Path(socket_path(env, user_id=os.getuid()))
        self.process: subprocess.Popen[bytes] | ForkedDaemon | None = None
        self.is_forked = is_forked
        """Whether it may be forked from a process that has imported it, which says nothing of how a daemon starts."""
        self.log = Path(env["HOME"]) / "daemon.log"
        self.command = COMMAND
        """What is started; a test may have something else be the daemon."""

    @property
    def pid(self) -> int:
        """The process id of the running daemon."""
        assert self.process is not None
        return self.process.pid

    def start(self, before: Callable[[], None] | None = None) -> None:
        """Start the daemon, in a process that has run *before* first, and wait until it accepts connections."""
        if self.process is not None:
            self.process.wait(START_S)  # somebody else ended it
        with self.log.open("ab") as log:
            if self.is_forked and self.command == COMMAND and not before and can_fork(self.env):
                self.process = ForkedDaemon(self.env, log.fileno())
            else:
                self.process = subprocess.Popen(
                    self.command,
                    env=self.env,
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                    preexec_fn=before,  # noqa: PLW1509  no test has threads then
                )
        wait_until(self._answers, START_S, lambda: f"the daemon did not start:\n{self.log.read_text()}")

    def kill(self) -> None:
        """Kill the daemon as a power cut of the process would: without a chance to do anything."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ask the daemon to end and return its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=START_S)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"the daemon ended:\n{self.log.read_text()}"
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(self.socket))
            return True
        return False


def wait_until(condition, deadline_s: float, explain=lambda: "") -> None:
    """Return as soon as *condition()* is true; fail with *explain()* after *deadline_s*."""
    ends_at = time.monotonic() + deadline_s
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < ends_at, explain()
        pause.wait(0.005)


def owner_pids(env: dict[str, str]) -> list[int]:
    """Return the processes that hold the lock of the database, as the kernel lists them."""
    return holders(Path(lock_path(env)))


def end_daemon(env: dict[str, str]) -> None:
    """Kill whatever owns the database of *env*, and wait until it is gone with all that it held."""
    for pid in owner_pids(env):
        _end(pid)


def end_processes(home: Path) -> None:
    """Kill every process that lives in *home*: a daemon that still starts holds no lock yet, and would stay."""
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            values = environ.read_bytes().split(b"\0")
            if any(f"{os.fsdecode(value)}/".startswith(f"HOME={home}/") for value in values):
                _end(int(environ.parent.name))


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        process = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([process], [], [], START_S)
        os.close(process)


@contextlib.contextmanager
def temporary_home() -> Iterator[Path]:
    """Yield a fresh home; afterwards no daemon that lives there is left, nor the home."""
    home = fresh_home()
    try:
        yield home
    finally:
        end_daemon(palimp_environment(home))
        end_processes(home)
        shutil.rmtree(home, ignore_errors=True)
