"""`palimp list`: memories, the one that was saved last first."""

import argparse
import shlex
import sys
from collections.abc import Mapping

from msgspec.structs import replace

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import LISTED_MAX, RECALL_ROWS_MAX
from palimp_protocol.messages.memories import Memory, Recall, Recalled
from palimp_shim.cli.arguments import Commands, add_description, add_json, add_scope, recall
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_left_out, print_remark
from palimp_shim.cli.parsing import number
from palimp_shim.cli.search import print_found

ELSEWHERE = ("doc", "removed-code")
"""Kinds of rows that are no memories: they come in one answer, and `palimp docs list` and `palimp changes log` list
them all."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "list",
        help=SUMMARIES["list"],
        description=(
            "List the project's memories, newest first; imported ones are sorted by their own dates. Exits with 1 when"
            " there are none."
        ),
        epilog="Example: palimp list --kind decision --since 4w; palimp list --limit 200 --page 2",
    )
    parser.add_argument(
        "--limit",
        type=number(1, LISTED_MAX),
        default=RECALL_ROWS_MAX,
        metavar="N",
        help=f"rows of a page (default {RECALL_ROWS_MAX})",
    )
    parser.add_argument("--page", type=number(1, LISTED_MAX), default=1, metavar="N", help="which page (default 1)")
    add_description(parser)
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """List and print the rows, and say what is on the next page."""
    first = (options.page - 1) * options.limit
    if first >= LISTED_MAX:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"--page {options.page:,} begins behind row {LISTED_MAX:,}.")
    request = Recall(
        title=options.title,
        kind=options.kind,
        detail=options.detail,
        tags=options.tags,
        include_purged=options.purged,
        scope="all" if options.is_all else "project",
        since=options.since,
        until=options.until,
        as_of=options.as_of,
    )
    is_elsewhere = options.kind in ELSEWHERE
    reply = _elsewhere(request, options, env) if is_elsewhere else _rows(request, first, options, env)
    if options.is_json or is_elsewhere or options.detail == "timeline":
        code = print_found(reply, is_json=options.is_json)
        if not options.is_json:
            print_left_out(reply, min(options.limit, RECALL_ROWS_MAX))
        return code
    if not reply.memories and reply.total:
        print_remark(f"Page {options.page} is behind the last of {reply.total:,} rows.")
        return 1
    code = print_found(reply, is_json=False)
    if first or options.limit < reply.total:
        last = min(first + options.limit, reply.total)
        following = f"; next: {_command(options.page + 1)}" if last < reply.total else ""
        print_remark(f"rows {first + 1:,}–{last:,} of {reply.total:,}{following}")
    return code


def _elsewhere(request: Recall, options: argparse.Namespace, env: Mapping[str, str]) -> Recalled:
    return recall(replace(request, limit=min(options.limit, RECALL_ROWS_MAX)), options, env)


def _rows(request: Recall, first: int, options: argparse.Namespace, env: Mapping[str, str]) -> Recalled:
    """Return the rows from the one numbered *first* on, however many requests they take."""
    wanted: int = min(options.limit, LISTED_MAX - first)
    memories: dict[str, Memory] = {}
    notes: list[str] = []
    taken = 0
    while True:
        at_once = min(RECALL_ROWS_MAX, wanted - taken)
        reply = recall(replace(request, offset=first + taken, limit=at_once), options, env)
        if reply.timeline:
            return reply  # what stands beside the rows of one request
        # What is saved meanwhile moves the rows on; none is shown twice.
        memories |= {each.id: each for each in reply.memories}
        notes += reply.notes
        taken += at_once
        # Not by the rows: of those that say the same one is shown.
        if taken >= wanted or first + taken >= reply.total:
            return replace(reply, memories=list(memories.values()), notes=list(dict.fromkeys(notes)))


def _command(page: int) -> str:
    """Return this command for another *page*."""
    given = sys.argv[1:]
    kept: list[str] = []
    while given:
        word, *given = given
        if word == "--page":
            given = given[1:]
        elif not word.startswith("--page="):
            kept.append(word)
    return shlex.join(["palimp", *kept, "--page", str(page)])
