"""`palimp projects`: what is known of which folder."""

import argparse
from collections.abc import Mapping

from palimp_protocol.operations import Caller
from palimp_protocol.table import OPERATIONS
from palimp_protocol.upkeep import KnownProject, ProjectList, Projects
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.output import day, print_json, print_line, print_remark
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "projects",
        help="what is known of which folder, and which are gone",
        description=(
            "List the projects that something is known of, the one in which something was done last first. A project"
            " is its folder: when that was moved or renamed, `palimp adopt FORMER`, in the folder where it is"
            " now, lets it have what is known of the former one."
        ),
        epilog="Example: palimp projects; cd ~/work/new-name && palimp adopt ~/work/old-name",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """List projects."""
    reply: ProjectList = Client(env).call(OPERATIONS["projects"], Projects(), Caller(None))
    if options.is_json:
        print_json(reply)
    elif not reply.projects:
        print_line("Nothing is known of any project yet.")
    elif is_terminal():
        _print_table(reply)
    else:
        for each in reply.projects:
            print_line("\t".join([each.root, *_cells(each)]))
    if reply.total > len(reply.projects):
        print_remark(f"{len(reply.projects)} of {reply.total} shown.")
    if any(each.is_gone for each in reply.projects) and not options.is_json:
        print_remark("Folders that are gone may have been moved: `palimp adopt FORMER` in the present one.")
    return 0 if reply.projects else 1


def _cells(each: KnownProject) -> list[str]:
    numbers = (each.memories, each.removed, each.sessions)
    return [
        *map(str, numbers),
        day(each.last_at) if each.last_at else "",
        "gone" if each.is_gone else "off" if each.is_off else "",
    ]


def _print_table(reply: ProjectList) -> None:
    columns = [Column("folder", "cyan", is_text=True)]
    columns += [Column(name, is_number=True) for name in ("memories", "removed", "sessions")]
    columns += [Column("last"), Column("", "yellow")]
    print_table(columns, [[each.root, *_cells(each)] for each in reply.projects])
