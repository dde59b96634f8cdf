"""`palimp delete`: purge memories, which `palimp restore` takes back; or, with --hard, erase them for good."""

import argparse
from collections.abc import Mapping
from typing import Final, Literal

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.memories import Recall
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line, quoted
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from, confirm, recall
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark, print_remarks
from palimp_shim.cli.progress import WaitingBar
from palimp_shim.transport.client import Client

ERASE_S: Final = 600.0
"""Seconds in which the database must have been written anew: gigabytes take minutes."""

OTHERS: Final = (("h", "piece", " of removed code"), ("t", "turn", ""), ("c", "commit", ""))
"""What ids are of that are of no memory: their first letter, and words for it."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "delete",
        help=SUMMARIES["delete"],
        description=(
            "Purge memories by id: they are no longer found, and can be restored. With --hard they are erased for good,"
            " and so are removed code (h12, see `palimp changes log`), turns of conversations (t…) and commit messages"
            " (c…): also from the indexes, the WAL and the free pages of the database. That takes seconds in which"
            " others wait, is finished at the next start when it is interrupted, and does not reach backups, exports,"
            " git, and the files in which clients keep their sessions; palimp does not read an erased turn from there"
            " again. Former texts of documents: `palimp docs forget`."
        ),
        epilog="Example: palimp delete m1rv7je2 m1rv7hqx; palimp restore m1rv7je2; palimp delete --hard m1rv7je2 h12",
    )
    add_ids(parser, needs_one=False)
    parser.add_argument(
        "--session",
        metavar="KEY",
        default="",
        help="with --hard: this project's turns of the session KEY, which `palimp show t…` names",
    )
    parser.add_argument(
        "--containing",
        metavar="TEXT",
        default="",
        help="with --hard: turns and commits of this project that contain TEXT, in these letters",
    )
    parser.add_argument(
        "--conversations", action="store_true", help="with --hard: all turns and commits of this project"
    )
    parser.add_argument("--hard", action="store_true", help="erase for good, purged or not")
    parser.add_argument("--yes", action="store_true", help="with --hard: do not ask")
    parser.set_defaults(run=run)


def add_ids(parser: argparse.ArgumentParser, *, needs_one: bool = True) -> None:
    """Add the ids and the options that purging and restoring share."""
    parser.add_argument("ids", nargs="+" if needs_one else "*", metavar="ID", help="an id or its unambiguous beginning")
    add_scope(parser)
    add_json(parser)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Purge or erase the memories.

    Raises:
        PalimpError: nothing is named; or conversations are, and are not to be erased for good.
    """
    is_wide = bool(options.session or options.containing or options.conversations)
    if is_wide and not options.hard:
        raise PalimpError(
            ErrorCode.BAD_REQUEST, "Turns and commits cannot be purged, only erased for good.", "Add --hard."
        )
    if not (options.ids or is_wide):
        raise PalimpError(ErrorCode.BAD_REQUEST, "No id is named.", "`palimp list` and `palimp search` show ids.")
    return _erase(options, env) if options.hard else change("purge", "Purged", options, env)


def _erase(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Erase the memories and say which; exit with 1 when an id names nothing here."""
    if not options.yes:
        meant = _meant(options)
        confirm(f"{meant[:1].upper()}{meant[1:]} will be gone for good.", "--hard")
    client = Client(env, deadline_s=ERASE_S)
    with WaitingBar("erasing"):
        reply: Erased = client.call(OPERATIONS["erase"], _request(options), caller_from(options, env))
    return print_erased(reply, is_json=options.is_json)


def _request(options: argparse.Namespace) -> Erase:
    return Erase(
        ids=options.ids,
        session=options.session,
        containing=options.containing,
        all_turns=options.conversations,
    )


def _meant(options: argparse.Namespace) -> str:
    """Return what is to be erased, in words."""
    parts = [_named(options.ids)] if options.ids else []
    parts += [f"all turns of session {options.session}"] if options.session else []
    all_of = "all turns and commits of this project"
    parts += [f"{all_of} that contain {quoted(options.containing)}"] if options.containing else []
    parts += [all_of] if options.conversations else []
    return " and ".join(parts)


def _named(ids: list[str]) -> str:
    """Return how many memories and other things *ids* are, in words: their first letters tell."""
    letters = [each.strip().lower()[:1] for each in ids]
    others = [(noun, more, letters.count(letter)) for letter, noun, more in OTHERS]
    named = [("memory", "", len(ids) - sum(count for *_, count in others)), *others]
    *parts, last = [f"{counted(count, noun)}{more}" for noun, more, count in named if count]
    return f"{', '.join(parts)} and {last}" if parts else last


def print_erased(reply: Erased, *, is_json: bool) -> int:
    """Print what was erased; return 1 when something named is unknown, or is still in the file."""
    if is_json:
        print_json(reply)
    else:
        for shown, title in reply.memories:
            print_line(f"Erased {shown} {one_line(title)}".rstrip())
        if reply.turns:
            print_line(f"Erased {reply.turns:,} turns and commits." if reply.turns > 1 else "Erased 1 turn or commit.")
    for said in (*reply.unknown, *reply.notes):
        print_remark(said)
    return 1 if reply.unknown or reply.is_pending else 0


def change(action: Literal["purge", "restore"], done: str, options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Purge or restore the memories and say which; exit with 1 when an id names nothing here."""
    reply = recall(Recall(ids=options.ids, action=action), options, env)
    if options.is_json:
        print_json(reply)
    else:
        for memory in reply.memories:
            print_line(f"{done} {memory.id} {one_line(memory.title)}")
        print_remarks(reply)
    return 1 if reply.unknown else 0
