"""`palimp mute`: memories that no session is shown unasked any more."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.links import Mute, Muted
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import day, print_json, print_line, print_remark
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "mute",
        help=SUMMARIES["mute"],
        description=(
            "Mute memories: sessions are no longer shown them at their start, with prompts or before actions; recall,"
            " search and list still find them. Without an id, list muted memories. A replacement of a muted memory is"
            " not muted. Pinning unmutes, muting unpins."
        ),
        epilog="Example: palimp mute m1rv7je2; palimp mute; palimp mute --off m1rv7je2",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="an id or its unambiguous beginning; none: list them")
    parser.add_argument("--off", action="store_true", help="unmute them")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and say what is muted now; exit with 1 when an id names nothing here."""
    request = Mute(ids=options.ids, off=options.off)
    reply: Muted = Client(env).call(OPERATIONS["mute"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    elif options.ids:
        for memory in reply.memories:
            print_line(f"{'Not muted any more:' if options.off else 'Muted'} {memory.id} {one_line(memory.title)}")
        for memory_id in reply.unchanged:
            print_remark(f"{memory_id}: {'not muted' if options.off else 'muted already'}")
        for said in reply.unknown:
            print_remark(said)
    else:
        _print_list(reply)
    return 1 if reply.unknown else 0


def _print_list(reply: Muted) -> None:
    rows = [[each.id, one_line(each.title), day(each.at)] for each in reply.muted]
    if is_terminal():
        print_table([Column("id", "cyan"), Column("memory", is_text=True), Column("muted", "dim")], rows)
    else:
        for row in rows:
            print_line("\t".join(row))
    if not reply.total:
        print_remark("Nothing is muted here.", "`palimp sessions ID` says which memories a session was told.")
    elif reply.total > len(reply.muted):
        print_remark(f"{len(reply.muted)} of {counted(reply.total, 'muted memory')} shown.")
