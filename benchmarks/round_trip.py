"""Promise: MCP costs little. `recall` through a relay and the SDK's session beside the same typed request.

    python benchmarks/round_trip.py [CALLS]

One daemon, a fixed store of 10,000 memories, queries of one kind: asked as a typed REQUEST on the socket, and as
`tools/call` through a relay, in both eras of the protocol, alternating. *ping* is what relay, socket and session
take without any tool. The last columns are the processor time of a call, by the kernel's count: in the daemon's loop
(router, SDK, rendering), in its store thread, and in the relay. Aim: the whole round trip at most twice that of
the typed request.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from measuring import SHIM, StdioServer, percentile, print_table, progress, running_daemon
from scale import fill
from synthetic import Session, Words

from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.caller import ProjectRef

MEMORIES = 10_000
CALLS = 500
WARMING = 50
STATELESS = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


def main() -> None:
    """Print one table."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database, project = Path(folder) / "palimp.db", Path(folder) / "project"
        project.mkdir()
        fill(database, MEMORIES, words, project=ProjectRef(str(project), project.name))
        with running_daemon(database) as env:
            took = _measured(env, project, words, calls)
    typed = percentile(took["recall, typed request"].seconds, 0.5)
    rows = [_row(name, each, typed, calls) for name, each in took.items()]
    print_table(
        f"a call among {MEMORIES:,} memories, {calls} of each, alternating",
        ["", "p50", "p95", "of typed", "loop", "store", "relay"],
        rows,
        ["aim: recall through the relay at most 2 times the typed request"],
    )


class _Took(NamedTuple):
    """What calls of one kind took: seconds each, and the nanoseconds of processors that they used."""

    seconds: list[float]
    processor: Counter[str]


def _row(name: str, took: _Took, typed_s: float, calls: int) -> tuple[str, ...]:
    ratio = f"{percentile(took.seconds, 0.5) / typed_s:.2f}" if name.startswith("recall") else ""
    used = (f"{took.processor[where] / calls / 1e6:.2f} ms" for where in ("loop", "store", "relay"))
    return (name, _ms(took.seconds, 0.5), _ms(took.seconds, 0.95), ratio, *used)


def _measured(env: dict[str, str], project: Path, words: Words, calls: int) -> dict[str, _Took]:
    """Return what each way of asking took for each query."""
    session = Session(
        Path(socket_path(env, user_id=os.getuid())), {"project": {"root": str(project), "name": project.name}}
    )
    relay, stateless = StdioServer([SHIM], env, project), StdioServer([SHIM], env, project)
    relay.initialize()
    meta = {
        **STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    ways: dict[str, Callable[[str], object]] = {
        "recall, typed request": lambda query: session.call("recall", query=query),
        "recall, relay, handshake": lambda query: relay.call("recall", query=query),
        "recall, relay, 2026-07-28": lambda query: stateless.request(
            "tools/call", {"name": "recall", "arguments": {"query": query}, "_meta": meta}
        ),
        "ping, relay": lambda _: relay.request("ping", {}),
        "save, relay": lambda query: relay.call("save_memory", text=f"{words.text()} {query}"),
    }
    processes = (session.call("health")["pid"], relay.process.pid, stateless.process.pid)
    took = {name: _Took([], Counter()) for name in ways}
    for number in progress(range(calls + WARMING), "asking"):
        for name, ask in ways.items():
            query = words.query()  # another for each: whoever asks first would pay for what is remembered
            before, started = _processor_ns(*processes), time.perf_counter()
            ask(query)
            if number >= WARMING:
                took[name].seconds.append(time.perf_counter() - started)
                took[name].processor.update(_processor_ns(*processes) - before)
    relay.close()
    stateless.close()
    return took


def _processor_ns(daemon: int, *relays: int) -> Counter[str]:
    """Return the nanoseconds that the daemon's threads and the relays have run."""
    used: Counter[str] = Counter()
    for thread in Path(f"/proc/{daemon}/task").iterdir():
        name = (thread / "comm").read_text()
        where = "loop" if thread.name == str(daemon) else "store" if name.startswith("_work") else "other"
        used[where] += int((thread / "schedstat").read_text().split()[0])
    for relay in relays:
        for thread in Path(f"/proc/{relay}/task").iterdir():
            used["relay"] += int((thread / "schedstat").read_text().split()[0])
    return used


def _ms(values: list[float], share: float) -> str:
    return f"{percentile(values, share) * 1000:.2f} ms"


if __name__ == "__main__":
    main()
