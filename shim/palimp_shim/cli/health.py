"""`palimp health`: how the daemon and its store are."""

import argparse
from collections.abc import Mapping

from palimp_protocol import __version__
from palimp_protocol.operations import Caller, DaemonHealth, Health, StoreHealth
from palimp_protocol.table import OPERATIONS
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.output import has_colour, minute, print_json, print_line
from palimp_shim.client import Client

EXIT_DEGRADED = 4


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "health",
        help="versions, counts, sizes, and what is wrong",
        description="Report how the daemon and its store are. Exits with 4 when the store cannot be used.",
        epilog="Example: palimp health --json | jq .store.memories",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon, starting it if need be, and print its answer."""
    reply: DaemonHealth = Client(env).call(OPERATIONS["health"], Health(), Caller())
    if options.is_json:
        print_json(reply)
    else:
        _print(reply)
    return EXIT_DEGRADED if reply.problem else 0


def _print(reply: DaemonHealth) -> None:
    red, bold, plain = ("\033[1;31m", "\033[1m", "\033[0m") if has_colour() else ("", "", "")
    facts = [
        ("daemon", f"{reply.version}, pid {reply.pid}, up {reply.uptime_s:,.0f} s (this client: {__version__})"),
        ("socket", reply.socket),
        ("sessions", str(reply.peers)),
        ("waiting", f"{reply.mailbox_jobs} jobs"),
        *(_store_facts(reply.store) if reply.store else []),
    ]
    if reply.problem:
        facts.append((f"{red}PROBLEM{plain}", f"{reply.problem} {reply.hint}"))
    for name, value in facts:
        print_line(f"{bold}{name:<10}{plain} {value}")


def _store_facts(store: StoreHealth) -> list[tuple[str, str]]:
    kinds = ", ".join(f"{entry.count} {entry.kind}" for entry in store.kinds)
    return [
        ("database", store.path),
        ("schema", f"{store.schema}, SQLite {store.sqlite}, search engine {store.engine}"),
        ("memories", f"{store.memories} in {store.projects} projects" + (f" ({kinds})" if kinds else "")),
        ("purged", str(store.purged)),
        ("removed", f"pieces of code: {store.removed_hunks:,}, {store.removed_bytes / 1e6:,.1f} MB{_counted(store)}"),
        ("last save", minute(store.last_saved_at) if store.last_saved_at else "never"),
        ("size", f"{store.database_bytes / 1e6:,.1f} MB, log {store.wal_bytes / 1e6:,.1f} MB"),
        ("disk free", f"{store.disk_free_bytes / 1e9:,.1f} GB"),
    ]


def _counted(store: StoreHealth) -> str:
    """Return what came of checking edits, in words."""
    return "".join(f"; {name.replace('_', ' ')} {count:,}" for name, count in store.counters.items())
