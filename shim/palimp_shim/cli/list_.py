"""`palimp list`: memories, last saved first."""

import shlex
import sys

from msgspec.structs import replace

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import LISTED_MAX, RECALL_ROWS_MAX
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.text import count_of
from palimp_shim.cli.arguments import NARROWING, recall
from palimp_shim.cli.command import ALL, MINE, TEAM, Invocation, argument, command, one_of
from palimp_shim.cli.output import print_left_out, print_remark
from palimp_shim.cli.parsing import number
from palimp_shim.cli.search import print_found

ELSEWHERE = ("doc", "removed-code")
"""Kinds that are no memories: one answer; `palimp docs list` and `palimp changes log` list all."""


@command(
    "list",
    "List the project's memories, newest first; imported ones are sorted by their own dates. Exits with 1 when there"
    " are none.",
    argument(
        "--limit",
        type=number(1, LISTED_MAX),
        default=RECALL_ROWS_MAX,
        metavar="N",
        help=f"rows of a page (default {RECALL_ROWS_MAX})",
    ),
    argument(
        "--page", sets="offset", type=number(1, LISTED_MAX), default=1, metavar="N", help="which page (default 1)"
    ),
    *NARROWING,
    one_of(ALL, MINE, TEAM),
    asks=("recall",),
    example="palimp list --kind decision --since 4w; palimp list --limit 200 --page 2",
)
def run(typed: Invocation) -> int:
    """Print rows, and a remark on the next page."""
    page: int = typed.options.page
    limit: int = typed.options.limit
    first = (page - 1) * limit
    if first >= LISTED_MAX:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"--page {page:,} begins behind row {LISTED_MAX:,}.")
    request: Recall = typed.request(limit=min(limit, RECALL_ROWS_MAX), scope=typed.options.scope or "project")
    is_elsewhere = request.kind in ELSEWHERE
    reply = recall(typed, request) if is_elsewhere else _rows(typed, request, first)
    if typed.is_json or is_elsewhere or request.detail == "timeline":
        code = print_found(reply, is_json=typed.is_json)
        if not typed.is_json:
            print_left_out(reply, request.limit)
        return code
    if not reply.memories and reply.total:
        print_remark(f"Page {page} is behind the last of {count_of(reply.total, 'row')}.")
        return 1
    code = print_found(reply, is_json=False)
    if first or limit < reply.total:
        last = min(first + limit, reply.total)
        following = f"; next: {_command(page + 1)}" if last < reply.total else ""
        print_remark(f"rows {first + 1:,}–{last:,} of {reply.total:,}{following}")
    return code


def _rows(typed: Invocation, request: Recall, first: int) -> Recalled:
    wanted: int = min(typed.options.limit, LISTED_MAX - first)
    memories: dict[str, Memory] = {}
    notes: list[str] = []
    taken = 0
    while True:
        at_once = min(RECALL_ROWS_MAX, wanted - taken)
        reply = recall(typed, replace(request, offset=first + taken, limit=at_once))
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
    given = sys.argv[1:]
    kept: list[str] = []
    while given:
        word, *given = given
        if word == "--page":
            given = given[1:]
        elif not word.startswith("--page="):
            kept.append(word)
    return shlex.join(["palimp", *kept, "--page", str(page)])
