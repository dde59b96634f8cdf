"""`palimp add`: save a memory."""

import argparse
import sys
from collections.abc import Mapping

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.operations import Saved, SaveMemory
from palimp_protocol.plain import one_line, quoted
from palimp_protocol.table import OPERATIONS
from palimp_shim.cli.arguments import KINDS, Commands, add_json, add_scope, caller_from
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "add",
        aliases=["save"],
        help="save a memory",
        description="Save a memory in the project of the working folder.",
        epilog="Example: palimp add 'Retries are capped at 3: the API bans after 4' --tag api; palimp add - < note.md",
    )
    parser.add_argument("text", nargs="+", help="what to remember; - reads it from stdin")
    parser.add_argument("--title", help="at most 200 characters; made from the first sentence when omitted")
    parser.add_argument("--tag", dest="tags", action="append", default=[], metavar="TAG", help="a tag; may be repeated")
    parser.add_argument("--kind", choices=KINDS, default="note", help="what it is about (default note)")
    parser.add_argument("--source", default="cli", metavar="NAME", help="where it comes from (default cli)")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Save the memory and print its id."""
    # One character more than allowed, so that a text that is too long is refused and not cut.
    text = sys.stdin.read(TEXT_CHARACTERS_MAX + 1) if options.text == ["-"] else " ".join(options.text)
    if not text.strip():
        raise PalimpError(ErrorCode.BAD_REQUEST, "text: it is blank.", "Say what is to be remembered.")
    request = SaveMemory(text=text, title=options.title, tags=options.tags, kind=options.kind, source=options.source)
    reply: Saved = Client(env).call(OPERATIONS["save_memory"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
        return 0
    print_line(f'{"Already saved as" if reply.is_known else "Saved"} "{one_line(reply.title)}" ({reply.id})')
    if reply.is_redacted:
        sys.stderr.write("palimp: secrets or private parts in it were not stored.\n")
    for other in reply.similar:
        sys.stderr.write(f"palimp: nearly the same as {other.id} {quoted(other.title)}\n")
    return 0
