"""Promise: documents are found as they are on disk, fast, and no pattern holds anybody up.

    python benchmarks/documents.py

1,000 documents of 10 KB in one project. Ranked search twice (the first reads them all, the second finds nothing
changed), a search by lines, and patterns that other engines explode on, each beside `recall` of another session
in the same moment. Aims: a refresh without changes well under a second, each pattern answered within 250 ms.
"""

import json
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
from measuring import percentile, print_table, running_daemon
from synthetic import Session, Words

from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.caller import Caller, ProjectRef

DOCUMENTS = 1_000
WORDS = 1_600
"""About 10 KB."""

BOMBS = (r"(a+)+$", r"(a|a)*b", r"(.*)*zq", r"(x+x+)+y", r"([a-z]+)*\d{50}")


def main() -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as name, running_daemon() as env:
        tree = Path(name)
        _write(tree / ".palimp" / "docs")
        caller = msgspec.to_builtins(Caller(ProjectRef(name, "bench", name)))
        path = Path(socket_path(env, user_id=os.getuid()))
        session, other = Session(path, caller), Session(path, caller)
        for number in range(200):
            other.call("save_memory", text=f"{Words(number).text()} fact {number}")
        quiet = _recalls(other, lambda: time.sleep(1.0))
        steps: list[tuple[str, dict[str, Any]]] = [
            ("ranked, all read for the first time", {"pattern": "how many requests", "ranked": True}),
            ("ranked, nothing changed", {"pattern": "how many requests", "ranked": True}),
            ("lines with a text", {"pattern": "qe qi"}),
            *((f"pattern {bomb}", {"pattern": bomb, "is_regex": True}) for bomb in BOMBS),
        ]
        rows: list[tuple[str, ...]] = []
        for label, arguments in steps:
            took: list[float] = []
            during = _recalls(other, lambda: took.append(_timed(session, arguments)))  # noqa: B023  called at once
            rows.append((label, f"{took[0] * 1000:,.0f} ms", f"{percentile(during, 0.99) * 1000:.1f} ms"))
    print_table(
        f"{DOCUMENTS:,} documents of 10 KB",
        ["search_docs", "answered in", "recall p99 meanwhile"],
        rows,
        [f"recall p99 with nothing else going on: {percentile(quiet, 0.99) * 1000:.1f} ms"],
    )


def _write(folder: Path) -> None:
    folder.mkdir(parents=True)
    words = Words(5)
    slugs = [f"doc-{number}" for number in range(DOCUMENTS)]
    for slug in slugs:
        lines = (words.text(16) for _ in range(WORDS // 16))
        text = "".join(
            f"## Part {number}\n\n{line}\n\n" if number % 12 == 0 else f"{line}\n" for number, line in enumerate(lines)
        )
        (folder / f"{slug}.md").write_text(f"# {slug}\n\n{text}")
    index = {"schemaVersion": 1, "docs": [{"slug": slug, "title": slug} for slug in slugs]}
    (folder / "index.json").write_text(json.dumps(index))


def _recalls(session: Session, work: Any) -> list[float]:
    """Return how long recalls took while *work* was done."""
    done = threading.Event()
    times: list[float] = []

    def ask() -> None:
        while not done.is_set() or not times:
            started = time.perf_counter()
            session.call("recall", query="fact 7")
            times.append(time.perf_counter() - started)

    thread = threading.Thread(target=ask)
    thread.start()
    work()
    done.set()
    thread.join()
    return times


def _timed(session: Session, arguments: dict[str, Any]) -> float:
    started = time.perf_counter()
    session.call("search_docs", **arguments)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
