"""`palimp undo`: take back a person's last act, or another; list acts."""

import sys
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.act_messages import (
    DID,
    Act,
    ActLink,
    ActList,
    Acts,
    Author,
    Effect,
    EffectKind,
    Undo,
    Undone,
)
from palimp_protocol.messages.memory_messages import Similar
from palimp_protocol.text import count_of, one_line, quote_text
from palimp_shim.cli.arguments import has_said_yes
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.output import minute, print_line, print_remark, styles
from palimp_shim.cli.supersede import DOES

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
    "moved": "in its former project again",
    "reworded": "title and tags as before",
    "rechecked": "checked as before",
}


@command(
    "undo",
    "Undo the last act of a person in this project: a memory that was added, edited, deleted, restored, pinned, muted,"
    " moved, linked or enforced as a rule, a review, an import, a `compact --apply`, or what you answered when you were"
    " asked about a new memory. Run it again to undo the one before. What agents do stands in --list, too, and is"
    " undone by its name, or by the id of a memory. Undoing is an act itself: palimp undo with its name takes it back."
    " `palimp delete --hard` cannot be undone. Inside an agent's session, the last act of that session is meant. On a"
    " terminal it asks first. Exits with 1 when there is nothing to undo, or what was changed since stands in the way.",
    argument("id", nargs="?", metavar="ID", help="an act, as --list names it, or a memory"),
    flag("--list", "only list what was done (to the memory ID), the newest first"),
    argument("--before", metavar="ACT", help="with --list: only what was done before ACT"),
    flag("--dry-run", "only say what would be undone"),
    flag("--yes", "do not ask"),
    asks=("undo", "acts"),
    example="palimp undo --dry-run; palimp undo; palimp undo --list; palimp undo act12",
    unset={"limit": "--before shows more"},
)
def run(typed: Invocation) -> int:
    """List acts, or undo one after a person's yes."""
    options = typed.options
    if options.list:
        return _list(typed)
    wanted: Undo = typed.request()
    if not (options.dry_run or options.yes) and sys.stdin.isatty():
        shown: Undone = typed.ask(typed.request(dry_run=True))
        lines = "\n".join(_lines(shown, "This will be undone"))
        if not has_said_yes(f"{lines}\nUndo it?", can_be_undone=True):
            raise PalimpError(ErrorCode.BAD_REQUEST, "Nothing was undone.", "It needs a yes, or --yes.")
        wanted = Undo(id=shown.act.name)  # and not what was done meanwhile
    reply: Undone = typed.answer(wanted)
    if typed.is_json:
        return 0
    for line in _lines(reply, "Would be undone" if options.dry_run else "Undone"):
        print_line(line)
    if reply.name:
        print_remark(f"palimp undo {reply.name} takes this back.")
    return 0


def _list(typed: Invocation) -> int:
    reply: ActList = typed.answer(Acts(id=typed.options.id or "", before=typed.options.before or ""))
    if typed.is_json:
        return 0 if reply.acts else 1
    bold, dim, plain = styles()
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
    act = reply.act
    lines = [f"{what}: {act.name} of {minute(act.at)}: {_headline(act)}", *(f"  {line}" for line in _details(act))]
    lines += [line for effect in reply.effects for line in _effect(effect)]
    lines += [f"Stays as it is: {one.id} {quote_text(one.title)} {one.why}." for one in reply.left]
    if (more := reply.left_total - len(reply.left)) > 0:
        lines += _more(more)
    if reply.gone:
        lines.append(f"{count_of(reply.gone, 'memory')} of it deleted for good since.")
    return lines


def _effect(effect: Effect) -> list[str]:
    named = [_shown_line(one) for one in effect.memories]
    head = f"  → {BECOMES[effect.kind]}:"
    back = " (palimp restore brings it back)" if effect.kind == "deleted" else ""
    if effect.total == 1:
        return [f"{head} {named[0]}{back}"]
    return [f"{head} {effect.total:,} memories{back.replace('it', 'them')}", *(f"    {one}" for one in named)]


def _headline(act: Act) -> str:
    names: dict[Author, str] = {"user": "you", "agent": act.client or "an agent", "unknown": "somebody"}
    who = names[act.author]
    if act.kind == "undo":
        return f"{who} undid {act.undoes}"
    what = count_of(act.total, "memory") if act.total else "what was deleted for good since"
    return f"{who} {DID[act.kind]} {what}"


def _state(act: Act) -> str:
    if act.undone_by:
        return f"  (undone by {act.undone_by})"
    return "" if act.is_undoable else "  (cannot be undone)"


def _details(act: Act) -> list[str]:
    if act.kind in ("supersede", "decide", "compact"):  # whose memories are those of the links
        return [*map(_link, act.links), *_more(act.total - len(act.links))]
    named = {one.id for one in act.memories}
    memories = [_shown_line(one) for one in act.memories]
    links = [f"  {DOES[link.relation]} {_shown_line(link.older)}" for link in act.links if link.newer.id in named]
    more = _more(act.total - len(memories)) if memories else []  # of the erased nothing is told
    return [*memories, *more, *(links if act.total == 1 else [])]


def _more(count: int) -> list[str]:
    return [f"  and {count:,} more"] if count > 0 else []


def _link(link: ActLink) -> str:
    return f"{_shown_line(link.newer)} — {DOES[link.relation]} {_shown_line(link.older)}"


def _shown_line(memory: Similar) -> str:
    return f"{memory.id} {one_line(memory.title)}"
