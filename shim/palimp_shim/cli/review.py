"""`palimp review`: keep, edit or drop what capture proposed."""

import argparse
import os
import sys
import termios
import tty
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import UNSET

from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import REVIEWED_MAX
from palimp_protocol.messages.links import Edited, EditMemory
from palimp_protocol.messages.memories import Memory
from palimp_protocol.messages.review import Review, Reviewed
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.edit import edited_text
from palimp_shim.cli.output import day, print_full, print_json, print_line, print_remark
from palimp_shim.transport.client import Client

Answer = Literal["keep", "edit", "drop", "next", "stop"]

KEYS: Final[Mapping[str, Answer]] = {
    "k": "keep",
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
"""What a key says; Escape, Ctrl-C, Ctrl-D and the end of the terminal stop."""

ASKED: Final = "[k]eep  [e]dit  [d]rop  [n]ext  [s]top: "


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "review",
        help=SUMMARIES["review"],
        description=(
            "Walk through the proposals of the project: memories that capture found in sessions. A search finds"
            " them; sessions are not shown them unasked until they are kept. On a terminal one key answers each:"
            " k keeps it, e opens it in $VISUAL or $EDITOR and keeps what you make of it, d drops it (`palimp"
            " restore` brings it back), n leaves it for later, s stops. In a pipe, and with --json, they are listed."
        ),
        epilog="Example: palimp review; palimp review --keep m1rv7je2 m1rv9abc --drop m1rvb0de",
    )
    parser.add_argument("--keep", nargs="+", default=[], metavar="ID", help="keep these; asks nothing")
    parser.add_argument("--drop", nargs="+", default=[], metavar="ID", help="drop these; asks nothing")
    parser.add_argument(
        "--limit", type=int, default=REVIEWED_MAX, metavar="N", help=f"at most N, the last ones (1 to {REVIEWED_MAX})"
    )
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Keep, drop, list or ask; exit with 1 when an id names nothing here, or is no proposal."""
    reply = _asked(Review(keep=options.keep, drop=options.drop, limit=options.limit), options, env)
    if options.is_json:
        print_json(reply)
    elif options.keep or options.drop:
        _print_done(reply)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _walk_through(reply, options, env)
    else:
        _print_list(reply)
    return 1 if reply.unknown or reply.unchanged else 0


def _asked(request: Review, options: argparse.Namespace, env: Mapping[str, str]) -> Reviewed:
    return Client(env).call(OPERATIONS["review"], request, caller_from(options, env))


def _print_done(reply: Reviewed) -> None:
    for memory in reply.kept:
        print_line(f"Kept {memory.id} {one_line(memory.title)}")
    for memory in reply.dropped:
        print_line(f"Dropped {memory.id} {one_line(memory.title)}")
    for said in (*reply.unknown, *(f"{name}: no proposal that waits" for name in reply.unchanged)):
        print_remark(said)
    print_remark(f"{counted(reply.total, 'proposal')} left.")


def _print_list(reply: Reviewed) -> None:
    for memory in reply.proposals:
        print_line("\t".join((memory.id, day(memory.created_at), memory.kind, one_line(memory.title))))
    hint = "`palimp review` on a terminal asks about each; --keep ID and --drop ID ask nothing." if reply.total else ""
    print_remark(f"{counted(reply.total, 'proposal')} wait{'s' if reply.total == 1 else ''}.", hint)


def _walk_through(reply: Reviewed, options: argparse.Namespace, env: Mapping[str, str]) -> None:
    """Ask about each proposal of *reply*; what is answered is done at once, so that stopping loses nothing."""
    done: dict[Answer, int] = {}
    left = reply.total
    for number, memory in enumerate(reply.proposals, 1):
        print_line(f"\n{number} of {reply.total}")
        print_full([memory])
        answer = _answer(memory, options, env)
        done[answer] = done.get(answer, 0) + 1
        left -= answer in ("keep", "edit", "drop")
        if answer == "stop":
            break
    told = [f"{done[each]} {word}" for each, word in _WORDS.items() if each in done]
    print_remark(f"{', '.join(told) or 'nothing changed'}; {counted(left, 'proposal')} left.")


_WORDS: Final[Mapping[Answer, str]] = {"keep": "kept", "edit": "edited", "drop": "dropped"}


def _answer(memory: Memory, options: argparse.Namespace, env: Mapping[str, str]) -> Answer:
    """Ask about *memory* until something can be done, and do it."""
    while True:
        answer = _answer_typed()
        try:
            if answer == "keep":
                _asked(Review(keep=[memory.id], limit=1), options, env)
            elif answer == "drop":
                _asked(Review(drop=[memory.id], limit=1), options, env)
            elif answer == "edit" and not _edit(memory, options, env):
                print_remark("it says that already: nothing was changed.")
                continue
        except PalimpError as error:
            print_remark(error.text, error.hint)
            continue
        return answer


def _edit(memory: Memory, options: argparse.Namespace, env: Mapping[str, str]) -> bool:
    """Open *memory* in the user's editor and keep what comes of it; return whether that is anything else."""
    text = edited_text("" if memory.content is UNSET else memory.content, env)
    request = EditMemory(id=memory.id, text=text)
    reply: Edited = Client(env).call(OPERATIONS["edit"], request, caller_from(options, env))
    return not reply.is_unchanged


def _answer_typed() -> Answer:
    """Return what the next key says that says something, without waiting for Enter.

    What was typed before the question is forgotten: it was no answer to it.
    """
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSAFLUSH)
        sys.stdout.write(ASKED)
        sys.stdout.flush()
        while (answer := KEYS.get(_key(terminal).lower())) is None:
            pass
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()
    return answer


def _key(terminal: int) -> str:
    """Return the next byte that is typed; empty when the terminal is gone."""
    try:
        return os.read(terminal, 1).decode("latin-1")
    except OSError:
        return ""
