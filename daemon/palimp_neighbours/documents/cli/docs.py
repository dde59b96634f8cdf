"""`palimp docs`: the project's documents."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.history_text import cited_line
from palimp_protocol.limits import ADOPTED_AT_ONCE_MAX, DOCUMENT_CHARACTERS_MAX, DOCUMENTS_READ_S
from palimp_protocol.messages import documents as messages
from palimp_protocol.messages.memory_messages import Cited
from palimp_protocol.messages.setting_messages import Configure, Settings
from palimp_protocol.text import count_of, one_line, quote_text, shown_name, without_control
from palimp_shim.cli.arguments import confirm, is_open_descriptor
from palimp_shim.cli.command import Invocation, argument, command, flag, group
from palimp_shim.cli.delete import ERASE_S, print_erased
from palimp_shim.cli.output import day, minute, print_json, print_line, print_notes, print_rows
from palimp_shim.cli.tables import Column

group(
    "docs",
    "List, read, search and change the project's markdown documents; they are files (see `docs list`).",
    "palimp docs add api-guide --title 'API guide' - < guide.md; palimp docs search 'rate limit'",
)

SLUG: Final = argument("slug")
VERSION: Final = argument(
    "--version", metavar="V", help="the version that `docs read --json` names; refused if it was changed since"
)


def _ask(typed: Invocation, request: Struct | None = None) -> Any:
    return typed.ask(request, within_s=DOCUMENTS_READ_S, bar="reading documents")


def _answer(typed: Invocation, request: Struct | None = None) -> Any:
    return typed.answer(request, within_s=DOCUMENTS_READ_S, bar="reading documents")


@command("docs list", "slugs and titles", asks=("list_docs",))
def list_all(typed: Invocation) -> None:
    """List the documents."""
    reply: messages.DocList = _answer(typed)
    if not typed.is_json:
        _print_docs(reply.docs)
        print_notes(*reply.notes, *([] if reply.docs else [f"No documents yet; they will be in {reply.folder}."]))


@command(
    "docs read",
    "print a document",
    SLUG,
    argument("--page", type=int, metavar="N", help="only this page of a long document"),
    asks=("read_doc",),
    example="api-guide",
)
def read(typed: Invocation) -> None:
    """Print all pages, or one."""
    page: messages.DocPage = _answer(typed)
    if typed.is_json:
        return
    _print_content(page.content)
    remarks = dict.fromkeys([*_citation_lines(page.cited), *page.notes])
    for number in range(2, page.pages + 1) if typed.options.page is None else ():
        page = _ask(typed, typed.request(page=number))
        _print_content(page.content)
        remarks |= dict.fromkeys([*_citation_lines(page.cited), *page.notes])
    print_notes(*remarks)


def _citation_lines(cited: Sequence[Cited]) -> list[str]:
    return [cited_line(each, day) for each in cited]


def _print_content(content: str) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(without_control(content))
    else:
        sys.stdout.buffer.write(content.encode())  # as it is, whatever the locale says
        sys.stdout.buffer.flush()


@command(
    "docs search",
    "lines that contain a text; exits with 1 when there are none",
    argument("pattern"),
    argument("--slug", help="only in this document"),
    flag("--regex", "the pattern is a regular expression (RE2)", "is_regex"),
    flag("--case-sensitive", "A and a differ"),
    flag("--ranked", "the sections that answer a question, best first"),
    asks=("search_docs",),
    example="'rate limit' --ranked",
)
def search(typed: Invocation) -> int:
    """Print matching lines."""
    reply: messages.DocMatches = _answer(typed)
    if not typed.is_json:
        rows: list[tuple[str, str]] = []
        for match in reply.matches:
            heading = f"{one_line(match.heading)}: " if match.heading else ""
            history = "".join(f" [{line}]" for line in _citation_lines(match.cited))
            rows.append((f"{match.slug}:{match.line_number}", heading + one_line(match.snippet) + history))
        print_rows([Column("where", "cyan"), Column("what", is_text=True)], rows)
        if not rows:
            print_line(f"No document matches {quote_text(typed.options.pattern)}.")
        more = f"{len(reply.matches)} of {reply.total} shown; narrow the pattern or name a --slug."
        print_notes(*reply.notes, *([more] if reply.total > len(reply.matches) else []))
    return 0 if reply.matches else 1


@command(
    "docs add",
    "add a document",
    argument("slug", help="lower-case letters, digits and inner hyphens"),
    argument("file", sets="content", help="the markdown file to copy; - reads stdin"),
    argument("--title", help="from the text's front matter or first heading when omitted"),
    asks=("add_doc",),
    example="api-guide guide.md --title 'API guide'",
)
def add(typed: Invocation) -> None:
    """Add a document with the text of a file."""
    content = _text(typed.options.file)
    lines = (line.strip() for line in content.splitlines())
    heading = next((line.lstrip("#").strip() for line in lines if line.startswith("#")), "")[:200]
    _change(typed, typed.request(content=content, title=typed.options.title or heading or typed.options.slug))


@command(
    "docs edit",
    "replace a document's text",
    SLUG,
    argument("file", sets="content", help="the new text; - reads stdin"),
    argument("--title", help="a new title"),
    VERSION,
    asks=("edit_doc",),
    example="api-guide guide.md",
)
def edit(typed: Invocation) -> None:
    """Replace a document's text by a file's."""
    _change(typed, typed.request(content=_text(typed.options.file)))


@command(
    "docs delete",
    "delete a document; `docs restore` brings it back",
    SLUG,
    VERSION,
    asks=("delete_doc",),
    example="api-guide",
)
def delete(typed: Invocation) -> None:
    """Delete a document."""
    _change(typed, typed.request())


@command(
    "docs history",
    "former texts of a document, or of all",
    argument("slug", nargs="?"),
    asks=("docs_history",),
    example="api-guide",
)
def history(typed: Invocation) -> int:
    """List former texts."""
    reply: messages.DocVersions = _answer(typed)
    if typed.is_json:
        return 0
    columns = [Column("version", "cyan"), Column("when"), Column("done"), Column("slug"), Column("title", is_text=True)]
    rows = [
        (str(one.version), minute(one.at), one.done, one.slug, one_line(one.title), f"{one.characters:,} characters")
        for one in reply.versions
    ]
    print_rows([*columns, Column("size", is_number=True)], rows)
    print_notes(*([] if rows else ["No former texts are kept."]))
    return 0 if rows else 1


@command(
    "docs restore",
    "bring a former text back",
    SLUG,
    argument("--version", type=int, metavar="N", help="which one; the newest when omitted"),
    asks=("restore_doc",),
    example="api-guide --version 2",
)
def restore(typed: Invocation) -> None:
    """Bring a former text back."""
    _change(typed, typed.request())


@command(
    "docs forget",
    "erase former texts of a document for good; the document stays",
    SLUG,
    argument("versions", nargs="*", type=int, metavar="N", help="which ones; all when omitted"),
    flag("--yes", "do not ask"),
    asks=("forget_doc",),
    example="api-guide 12 13",
)
def forget(typed: Invocation) -> int:
    """Erase former texts."""
    options = typed.options
    which = count_of(len(options.versions), "former text") if options.versions else "All former texts"
    if not options.yes:
        confirm(f"{which} of {options.slug} will be gone for good.", "docs forget")
    return print_erased(typed.answer(within_s=ERASE_S, bar="erasing"), is_json=typed.is_json)


@command(
    "docs adopt",
    "take a folder of markdown files into the index; nothing is moved",
    argument("folder", sets="files", nargs="?", help="within the documents' folder; all of it when omitted"),
    flag("--dry-run", "only print what would be indexed"),
    asks=("adopt_docs",),
    example="handbook --dry-run",
)
def adopt(typed: Invocation) -> None:
    """Index a folder's markdown files, some at a time."""
    from rich.console import Console  # noqa: PLC0415  only here, and it is slow to import
    from rich.progress import track  # noqa: PLC0415

    listing: messages.DocList = _ask(typed, messages.ListDocs())
    is_dry: bool = typed.options.dry_run
    tree = Path(typed.caller.project.tree if typed.caller.project else "/").resolve()
    wanted = _folder_named(typed.options.folder, tree) if typed.options.folder else None
    if wanted and not is_dry and not listing.docs and _is_free(wanted, tree, Path(listing.folder)):
        # What else is set stays.
        request = Configure(key="docs.dir", value=wanted.relative_to(tree).as_posix(), file="project")
        reply: Settings = _ask(typed, request)
        where = quote_text(wanted.relative_to(tree))
        print_notes(f"The project's documents are in {where} from now on: {reply.done}.", *reply.notes)
        listing = _ask(typed, messages.ListDocs())
    files, skipped = _markdown_in(Path(listing.folder), wanted)
    batches = [files[first : first + ADOPTED_AT_ONCE_MAX] for first in range(0, len(files), ADOPTED_AT_ONCE_MAX)]
    adopted: list[messages.Doc] = []
    console = Console(stderr=True)
    for batch in track(batches, "adopting", console=console, transient=True, disable=not console.is_terminal):
        part: messages.Adopted = _ask(typed, messages.AdoptDocs(files=batch, dry_run=is_dry))
        adopted += part.adopted
        skipped += part.skipped
    if typed.is_json:
        print_json(messages.Adopted(adopted=adopted, skipped=skipped))
        return
    _print_docs(adopted)
    done = "would be adopted" if is_dry else "adopted"
    print_notes(*skipped, f"{len(adopted)} {done}, {len(skipped)} skipped.")


