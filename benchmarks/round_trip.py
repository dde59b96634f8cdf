"""Promise: MCP costs little. `recall` through a relay and the SDK's session beside the same typed request.

    python benchmarks/round_trip.py [CALLS]

One daemon, a fixed store of 10,000 memories, the same queries: asked as a typed REQUEST on the socket, and as
`tools/call` through a relay, in both eras of the protocol, alternating. *ping* is what relay, socket and session
take without any tool. Aim: the whole round trip at most twice that of the typed request.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring import SHIM, StdioServer, percentile, print_table, progress, running_daemon
from scale import fill
from synthetic import Session, Words

from palimp_protocol.operations import ProjectRef
from palimp_protocol.paths import socket_path

MEMORIES = 10_000
CALLS = 500
WARMING = 50
STATELESS = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


def main() -> None:
    """Print one table."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    words = Words(1)
    queries = [words.query() for _ in range(calls + WARMING)]
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        database, project = Path(folder) / "palimp.db", Path(folder) / "project"
        project.mkdir()
        fill(database, MEMORIES, words, project=ProjectRef(str(project), project.name))
        with running_daemon(database) as env:
            took = _measured(env, project, queries)
    typed = percentile(took["typed request"], 0.5)
    rows = [
        (name, _ms(each, 0.5), _ms(each, 0.95), f"{percentile(each, 0.5) / typed:.2f}") for name, each in took.items()
    ]
    title = f"recall among {MEMORIES:,} memories, {calls} calls of each, alternating"
    print_table(title, ["asked by", "p50", "p95", "of typed"], rows, ["aim: at most 2 times the typed request"])


def _measured(env: dict[str, str], project: Path, queries: list[str]) -> dict[str, list[float]]:
    """Return the seconds that each way of asking took for each query."""
    session = Session(socket_path(env, user_id=os.getuid()), {"project": {"root": str(project), "name": project.name}})
    relay = StdioServer([SHIM], env, project)
    relay.initialize()
    stateless = StdioServer([SHIM], env, project)
    meta = {
        **STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    ways: dict[str, Callable[[str], object]] = {
        "typed request": lambda query: session.call("recall", query=query),
        "relay, handshake": lambda query: relay.call("recall", query=query),
        "relay, 2026-07-28": lambda query: stateless.request(
            "tools/call", {"name": "recall", "arguments": {"query": query}, "_meta": meta}
        )["result"],
        "relay, ping": lambda _: relay.request("ping", {}),
    }
    took: dict[str, list[float]] = {name: [] for name in ways}
    for number, query in enumerate(progress(queries, "asking")):
        for name, ask in ways.items():
            started = time.perf_counter()
            ask(query)
            if number >= WARMING:
                took[name].append(time.perf_counter() - started)
    relay.close()
    stateless.close()
    return took


def _ms(values: list[float], share: float) -> str:
    return f"{percentile(values, share) * 1000:.2f} ms"


if __name__ == "__main__":
    main()
