"""`palimp compact`: merge what says the same."""

import argparse
import sys
import threading
from collections.abc import Mapping

from palimp_protocol.operations import Caller
from palimp_protocol.table import OPERATIONS
from palimp_protocol.upkeep import Compact, Compacted, Progress, ProgressMade
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.output import has_colour, print_json, print_line, print_remark
from palimp_shim.client import Client

COMMAND_S = 3_600.0
"""Seconds to wait: a large store under load takes minutes."""

LOOK_S = 0.2
"""Seconds between two looks at how far it is."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compact",
        help="merge memories that say the same, tidy the store",
        description=(
            "Find memories that say the same as a newer one, or that a newer one says it replaces, and show the plan."
            " --apply marks the older ones as superseded (`palimp undo` takes it back), merges the search index,"
            " shortens the log and forgets what is beyond its limits."
        ),
        epilog="Example: palimp compact; palimp compact --apply",
    )
    parser.add_argument("--apply", action="store_true", help="do it")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon, show how far it is, and print the plan or what was done."""
    caller = caller_from(options, env)
    with _Bar(env, caller, is_shown=sys.stderr.isatty() and not options.is_json):
        client = Client(env, deadline_s=COMMAND_S)
        reply: Compacted = client.call(OPERATIONS["compact"], Compact(apply=options.apply), caller)
    if options.is_json:
        print_json(reply)
    else:
        _print(reply)
    return 0


def _print(reply: Compacted) -> None:
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")
    for each in reply.merges:
        print_line(f"{each.id}  {each.title}")
        print_line(f"{dim}  → {each.into}  {each.into_title} ({each.why}){plain}")
    if not reply.total:
        print_line("Nothing says the same as something newer.")
    elif reply.is_applied:
        print_line(f"{bold}{reply.total:,} superseded by newer ones.{plain} `palimp undo` takes it back.")
    else:
        print_line(f"{bold}{reply.total:,} would be superseded by newer ones.{plain} `palimp compact --apply` does it.")
    for line in (*reply.tidied, *reply.notes):
        print_remark(line)


class _Bar:
    """A bar on the terminal that a thread of its own keeps moving while the request is waited for."""

    def __init__(self, env: Mapping[str, str], caller: Caller, *, is_shown: bool) -> None:
        self._env = env
        self._caller = caller
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True) if is_shown else None

    def __enter__(self) -> None:
        if self._thread:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._thread:
            self._thread.join()

    def _show(self) -> None:
        from rich.console import Console  # noqa: PLC0415  only here, and it is slow to import
        from rich.progress import Progress as Bar  # noqa: PLC0415

        client = Client(self._env)
        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("compact", total=None)
            while not self._is_over.wait(LOOK_S):
                made: ProgressMade = client.call(OPERATIONS["compact_progress"], Progress(), self._caller)
                bar.update(task, description=made.step or "compact", total=made.total or None, completed=made.done)
