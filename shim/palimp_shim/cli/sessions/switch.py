"""`palimp off` and `palimp on`: keep palimp from this project's agents, or revert that."""

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.project_messages import Switch, Switched
from palimp_shim.cli.command import PROJECT, Invocation, command
from palimp_shim.cli.output import print_line


@command(
    "off",
    "Switch palimp off in this project, for you: sessions are given nothing of it, nothing of them is stored, and"
    " removed code is not watched. Each session says so once. Stored data stays; in the terminal everything works.",
    PROJECT,
    asks=("switch",),
    example="palimp off; palimp off --project ~/src/customer",
    scope=False,
    unset={"on": "the command says it"},
)
@command(
    "on",
    "Switch palimp on again in a project where it was switched off.",
    PROJECT,
    asks=("switch",),
    example="palimp on; palimp on --project ~/src/customer",
    scope=False,
)
def run(typed: Invocation) -> None:
    """Switch; print the state."""
    if typed.caller.project is None:
        raise PalimpError(
            ErrorCode.BAD_REQUEST, "This folder is in no project.", "Go into one, or name it: --project DIR."
        )
    reply: Switched = typed.answer(Switch(on=typed.name == "on"))
    if not typed.is_json:
        back = "." if reply.is_on else ": agents get nothing of it there. `palimp on` takes it back."
        already = "" if reply.is_changed else " already"
        print_line(f"palimp is {'on' if reply.is_on else 'off'}{already} for {reply.root}{back}")
