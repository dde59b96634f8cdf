"""Promise: a session costs little. Start and memory of a relay beside a minimal SDK server; start of the daemon.

    python benchmarks/start.py [ROUNDS]

Relay and server answer `initialize` over stdio, alternating. The relay is the whole one, with a running
daemon behind it; the other is the least that the official SDK can be. Aims: an eighth of the time, a
quarter of the memory. The daemon's time is from exec to its answer to a typed request, with a new
database (aim: about 300 ms).
"""

import sys
import time
from pathlib import Path
from statistics import median

from measuring import SHIM, StdioServer, print_table, running_daemon

from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import Health
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.daemon_client import Client

CALLS = 200


def main() -> None:
    """Print one table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    minimal = [sys.executable, str(Path(__file__).with_name("minimal_sdk_server.py"))]
    commands = {"palimp-shim": [SHIM], "minimal SDK server": minimal}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    memory: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    with running_daemon() as env:
        StdioServer([SHIM], env).initialize()  # the daemon imports the SDK with the first message of all
        for _ in range(rounds):
            for name, command in commands.items():
                server = StdioServer(command, env)
                seconds[name].append(server.initialize())
                for _ in range(CALLS):
                    server.request("ping", {})
                memory[name].append(server.resident_mb())
                server.close()
    rows = []
    for name in commands:
        resident, private = (median(column) for column in zip(*memory[name], strict=True))
        times = [each * 1000 for each in seconds[name]]
        spread = f"{min(times):.0f}-{max(times):.0f}"
        rows.append((name, f"{median(times):.0f} ms", spread, f"{resident:.1f} MB", f"{private:.1f} MB"))
    starts = [_daemon_start_ms() for _ in range(rounds)]
    rows.append(("palimpd", f"{median(starts):.0f} ms", f"{min(starts):.0f}-{max(starts):.0f}", "", ""))
    faster = median(seconds["minimal SDK server"]) / median(seconds["palimp-shim"])
    smaller = median(each[0] for each in memory["minimal SDK server"]) / median(
        each[0] for each in memory["palimp-shim"]
    )
    print_table(
        f"exec to the first answer, {rounds} rounds, alternating",
        ["", "median", "range", "resident", "private"],
        rows,
        [f"{faster:.1f} times faster (aim 8), {smaller:.1f} times smaller (aim 4)"],
    )


def _daemon_start_ms() -> float:
    """Return the milliseconds from a daemon's exec to its first answer."""
    started = time.perf_counter()
    with running_daemon() as env:
        Client(env).call(OPERATIONS["health"], Health(), Caller())
        return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
