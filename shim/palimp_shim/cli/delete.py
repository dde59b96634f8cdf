"""`palimp delete` and `palimp restore`: purge memories and revert that; with --hard, erase them for good."""

from typing import Final, Literal

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.memory_messages import Recall
from palimp_protocol.text import count_of, one_line, quote_text
from palimp_shim.cli.arguments import confirm, recall
from palimp_shim.cli.command import IDS, Invocation, argument, command, flag
from palimp_shim.cli.output import print_json, print_line, print_notes, print_remarks

ERASE_S: Final = 600.0
"""Seconds for rewriting the database: gigabytes take minutes."""

OTHERS: Final = (("h", "piece", " of removed code"), ("t", "turn", ""), ("c", "commit", ""))
"""First letters of other ids than memories', with words for these."""


@command(
    "delete",
    "Purge memories by id: they are no longer found, and can be restored. With --hard they are erased for good, and so"
    " are removed code (h12, see `palimp changes log`), turns of conversations (t…) and commit messages (c…): also from"
    " the indexes, the WAL and the free pages of the database. That takes seconds in which others wait, is finished at"
    " the next start when it is interrupted, and does not reach backups, exports, git, and the files in which clients"
    " keep their sessions; palimp does not read an erased turn from there again. Former texts of documents: `palimp"
    " docs forget`.",
    argument("ids", nargs="*", metavar="ID", help="an id or its unambiguous beginning"),
    argument(
        "--session",
        metavar="KEY",
        default="",
        help="with --hard: this project's turns of the session KEY, which `palimp show t…` names",
    ),
    argument(
        "--containing",
        metavar="TEXT",
        default="",
        help="with --hard: turns and commits of this project that contain TEXT, in these letters",
    ),
    flag("--conversations", "with --hard: all turns and commits of this project", "all_turns"),
    flag("--hard", "erase for good, purged or not"),
    flag("--yes", "with --hard: do not ask"),
    asks=("erase", "recall"),
    example="palimp delete m1rv7je2 m1rv7hqx; palimp restore m1rv7je2; palimp delete --hard m1rv7je2 h12",
)
def run(typed: Invocation) -> int:
    """Purge or erase; return 1 for an unknown id."""
    options = typed.options
    is_wide = bool(options.session or options.containing or options.all_turns)
    if is_wide and not options.hard:
        raise PalimpError(
            ErrorCode.BAD_REQUEST, "Turns and commits cannot be purged, only erased for good.", "Add --hard."
        )
    if not (options.ids or is_wide):
        raise PalimpError(ErrorCode.BAD_REQUEST, "No id is named.", "`palimp list` and `palimp search` show ids.")
    if not options.hard:
        return _change(typed, "purge", "Purged")
    request: Erase = typed.request()
    if not options.yes:
        meant = _selection_text(request)
        confirm(f"{meant[:1].upper()}{meant[1:]} will be gone for good.", "--hard")
    return print_erased(typed.answer(request, within_s=ERASE_S, bar="erasing"), is_json=typed.is_json)


def _selection_text(request: Erase) -> str:
    parts = [_count_ids(request.ids)] if request.ids else []
    parts += [f"all turns of session {request.session}"] if request.session else []
    all_of = "all turns and commits of this project"
    parts += [f"{all_of} that contain {quote_text(request.containing)}"] if request.containing else []
    parts += [all_of] if request.all_turns else []
    return " and ".join(parts)


def _count_ids(ids: list[str]) -> str:
    letters = [each.strip().lower()[:1] for each in ids]
    others = [(noun, more, letters.count(letter)) for letter, noun, more in OTHERS]
    named = [("memory", "", len(ids) - sum(count for *_, count in others)), *others]
    *parts, last = [f"{count_of(count, noun)}{more}" for noun, more, count in named if count]
    return f"{', '.join(parts)} and {last}" if parts else last


def print_erased(reply: Erased, *, is_json: bool) -> int:
    """Print erased things; return 1 for an unknown id, or for something still in the file."""
    if not is_json:
        for shown, title in reply.memories:
            print_line(f"Erased {shown} {one_line(title)}".rstrip())
        if reply.turns:
            print_line(f"Erased {reply.turns:,} turns and commits." if reply.turns > 1 else "Erased 1 turn or commit.")
    print_notes(*reply.unknown, *reply.notes)
    return 1 if reply.unknown or reply.is_pending else 0


@command(
    "restore",
    "Restore purged memories by id.",
    IDS,
    asks=("recall",),
    example="palimp list --purged; palimp restore m1rv7je2",
)
def restore(typed: Invocation) -> int:
    """Restore the memories."""
    return _change(typed, "restore", "Restored")


def _change(typed: Invocation, action: Literal["purge", "restore"], done: str) -> int:
    reply = recall(typed, Recall(ids=typed.options.ids, action=action))
    if typed.is_json:
        print_json(reply)
    else:
        for memory in reply.memories:
            print_line(f"{done} {memory.id} {one_line(memory.title)}")
        print_remarks(reply)
    return 1 if reply.unknown else 0
