"""Promise: code that was taken out does not come back unnoticed, and nobody is told so without cause.

    python benchmarks/changes.py DATA [--cost]

DATA holds the labelled cases, the event sequences and the scorer described in its README. Three parts, all through the
product: the scorer over the store's own tables; the sequences as hooks of a running daemon, in files of a real folder;
cost and size with 10,000 and 100,000 removed hunks, in the daemon and as whole hook processes.

    python DATA/score.py changes:Product        (in this folder) is the first part alone
"""

import argparse
import collections
import gzip
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from measuring import percentile, print_table, progress, running_daemon
from synthetic import Session

from palimp_daemon.codediff.diff import Hunk, only_gone
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables.removed_code.change_rows import Change, add_hunks, insert_change
from palimp_daemon.store.tables.removed_code.reintroduced import returning
from palimp_protocol.env.paths import socket_path
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

HOOK = [str(Path(sys.executable).with_name("palimp")), "hook", "PreToolUse"]
SIZES = (10_000, 100_000)
CHECKS = 300
HOOKS = 100


class Product:
    """The store of one repository, as the scorer wants it."""

    def __init__(self, root: str = "/bench") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp")
        self.path = Path(self._folder.name) / "palimp.db"
        self.store = open_store(self.path, "auto")
        self.project = ensure_project(self.store, Caller(ProjectRef(root, "bench")), 0)
        self.store.connection.execute("BEGIN")
        self._last = ("", 0, Change("", 0))

    def add(self, seq: int, _: str, commit: str, reason: str, path: str, lines: list[str], kept: str) -> None:
        """Store a hunk that was removed."""
        hunk = only_gone(Hunk(path, 1, tuple(lines), (), tuple(mark == "0" for mark in kept)))
        known, number, change = self._last
        if known == commit:
            add_hunks(self.store, self.project, number, change, [hunk])
            return
        change = Change(reason, seq * 1000, "git", commit)
        self._last = (commit, insert_change(self.store, self.project, change, [hunk]), change)

    def check(self, path: str, lines: list[str], alive: str, alive_defs: list[str]) -> list[dict[str, Any]]:
        """Return the warnings for proposed lines, of which *alive* says which are in the tree."""
        dead = [line for line, mark in zip(lines, alive, strict=True) if mark != "1"]
        found = returning(self.store, self.project, path, dead, alive_defs)
        return [{"commit": each.hunk.commit} for each in found if each.level == "warn"]


def main() -> None:
    """Print what the scorer prints, then two tables; with --cost the last one alone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cost", action="store_true", help="the table of cost and size alone")
    options = parser.parse_args()
    data: Path = options.data.resolve()
    if options.cost:
        _measure(data)
        return
    here = str(Path(__file__).parent)
    subprocess.run([sys.executable, str(data / "score.py"), "changes:Product"], cwd=here, check=True)
    _play_sequences(data)
    _measure(data)


def removed_hunks(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the removed hunks of *data*."""
    with lzma.open(data / "removed.jsonl.xz", "rt") as lines:
        yield from map(json.loads, lines)


# --- sequences -----------------------------------------------------------------------------------


def _play_sequences(data: Path) -> None:
    with gzip.open(data / "sequences.jsonl.gz", "rt") as lines:
        sequences = [json.loads(line) for line in lines]
    right: collections.Counter[str] = collections.Counter()
    total = collections.Counter(each["type"] for each in sequences)
    wrong: list[str] = []
    with running_daemon() as env:
        path = Path(socket_path(env, user_id=os.getuid()))
        for sequence in progress(sequences, "sequences"):
            is_warned = _play(path, sequence)
            is_right = is_warned == (sequence["expect"] == "warn")
            right[sequence["type"]] += is_right
            if not is_right:
                wrong.append(sequence["id"])
    rows = [(name, f"{right[name]} of {count}") for name, count in total.items()]
    notes = [f"all: {sum(right.values())} of {len(sequences)}", *([f"wrong: {', '.join(wrong)}"] if wrong else [])]
    print_table("Live sequences through hooks and daemon", ["sequence", "right"], rows, notes)


def _play(path: Path, sequence: dict[str, Any]) -> bool:
    """Play the events of *sequence* in a folder of its own; tell whether the one in question was denied."""
    root = Path(tempfile.mkdtemp(prefix="palimp-bench-", dir="/tmp"))
    try:
        for name, text in sequence["files"].items():
            file = root / name.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        outcome = False
        for number, event in enumerate(sequence["events"]):
            outcome = _happen(path, root, f"{sequence['id']}-{event['session']}", event)
            if number == sequence["check_event"]:
                break
        return outcome
    finally:
        shutil.rmtree(root)


