"""`palimp adopt`: give a moved folder its former memories."""

from pathlib import Path

from palimp_protocol.messages.project_messages import Adopted
from palimp_protocol.text import count_of
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line, print_notes

UNKNOWN_FOLDER = "palimp:"
"""Prefix of names that a repair gave to unknown folders."""


@command(
    "adopt",
    "Give this project the memories of its former folder, which was moved or renamed, with its sessions, removed code"
    " and versions of documents. The project keeps its own, too. It cannot be undone.",
    argument("former", sets="root", help="the former folder, as `palimp projects` shows it"),
    example="cd ~/work/new-name && palimp adopt ~/work/old-name",
)
def run(typed: Invocation) -> None:
    """Adopt, and print the result."""
    former = typed.options.former
    if not former.startswith(UNKNOWN_FOLDER):
        # Links are not followed: one may have been left there, which leads here.
        former = str(Path(former).expanduser().absolute())
    reply: Adopted = typed.answer(typed.request(root=former))
    if not typed.is_json:
        beside = f", beside its own {reply.joined:,}" if reply.joined else ""
        print_line(
            f"{count_of(reply.memories, 'memory')}{beside}, {count_of(reply.removed, 'piece')} of removed code and"
            f" {count_of(reply.sessions, 'session')} of {reply.root} are this project's now."
        )
        print_notes(*reply.notes)
