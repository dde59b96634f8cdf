"""Arguments and questions of several commands."""

import sys
from collections.abc import Sequence
from typing import Final, get_args

from palimp_clients.hooks.programs import agent_in
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import CLIENT_DEADLINE_S, DOCUMENTS_READ_S, TEXT_CHARACTERS_MAX
from palimp_protocol.messages.memory_messages import Detail, MemoryKind, Recall, Recalled, RowKind
from palimp_shim.cli.command import Invocation, argument, flag
from palimp_shim.cli.output import as_wide_as_terminal

KINDS = get_args(MemoryKind)

OPEN_DESCRIPTORS: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Prefixes of files opened by the shell, as in `palimp capture <(pbpaste)`."""

NARROWING: Final = (
    argument(
        "--kind",
        choices=get_args(RowKind),
        help="only this kind; or doc, removed-code, conversation, commit, claude-memory",
    ),
    argument("--detail", choices=get_args(Detail), help="rows, rows with their neighbours in time, or whole texts"),
    argument("--tag", dest="tags", action="append", metavar="TAG", help="only with this tag"),
    argument("--title", metavar="TEXT", help="only with TEXT in the title"),
    flag("--purged", "purged ones too; in a list, they come first", "include_purged"),
    argument("--since", metavar="WHEN", help="saved since a day (2026-11-01), or in the last 7d, 4w, 3m"),
    argument("--as-of", metavar="WHEN", help="what was valid then (a day means its end)"),
    argument("--until", metavar="WHEN", help="saved before a day, a time (2026-11-01T12:00) or a span (7d, 4w, 3m)"),
)


def text_given(words: Sequence[str]) -> str | None:
    """Return the text of *words*, or of stdin (a dash, or a pipe); None: neither.

    Stdin is read to one character over the bound.
    """
    if words and [*words] != ["-"]:
        return " ".join(words)
    return None if not words and sys.stdin.isatty() else sys.stdin.read(TEXT_CHARACTERS_MAX + 1)


def is_open_descriptor(path: str) -> bool:
    """Tell whether the shell opened *path*, perhaps a pipe."""
    return path.startswith(OPEN_DESCRIPTORS)


def recall(typed: Invocation, request: Recall) -> Recalled:
    """Return the answer, with time for reading documents."""
    return typed.ask(request, within_s=DOCUMENTS_READ_S if request.kind == "doc" else CLIENT_DEADLINE_S)


def confirm(what: str, option: str, refusal: str = "Nothing was deleted.") -> None:
    """Ask at a terminal for a yes to *what*, *option*'s effect.

    Raises:
        PalimpError: there was no yes; *refusal* is its text.
    """
    if not (sys.stdin.isatty() and has_said_yes(what)):
        raise PalimpError(ErrorCode.BAD_REQUEST, refusal, f"{option} needs a yes, or --yes.")


def refuse_agents(typed: Invocation, only: str) -> None:
    """Refuse an agent's shell: *only* a person does this.

    Raises:
        PalimpError: it is one.
    """
    if agent := agent_in(typed.env):
        text = f"{only}; {agent} says that an agent runs this."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Run it in a terminal of your own.")


def has_said_yes(what: str, *, can_be_undone: bool = False) -> bool:
    """Ask at the terminal whether *what* may be done; "y" suffices only if it can be undone."""
    sys.stderr.write(f"{as_wide_as_terminal(what)} {'[y/N]' if can_be_undone else 'Type yes to go on:'} ")
    sys.stderr.flush()
    said = sys.stdin.readline().strip().lower()
    return said == "yes" or (can_be_undone and said == "y")