def _happen(path: Path, root: Path, key: str, event: dict[str, Any]) -> bool:
    """Do what *event* says, with the hooks around it; tell whether it was denied."""
    caller = msgspec.to_builtins(Caller(ProjectRef(str(root), root.name, str(root)), SessionRef(key, "bench")))
    session = Session(path, caller)
    tool, given = event["tool"], event.get("input", {})
    if tool in ("Stop", "SessionEnd"):
        session.call("hook", event=tool, input={})
        return False
    given = given | {"file_path": str(root / given["file_path"].lstrip("/"))}
    hook_input = {"tool_name": tool, "tool_input": given}
    answer = session.call("hook", event="PreToolUse", input=hook_input)
    _apply(Path(given["file_path"]), tool, given)
    session.call("hook", event="PostToolUse", input=hook_input)
    return '"deny"' in answer["output"]


def _apply(file: Path, tool: str, given: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = file.read_text() if file.exists() else ""
    if tool == "Write":
        file.write_text(given["content"])
        return
    assert given["old_string"] in text, f"{file} does not hold the text that is edited"
    file.write_text(text.replace(given["old_string"], given["new_string"], 1))


# --- cost ----------------------------------------------------------------------------------------


def _measure(data: Path) -> None:
    with gzip.open(data / "cases.jsonl.gz", "rt") as lines:
        cases = [case for case in map(json.loads, lines) if case["kind"] == "random_addition"][:CHECKS]
    rows: list[tuple[str, ...]] = []
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp") as root:
            subprocess.run(["git", "init", "--quiet", root], check=True)
            rows.append((f"{size:,}", *_measure_one(data, size, cases, root)))
    print_table(
        "Checking additions of which nothing is known to be in the tree (the worst case)",
        ["removed hunks", "check p50 / p95", "whole hook p50 / p95", "database"],
        rows,
        ["a whole hook: from exec to exit, with a warm daemon"],
    )


def _measure_one(data: Path, size: int, cases: list[dict[str, Any]], root: str) -> tuple[str, str, str]:
    """Return the time of a check, of a whole hook, and the size of the database, with *size* hunks in one project."""
    product = Product(root)
    for number, hunk in enumerate(_repeated(data, size)):
        product.add(number, "", hunk["commit"], hunk["subject"], hunk["path"], hunk["lines"], hunk["kept"])
    product.store.connection.execute("COMMIT")
    took: list[float] = []
    for case in cases:
        started = time.perf_counter()
        product.check(case["path"], case["added_lines"], "0" * len(case["added_lines"]), [])
        took.append(time.perf_counter() - started)
    product.store.connection.execute("VACUUM")
    product.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    product.store.connection.close()
    megabytes = product.path.stat().st_size / 1e6
    check = f"{percentile(took, 0.5) * 1000:.1f} / {percentile(took, 0.95) * 1000:.1f} ms"
    return check, _hook_times(product.path, cases, root), f"{megabytes:.1f} MB"


def _repeated(data: Path, size: int) -> Iterable[dict[str, Any]]:
    """Yield *size* hunks: those of all repositories, then the same again in other letters."""
    count, turn = 0, 0
    while True:
        for hunk in removed_hunks(data):
            if turn:
                hunk["commit"] = f"{hunk['commit']}-{turn}"
                hunk["lines"] = [line.swapcase() for line in hunk["lines"]]
            yield hunk
            count += 1
            if count == size:
                return
        turn += 1


def _hook_times(database: Path, cases: list[dict[str, Any]], root: str) -> str:
    """Return how long whole hook processes take beside a daemon with *database*."""
    took: list[float] = []
    with running_daemon(database) as env:
        for case in cases[: HOOKS + 2]:
            given = {"file_path": f"{root}/{case['path']}", "content": "\n".join(case["added_lines"])}
            told = {"session_id": "bench", "cwd": root, "tool_name": "Write", "tool_input": given}
            data = json.dumps(told).encode()
            started = time.perf_counter()
            subprocess.run(HOOK, input=data, env=env, check=True, stdout=subprocess.DEVNULL)
            took.append(time.perf_counter() - started)
    warm = took[2:]  # the first ones read the database into memory
    return f"{percentile(warm, 0.5) * 1000:.0f} / {percentile(warm, 0.95) * 1000:.0f} ms"


if __name__ == "__main__":
    main()
