"""`palimp summarize`: print a project's digest."""

from palimp_protocol.limits import DIGEST_TOKENS
from palimp_protocol.messages.digest_messages import Summarized
from palimp_protocol.text import without_control
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line, print_notes

COMMAND_S = 90.0
"""Seconds to wait for a digest: the user's program may take a minute."""


@command(
    "summarize",
    "Sum up the project, or a span of time: decisions, open questions, busy files and topics, and what is new since the"
    " last digest. Exits with 1 when there is nothing.",
    argument("--since", metavar="WHEN", help="a day (2026-11-01), or how long ago (7d, 4w, 3m)"),
    argument("--until", metavar="WHEN", help="the same"),
    argument("--tokens", type=int, metavar="N", help=f"budget (default {DIGEST_TOKENS})"),
    example="palimp summarize --since 7d; palimp summarize --since 2026-10-01 --until 2026-11-01",
)
def run(typed: Invocation) -> int:
    """Print the digest."""
    reply: Summarized = typed.answer(within_s=COMMAND_S, bar="summarizing")
    if not typed.is_json:
        for line in (reply.text or "Nothing is stored of that.").splitlines():
            print_line(without_control(line), hanging="  " if line.startswith(("- ", "+ ")) else "")
        print_notes(*reply.notes)
    return 0 if reply.text else 1
