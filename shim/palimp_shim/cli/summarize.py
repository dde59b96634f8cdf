"""`palimp summarize`: print a digest of a project's memories."""

import argparse
from collections.abc import Mapping

from palimp_protocol.limits import DIGEST_TOKENS
from palimp_protocol.messages.digest import Summarize, Summarized
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import without_control
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.cli.progress import WaitingBar
from palimp_shim.transport.client import Client

COMMAND_S = 90.0
"""Seconds to wait for a digest: a program that the user named may take a minute."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "summarize",
        help=SUMMARIES["summarize"],
        description=(
            "Sum up the project, or a span of time: decisions, open questions, busy files and topics, and what is new"
            " since the last digest. Exits with 1 when there is nothing."
        ),
        epilog="Example: palimp summarize --since 7d; palimp summarize --since 2026-10-01 --until 2026-11-01",
    )
    parser.add_argument("--since", metavar="WHEN", help="a day (2026-11-01), or how long ago (7d, 4w, 3m)")
    parser.add_argument("--until", metavar="WHEN", help="the same")
    parser.add_argument(
        "--tokens", type=int, default=DIGEST_TOKENS, metavar="N", help=f"budget (default {DIGEST_TOKENS})"
    )
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and print the digest."""
    request = Summarize(since=options.since, until=options.until, tokens=options.tokens)
    client = Client(env, deadline_s=COMMAND_S)
    with WaitingBar("summarizing"):
        reply: Summarized = client.call(OPERATIONS["summarize"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    else:
        for line in (reply.text or "Nothing is stored of that.").splitlines():
            print_line(without_control(line))
        for note in reply.notes:
            print_remark(note)
    return 0 if reply.text else 1
