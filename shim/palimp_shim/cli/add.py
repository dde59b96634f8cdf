"""`palimp add`: save a memory."""

import argparse
import sys
from collections.abc import Mapping

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.messages.memories import Saved, SaveMemory
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line, quoted
from palimp_shim.cli.arguments import KINDS, Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "add",
        aliases=["save"],
        help=SUMMARIES["add"],
        description="Save a memory in the project of the working folder. Without a text, stdin is read.",
        epilog="Example: palimp add 'Retries are capped at 3: the API bans after 4' --tag api; palimp add < note.md",
    )
    parser.add_argument("text", nargs="*", help="what to remember; - or nothing reads it from stdin")
    parser.add_argument("--title", help="at most 200 characters; made from the first sentence when omitted")
    parser.add_argument("--tag", dest="tags", action="append", default=[], metavar="TAG", help="a tag; may be repeated")
    parser.add_argument("--kind", choices=KINDS, default="note", help="what it is about (default note)")
    parser.add_argument("--source", default="cli", metavar="NAME", help="where it comes from (default cli)")
    parser.add_argument(
        "--replaces", action="append", default=[], metavar="ID", help="a memory that no longer holds; may be repeated"
    )
    parser.add_argument(
        "--narrows", action="append", default=[], metavar="ID", help="a memory to which this one is an exception"
    )
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Save the memory and print its id."""
    text = _text(options)
    request = SaveMemory(
        text=text,
        title=options.title,
        tags=options.tags,
        kind=options.kind,
        source=options.source,
        replaces=options.replaces,
        narrows=options.narrows,
    )
    reply: Saved = Client(env).call(OPERATIONS["save_memory"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
        return 0
    print_line(f'{"Already saved as" if reply.is_known else "Saved"} "{one_line(reply.title)}" ({reply.id})')
    if reply.is_redacted:
        print_remark("secrets or private parts in it were not stored.")
    for older in reply.linked:
        print_line(f"It {older.relation} {older.id} {quoted(older.title)}")
    for other in reply.similar:
        print_remark(f"nearly the same as {other.id} {quoted(other.title)}")
    for other in reply.same_subject:
        print_remark(f"on the same subject: {other.id} {quoted(other.title)}")
    if others := [*reply.similar, *reply.same_subject]:
        print_remark(f"where it replaces one of these: palimp supersede {others[0].id} {reply.id}")
    return 0


def _text(options: argparse.Namespace) -> str:
    """Return what is to be remembered: the words that were given, or what comes on stdin.

    Raises:
        PalimpError: there is nothing, or more than a memory may have.
    """
    if options.text and options.text != ["-"]:
        text = " ".join(options.text)
    elif not options.text and sys.stdin.isatty():
        raise PalimpError(ErrorCode.BAD_REQUEST, "There is no text.", "Say what is to be remembered: palimp add 'We …'")
    else:
        text = sys.stdin.read(TEXT_CHARACTERS_MAX + 1)
        if len(text) > TEXT_CHARACTERS_MAX:
            what = f"The text from stdin has more than {TEXT_CHARACTERS_MAX:,} characters."
            raise PalimpError(ErrorCode.BAD_REQUEST, what, "Longer texts are documents: palimp docs add SLUG FILE.")
    if not text.strip():
        raise PalimpError(ErrorCode.BAD_REQUEST, "The text is blank.", "Say what is to be remembered.")
    return text
