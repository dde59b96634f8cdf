"""`palimp edit`: another version of a memory."""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import UNSET

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.messages.links import Edited, EditMemory
from palimp_protocol.messages.memories import Recall
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from, recall
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "edit",
        help=SUMMARIES["edit"],
        description=(
            "Make another version of a memory: of the same kind, with the same tags, and pinned if it is. The former"
            " version keeps its id, can be shown, and is no longer listed; `palimp undo` brings it back. Without --text"
            " the text is opened in $VISUAL or $EDITOR; in a pipe it is read from stdin."
        ),
        epilog="Example: palimp edit m1rv7je2; palimp edit m1rv7je2 --text 'Retries are five, since June.'",
    )
    parser.add_argument("id", metavar="ID", help="an id or its unambiguous beginning")
    parser.add_argument("--text", metavar="TEXT", help="the text of the new version")
    parser.add_argument("--title", metavar="TITLE", help="its title; by default the former one, or its first sentence")
    parser.add_argument(
        "--tag", dest="tags", action="append", metavar="TAG", help="its tags, instead of the former ones; repeat it"
    )
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Store the new version and print its id."""
    text = _text(options, env)
    request = EditMemory(id=options.id, text=text, title=options.title, tags=options.tags)
    reply: Edited = Client(env).call(OPERATIONS["edit"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    elif reply.is_unchanged:
        print_line(f"{reply.id} says that already: nothing was changed.")
    else:
        print_line(f'"{one_line(reply.title)}" ({reply.id}) replaces {reply.former}; `palimp undo` brings that back.')
        if reply.is_redacted:
            print_remark("secrets or private parts in it were not stored.")
    return 0


def _text(options: argparse.Namespace, env: Mapping[str, str]) -> str:
    """Return the text of the new version.

    Raises:
        PalimpError: there is none, it is too long, or no editor can be run.
    """
    if options.text is not None:
        text: str = options.text
    elif not sys.stdin.isatty():
        text = sys.stdin.read(TEXT_CHARACTERS_MAX + 1)
    else:
        text = edited_text(_present(options, env), env)
    return _checked(text)


def _checked(text: str) -> str:
    """Return *text*, which can be that of a memory.

    Raises:
        PalimpError: it is blank or too long.
    """
    if not text.strip():
        raise PalimpError(ErrorCode.BAD_REQUEST, "The text is blank.", "Nothing was changed. `palimp delete` purges.")
    if len(text) > TEXT_CHARACTERS_MAX:
        what = f"The text has more than {TEXT_CHARACTERS_MAX:,} characters."
        raise PalimpError(ErrorCode.BAD_REQUEST, what, "Longer texts are documents: palimp docs add SLUG FILE.")
    return text


def _present(options: argparse.Namespace, env: Mapping[str, str]) -> str:
    reply = recall(Recall(id=options.id), options, env)
    if not reply.memories:
        why = reply.unknown[0] if reply.unknown else f"{options.id}: no such memory"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{why}.", "`palimp search` finds ids.")
    content = reply.memories[0].content
    return "" if content is UNSET else content


def edited_text(text: str, env: Mapping[str, str]) -> str:
    """Return what the user's editor leaves of *text*.

    Raises:
        PalimpError: none is set, it cannot be run, it failed, or it left nothing or too much.
    """
    command = shlex.split(env.get("VISUAL") or env.get("EDITOR") or "")
    if not command:
        raise PalimpError(ErrorCode.BAD_REQUEST, "No editor is set.", "Set EDITOR, or say --text TEXT.")
    handle, name = tempfile.mkstemp(prefix="palimp-", suffix=".md")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        code = subprocess.run([*command, name], check=False).returncode
        if code:
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{command[0]} ended with {code}.", "Nothing was changed.")
        return _checked(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        text = f"{command[0]} cannot be run: {error.strerror}."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Set EDITOR, or say --text TEXT.") from None
    finally:
        Path(name).unlink(missing_ok=True)
