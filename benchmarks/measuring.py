"""What the benchmarks share: a home of their own, a daemon, JSON-RPC over pipes, percentiles, one table."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table

SHIM = str(Path(sys.executable).with_name("palimp-shim"))
T = TypeVar("T")
DAEMON = str(Path(sys.executable).with_name("palimpd"))
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}


@contextlib.contextmanager
def running_daemon(database: Path | None = None) -> Iterator[dict[str, str]]:
    """Yield the environment of a daemon that runs in a folder of its own, with *database* if there is one."""
    home = Path(tempfile.mkdtemp(prefix="palimp-bench-", dir="/tmp"))
    env = {"PALIMP_SEARCH_SEMANTIC": "off", **os.environ, "HOME": str(home), "PALIMP_HOME": str(home / "state")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    (home / "state").mkdir()
    if database:
        shutil.move(database, home / "state" / "palimp.db")
    with (home / "log").open("wb") as log:
        daemon = subprocess.Popen([DAEMON], env=env, stdout=log, stderr=log)
    try:
        while not (home / "state" / "palimp.address").exists():
            time.sleep(0.01)
        yield env
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()
        shutil.rmtree(home)


class StdioServer:
    """An MCP server on pipes, spoken to in bare JSON-RPC, so that only the server is measured."""

    def __init__(self, command: Sequence[str], env: dict[str, str], folder: Path | None = None) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder or env["HOME"],
        )
        self._number = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        assert self.process.stdin
        assert self.process.stdout
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def initialize(self) -> float:
        """Do the handshake; return the seconds from exec to the server's answer."""
        self.request("initialize", INITIALIZE)
        took_s = time.perf_counter() - self.started
        assert self.process.stdin
        self.process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        self.process.stdin.flush()
        return took_s

    def call(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool's answer."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return answer["result"]["content"][0]["text"]

    def resident_mb(self) -> tuple[float, float]:
        """Return the resident and the private memory of the process in MB."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
        return sizes["Rss"] / 1000, (sizes["Private_Clean"] + sizes["Private_Dirty"]) / 1000

    def close(self) -> None:
        """End the server."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


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