def _print_docs(docs: Sequence[messages.Doc]) -> None:
    print_rows(
        [Column("slug", "cyan"), Column("title", is_text=True)], [(doc.slug, one_line(doc.title)) for doc in docs]
    )


def _folder_named(folder: str, tree: Path) -> Path:
    here = Path(folder).resolve()
    return here if here.is_dir() or not (tree / folder).is_dir() else (tree / folder).resolve()


def _is_free(wanted: Path, tree: Path, present: Path) -> bool:
    is_inside = wanted.is_dir() and wanted != tree and wanted.is_relative_to(tree)
    return is_inside and not wanted.is_relative_to(present.resolve())


def _markdown_in(folder: Path, wanted: Path | None) -> tuple[list[str], list[str]]:
    start, root = wanted or folder.resolve(), folder.resolve()
    if not start.is_dir():
        text = f"{quote_text(start)} is not a folder."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, f"The documents are in {quote_text(folder)}.")
    if not start.is_relative_to(root):
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"{quote_text(start)} is not in the documents' folder {quote_text(folder)}.",
            f"Move it there; or have that folder instead: palimp config set --in-project docs.dir {start.name}",
        )
    files: list[str] = []
    unnamed: list[str] = []
    for below, folders, names in os.walk(start):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(below, name)
            if name.endswith(".md") and not name.startswith(".") and path.is_file() and not path.is_symlink():
                file = path.relative_to(root).as_posix()
                try:
                    file.encode()
                except UnicodeEncodeError:
                    unnamed.append(f"{quote_text(file)}: its name is not UTF-8; rename it")
                else:
                    files.append(file)
    return sorted(files), sorted(unnamed)


