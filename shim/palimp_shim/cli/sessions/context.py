"""`palimp context`: the context of a starting session."""

from palimp_protocol.messages.context_messages import ContextGiven
from palimp_shim.cli.command import Invocation, command
from palimp_shim.cli.output import print_remark, print_text

NOTHING = (
    "This project has no memories yet: its session context is empty. `palimp add` saves a memory, `palimp changes"
    " import` reads the code that git's history removed."
)


@command(
    "context",
    "Print the session context, the index that a session of this project gets at its start: decisions, memories that"
    " fit branch, files and commits, recently removed code. Exits with 1 when it is empty.",
    example="palimp context --project ~/src/shop",
)
def run(typed: Invocation) -> int:
    """Print the context."""
    reply: ContextGiven = typed.answer()
    if reply.text and not typed.is_json:
        print_text(reply.text)
    if reply.is_off:
        print_remark(
            "palimp is off in this project: its sessions are given nothing of it.", "`palimp on` switches it on."
        )
    elif not reply.text and not typed.is_json:
        print_remark(NOTHING)
    return 0 if reply.text else 1
