"""`palimp edit`: another version of a memory."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from msgspec import UNSET

from palimp_protocol.errors import ErrorCode, NotFoundError, PalimpError
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.messages.links import Edited
from palimp_protocol.messages.memory_messages import Recall
from palimp_protocol.text import one_line, quote_text
from palimp_shim.cli.arguments import KINDS, recall, text_given
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line, print_remark


@command(
    "edit",
    "Make another version of a memory: of the same kind, with the same tags, and pinned if it is. The former version"
    " keeps its id, can be shown, and is no longer listed; `palimp undo` brings it back. Without TEXT it is opened"
    " in $VISUAL or $EDITOR; in a pipe it is read from stdin. With --title, --tag or --kind and no text, the text"
    " stays.",
    argument("id", metavar="ID", help="an id or its unambiguous beginning"),
    argument("text", nargs="*", metavar="TEXT", help="the text of the new version; - reads it from stdin"),
    argument("--title", metavar="TITLE", help="its title; by default the former one, or its first sentence"),
    argument(
        "--tag", dest="tags", action="append", metavar="TAG", help="its tags, instead of the former ones; repeat it"
    ),
    argument("--kind", choices=KINDS, help="its kind, instead of the former one"),
    example="palimp edit m1rv7je2; palimp edit m1rv7je2 'Retries are five, since June.'; palimp edit m1rv7je2 --kind"
    " decision",
)
def run(typed: Invocation) -> None:
    """Store the new version; print its id."""
    text = _text(typed)
    with edited_text(_present(typed), typed.env) if text is None else nullcontext(text) as wanted:
        reply: Edited = typed.answer(typed.request(text=_check_text(wanted)))
    if typed.is_json:
        return
    if reply.is_unchanged:
        print_line(f"{reply.id} says that already: nothing was changed.")
    else:
        print_line(f'"{one_line(reply.title)}" ({reply.id}) replaces {reply.former}; `palimp undo` brings that back.')
        if reply.is_redacted:
            print_remark("secrets or private parts in it were not stored.")


def _text(typed: Invocation) -> str | None:
    """Return the new version's text; None: open an editor."""
    options = typed.options
    text = text_given(options.text)
    is_beside = not options.text and (options.title is not None or options.tags or options.kind)
    return _present(typed) if is_beside and not (text or "").strip() else text


def _check_text(text: str) -> str:
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
        raise NotFoundError(f"{why}.", "`palimp search` finds ids.")
    content = reply.memories[0].content
    return "" if content is UNSET else content


@contextmanager
def edited_text(text: str, env: Mapping[str, str]) -> Generator[str]:
    """Yield *text* as edited in the user's editor; if it cannot be stored, it stays in its file.

    Raises:
        PalimpError: there is no editor, it failed, or left nothing, too much or no text; or the body's. Its hint says
            where a changed text is.
    """
    command = _editor(env)
    handle, name = tempfile.mkstemp(prefix="palimp-", suffix=".md")
    path = Path(name)
    is_kept = False
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        _run(command, name)
        yield _check_text(_text_in(path))
    except (PalimpError, KeyboardInterrupt) as error:
        is_kept = path.read_bytes().strip() not in (b"", text.strip().encode())
        where = f"What you wrote is in {path}." if is_kept else ""
        if isinstance(error, PalimpError):
            raise PalimpError(error.code, error.text, f"{error.hint} {where}".strip(), error.lines) from None
        if where:
            print_remark(where)
        raise
    finally:
        if not is_kept:
            path.unlink(missing_ok=True)


def _editor(env: Mapping[str, str]) -> list[str]:
    said = env.get("VISUAL") or env.get("EDITOR") or ""
    try:
        if command := shlex.split(said):
            return command
    except ValueError:
        text = f"The editor is set to {quote_text(said)}, whose quotation marks do not match."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Set EDITOR, or say it: palimp edit ID 'We …'.") from None
    raise PalimpError(ErrorCode.BAD_REQUEST, "No editor is set.", "Set EDITOR, or say it: palimp edit ID 'We …'.")


def _run(command: Sequence[str], name: str) -> None:
    try:
        code = subprocess.run([*command, name], check=False).returncode
    except OSError as error:
        text = f"{command[0]} cannot be run: {error.strerror}."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Set EDITOR, or say it: palimp edit ID 'We …'.") from None
    if code:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{command[0]} ended with {code}.", "Nothing was changed.")


def _text_in(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        text = f"What the editor left is no UTF-8 text (byte {error.start + 1} of it)."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Nothing was changed.") from None
