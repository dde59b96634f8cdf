"""`palimp show`: whole memories by id."""

import argparse
from collections.abc import Mapping, Sequence

from palimp_protocol.limits import RECALL_ROWS_MAX, TITLE_CHARACTERS_MAX
from palimp_protocol.messages.memories import Recall, Recalled
from palimp_shim.cli.arguments import Commands, add_json, add_scope, recall
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_full, print_json, print_remarks


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "show",
        help=SUMMARIES["show"],
        description=(
            "Print whole memories by id, each with its history: what it replaced and what replaced it, who said so, and"
            " what narrows it or disagrees with it. What is no id may be a title that one memory has. Exits with 1 when"
            " an ID names nothing here."
        ),
        epilog="Example: palimp show m1rv7je2",
    )
    parser.add_argument("ids", nargs="+", metavar="ID", help="an id or its unambiguous beginning")
    parser.add_argument("--purged", action="store_true", help="purged ones too")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Print the memories."""
    names: list[str] = options.ids
    reply = _named(names, options, env)
    titled = {name: id_ for name in _unknown(reply, names) if (id_ := _with_title(name, options, env))}
    if titled:
        reply = _named([titled.get(name, name) for name in names], options, env)
    if options.is_json:
        print_json(reply)
    else:
        print_full(reply.memories)
        print_remarks(reply)
    return 1 if reply.unknown else 0


def _named(ids: Sequence[str], options: argparse.Namespace, env: Mapping[str, str]) -> Recalled:
    return recall(Recall(ids=[*ids], include_purged=options.purged), options, env)


def _unknown(reply: Recalled, names: Sequence[str]) -> list[str]:
    """Return those of *names* that are no ids of anything."""
    return [name for name in names if any(said.startswith(f"{name}: ") for said in reply.unknown)]


def _with_title(name: str, options: argparse.Namespace, env: Mapping[str, str]) -> str:
    """Return the id of the one memory whose title is *name*, or has it; empty: there are several, or none."""
    if not name.strip() or len(name) > TITLE_CHARACTERS_MAX:
        return ""
    request = Recall(title=name, scope="all", include_purged=options.purged, limit=RECALL_ROWS_MAX)
    found = recall(request, options, env).memories
    whole = [each for each in found if each.title.casefold() == name.strip().casefold()]
    chosen = whole or found
    return chosen[0].id if len(chosen) == 1 else ""
