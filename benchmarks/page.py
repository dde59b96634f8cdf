"""Promise: each part of the page begins to come within 100 ms (p95), and agents hardly wait for who looks at it.

    python benchmarks/page.py [--memories 10000] [--turns 5000] [--rounds 30] [--browser /usr/bin/chromium]

A session for each ten memories, and one with all turns. Prints, for each part, the time to its first byte as a browser
would see it, and the processor time of the daemon, which says more on a busy machine. With a browser (Chromium, by
Playwright) also the time until a part is usable: its scripts have run. Then eight agent sessions recall as fast as they
are answered, by turns alone and beside three browsers, each of which opens a part a second and follows what is written.
Last, by turns, a daemon as it is and one in whose tree there is no page: what each takes before anybody asks for it.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import quote, urlsplit

from beside_conversations import fill_turns
from eight_sessions import SESSIONS
from measuring import percentile, print_table, progress, running_daemon
from scale import fill
from synthetic import Session, Words

from palimp_protocol.env.paths import socket_path

AIM_MS = 100.0
USABLE_AIM_MS = 1_000.0
BESIDE_AIM = 1.3
BROWSERS = 3
BESIDE_ROUNDS = 6
RECALLS = 25
"""Of each session in each round."""
READING_S = 1.0
"""Seconds for which somebody looks at a part before the next."""
SEARCH = "search?q=…"
STARTS = 7
DAEMONS = {
    "as it is": "import sys; from palimp_daemon.__main__ import main; sys.exit(main())",
    "without the page": "import sys; sys.modules['palimp_daemon.web'] = None; from palimp_daemon.__main__ import main;"
    " sys.exit(main())",
}
"""The second finds no page to import, as if its folder were not there."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--browser", default="", help="a Chromium; without it, nothing says when a part is usable")
    options = parser.parse_args()
    words = Words(1)
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as folder, ExitStack() as stack:
        fill(database := Path(folder) / "palimp.db", options.memories, words)
        fill_turns(turns := Path(folder) / "conversations.db", options.turns, words, in_session=options.turns)
        env = stack.enter_context(running_daemon(database, turns))
        socket = Path(socket_path(env, user_id=os.getuid()))
        session = Session(socket)
        id_ = session.call("recall", limit=1)["memories"][0]["id"]
        daemon = _Daemon(session.call("health")["pid"])
        before_mb = daemon.resident_mb()
        began = time.perf_counter()
        visit = _Visit(_url(socket))
        opened_ms = (time.perf_counter() - began) * 1000
        parts = ["", "inbox", "sessions", "sessions?session=s1", f"conversation?session=s0&from={options.turns - 60}"]
        parts += ["rules", "removed", "about?name=deploy", "history", "settings", "health", "team"]
        parts += [f"memory/{id_}", SEARCH]
        rows = [_row(visit, daemon, part, options.rounds, words) for part in parts]
        if options.browser:
            usable = _usable_ms(options.browser, socket, parts, options.rounds)
            rows = [(*row, f"{percentile(usable[part], 0.95):.0f}") for row, part in zip(rows, parts, strict=True)]
        after_mb = daemon.resident_mb()
        alone, beside = _beside(socket, parts, words)
    print_table(
        f"{options.memories:,} memories, {options.turns:,} turns, {options.rounds} times each: ms to the first byte",
        ["part", "p50", "p95", "processor", *(["usable, p95"] if options.browser else [])],
        rows,
        [
            f"aims: the first byte {AIM_MS:.0f} ms at p95, usable {USABLE_AIM_MS:.0f} ms",
            f"the daemon takes {before_mb:.0f} MB before the page is asked for, {after_mb:.0f} MB after all this",
            f"from being asked for to the first answer: {opened_ms:.0f} ms",
        ],
    )
    print_table(
        f"{SESSIONS} sessions recall: ms",
        ["", "alone", f"beside {BROWSERS} browsers", "times", "aim"],
        [
            (f"p{share * 100:.0f}", f"{one:.1f}", f"{other:.1f}", f"{other / one:.2f}", f"{BESIDE_AIM}")
            for share in (0.5, 0.95)
            for one, other in [(percentile(alone, share), percentile(beside, share))]
        ],
        [],
    )
    idle: dict[str, list[tuple[float, float]]] = {name: [] for name in DAEMONS}
    for _ in progress(range(STARTS), "daemons without work"):
        for name, script in DAEMONS.items():
            idle[name].append(_start_and_size(script))
    print_table(
        f"before the page is asked for, {STARTS} daemons each, by turns: medians",
        ["", "start, ms", "PSS, MB"],
        [(name, *(f"{median(part):.1f}" for part in zip(*found, strict=True))) for name, found in idle.items()],
        [],
    )


