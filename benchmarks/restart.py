"""Promise: an open session does not notice that the daemon ended. Its next call, beside a new session's first one.

    python benchmarks/restart.py [ROUNDS]

All three need a daemon that is started for them, and are measured in turn, in one run: a new session's first call
(relay, daemon, handshake, call), an open session's call after `palimp stop`, and after `kill -9`. Aim: an open
session's call takes at most twice what the new session's takes.
"""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from measuring import SHIM, StdioServer, print_table

from palimp_protocol.env.file_lock import holders
from palimp_protocol.env.paths import lock_path

PALIMP = str(Path(sys.executable).with_name("palimp"))
AIM = 2.0


def main() -> None:
    """Print one table; exit with 1 when the aim is missed."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    ways = {"a new session's first call": _new, "an open one's, after palimp stop": _stopped, "after kill -9": _killed}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    with TemporaryDirectory(prefix="palimp-", dir="/tmp") as home:
        env = {**os.environ, "HOME": home, "PALIMP_HOME": f"{home}/state", "PALIMP_SEARCH_SEMANTIC": "off"}
        for _ in range(rounds):
            for name, way in ways.items():
                seconds[name].append(way(env))
        _kill(env)
    new = median(seconds["a new session's first call"])
    rows, worst = [], 0.0
    for name, times in seconds.items():
        ratio = median(times) / new
        worst = max(worst, ratio)
        rows.append((name, f"{median(times):.2f} s", f"{min(times):.2f}-{max(times):.2f}", f"{ratio:.2f}"))
    note = f"at worst {worst:.2f} times a new session's first call (aim {AIM:g})"
    print_table(
        f"a call that has the daemon started, {rounds} rounds, in turn", ["", "median", "range", ""], rows, [note]
    )
    sys.exit(worst > AIM)


def _new(env: dict[str, str]) -> float:
    """Return the seconds from a relay's exec to the answer of its first call, with no daemon there."""
    _kill(env)
    began = time.perf_counter()
    session = StdioServer([SHIM], env)
    session.initialize()
    session.call("recall", query="cents")
    took_s = time.perf_counter() - began
    session.close()
    return took_s


def _stopped(env: dict[str, str]) -> float:
    """Return the seconds that an open session's call takes after `palimp stop` has returned."""
    session = _open(env)
    subprocess.run([PALIMP, "stop"], env=env, check=True, stdout=subprocess.DEVNULL)
    return _called(session)


def _killed(env: dict[str, str]) -> float:
    """Return the seconds that an open session's call takes after the daemon was killed."""
    session = _open(env)
    _kill(env)
    return _called(session)


def _open(env: dict[str, str]) -> StdioServer:
    session = StdioServer([SHIM], env)
    session.initialize()
    session.call("recall", query="cents")
    return session


def _called(session: StdioServer) -> float:
    began = time.perf_counter()
    session.call("recall", query="cents")
    took_s = time.perf_counter() - began
    session.close()
    return took_s


def _kill(env: dict[str, str]) -> None:
    """Kill the daemon of *env*, and wait until it is gone."""
    for pid in holders(lock_path(env)):
        process = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        select.select([process], [], [])
        os.close(process)


if __name__ == "__main__":
    main()
