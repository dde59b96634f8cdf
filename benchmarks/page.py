"""Promise: each part of the page begins to come within 100 ms (p95), however much there is.

    python benchmarks/page.py [--memories 10000] [--rounds 30]

A session for each ten memories. Prints, for each part, the time to its first byte as a browser would see it, and the
memory of the daemon before and after the page is served, and how long that takes to begin.
"""

import argparse
import os
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

from measuring import percentile, print_table, running_daemon
from scale import fill
from synthetic import Session, Words

from palimp_protocol.env.paths import socket_path

AIM_MS = 100.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder:
        fill(database := Path(folder) / "palimp.db", options.memories, words)
        with running_daemon(database) as env:
            session = Session(Path(socket_path(env, user_id=os.getuid())))
            id_ = session.call("recall", limit=1)["memories"][0]["id"]
            pid = session.call("health")["pid"]
            before_mb = _resident_mb(pid)
            began = time.perf_counter()
            visit = _Visit(session.call("page")["url"])
            opened_ms = (time.perf_counter() - began) * 1000
            parts = [
                "",
                "inbox",
                "sessions",
                "sessions?session=s1",
                "rules",
                "removed",
                "history",
                "health",
            ]
            times = {
                part: [visit.first_byte_ms(part) for _ in range(options.rounds)]
                for part in [*parts, "team", f"memory/{id_}"]
            }
            times["search?q=…"] = [
                visit.first_byte_ms(f"search?q={quote(words.question())}") for _ in range(options.rounds)
            ]
            after_mb = _resident_mb(pid)
    print_table(
        f"{options.memories:,} memories, {options.rounds} times each: milliseconds to the first byte",
        ["part", "p50", "p95", "aim"],
        [
            (part or "now", f"{percentile(each, 0.5):.1f}", f"{percentile(each, 0.95):.1f}", f"{AIM_MS:.0f}")
            for part, each in times.items()
        ],
        [
            f"the daemon takes {before_mb:.0f} MB before the page is asked for, {after_mb:.0f} MB after all this",
            f"from being asked for to the first answer: {opened_ms:.0f} ms",
        ],
    )


class _Visit:
    def __init__(self, url: str) -> None:
        self._at = urlsplit(url)
        self._cookie = ""
        answer = self._get(self._at.path)
        self._cookie = (answer[1] or "").partition(";")[0]
        self._first = answer[2]

    def first_byte_ms(self, part: str) -> float:
        return self._get(f"{self._first}{part}")[0]

    def _get(self, path: str) -> tuple[float, str, str]:
        connection = HTTPConnection("127.0.0.1", self._at.port or 0, timeout=60)
        headers = {"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}
        began = time.perf_counter()
        connection.request("GET", path, headers=headers | ({"Cookie": self._cookie} if self._cookie else {}))
        reply = connection.getresponse()
        reply.read(1)
        took_ms = (time.perf_counter() - began) * 1000
        assert reply.status in (200, 303), (path, reply.status)
        connection.close()
        return took_ms, reply.getheader("set-cookie") or "", reply.getheader("location") or ""


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