@command("docs repair", "make index and folder agree after an interrupted write", asks=("repair_docs",))
def repair(typed: Invocation) -> None:
    """Make index and folder agree."""
    reply: messages.Repaired = _answer(typed)
    for line in () if typed.is_json else reply.done or ["Index and folder agree."]:
        print_line(one_line(line))


def _change(typed: Invocation, request: Struct) -> None:
    reply: messages.DocChanged = _answer(typed, request)
    if not typed.is_json:
        print_line(f"{reply.done.capitalize()} {reply.slug} {one_line(reply.title)} ({shown_name(reply.path)})")
        kept = [] if reply.former is None else [f"The former text is kept as version {reply.former}."]
        print_notes(*kept, *_citation_lines(reply.cited), *reply.notes)


def _text(file: str) -> str:
    """Read one character more than allowed: too long is refused, not cut."""
    try:
        if file == "-":
            return sys.stdin.read(DOCUMENT_CHARACTERS_MAX + 1)
        if is_open_descriptor(file):
            with Path(file).open(encoding="utf-8", newline="") as stream:
                return stream.read(DOCUMENT_CHARACTERS_MAX + 1)
        return read_bounded(Path(file), 4 * DOCUMENT_CHARACTERS_MAX).decode()[: DOCUMENT_CHARACTERS_MAX + 1]
    except OSError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        text = f"{file} is no UTF-8 text (byte {error.start + 1} of it)."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Convert it first (iconv), or leave that out.") from None
