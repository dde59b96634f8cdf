"""Promise: among 100,000 memories and 50,000 files a hook takes at most 1.3 times as long as in an earlier version.

    python benchmarks/two_versions_hooks.py EARLIER [--memories 100000] [--files 50000] [--semantic]

EARLIER is a checkout of the earlier version with a `.venv` of its own. Each version has a database that it filled
itself, and a daemon; both see the same repository. A hook is a process of the version, from exec to exit; the two
take turns, and a daemon that has something to do after one is waited for. The hooks are those of a session's start, of
a prompt, and of an edit and a command before they happen. With `--semantic` prompts are compared by their meaning
too; the vectors of the memories are random.
"""

import argparse
import contextlib
import json
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hooks import let_rest, make_repository
from measuring import daemon_in, print_table, progress
from synthetic import Words
from two_versions import AIM, COLUMNS, THIS, Version, compared, make_databases

ROUNDS = 60
WARM = 5
"""Hooks of each kind that come before those that are counted."""

MOVE = """
import sys
from pathlib import Path
from palimp_daemon.store.opening import open_store
from synthetic import CALLER

store = open_store(Path(sys.argv[1]), "auto")
store.connection.execute("UPDATE projects SET root = ? WHERE root = ?", (sys.argv[2], CALLER.project.root))
kinds = "CASE WHEN seq % 100 = 0 THEN 'decision' WHEN seq % 400 = 1 THEN 'summary' ELSE kind END"
store.connection.execute(f"UPDATE memories SET kind = {kinds}")
store.connection.close()
"""
"""What a version does to have its memories belong to the repository, some of them decisions."""


class Asked(NamedTuple):
    """A version's hooks, and what they need."""

    command: Path
    env: Mapping[str, str]
    daemon_pid: int


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", type=Path, help="a checkout of the earlier version")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--semantic", action="store_true", help="by words and meaning (needs palimp[semantic])")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp")))
        root, words = folder / "repository", Words(1)
        make_repository(root, arguments.files, words)
        versions = Version(arguments.earlier.resolve(), folder / "earlier"), Version(THIS, folder / "this")
        make_databases(versions, arguments.memories, is_semantic=arguments.semantic)
        semantic = "on" if arguments.semantic else "off"
        both = [served(stack, version, root, semantic) for version in versions]
        rows = [
            compared(name, *in_turn(both, event, [made | {"cwd": str(root)} for made in asked], name))
            for name, (event, asked) in _kinds(root, words).items()
        ]
    print_table(
        f"Hooks among {arguments.memories:,} memories and {arguments.files:,} files: the earlier version and this one",
        ["hook", *COLUMNS],
        rows,
        [f"whole hooks, from exec to exit; aim: p95 at most {AIM} times the earlier one"],
    )


def served(stack: contextlib.ExitStack, version: Version, root: Path, semantic: str) -> Asked:
    """Have *version* serve its memories as those of the repository *root* as long as *stack* is open."""
    programs = version.folder / ".venv" / "bin"
    moving = [programs / "python", "-c", MOVE, version.home / "state" / "palimp.db", root]
    subprocess.run(moving, cwd=version.folder / "benchmarks", check=True)
    env = stack.enter_context(daemon_in(version.home, programs / "palimpd", PALIMP_SEARCH_SEMANTIC=semantic))
    health = subprocess.run([programs / "palimp", "health", "--json"], env=env, check=True, capture_output=True)
    return Asked(programs / "palimp", env, json.loads(health.stdout)["pid"])


def _kinds(root: Path, words: Words) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Return the events and what is told of each, by what a reader calls them."""
    numbers = range(ROUNDS + WARM)

    def about(tool: str, given: dict[str, str]) -> dict[str, Any]:
        return {"session_id": "bench0", "tool_name": tool, "tool_input": given}

    starts = [{"session_id": f"bench{number}", "source": "startup"} for number in numbers]
    prompts = [{"session_id": "bench0", "prompt": words.question()} for _ in numbers]
    edits = [
        about("Edit", {"file_path": f"{root}/part{number}/file{number}.py", "old_string": "a", "new_string": "b"})
        for number in numbers
    ]
    commands = [about("Bash", {"command": f"git push origin part{number} && make deploy"}) for number in numbers]
    return {
        "the start of a session": ("SessionStart", starts),
        "a prompt": ("UserPromptSubmit", prompts),
        "before an edit": ("PreToolUse", edits),
        "before a command": ("PreToolUse", commands),
    }


def in_turn(both: list[Asked], event: str, asked: list[dict[str, Any]], name: str) -> list[list[float]]:
    """Return of each version the seconds that its hooks of *event* took, but for the first WARM."""
    times: list[list[float]] = [[] for _ in both]
    for number, told in enumerate(progress(asked, name)):
        for place in range(len(both)) if number % 2 else reversed(range(len(both))):
            version = both[place]
            let_rest(version.daemon_pid)
            started = time.perf_counter()
            subprocess.run(
                [version.command, "hook", event],
                input=json.dumps(told).encode(),
                env=dict(version.env),
                check=True,
                capture_output=True,
            )
            if number >= WARM:
                times[place].append(time.perf_counter() - started)
    return times


if __name__ == "__main__":
    main()
