"""`palimp search`: find memories by words."""

import argparse
import shlex
from collections.abc import Callable, Mapping
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.documents import DocList, ListDocs
from palimp_protocol.messages.memories import Mark, Recall, Recalled
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line
from palimp_shim.cli.arguments import Commands, add_description, add_json, add_scope, caller_from, recall
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import (
    HIT,
    print_full,
    print_json,
    print_line,
    print_memories,
    print_remark,
    print_remarks,
    print_timeline,
)
from palimp_shim.cli.tables import is_terminal
from palimp_shim.transport.client import Client

DOCUMENTS_S: Final = 2.0
"""Seconds to wait for the list of documents: it is only for a remark."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "search",
        help=SUMMARIES["search"],
        description="Find memories by words or a question, best first. Exits with 1 when nothing is found.",
        epilog="Example: palimp search why did we drop redis --kind decision",
    )
    parser.add_argument("query", nargs="+", help="words or a question")
    parser.add_argument("--explain", action="store_true", help="say why each row is where it is")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="rows at most, 1 to 50 (default 10)")
    add_description(parser)
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Search and print the rows."""
    if not "".join(options.query).strip():
        raise PalimpError(ErrorCode.BAD_REQUEST, "The query is blank.", "Say a few words, or see `palimp list`.")
    request = Recall(
        query=" ".join(options.query),
        title=options.title,
        kind=options.kind,
        detail=options.detail,
        tags=options.tags,
        limit=options.limit,
        include_purged=options.purged,
        scope="all" if options.is_all else "project",
        explain=options.explain,
        since=options.since,
        until=options.until,
        as_of=options.as_of,
        mark=mark_for(options),
    )
    reply = recall(request, options, env)
    code = print_found(reply, is_json=options.is_json)
    if options.kind is None and not options.is_json and (is_terminal() or not reply.memories):
        _tell_of_documents(request.query or "", options, env)
    return code


def mark_for(options: argparse.Namespace) -> Mark:
    """Return what is wanted around matched words: for JSON what agents get, for a terminal what no code holds."""
    return "**" if options.is_json else HIT if is_terminal() else ""


def _tell_of_documents(query: str, options: argparse.Namespace, env: Mapping[str, str]) -> None:
    """Say that the project's documents were not looked into, if it has some. Nothing is waited for long."""
    client = Client(env, deadline_s=DOCUMENTS_S)
    try:
        listing: DocList = client.call(OPERATIONS["list_docs"], ListDocs(), caller_from(options, env))
    except PalimpError:
        return  # whoever asks for documents is told
    if listing.docs:
        are = "is" if len(listing.docs) == 1 else "are"
        how = shlex.join(["palimp", "docs", "search", "--ranked", query])
        print_remark(f"{counted(len(listing.docs), 'document')} {are} not searched here: {how}")


def print_found(reply: Recalled, *, is_json: bool) -> int:
    """Print what a search or list came to; return the exit code."""
    if is_json:
        print_json(reply)
    else:
        _PRINTERS[reply.detail](reply)
        print_remarks(reply)
        if not reply.memories and not reply.timeline and not reply.notes:
            print_line(f"No memory matches {one_line(reply.query)}." if reply.query else "Nothing is stored here yet.")
    return 0 if reply.memories or reply.timeline else 1


_PRINTERS: Final[Mapping[str, Callable[[Recalled], None]]] = {
    "compact": print_memories,
    "timeline": print_timeline,
    "full": lambda reply: print_full(reply.memories),
}