def _start_and_size(script: str) -> tuple[float, float]:
    """Return the milliseconds until a daemon answers, and the MB that it takes then."""
    began = time.perf_counter()
    with running_daemon(command=(sys.executable, "-c", script)) as env:
        pid = Session(Path(socket_path(env, user_id=os.getuid()))).call("health")["pid"]
        took_ms = (time.perf_counter() - began) * 1000
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        [pss] = [int(line.split()[1]) for line in lines if line.startswith("Pss:")]
        return took_ms, pss / 1000


class _Daemon:
    def __init__(self, pid: int) -> None:
        self._of = Path(f"/proc/{pid}")

    def resident_mb(self) -> float:
        pages = int((self._of / "statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def processor_ms(self) -> float:
        fields = (self._of / "stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") * 1000


class _Visit:
    def __init__(self, url: str) -> None:
        self._at = urlsplit(url)
        self._cookie = ""
        answer = self._get(self._at.path)
        self._cookie = (answer[1] or "").partition(";")[0]
        self._first = answer[2]

    def first_byte_ms(self, part: str, words: Words) -> float:
        asked = f"search?q={quote(words.question())}" if part == SEARCH else part
        return self._get(f"{self._first}{asked}")[0]

    def follow(self, until: threading.Event) -> None:
        """Read the stream of what is written."""
        connection = self._asked("/events")
        reply = connection.getresponse()
        while not until.is_set():
            reply.readline()
        connection.close()

    def _asked(self, path: str) -> HTTPConnection:
        connection = HTTPConnection("127.0.0.1", self._at.port or 0, timeout=60)
        headers = {"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}
        connection.request("GET", path, headers=headers | ({"Cookie": self._cookie} if self._cookie else {}))
        return connection

    def _get(self, path: str) -> tuple[float, str, str]:
        began = time.perf_counter()
        connection = self._asked(path)
        reply = connection.getresponse()
        reply.read(1)
        took_ms = (time.perf_counter() - began) * 1000
        reply.read()
        assert reply.status in (200, 303), (path, reply.status)
        connection.close()
        return took_ms, reply.getheader("set-cookie") or "", reply.getheader("location") or ""


def _row(visit: _Visit, daemon: _Daemon, part: str, rounds: int, words: Words) -> tuple[str, ...]:
    before_ms = daemon.processor_ms()
    times = [visit.first_byte_ms(part, words) for _ in range(rounds)]
    each_ms = (daemon.processor_ms() - before_ms) / rounds
    return (part or "now", f"{percentile(times, 0.5):.1f}", f"{percentile(times, 0.95):.1f}", f"{each_ms:.1f}")


def _url(socket: Path) -> str:
    return Session(socket).call("page")["url"]  # a session that was silent for long is cut off


def _usable_ms(browser: str, socket: Path, parts: Sequence[str], rounds: int) -> dict[str, list[float]]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  not everybody has it

    loaded = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser)
        tab = opened.new_page()
        tab.goto(_url(socket))
        first = tab.url
        times: dict[str, list[float]] = {}
        for part in progress(parts, "in a browser"):
            times[part] = []
            for _ in range(rounds):
                tab.goto(first + part.replace("…", "deploy"))
                times[part].append(tab.evaluate(loaded))
        opened.close()
    return times


def _beside(socket: Path, parts: Sequence[str], words: Words) -> tuple[list[float], list[float]]:
    """Return the milliseconds of recalls without and with browsers beside them."""
    sessions = [Session(socket) for _ in range(SESSIONS)]
    visits = [_Visit(_url(socket)) for _ in range(BROWSERS)]
    alone, beside = list[float](), list[float]()
    for _ in progress(range(BESIDE_ROUNDS), "beside browsers"):
        alone += _recalls(sessions, words)
        is_over = threading.Event()
        looking = [threading.Thread(target=_look, args=(each, parts, words, is_over)) for each in visits]
        looking += [threading.Thread(target=each.follow, args=(is_over,), daemon=True) for each in visits]
        for each in looking:
            each.start()
        beside += _recalls(sessions, words)
        is_over.set()
        Session(socket).call("save_memory", text=words.text())  # what follows hears of it, and ends
        for each in looking:
            each.join()
    return alone, beside


def _look(visit: _Visit, parts: Sequence[str], words: Words, is_over: threading.Event) -> None:
    at = 0
    while not is_over.wait(READING_S if at else 0):
        visit.first_byte_ms(parts[at % len(parts)], words)
        at += 1


def _recalls(sessions: Sequence[Session], words: Words) -> list[float]:
    times: list[float] = []

    def work(session: Session, queries: Sequence[str]) -> None:
        for query in queries:
            began = time.perf_counter()
            session.call("recall", query=query)
            times.append((time.perf_counter() - began) * 1000)

    asked = [[words.question() for _ in range(RECALLS)] for _ in sessions]
    threads = [threading.Thread(target=work, args=pair) for pair in zip(sessions, asked, strict=True)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return times


if __name__ == "__main__":
    main()
