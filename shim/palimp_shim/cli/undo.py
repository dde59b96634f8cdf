"""`palimp undo`: take back what replaced memories."""

import argparse
from collections.abc import Mapping
from typing import Final

from palimp_protocol.messages.links import Change, Deed, DeedKind, Undo, Undone
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import has_colour, minute, print_json, print_line, print_remark
from palimp_shim.cli.supersede import DOES
from palimp_shim.transport.client import Client

SAID: Final[dict[DeedKind, str]] = {
    "compact": "a compact",
    "supersede": "a supersede",
    "edit": "an edit",
    "save": "a save",
}
"""What was done, in words."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "undo",
        help=SUMMARIES["undo"],
        description=(
            "Undo the last operation that replaced memories of this project: a `palimp compact --apply`, `supersede`,"
            " `edit`, or a save with replacements. Run it again to undo the one before. With an ID, undo the last one"
            " about that memory, or that link. Undoing an edit purges the version it made."
        ),
        epilog="Example: palimp undo; palimp undo --list; palimp undo m1rv7je2; palimp undo link12",
    )
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="a memory, or what --list calls it")
    parser.add_argument("--list", action="store_true", help="only list what could be undone")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and print what was taken back, or could be; exit with 1 where a list is empty."""
    request = Undo(id=options.id, list=options.list)
    reply: Undone = Client(env).call(OPERATIONS["undo"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    elif options.list:
        _print_list(reply)
    else:
        _print_undone(reply)
    return 1 if options.list and not reply.deeds else 0


def _print_list(reply: Undone) -> None:
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")
    for deed in reply.deeds:
        print_line(f"{bold}{deed.name}{plain}  {minute(deed.at)}  {SAID[deed.kind]}")
        for change in deed.changes:
            print_line(f"{dim}  {_told(change)}{plain}")
        if deed.total > len(deed.changes):
            print_line(f"{dim}  and {deed.total - len(deed.changes):,} more{plain}")
    if not reply.deeds:
        print_line("There is nothing here that could be undone.")
    elif reply.total > len(reply.deeds):
        print_remark(f"{len(reply.deeds):,} of {reply.total:,} shown.")


def _print_undone(reply: Undone) -> None:
    if reply.undone is not None:
        print_line(f"Undone: {SAID[reply.undone.kind]} of {minute(reply.made_at)}.")
        for change in _told_changes(reply.undone):
            print_line(f"  {change}")
    if reply.memories:
        print_line(f"{counted(reply.memories, 'memory')} brought back.")
    for memory_id in reply.left:
        print_remark(f"{memory_id} was purged or replaced since, and stays so.")


def _told_changes(deed: Deed) -> list[str]:
    return ["it was: " + _told(change) for change in deed.changes]


def _told(change: Change) -> str:
    newer, older = change.newer, change.older
    return f"{newer.id} {one_line(newer.title)} — {DOES[change.relation]} {older.id} {one_line(older.title)}"
