"""`palimp` on a terminal, forked from a process that has imported it: it takes a tenth of the time of a new one."""

import contextlib
import fcntl
import json
import os
import pty
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

REQUEST_BYTES_MAX = 1 << 16
"""Arguments and environment of a command."""


class ForkedPalimp:
    """What forks; for commands of which a test wants to see what they print, not how they start."""

    def __init__(self, asked: socket.socket) -> None:
        self._asked = asked

    def on_terminal(
        self, arguments: Sequence[str], env: Mapping[str, str], folder: Path, columns: int
    ) -> tuple[str, int]:
        """Run `palimp` on a terminal of *columns*; return what arrives there and its exit code, as `terminals` does."""
        from terminals import environment_on, shown_on  # noqa: PLC0415  what is forked needs none of it

        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        request = json.dumps([list(arguments), environment_on(env), str(folder)]).encode()
        assert len(request) < REQUEST_BYTES_MAX
        socket.send_fds(self._asked, [request], [child])
        os.close(child)
        pid = int(self._asked.recv(100))
        shown = shown_on(parent, arguments, lambda: os.kill(pid, signal.SIGKILL))
        return shown, int(self._asked.recv(100))


@contextlib.contextmanager
def forked_palimp() -> Iterator[ForkedPalimp]:
    """Yield what forks, and end it."""
    asked, asks = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with asked, subprocess.Popen([sys.executable, __file__, str(asks.fileno())], pass_fds=[asks.fileno()]) as process:
        asks.close()
        yield ForkedPalimp(asked)
        asked.close()
        process.wait()


def _serve(requests: socket.socket) -> None:
    from palimp_shim.cli.main import whole_parser  # noqa: PLC0415  this process alone wants it
    from palimp_shim.cli.output import print_remark  # noqa: F401, PLC0415  and what prints

    whole_parser()  # imports every command
    while True:
        request, terminals, _, _ = socket.recv_fds(requests, REQUEST_BYTES_MAX, 1)
        if not request:
            return
        if not (pid := os.fork()):
            requests.close()
            _run(*json.loads(request), terminals[0])
        os.close(terminals[0])
        requests.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


def _run(arguments: list[str], env: dict[str, str], folder: str, terminal: int) -> None:
    """Be `palimp`, as far as that is a process of its own, and end."""
    from palimp_shim.__main__ import main  # noqa: PLC0415  imported before it was forked

    os.setsid()
    for number in range(3):
        os.dup2(terminal, number)
    os.close(terminal)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv = ["palimp", *arguments]
    sys.exit(main())


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
