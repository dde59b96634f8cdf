"""What the benchmarks share: a home of their own, a daemon, JSON-RPC over pipes, percentiles, one table."""

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

SHIM = str(Path(sys.executable).with_name("palimp-shim"))
T = TypeVar("T")
DAEMON = str(Path(sys.executable).with_name("palimpd"))
ANSWER_S = 60.0
"""Seconds after which a server is given up."""

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}


@contextlib.contextmanager
def running_daemon(
    database: Path | None = None, conversations: Path | None = None, command: Sequence[str | Path] = (DAEMON,)
) -> Iterator[dict[str, str]]:
    """Yield the environment of a daemon that runs in a folder of its own, with the databases that are given."""
    home = Path(tempfile.mkdtemp(prefix="palimp-bench-", dir="/tmp"))
    (home / "state").mkdir()
    if database:
        shutil.move(database, home / "state" / "palimp.db")
    if conversations:
        shutil.move(conversations, home / "state" / "conversations.db")
    try:
        with daemon_in(home, *command) as env:
            yield env
    finally:
        shutil.rmtree(home)


@contextlib.contextmanager
def daemon_in(home: Path, *command: str | Path, **settings: str) -> Iterator[dict[str, str]]:
    """Yield the environment of a daemon, started by *command*, with its state below *home*; it ends with the block."""
    env = {"PALIMP_SEARCH_SEMANTIC": "off", **os.environ, "HOME": str(home), "PALIMP_HOME": str(home / "state")}
    env |= settings
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    address = home / "state" / "palimp.address"
    address.unlink(missing_ok=True)
    with (home / "log").open("wb") as log:
        daemon = subprocess.Popen(command or [DAEMON], env=env, stdout=log, stderr=log)
    try:
        while not address.exists():
            assert daemon.poll() is None, (home / "log").read_text(encoding="utf-8", errors="replace")
            time.sleep(0.01)
        yield env
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()


class CallFailedError(Exception):
    """A server answered with an error, or did not answer."""


class StdioServer:
    """An MCP server on pipes, spoken to in bare JSON-RPC, so that only the server is measured."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], folder: Path | None = None) -> None:
        self._started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            env=env,
            cwd=folder or env["HOME"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self.process.stdin
        assert self.process.stdout
        self._in, self._out = self.process.stdin, self.process.stdout
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._unread = b""
        self._number = 0

    def initialize(self) -> float:
        """Do the handshake; return the seconds from exec to the server's answer."""
        self.request("initialize", INITIALIZE)
        took_s = time.perf_counter() - self._started
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return took_s

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a request.

        Raises:
            CallFailedError: the server answered with an error, or not at all.
        """
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        ends_at = time.monotonic() + ANSWER_S
        while True:
            line = self._line(ends_at)
            try:
                message = json.loads(line)
            except ValueError:
                continue  # some programs write other things to their stdout
            if isinstance(message, dict) and message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise CallFailedError(str(message["error"]))
                return message["result"]

    def call(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool's answer.

        Raises:
            CallFailedError: the answer is an error.
        """
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise CallFailedError(text[:200])
        return text

    def resident_mb(self) -> tuple[float, float]:
        """Return the resident and the private memory of the process in MB."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
        return sizes["Rss"] / 1000, (sizes["Private_Clean"] + sizes["Private_Dirty"]) / 1000

    def close(self) -> None:
        """End the session as clients do: end of input, then a signal."""
        try:
            self._in.close()
            self.process.wait(5)
        except (subprocess.TimeoutExpired, OSError):
            self.process.kill()
            self.process.wait()
        self._out.close()
        self._selector.close()

    def _write(self, message: Mapping[str, Any]) -> None:
        try:
            self._in.write(json.dumps(message).encode() + b"\n")
            self._in.flush()
        except OSError as error:
            raise CallFailedError(f"the server is gone ({error})") from None

    def _line(self, ends_at: float) -> bytes:
        while b"\n" not in self._unread:
            left = ends_at - time.monotonic()
            if left <= 0 or not self._selector.select(left):
                raise CallFailedError(f"no answer within {ANSWER_S:.0f} s")
            read = os.read(self._out.fileno(), 65_536)
            if not read:
                raise CallFailedError("the server is gone")
            self._unread += read
        line, self._unread = self._unread.split(b"\n", 1)
        return line


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which *share* of *values* lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def progress(items: Sequence[T], label: str) -> Iterable[T]:
    """Yield *items* with a progress bar on a terminal."""
    console = Console(stderr=True)
    return track(items, label, console=console, transient=True) if console.is_terminal else items


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> None:
    """Print one table, as plain text when nobody looks."""
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    console = Console(width=110)
    console.print(table)
    for note in notes:
        console.print(note, highlight=False)
