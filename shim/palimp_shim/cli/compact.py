"""`palimp compact`: merge memories with the same content."""

from palimp_protocol.messages.merge_messages import Compact, Compacted, Progress
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line
from palimp_shim.cli.command import Invocation, command, flag
from palimp_shim.cli.output import print_json, print_line, print_notes, styles
from palimp_shim.cli.progress import LOOK_S, WaitingBar
from palimp_shim.transport.daemon_client import Client

COMMAND_S = 3_600.0
"""Seconds to wait: a large store under load takes minutes."""


@command(
    "compact",
    "Find memories that say the same as a newer one, or that a newer one says it replaces, and show the plan. --apply"
    " marks the older ones as superseded (`palimp undo` takes it back), merges the search index, shortens the WAL and"
    " deletes what is beyond its limits.",
    flag("--apply", "do it"),
    example="palimp compact; palimp compact --apply",
)
def run(typed: Invocation) -> None:
    """Print the plan, or the result."""
    looking = Client(typed.env, deadline_s=LOOK_S)
    with WaitingBar("compact", lambda: looking.call(OPERATIONS["compact_progress"], Progress(), typed.caller)):
        reply: Compacted = typed.ask(Compact(apply=typed.options.apply), within_s=COMMAND_S)
    if typed.is_json:
        print_json(reply)
        return
    bold, dim, plain = styles()
    for each in reply.merges:
        print_line(f"{each.id}  {one_line(each.title)}")
        print_line(f"{dim}  → {each.into}  {one_line(each.into_title)} ({each.why}){plain}")
    if not reply.total:
        print_line("Nothing says the same as something newer.")
    elif reply.is_applied:
        print_line(f"{bold}{reply.total:,} superseded by newer ones.{plain} `palimp undo` takes it back.")
    else:
        print_line(f"{bold}{reply.total:,} would be superseded by newer ones.{plain} `palimp compact --apply` does it.")
    print_notes(*reply.tidied, *reply.notes)
