"""`palimp review`: keep, edit or drop captured proposals."""

import os
import sys
import termios
import tty
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import UNSET
from msgspec.structs import replace

from palimp_clients.hooks.programs import client_session
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import REVIEWED_MAX
from palimp_protocol.messages.links import Edited, EditMemory
from palimp_protocol.messages.memory_messages import Memory
from palimp_protocol.messages.review_messages import Dispute, Review, Reviewed
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_shim.cli.arguments import refuse_agents
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.edit import edited_text
from palimp_shim.cli.output import day, print_full, print_line, print_notes, print_remark, still_true, styles

Answer = Literal["keep", "here", "edit", "drop", "next", "stop"]

KEYS: Final[Mapping[str, Answer]] = {
    "k": "keep",
    "h": "here",
    "e": "edit",
    "d": "drop",
    "n": "next",
    "q": "stop",
    "s": "stop",
    "\x1b": "stop",
    "\x03": "stop",
    "\x04": "stop",
    "": "stop",
}
"""Answers by key; Escape, Ctrl-C, Ctrl-D and the terminal's end stop."""

ASKED: Final = "[k]eep  [e]dit  [d]rop  [n]ext  [s]top: "
ASKED_OF_RULE: Final = "Still true?  [k]eep  [e]dit  [d]rop  [n]ext  [s]top: "
ASKED_FOR_ALL: Final = "[k]eep for all projects  [h]ere only  [e]dit  [d]rop  [n]ext  [s]top: "


@command(
    "review",
    "Walk through the proposals of the project: memories that capture found in sessions, and those that agents saved"
    " while save.review is set; each says who said it. A search finds them; sessions are not shown them unasked until"
    " they are kept. On a terminal one key answers each: k keeps it, e opens it in $VISUAL or $EDITOR and keeps what"
    " you make of it, d drops it (`palimp restore` brings it back), n leaves it for later, s stops. Memories that an"
    " agent saved for all projects wait here, too: k keeps one for all, h in this project only; and so do rules that"
    " were refused to an act which was then sent again, three times: k says that one still holds. In a pipe, and with"
    " --json, they are listed. Memories that hold and disagree are listed, too, with what keeps one of them.",
    argument("--keep", nargs="+", metavar="ID", help="keep these; asks nothing"),
    argument(
        "--here", nargs="+", metavar="ID", help="keep these in this project only, though said for all; asks nothing"
    ),
    argument("--drop", nargs="+", metavar="ID", help="drop these; asks nothing"),
    argument("--limit", type=int, metavar="N", help=f"at most N, the last ones (1 to {REVIEWED_MAX})"),
    example="palimp review; palimp review --keep m1rv7je2 m1rv9abc --drop m1rvb0de",
    unset={"disputes": "they are always listed"},
)
def run(typed: Invocation) -> int:
    """Keep, drop, list or ask; return 1 for an id without a proposal."""
    if (typed.options.keep or typed.options.here) and not client_session(typed.env):
        refuse_agents(typed, "Only a person says yes")  # of a session that is known, the daemon judges by what is kept
    is_answered = bool(typed.options.keep or typed.options.here or typed.options.drop)
    reply: Reviewed = typed.answer(typed.request(disputes=not is_answered))
    if not typed.is_json:
        _print_reply(typed, reply, is_answered=is_answered)
        _print_disputes(reply.disputes)
    return 1 if reply.unknown or reply.unchanged else 0


def _print_reply(typed: Invocation, reply: Reviewed, *, is_answered: bool) -> None:
    if is_answered:
        for word, memories in (("Kept", reply.kept), ("Kept here", reply.kept_here), ("Dropped", reply.dropped)):
            for memory in memories:
                print_line(f"{word} {memory.id} {one_line(memory.title)}")
        print_notes(*reply.unknown, *(f"{name}: no proposal that waits" for name in reply.unchanged))
        print_remark(f"{count_of(reply.total, 'proposal')} left.")
    elif sys.stdin.isatty() and sys.stdout.isatty() and reply.proposals:
        _walk_through(typed, reply)
    else:
        for memory in reply.proposals:
            place = ["for all projects"] if memory.waits_for_all else []
            place += [still_true(memory.overruled)] if memory.overruled else []
            said = f"{shown_name(memory.source)} {shown_name(memory.client)}".strip()
            facts = (memory.id, day(memory.created_at), memory.kind, said, one_line(memory.title), *place)
            print_line("\t".join(facts))
        hint = "`palimp review` on a terminal asks about each; --keep ID and --drop ID ask nothing."
        waiting = f"{count_of(reply.total, 'proposal')} wait{'s' if reply.total == 1 else ''}."
        if reply.total or not reply.disputes:
            print_remark(waiting, hint if reply.total else "")


def _print_disputes(disputes: list[Dispute]) -> None:
    bold, dim, plain = styles()
    for each in disputes:
        newer, older = each.newer, each.older
        print_line(f"{bold}{newer.id}{plain}  {day(newer.created_at)}  {one_line(newer.title)}")
        print_line(f"  disagrees with {older.id}  {day(older.created_at)}  {one_line(older.title)}")
        print_line(f"{dim}  the newer holds: palimp supersede {older.id} {newer.id}{plain}")
        print_line(f"{dim}  both hold:       palimp undo {each.link}{plain}")


def _walk_through(typed: Invocation, reply: Reviewed) -> None:
    """Ask about each proposal, acting at once: stopping loses nothing."""
    done: dict[Answer, int] = {}
    left = reply.total
    for number, memory in enumerate(reply.proposals, 1):
        print_line(f"\n{number} of {reply.total}")
        print_full([memory])
        answer = _answer(typed, memory)
        done[answer] = done.get(answer, 0) + 1
        left -= answer in ("keep", "here", "edit", "drop")
        if answer == "stop":
            break
    told = [f"{done[each]} {word}" for each, word in _WORDS.items() if each in done]
    print_remark(f"{', '.join(told) or 'nothing changed'}; {count_of(left, 'proposal')} left.")


_WORDS: Final[Mapping[Answer, str]] = {"keep": "kept", "here": "kept here", "edit": "edited", "drop": "dropped"}


def _answer(typed: Invocation, memory: Memory) -> Answer:
    while True:
        question = ASKED_FOR_ALL if memory.waits_for_all else ASKED_OF_RULE if memory.overruled else ASKED
        answer = _answer_typed(question)
        try:
            if answer == "edit":
                if not _edit(typed, memory):
                    continue
            elif answer in ("keep", "here", "drop"):
                typed.ask(replace(Review(limit=1), **{answer: [memory.id]}))
        except PalimpError as error:
            print_remark(error.text, error.hint)
            continue
        return answer


def _edit(typed: Invocation, memory: Memory) -> bool:
    with edited_text("" if memory.content is UNSET else memory.content, typed.env) as text:
        reply: Edited = typed.ask(EditMemory(id=memory.id, text=text))
    if reply.is_unchanged:
        print_remark("it says that already: nothing was changed.")
    elif memory.waits_for_all:
        typed.ask(Review(keep=[reply.id], limit=1))
    return not reply.is_unchanged


def _answer_typed(asked: str) -> Answer:
    """Read a key with a meaning; drop earlier keys."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSAFLUSH)
        sys.stdout.write(asked)
        sys.stdout.flush()
        while (answer := KEYS.get(_key(terminal).lower())) is None:
            pass
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()
    return answer


def _key(terminal: int) -> str:
    try:
        return os.read(terminal, 1).decode("latin-1")
    except OSError:
        return ""
