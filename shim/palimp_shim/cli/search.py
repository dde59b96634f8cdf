"""`palimp search`: find memories, documents' sections and removed code, in one list."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memory_messages import Mark, Memory, Recall, Recalled, RowKind
from palimp_protocol.text import one_line
from palimp_shim.cli.arguments import NARROWING, recall
from palimp_shim.cli.command import MINE, TEAM, Invocation, argument, choice, command, flag, one_of
from palimp_shim.cli.output import (
    HIT,
    print_full,
    print_json,
    print_left_out,
    print_line,
    print_memories,
    print_notes,
    print_remark,
    print_remarks,
    print_timeline,
)
from palimp_shim.cli.tables import is_terminal

ELSEWHERE: Final[tuple[RowKind, ...]] = ("doc", "removed-code")
"""Kinds searched besides memories: documents' sections, and removed code."""

COVERED: Final = 0.5
"""Share of the question that a document's section must cover to stand before memories covering less."""

KINDS_NAMED: Final[Mapping[str, str]] = {"doc": "Documents", "removed-code": "Pieces of removed code"}

ELSEWHERE_ROWS: Final = 3
"""Rows of each of these; `--kind` lists more."""

NOT_SAVED: Final = "From conversations and commit messages, not saved as memories:"
OF_AGENTS: Final = "From agents' own memories:"
"""Headings of rows shown apart from memories."""

ELSEWHERE_S: Final = 5.0
"""Seconds to wait for each of these: changed documents are read anew."""


@command(
    "search",
    "Find memories and documents by words or a question, best first, followed by matching removed code and notes of"
    " Claude Code's own memory; if no memory answers, also by conversations and commit messages. --kind searches one of"
    " these alone. Times in the query (last week, in July) are understood; the answer says how. Exits with 1 when"
    " nothing is found.",
    argument("query", nargs="*", help="words or a question; may be left out with --title"),
    flag("--explain", "say in words why each row is where it is, and its score"),
    argument("--limit", type=int, default=10, metavar="N", help="rows at most, 1 to 50 (default 10)"),
    *NARROWING,
    one_of(
        choice(
            "--no-global",
            "only what was saved in this project, not what was saved for all projects",
            "scope",
            "project",
        ),
        MINE,
        TEAM,
    ),
    asks=("recall",),
    example="palimp search why did we drop redis --kind decision",
    unset={
        "action": "the command says it",
        "id": "`palimp show` does it",
        "about": "`palimp about` does it",
        "offset": "`palimp list` does it",
        "mark": "a terminal shows it otherwise",
        "client": "a filter of the page",
        "author": "a filter of the page",
    },
)
def run(typed: Invocation) -> int:
    """Search and print rows."""
    query = " ".join(typed.options.query).strip()
    if not query and not (typed.options.title or "").strip():
        hint = "Say a few words, or --title TEXT; `palimp list` takes the same options without any."
        raise PalimpError(ErrorCode.BAD_REQUEST, "There is nothing to search for.", hint)
    # For JSON what agents get, for a terminal what no code holds.
    mark: Mark = "**" if typed.is_json else HIT if is_terminal() else ""
    request: Recall = typed.request(query=query or None, mark=mark)
    found = reply = recall(typed, request)
    if _is_for_all(request):
        sections, code = (_elsewhere(typed, kind, request) for kind in ELSEWHERE)
        # In JSON, rows of Claude Code's memory and of conversations have fields of their own.
        beside = [] if typed.is_json else [*found.claude_memory, *found.conversations]
        reply = replace(found, memories=[*among(found.memories, sections), *beside, *code])
    exit_code = print_found(reply if request.explain else _without_parts(reply), is_json=typed.is_json)
    if not typed.is_json:
        print_left_out(found, typed.options.limit)
    if exit_code and not typed.is_json:  # a list says whose memories may be meant, where there are none
        print_notes(*recall(typed, Recall(limit=1)).notes)
    return exit_code


def _without_parts(reply: Recalled) -> Recalled:
    memories, unrelated = ([replace(row, covered=None) for row in rows] for rows in (reply.memories, reply.unrelated))
    return replace(reply, memories=memories, unrelated=unrelated)


def _is_for_all(request: Recall) -> bool:
    narrowed = (request.kind, request.title, request.tags, request.since, request.until, request.as_of, request.detail)
    return not any(narrowed) and not request.include_purged and request.scope not in ("mine", "team")


def among(memories: Sequence[Memory], sections: Sequence[Memory]) -> list[Memory]:
    """Return *memories* with each of *sections* before memories that answer less, or last."""
    rows, left = list[Memory](), list(sections)
    for memory in memories:
        while left and (part := left[0].covered or 0.0) >= COVERED and part > (memory.covered or 0.0):
            rows.append(left.pop(0))
        rows.append(memory)
    return [*rows, *left]


def _elsewhere(typed: Invocation, kind: RowKind, request: Recall) -> list[Memory]:
    asked = Recall(query=request.query, kind=kind, limit=ELSEWHERE_ROWS, mark=request.mark, explain=request.explain)
    try:
        found: Recalled = typed.ask(asked, within_s=ELSEWHERE_S)
    except PalimpError as error:
        print_remark(f"{KINDS_NAMED[kind]} were not searched: {error.text}")
        return []
    # Documents know one mark only.
    return [replace(row, snippet=row.snippet.replace("**", asked.mark)) for row in found.memories]


def print_found(reply: Recalled, *, is_json: bool) -> int:
    """Print a search or list; return the exit code."""
    is_found = bool(reply.memories or reply.timeline or reply.conversations or reply.claude_memory or reply.is_near)
    if is_json:  # what perhaps answers stands where a script looks; `is_near` tells it
        print_json(_with_near(reply))
        return 0 if is_found else 1
    _PRINTERS[reply.detail](reply)
    _print_beside(reply, reply.claude_memory, OF_AGENTS)
    _print_beside(reply, reply.conversations, NOT_SAVED)
    print_remarks(reply)
    if not is_found and not (reply.notes or reply.unrelated):
        print_line(f"No memory matches {one_line(reply.query)}." if reply.query else "Nothing is stored here yet.")
    if reply.unrelated:
        answers = "surely answers" if reply.is_near else "answers"
        beside = reply.conversations or reply.claude_memory
        print_line(f"No memory {answers} {'it' if beside else one_line(reply.query)}.")
        print_line("Perhaps:" if reply.is_near else "Probably unrelated:")
        print_memories(replace(reply, memories=reply.unrelated))
    return 0 if is_found else 1


def _with_near(reply: Recalled) -> Recalled:
    return replace(reply, memories=[*reply.memories, *reply.unrelated], unrelated=[]) if reply.is_near else reply


def _print_beside(reply: Recalled, beside: Sequence[Memory], heading: str) -> None:
    printed = {each.id for each in reply.memories}
    rows = [each for each in beside if each.id not in printed]
    if rows:
        print_line(("\n" if reply.memories or reply.timeline else "") + heading)
        print_memories(replace(reply, memories=rows))


_PRINTERS: Final[Mapping[str, Callable[[Recalled], None]]] = {
    "compact": print_memories,
    "timeline": print_timeline,
    "full": lambda reply: print_full(reply.memories),
}
