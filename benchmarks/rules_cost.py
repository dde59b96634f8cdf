"""Promise: with 200 rules among 100,000 memories a hook takes at most 1.1 times as long as without a rule.

    python benchmarks/rules_cost.py [--memories 100000] [--rules 200]

Two daemons of this version with the same memories, one of which knows the rules besides: those of `benchmarks/rules/`,
and forbidden programs. The hooks of an edit and of a command, before and after each, are processes, from exec to exit;
the two daemons take turns. Hardly an act breaks a rule, as most acts do not.
"""

import argparse
import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from measuring import print_table, progress
from rules import HERE
from synthetic import Session
from two_versions import COLUMNS, THIS, Version, compared, make_databases
from two_versions_hooks import ROUNDS, WARM, in_turn, served

from palimp_protocol.env.paths import socket_path

AIM = 1.1
PROJECT = "repository"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--rules", type=int, default=200)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="palimp-bench-", dir="/tmp")))
        root = folder / PROJECT
        root.mkdir()
        versions = [Version(THIS, folder / name) for name in ("without", "with")]
        make_databases(versions, options.memories, is_semantic=False)
        both = [served(stack, version, root, "off") for version in versions]
        session = Session(
            Path(socket_path(both[1].env, user_id=os.getuid())), {"project": {"root": str(root), "name": PROJECT}}
        )
        for text in progress(_rules(options.rules), "rules"):
            session.call("save_memory", text=text, kind="preference")
        rows = [compared(name, *in_turn(both, event, acts, name)) for name, (event, acts) in _acts(root).items()]
    columns = [column.replace("earlier", "without").replace("this", "with") for column in COLUMNS]
    print_table(
        f"Hooks among {options.memories:,} memories, without a rule and with {options.rules}",
        ["hook", *columns],
        rows,
        [f"whole hooks, from exec to exit; aim: p95 with rules at most {AIM} times that without"],
    )


def _rules(count: int) -> list[str]:
    """Return *count* rules in people's words, the last of them made."""
    said = [rule["text"] for half in ("seen", "aside") for rule in json.loads((HERE / f"{half}.json").read_text())]
    return [*said, *(f"Never run `tool{number} apply` in this repository." for number in range(count))][:count]


def _acts(root: Path) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Return the events, and what is told of each, by what a reader calls them."""
    numbers = range(ROUNDS + WARM)

    def about(number: int, tool: str, given: dict[str, str]) -> dict[str, Any]:
        told = {"session_id": "bench0", "tool_name": tool, "tool_input": given, "tool_use_id": f"{tool}{number}"}
        return told | {"cwd": str(root), "tool_response": {"stdout": "done"}}

    edits = [
        about(each, "Edit", {"file_path": f"{root}/part{each}/file.py", "old_string": "a", "new_string": "b"})
        for each in numbers
    ]
    commands = [about(each, "Bash", {"command": f"make part{each} && ls -la part{each}"}) for each in numbers]
    return {
        "before an edit": ("PreToolUse", edits),
        "after it": ("PostToolUse", edits),
        "before a command": ("PreToolUse", commands),
        "after the command": ("PostToolUse", commands),
    }


if __name__ == "__main__":
    main()
