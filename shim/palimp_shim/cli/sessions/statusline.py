"""`palimp statusline`, for the help; `hooks.status_line` runs it, being started so often."""

from palimp_shim.cli.command import Invocation, command


@command(
    "statusline",
    "Print one line for Claude Code's statusLine setting: how many memories the project has, how many this session was"
    " given unasked, and how many proposals wait for `palimp review`. Claude Code says on stdin which session it is."
    " Prints nothing, and exits with 0, without a daemon, in no project, or where palimp is off; starts no daemon.",
    example='Example, in ~/.claude/settings.json: "statusLine": {"type": "command", "command": "palimp statusline"}',
    scope=False,
    json=False,
)
def run(_: Invocation) -> None:
    """Do nothing: `__main__` has printed the line."""
