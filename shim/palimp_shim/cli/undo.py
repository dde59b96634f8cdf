"""`palimp undo`: take back the last act of a person in the project, or another one; and list what was done."""

import argparse
import sys
from collections.abc import Mapping
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.acts import Act, ActKind, ActLink, ActList, Acts, Author, Effect, EffectKind, Undo, Undone
from palimp_protocol.messages.memories import Similar
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line, quoted
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from, has_said_yes
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import has_colour, minute, print_json, print_line, print_remark
from palimp_shim.cli.supersede import DOES
from palimp_shim.transport.client import Client

DID: Final[dict[ActKind, str]] = {
    "save": "saved",
    "edit": "edited",
    "delete": "deleted",
    "restore": "restored",
    "supersede": "linked",
    "decide": "decided about",
    "pin": "pinned",
    "unpin": "unpinned",
    "mute": "muted",
    "unmute": "unmuted",
    "review": "reviewed",
    "compact": "merged",
    "import": "imported",
    "capture": "captured",
    "erase": "deleted for good",
    "undo": "undid",
}
"""What was done, as a verb."""

BECOMES: Final[dict[EffectKind, str]] = {
    "deleted": "deleted",
    "restored": "restored",
    "holds": "holds again",
    "replaced": "replaced again",
    "unlinked": "not narrowed or disputed any more",
    "linked": "narrowed or disputed again",
    "pinned": "pinned again",
    "unpinned": "not pinned any more",
    "muted": "muted again",
    "unmuted": "not muted any more",
    "waits": "a proposal again",
    "confirmed": "no proposal any more",
    "reworded": "title and tags as before",
}
"""What becomes of a memory."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "undo",
        help=SUMMARIES["undo"],
        description=(
            "Undo the last act of a person in this project: a memory that was added, edited, deleted, restored, pinned,"
            " muted or linked, a review, an import, a `compact --apply`, or what you answered when you were asked about"
            " a new memory. Run it again to undo the one before. What agents do stands in --list, too, and is undone by"
            " its name, or by the id of a memory. Undoing is an act itself: palimp undo with its name takes it back."
            " `palimp delete --hard` cannot be undone. Inside an agent's session, the last act of that session is"
            " meant. On a terminal it asks first. Exits with 1 when there is nothing to undo, or something was changed"
            " since that stands in the way."
        ),
        epilog="Example: palimp undo --dry-run; palimp undo; palimp undo --list; palimp undo act12",
    )
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="an act, as --list names it, or a memory")
    parser.add_argument(
        "--list", action="store_true", help="only list what was done (to the memory ID), the newest first"
    )
    parser.add_argument("--before", default="", metavar="ACT", help="with --list: only what was done before ACT")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be undone")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """List acts, or undo one, which a person at a terminal is asked about before."""
    if options.list:
        return _list(options, env)
    client, caller = Client(env), caller_from(options, env)
    wanted = Undo(id=options.id, dry_run=options.dry_run)
    if not (options.dry_run or options.yes) and sys.stdin.isatty():
        shown: Undone = client.call(OPERATIONS["undo"], Undo(id=options.id, dry_run=True), caller)
        _ask(shown)
        wanted = Undo(id=shown.act.name)  # and not what was done meanwhile
    reply: Undone = client.call(OPERATIONS["undo"], wanted, caller)
    if options.is_json:
        print_json(reply)
        return 0
    for line in _lines(reply, "Would be undone" if options.dry_run else "Undone"):
        print_line(line)
    if reply.name:
        print_remark(f"palimp undo {reply.name} takes this back.")
    return 0


def _ask(shown: Undone) -> None:
    """Show what would be undone, and ask.

    Raises:
        PalimpError: the answer is no.
    """
    lines = "\n".join(_lines(shown, "This will be undone"))
    if not has_said_yes(f"{lines}\nUndo it?"):
        raise PalimpError(ErrorCode.BAD_REQUEST, "Nothing was undone.", "It needs a yes, or --yes.")


def _list(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Print what was done; return 1 when nothing was."""
    request = Acts(id=options.id, before=options.before)
    reply: ActList = Client(env).call(OPERATIONS["acts"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
        return 0 if reply.acts else 1
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")
    for act in reply.acts:
        style = dim if act.undone_by else bold
        print_line(f"{style}{act.name}{plain}  {minute(act.at)}  {_headline(act)}{_state(act)}")
        for line in _details(act):
            print_line(f"{dim}  {line}{plain}")
    if not reply.acts:
        print_line("Nothing was done in this project that is on record.")
    elif reply.total > len(reply.acts):
        last = reply.acts[-1].name
        print_remark(f"{len(reply.acts):,} of {reply.total:,} shown; --before {last} shows those before.")
    return 0 if reply.acts else 1


def _lines(reply: Undone, what: str) -> list[str]:
    """Return what an undo says: the act, and what becomes of which memories."""
    act = reply.act
    lines = [f"{what}: {act.name} of {minute(act.at)}: {_headline(act)}", *(f"  {line}" for line in _details(act))]
    lines += [line for effect in reply.effects for line in _effect(effect)]
    lines += [f"Stays as it is: {one.id} {quoted(one.title)} {one.why}." for one in reply.left]
    if (more := reply.left_total - len(reply.left)) > 0:
        lines += _more(more)
    if reply.gone:
        lines.append(f"{counted(reply.gone, 'memory')} of it deleted for good since.")
    return lines


def _effect(effect: Effect) -> list[str]:
    """Return what becomes of memories: on one line where it is one."""
    named = [_shown(one) for one in effect.memories]
    head = f"  → {BECOMES[effect.kind]}:"
    back = " (palimp restore brings it back)" if effect.kind == "deleted" else ""
    if effect.total == 1:
        return [f"{head} {named[0]}{back}"]
    return [f"{head} {effect.total:,} memories{back.replace('it', 'them')}", *(f"    {one}" for one in named)]


def _headline(act: Act) -> str:
    """Return who did what, such as "you pinned 2 memories"."""
    names: dict[Author, str] = {"user": "you", "agent": act.client or "an agent", "unknown": "somebody"}
    who = names[act.author]
    if act.kind == "undo":
        return f"{who} undid {act.undoes}"
    return f"{who} {DID[act.kind]} {counted(act.total, 'memory')}"


def _state(act: Act) -> str:
    if act.undone_by:
        return f"  (undone by {act.undone_by})"
    return "" if act.is_undoable else "  (cannot be undone)"


def _details(act: Act) -> list[str]:
    """Return the first memories that *act* is about, and what it said of others."""
    if act.kind in ("supersede", "decide", "compact"):  # whose memories are those of the links
        return [*map(_link, act.links), *_more(act.total - len(act.links))]
    named = {one.id for one in act.memories}
    memories = [_shown(one) for one in act.memories]
    links = [f"  {DOES[link.relation]} {_shown(link.older)}" for link in act.links if link.newer.id in named]
    return [*memories, *_more(act.total - len(memories)), *(links if act.total == 1 else [])]


def _more(count: int) -> list[str]:
    return [f"  and {count:,} more"] if count > 0 else []


def _link(link: ActLink) -> str:
    return f"{_shown(link.newer)} — {DOES[link.relation]} {_shown(link.older)}"


def _shown(memory: Similar) -> str:
    return f"{memory.id} {one_line(memory.title)}"
