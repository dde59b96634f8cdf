"""`palimp edit`: another version of a memory."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import UNSET

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.messages.links import Edited
from palimp_protocol.messages.memories import Recall
from palimp_protocol.text import one_line
from palimp_shim.cli.arguments import recall, text_given
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line, print_remark


@command(
    "edit",
    "Make another version of a memory: of the same kind, with the same tags, and pinned if it is. The former version"
    " keeps its id, can be shown, and is no longer listed; `palimp undo` brings it back. Without TEXT it is opened"
    " in $VISUAL or $EDITOR; in a pipe it is read from stdin.",
    argument("id", metavar="ID", help="an id or its unambiguous beginning"),
    argument("text", nargs="*", metavar="TEXT", help="the text of the new version; - reads it from stdin"),
    argument("--title", metavar="TITLE", help="its title; by default the former one, or its first sentence"),
    argument(
        "--tag", dest="tags", action="append", metavar="TAG", help="its tags, instead of the former ones; repeat it"
    ),
    example="palimp edit m1rv7je2; palimp edit m1rv7je2 'Retries are five, since June.'",
)
def run(typed: Invocation) -> None:
    """Store the new version and print its id."""
    text = text_given(typed.options.text)
    if text is None:
        text = edited_text(_present(typed), typed.env)
    reply: Edited = typed.answer(typed.request(text=_checked(text)))
    if typed.is_json:
        return
    if reply.is_unchanged:
        print_line(f"{reply.id} says that already: nothing was changed.")
    else:
        print_line(f'"{one_line(reply.title)}" ({reply.id}) replaces {reply.former}; `palimp undo` brings that back.')
        if reply.is_redacted:
            print_remark("secrets or private parts in it were not stored.")


def _checked(text: str) -> str:
    if not text.strip():
        raise PalimpError(ErrorCode.BAD_REQUEST, "The text is blank.", "Nothing was changed. `palimp delete` purges.")
    if len(text) > TEXT_CHARACTERS_MAX:
        what = f"The text has more than {TEXT_CHARACTERS_MAX:,} characters."
        raise PalimpError(ErrorCode.BAD_REQUEST, what, "Longer texts are documents: palimp docs add SLUG FILE.")
    return text


def _present(typed: Invocation) -> str:
    reply = recall(typed, Recall(id=typed.options.id))
    if not reply.memories:
        why = reply.unknown[0] if reply.unknown else f"{typed.options.id}: no such memory"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{why}.", "`palimp search` finds ids.")
    content = reply.memories[0].content
    return "" if content is UNSET else content


def edited_text(text: str, env: Mapping[str, str]) -> str:
    """Return what the user's editor leaves of *text*.

    Raises:
        PalimpError: there is none, it failed, or it left nothing or too much.
    """
    command = shlex.split(env.get("VISUAL") or env.get("EDITOR") or "")
    if not command:
        raise PalimpError(ErrorCode.BAD_REQUEST, "No editor is set.", "Set EDITOR, or say it: palimp edit ID 'We …'.")
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
