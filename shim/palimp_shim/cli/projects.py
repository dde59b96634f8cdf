"""`palimp projects`: what is known of which folder, and which project a folder is."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.projects import KnownProject, LinkProject, ProjectLinked, ProjectList, Projects
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, shown_name
from palimp_shim.cli.arguments import Commands, Run, add_json, add_subcommand, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import day, print_json, print_line, print_remark
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its subcommands; without one, it lists."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "projects",
        help=SUMMARIES["projects"],
        description=(
            "List known projects, most recently active first. A project is identified by its folder. After moving or"
            " renaming the folder, run `palimp adopt FORMER` in the new one to keep its memories. To make a second"
            " clone, a submodule or a subfolder share another folder's project, run `palimp projects link OTHER` in it."
        ),
        epilog="Example: palimp projects; cd ~/work/second-clone && palimp projects link ~/work/first-clone",
    )
    add_json(parser)
    parser.set_defaults(run=run)
    subcommands = parser.add_subparsers(metavar="COMMAND")
    listing = subcommands.add_parser("list", help="list the projects", description="List the projects.")
    add_json(listing)
    listing.set_defaults(run=run)
    link = add_subcommand(
        subcommands,
        "link",
        "share the project of another clone of this repository, or of a folder around this one",
        _saying("link"),
    )
    link.add_argument("other", help="the other folder, as `palimp projects` shows it")
    add_subcommand(subcommands, "unlink", "undo a link: this folder is a project of its own again", _saying("unlink"))
    add_subcommand(subcommands, "same", "the repository here is still the same project", _saying("same"))
    add_subcommand(subcommands, "new", "the repository here is a different one: start a new project", _saying("new"))


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """List projects."""
    reply: ProjectList = Client(env).call(OPERATIONS["projects"], Projects(), _here(env))
    if options.is_json:
        print_json(reply)
    elif not reply.projects:
        print_line("No projects yet.")
    elif is_terminal():
        _print_table(reply)
    else:
        for each in reply.projects:
            print_line("\t".join([shown_name(each.root), *_named_cells(each)]))
    if reply.total > len(reply.projects):
        print_remark(f"{len(reply.projects)} of {reply.total} shown.")
    if any(each.is_gone or each.leads_to for each in reply.projects) and not options.is_json:
        print_remark(
            "Folders that are gone, or lead elsewhere, may have been moved: `palimp adopt FORMER` in the present one."
        )
    for note in reply.notes:
        print_remark(note)
    return 0 if reply.projects else 1


def _here(env: Mapping[str, str]) -> Caller:
    """Return who asks, for what is to be said of the working folder; nobody in particular where it is gone."""
    try:
        return caller_from(argparse.Namespace(project=None, is_global=False), env)
    except PalimpError:
        return Caller(None)


def _saying(action: str) -> Run:
    """Return what says *action* of the working folder's project."""

    def say(options: argparse.Namespace, env: Mapping[str, str]) -> int:
        root = str(Path(options.other).expanduser().absolute()) if action == "link" else ""
        request = LinkProject(action=action, root=root)  # pyright: ignore[reportArgumentType]  one of the four
        reply: ProjectLinked = Client(env).call(OPERATIONS["link_project"], request, caller_from(options, env))
        if options.is_json:
            print_json(reply)
        else:
            print_line(_done(reply))
        return 0

    return say


def _done(reply: ProjectLinked) -> str:
    """Return a sentence on what was done."""
    memories = counted(reply.memories, "memory")
    beside = f", beside the {counted(reply.joined, 'memory')} that this folder had" if reply.joined else ""
    if reply.action == "link":
        return (
            f"This folder is one project with {reply.root} now: {memories}{beside}. `palimp projects unlink` undoes it."
        )
    if reply.action == "unlink":
        return (
            f"This folder is a project of its own again, with the {memories} that it had. Memories saved since stay"
            f" with {reply.root}."
        )
    if reply.action == "same":
        return (
            f"This folder is the project that it was: {memories}, with what was saved since."
            " `palimp projects new` undoes it."
        )
    return (
        f"This folder is a project of its own. The {memories} of the repository before are kept as {reply.root};"
        " `palimp projects same` undoes it."
    )


def _cells(each: KnownProject) -> list[str]:
    numbers = (each.memories, each.removed, each.sessions)
    return [*map(str, numbers), day(each.last_at) if each.last_at else "", _state(each)]


def _named_cells(each: KnownProject) -> list[str]:
    """Return the cells of a line without a heading: each number with what it counts."""
    memories, pieces = counted(each.memories, "memory"), f"{counted(each.removed, 'piece')} of removed code"
    return [memories, pieces, counted(each.sessions, "session"), *_cells(each)[3:]]


def _state(each: KnownProject) -> str:
    if each.linked_to:
        return f"linked with {each.linked_to}"
    if each.root.startswith("palimp:before/"):
        return "another repository is there now"
    if each.leads_to:
        return f"leads to {shown_name(each.leads_to)}"
    return "gone" if each.is_gone else "off" if each.is_off else ""


def _print_table(reply: ProjectList) -> None:
    columns = [Column("folder", "cyan", is_text=True)]
    columns += [Column(name, is_number=True) for name in ("memories", "removed", "sessions")]
    columns += [Column("last"), Column("", "yellow")]
    print_table(columns, [[shown_name(each.root), *_cells(each)] for each in reply.projects])
