"""Daemons that are forked from a process that has imported them: nine tenths of a daemon's start are imports.

For tests of what a daemon does; how it starts, with which memory and by which command, is tried with new processes.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

REQUEST_BYTES_MAX = 1 << 17
"""A question to what forks: the longest is an environment."""

READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "TZ")
"""How names of variables begin that a Python reads when it starts and not again."""


class ForkedDaemon:
    """A daemon's process, with what tests use of a `subprocess.Popen`."""

    def __init__(self, env: Mapping[str, str], log: int) -> None:
        self.pid = _forks().ask(["fork", dict(env), os.getcwd()], log)
        self.returncode: int | None = None
        self._descriptor = os.pidfd_open(self.pid)  # good until its exit code is asked for

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs."""
        return self._code_within(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code when it has ended."""
        code = self._code_within(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(["palimpd"], timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._descriptor, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def _code_within(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._descriptor], [], [], seconds)[0]:
            self.returncode = _forks().ask(["wait", self.pid])
            os.close(self._descriptor)
        return self.returncode


class _Forks:
    """The process that has imported the daemon, and is asked to fork."""

    def __init__(self) -> None:
        self._asked, asks = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with asks:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(asks.fileno())],
                pass_fds=[asks.fileno()],
                env=_started_with(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def ask(self, question: list[object], *descriptors: int) -> int:
        """Return the answer, which is a number."""
        data = json.dumps(question).encode()
        assert len(data) < REQUEST_BYTES_MAX
        socket.send_fds(self._asked, [data], descriptors)
        return int(self._asked.recv(100))

    def end(self) -> None:
        """End it, and with it those that it has forked."""
        self._asked.close()
        self._process.wait()


@cache
def _forks() -> _Forks:
    forks = _Forks()
    atexit.register(forks.end)
    return forks


def can_fork(env: Mapping[str, str]) -> bool:
    """Tell whether a daemon that is forked finds itself as a new one would with *env*."""
    ours = _started_with(os.environ)
    names = {name for name in {*env, *ours} if name.startswith(READ_AT_START)}
    return all(env.get(name) == ours.get(name) for name in names)


def _started_with(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _serve(requests: socket.socket) -> None:
    import palimp_daemon.__main__  # noqa: F401, PLC0415  this process alone wants it

    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a process with threads cannot be forked"
    forked: set[int] = set()
    while True:
        data, descriptors, _, _ = socket.recv_fds(requests, REQUEST_BYTES_MAX, 1)
        if not data:  # the tests' process has ended, or was killed, which should leave none behind
            for pid in forked:
                os.kill(pid, signal.SIGKILL)
            return
        match json.loads(data):
            case ["fork", dict(env), str(folder)]:
                if not (pid := os.fork()):
                    requests.close()
                    _run(env, folder, descriptors[0])
                os.close(descriptors[0])
                forked.add(answer := pid)
            case ["wait", int(pid)]:
                answer = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                forked.remove(pid)
        requests.send(str(answer).encode())


def _run(env: dict[str, str], folder: str, log: int) -> None:
    """Be `palimpd`, and end."""
    from palimp_daemon.__main__ import main  # noqa: PLC0415  imported before it was forked

    for number in (1, 2):
        os.dup2(log, number)
    os.close(log)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv = ["palimpd"]
    sys.exit(main())


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
