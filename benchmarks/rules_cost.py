"""Promise: with 200 rules among 100,000 memories a hook takes at most 1.1 times as long as without a rule.

    python benchmarks/rules_cost.py [--memories 100000] [--rules 200] [--rounds 300]

Three daemons of this version with the same memories: one knows no rule, one has rules of its project, every other of
which is a decision, and one has the same as rules of all projects. They are those of `benchmarks/rules/`, and forbidden
programs. The hooks of an edit and of a command, before and after each, are processes, from exec to exit; the daemons
take turns, so that whatever else the machine does meets all of them. Hardly an act breaks a rule, as most acts do not.
Beside the times stands the processor time that a hook costs the daemon, which a busy machine changes least.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hooks import let_rest
from measuring import percentile, print_table, progress
from rules import HERE
from synthetic import Session
from two_versions import THIS, Version, make_databases
from two_versions_hooks import WARM, Asked, served

from palimp_protocol.env.paths import socket_path

AIM = 1.1
PROJECT = "repository"
STORES = ("without", "project", "global")
"""Where the rules of each daemon are."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rules", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp")))
        root = folder / PROJECT
        root.mkdir()
        versions = [Version(THIS, folder / name) for name in STORES]
        make_databases(versions[:1], options.memories, is_semantic=False)
        for version in versions[1:]:
            shutil.copytree(versions[0].home, version.home)
        daemons = [served(stack, version, root, "off") for version in versions]
        for daemon, scope in zip(daemons[1:], STORES[1:], strict=True):
            _save_rules(daemon, root, scope, options.rules)
        for daemon in daemons:
            _wait_until_examined(daemon, root)
            let_rest(daemon.daemon_pid)  # each has read its memories
        acts = _acts(root, options.rounds + WARM)
        rows = [row for name, (event, told) in acts.items() for row in _compared(daemons, event, told, name)]
    print_table(
        f"Hooks among {options.memories:,} memories, without a rule and with {options.rules}",
        ["hook", "rules", "p50", "p95", "p50 ratio", "p95 ratio", "processor"],
        rows,
        [f"whole hooks, from exec to exit; aim: p95 with rules at most {AIM} times that without"],
    )


def _session(daemon: Asked, root: Path) -> Session:
    where = Path(socket_path(daemon.env, user_id=os.getuid()))
    return Session(where, {"project": {"root": str(root), "name": PROJECT}})


def _wait_until_examined(daemon: Asked, root: Path) -> None:
    """Wait for the look through the whole database after a start, which takes a minute beside whatever is asked."""
    session = _session(daemon, root)
    while not session.call("health")["examined_at"]:
        time.sleep(0.5)


def _save_rules(daemon: Asked, root: Path, scope: str, count: int) -> None:
    session = _session(daemon, root)
    for number, text in enumerate(progress(_rules(count), f"rules: {scope}")):
        session.call("save_memory", text=text, kind=("preference", "decision")[number % 2], scope=scope)


def _rules(count: int) -> list[str]:
    """Return *count* rules in people's words, the last of them made."""
    said = [rule["text"] for half in ("seen", "aside") for rule in json.loads((HERE / f"{half}.json").read_text())]
    made = ("Never run `make tool{}`.", "Don't edit anything under tool{}/.", "No `tool{}(` in src.")
    return [*said, *(made[number % len(made)].format(number) for number in range(count))][:count]


def _acts(root: Path, count: int) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Return the events, and what is told of each, by what a reader calls them."""

    def about(number: int, tool: str, given: dict[str, str]) -> dict[str, Any]:
        told = {"session_id": "bench0", "tool_name": tool, "tool_input": given, "tool_use_id": f"{tool}{number}"}
        return told | {"cwd": str(root), "tool_response": {"stdout": "done"}}

    edits = [
        about(each, "Edit", {"file_path": f"{root}/part{each}/file.py", "old_string": "a", "new_string": "b"})
        for each in range(count)
    ]
    commands = [about(each, "Bash", {"command": f"make part{each} && ls -la part{each}"}) for each in range(count)]
    return {
        "before an edit": ("PreToolUse", edits),
        "after it": ("PostToolUse", edits),
        "before a command": ("PreToolUse", commands),
        "after the command": ("PostToolUse", commands),
    }


def _compared(daemons: Sequence[Asked], event: str, acts: Sequence[dict[str, Any]], name: str) -> list[tuple[str, ...]]:
    """Return a row for each of *daemons*, the first of which the others are compared with."""
    times: list[list[float]] = [[] for _ in daemons]
    used = [-_processor_s(each) for each in daemons]
    for number, told in enumerate(progress(acts, name)):
        for turn in range(len(daemons)):
            place = (number + turn) % len(daemons)
            seconds = _hook_s(daemons[place], event, told)
            if number >= WARM:
                times[place].append(seconds)
    bare = [percentile(times[0], share) for share in (0.5, 0.95)]
    rows: list[tuple[str, ...]] = []
    for place, each in enumerate(daemons):
        found = [percentile(times[place], share) for share in (0.5, 0.95)]
        shown = (
            *(f"{value * 1000:.1f} ms" for value in found),
            *(f"{a / b:.2f}" for a, b in zip(found, bare, strict=True)),
        )
        processor_ms = 1000 * (used[place] + _processor_s(each)) / len(acts)
        rows.append((name if not place else "", STORES[place], *shown, f"{processor_ms:.1f} ms"))
    return rows


def _hook_s(daemon: Asked, event: str, told: dict[str, Any]) -> float:
    given, env = json.dumps(told).encode(), dict(daemon.env)
    started = time.perf_counter()
    subprocess.run([daemon.command, "hook", event], input=given, env=env, check=True, capture_output=True)
    return time.perf_counter() - started


def _processor_s(daemon: Asked) -> float:
    fields = Path(f"/proc/{daemon.daemon_pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
