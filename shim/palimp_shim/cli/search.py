"""`palimp search`: find memories, sections of documents and removed code by words, in one list of what each is."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memories import Mark, Memory, Recall, Recalled, RowKind
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line
from palimp_shim.cli.arguments import Commands, add_description, add_json, add_scope, caller_from, recall
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import (
    HIT,
    print_full,
    print_json,
    print_left_out,
    print_line,
    print_memories,
    print_remark,
    print_remarks,
    print_timeline,
)
from palimp_shim.cli.tables import is_terminal
from palimp_shim.transport.client import Client

ELSEWHERE: Final[tuple[RowKind, ...]] = ("doc", "removed-code")
"""What is searched besides memories, by the kind of its rows: sections of documents, and removed code."""

COVERED: Final = 0.5
"""The part of what was asked for from which a section of a document may stand before memories that say less of it."""

KINDS_NAMED: Final[Mapping[str, str]] = {"doc": "Documents", "removed-code": "Pieces of removed code"}

ELSEWHERE_ROWS: Final = 3
"""Rows of each of these; `--kind` lists more."""

NOT_SAVED: Final = "From conversations and commit messages, not saved as memories:"
OF_CLAUDE: Final = "From Claude Code's own memory:"
"""What stands above their rows where these are not among the memories."""

ELSEWHERE_S: Final = 5.0
"""Seconds to wait for each of these: documents are read anew when they changed."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "search",
        help=SUMMARIES["search"],
        description=(
            "Find memories and documents by words or a question, best first, followed by matching removed code and"
            " notes of Claude Code's own memory; if no memory answers, also by conversations and commit messages."
            " --kind searches one of these alone. Times in the query (last week, in July) are understood; the answer"
            " says how. Exits with 1 when nothing is found."
        ),
        epilog="Example: palimp search why did we drop redis --kind decision",
    )
    parser.add_argument("query", nargs="*", help="words or a question; may be left out with --title")
    parser.add_argument("--explain", action="store_true", help="say why each row is where it is")
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="rows at most, 1 to 50 (default 10)")
    add_description(parser)
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Search and print the rows."""
    query = " ".join(options.query).strip()
    if not query and not (options.title or "").strip():
        hint = "Say a few words, or --title TEXT; `palimp list` takes the same options without any."
        raise PalimpError(ErrorCode.BAD_REQUEST, "There is nothing to search for.", hint)
    request = Recall(
        query=query or None,
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
    found = reply = recall(request, options, env)
    if is_for_all(request):
        sections, code = (_elsewhere(kind, request, options, env) for kind in ELSEWHERE)
        rows = among(found.memories, sections)
        reply = replace(found, memories=[*rows, *_said(found, options), *code])
    code = print_found(reply, is_json=options.is_json)
    if not options.is_json:
        print_left_out(found, options.limit)
    return code


def _said(reply: Recalled, options: argparse.Namespace) -> list[Memory]:
    """Return the rows of Claude Code's memory and of conversations that stand behind the others: for JSON none.

    There they have fields of their own.
    """
    rows = [*reply.claude_memory, *reply.conversations]
    return [] if options.is_json else [replace(row, score=None) for row in rows]


def is_for_all(request: Recall) -> bool:
    """Tell whether *request* describes what documents and removed code have, too: words, and nothing of memories."""
    narrowed = (request.kind, request.title, request.tags, request.since, request.until, request.as_of, request.detail)
    return not any(narrowed) and not request.include_purged


def mark_for(options: argparse.Namespace) -> Mark:
    """Return what is wanted around matched words: for JSON what agents get, for a terminal what no code holds."""
    return "**" if options.is_json else HIT if is_terminal() else ""


def among(memories: Sequence[Memory], sections: Sequence[Memory]) -> list[Memory]:
    """Return *memories* with *sections* of documents before those that say less of what was asked for, or behind all.

    Both keep their own order.
    """
    rows, left = list[Memory](), list(sections)
    for memory in memories:
        while left and left[0].covered >= COVERED and left[0].covered > memory.covered:
            rows.append(left.pop(0))
        rows.append(memory)
    return [*rows, *left]


def _elsewhere(kind: RowKind, request: Recall, options: argparse.Namespace, env: Mapping[str, str]) -> list[Memory]:
    """Return the best rows of documents or of removed code; none of what cannot be searched now, which is said."""
    asked = Recall(query=request.query, kind=kind, limit=ELSEWHERE_ROWS, mark=request.mark)
    client = Client(env, deadline_s=ELSEWHERE_S)
    try:
        found: Recalled = client.call(OPERATIONS["recall"], asked, caller_from(options, env))
    except PalimpError as error:
        print_remark(f"{KINDS_NAMED[kind]} were not searched: {error.text}")
        return []
    # Their scores are on scales of their own, and documents know one mark only.
    return [replace(row, score=None, snippet=row.snippet.replace("**", asked.mark)) for row in found.memories]


def print_found(reply: Recalled, *, is_json: bool) -> int:
    """Print what a search or list came to; return the exit code."""
    is_found = bool(reply.memories or reply.timeline or reply.conversations or reply.claude_memory)
    if is_json:
        print_json(reply)
        return 0 if is_found else 1
    _PRINTERS[reply.detail](reply)
    _print_beside(reply, reply.claude_memory, OF_CLAUDE)
    _print_beside(reply, reply.conversations, NOT_SAVED)
    print_remarks(reply)
    if not is_found and not (reply.notes or reply.unrelated):
        print_line(f"No memory matches {one_line(reply.query)}." if reply.query else "Nothing is stored here yet.")
    if reply.unrelated:
        print_line("No memory answers it." if is_found else f"No memory answers {one_line(reply.query)}.")
        print_line("Perhaps:" if reply.is_near else "Probably unrelated:")
        print_memories(replace(reply, memories=reply.unrelated))
    return 0 if is_found else 1


def _print_beside(reply: Recalled, beside: Sequence[Memory], heading: str) -> None:
    """Print what of *beside* does not stand among the memories: these are narrowed, or are no rows."""
    printed = {each.id for each in reply.memories}
    rows = [replace(each, score=None) for each in beside if each.id not in printed]
    if rows:
        print_line(("\n" if reply.memories or reply.timeline else "") + heading)
        print_memories(replace(reply, memories=rows))


_PRINTERS: Final[Mapping[str, Callable[[Recalled], None]]] = {
    "compact": print_memories,
    "timeline": print_timeline,
    "full": lambda reply: print_full(reply.memories),
}
