"""JSON-RPC with `codex app-server` over pipes; one deadline, one bound, no process left."""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

from palimp_protocol import __version__

TALK_S: Final = 10.0
"""Seconds for a talk with Codex's program, which starts slowly on a busy machine."""

READ_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes read of a talk: some hundred per hook in a list."""

SAID_MAX: Final = 200
"""Characters of its message shown to a user."""

ENDING_S: Final = 1.0
"""Seconds for its last writes; mostly it ends at once."""


class AppServerError(Exception):
    """The exchange failed; the message completes a sentence."""


class AppServer:
    """A greeted app server."""

    def __init__(self, process: subprocess.Popen[bytes], ends_at: float) -> None:
        self._process = process
        self._ends_at = ends_at
        self._unread = bytearray()
        self._left = READ_BYTES_MAX
        self._number = 0

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to *method*.

        Raises:
            AppServerError: none came in time, or an unintelligible one.
        """
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            line = self._line()
            if line.get("id") != self._number or "method" in line:
                continue  # it tells of much, and may ask
            result = line.get("result")
            if not isinstance(result, dict):
                error = line.get("error")
                said = cast("dict[str, Any]", error).get("message") if isinstance(error, dict) else None
                raise AppServerError(f"it refuses {method}: {_short(said)}")
            return cast("dict[str, Any]", result)

    def tell(self, method: str) -> None:
        """Send the notification *method*.

        Raises:
            AppServerError: nobody reads it.
        """
        self._send({"method": method})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin  # noqa: S101  it is a pipe
        data = memoryview(json.dumps(message).encode() + b"\n")
        while data:
            if not select.select([], [self._process.stdin], [], max(0.0, self._ends_at - time.monotonic()))[1]:
                raise AppServerError(f"it does not answer within {TALK_S:.0f} s")
            try:
                data = data[os.write(self._process.stdin.fileno(), data[: select.PIPE_BUF]) :]
            except OSError:
                raise AppServerError("it ended at once") from None

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout  # noqa: S101  it is a pipe
        while b"\n" not in self._unread:
            if not select.select([self._process.stdout], [], [], max(0.0, self._ends_at - time.monotonic()))[0]:
                raise AppServerError(f"it does not answer within {TALK_S:.0f} s")
            chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            self._left -= len(chunk)
            if not chunk or self._left < 0:
                raise AppServerError("it writes too much" if chunk else "it ended without an answer")
            self._unread += chunk
        line, _, rest = self._unread.partition(b"\n")
        self._unread = rest
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            raise AppServerError("what it writes is no JSON") from None
        if not isinstance(message, dict):
            raise AppServerError("what it writes is no message")
        return cast("dict[str, Any]", message)


@contextmanager
def app_server(program: str, env: Mapping[str, str], folder: Path) -> Generator[AppServer]:
    """Start *program*'s app server in *folder*, greet it, and end it.

    Raises:
        AppServerError: it cannot be started, or is no app server.
    """
    try:
        process = subprocess.Popen(
            [program, "app-server"],
            env=dict(env),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # npm's program is one that starts another
        )
    except OSError as error:
        raise AppServerError(f"it cannot be started ({error.strerror})") from None
    try:
        server = AppServer(process, time.monotonic() + TALK_S)
        server.ask("initialize", {"clientInfo": {"name": "palimp", "version": __version__}})
        server.tell("initialized")
        yield server
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin  # noqa: S101  they are pipes
    assert process.stdout  # noqa: S101
    with suppress(OSError):
        process.stdin.close()
    ends_at = time.monotonic() + ENDING_S
    # Its output ends when the last one that holds it has ended. It is not waited for before: its number stays its own.
    while select.select([process.stdout], [], [], max(0.0, ends_at - time.monotonic()))[0]:
        if not os.read(process.stdout.fileno(), 1 << 16):
            break
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.wait()


def _short(said: Any) -> str:
    text = said if isinstance(said, str) else "without a reason"
    return text.splitlines()[0][:SAID_MAX] if text.strip() else "without a reason"
