"""`palimp docs`: the project's documents."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.history_text import cited_line
from palimp_protocol.limits import ADOPTED_AT_ONCE_MAX, DOCUMENT_CHARACTERS_MAX, DOCUMENTS_READ_S
from palimp_protocol.messages import documents as messages
from palimp_protocol.messages.memories import Cited
from palimp_protocol.messages.settings import Configure, Settings
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line, quoted, shown_name, without_control
from palimp_shim.cli.arguments import Commands, add_subcommand, caller_from, confirm, is_open_descriptor
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.delete import ERASE_S, print_erased
from palimp_shim.cli.output import day, minute, print_json, print_line, print_remark
from palimp_shim.cli.progress import WaitingBar
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its subcommands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "docs",
        help=SUMMARIES["docs"],
        description="List, read, search and change the project's markdown documents; they are files (see `docs list`).",
        epilog="Example: palimp docs add api-guide --title 'API guide' - < guide.md; palimp docs search 'rate limit'",
    )
    docs = parser.add_subparsers(required=True, metavar="COMMAND")
    add_subcommand(docs, "list", "slugs and titles", _list)
    read = add_subcommand(docs, "read", "print a document", _read, "api-guide")
    read.add_argument("slug")
    read.add_argument("--page", type=int, metavar="N", help="only this page of a long document")
    search = add_subcommand(
        docs, "search", "lines that contain a text; exits with 1 when there are none", _search, "'rate limit' --ranked"
    )
    search.add_argument("pattern")
    search.add_argument("--slug", help="only in this document")
    search.add_argument("--regex", action="store_true", help="the pattern is a regular expression (RE2)")
    search.add_argument("--case-sensitive", action="store_true", help="A and a differ")
    search.add_argument("--ranked", action="store_true", help="the sections that answer a question, best first")
    add = add_subcommand(
        docs,
        "add",
        "add a document",
        lambda options, env: _write(options, env, "add_doc"),
        "api-guide guide.md --title 'API guide'",
    )
    add.add_argument("slug", help="lower-case letters, digits and inner hyphens")
    add.add_argument("file", help="the markdown file to copy; - reads stdin")
    add.add_argument("--title", help="from the text's front matter or first heading when omitted")
    edit = add_subcommand(
        docs,
        "edit",
        "replace a document's text",
        lambda options, env: _write(options, env, "edit_doc"),
        "api-guide guide.md",
    )
    edit.add_argument("slug")
    edit.add_argument("file", help="the new text; - reads stdin")
    edit.add_argument("--title", help="a new title")
    delete = add_subcommand(docs, "delete", "delete a document; `docs restore` brings it back", _delete, "api-guide")
    delete.add_argument("slug")
    history = add_subcommand(docs, "history", "former texts of a document, or of all", _history, "api-guide")
    history.add_argument("slug", nargs="?")
    restore = add_subcommand(docs, "restore", "bring a former text back", _restore, "api-guide --version 2")
    restore.add_argument("slug")
    restore.add_argument("--version", type=int, metavar="N", help="which one; the newest when omitted")
    forget = add_subcommand(
        docs, "forget", "erase former texts of a document for good; the document stays", _forget, "api-guide 12 13"
    )
    forget.add_argument("slug")
    forget.add_argument("versions", nargs="*", type=int, metavar="N", help="which ones; all when omitted")
    forget.add_argument("--yes", action="store_true", help="do not ask")
    adopt = add_subcommand(
        docs, "adopt", "take a folder of markdown files into the index; nothing is moved", _adopt, "handbook --dry-run"
    )
    adopt.add_argument("folder", nargs="?", help="within the documents' folder; all of it when omitted")
    adopt.add_argument("--dry-run", action="store_true", help="only print what would be indexed")
    add_subcommand(docs, "repair", "make index and folder agree after an interrupted write", _repair)


def _call(options: argparse.Namespace, env: Mapping[str, str], operation: str, request: Struct) -> Any:
    client = Client(env, deadline_s=DOCUMENTS_READ_S)
    with WaitingBar("reading documents"):
        return client.call(OPERATIONS[operation], request, caller_from(options, env))


def _list(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    reply: messages.DocList = _call(options, env, "list_docs", messages.ListDocs())
    if options.is_json:
        print_json(reply)
        return 0
    _print_docs(reply.docs)
    _remark(*reply.notes, *([] if reply.docs else [f"No documents yet; they will be in {reply.folder}."]))
    return 0


def _read(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Print all pages, or one: a person's terminal has no budget."""
    first = messages.ReadDoc(slug=options.slug, page=options.page or 1)
    page: messages.DocPage = _call(options, env, "read_doc", first)
    if options.is_json:
        print_json(page)
        return 0
    _print_content(page.content)
    remarks = dict.fromkeys([*_cited(page.cited), *page.notes])
    for number in range(2, page.pages + 1) if options.page is None else ():
        page = _call(options, env, "read_doc", messages.ReadDoc(slug=options.slug, page=number))
        _print_content(page.content)
        remarks |= dict.fromkeys([*_cited(page.cited), *page.notes])
    _remark(*remarks)
    return 0


def _cited(cited: Sequence[Cited]) -> list[str]:
    """Return what became of memories that a document names."""
    return [cited_line(each, day) for each in cited]


def _print_content(content: str) -> None:
    """Write a part of a document: to a terminal without what it acts on, to a pipe as it is in the file."""
    if sys.stdout.isatty():
        sys.stdout.write(without_control(content))
    else:
        sys.stdout.buffer.write(content.encode())  # as it is, whatever the locale says
        sys.stdout.buffer.flush()


def _search(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    request = messages.SearchDocs(
        pattern=options.pattern,
        slug=options.slug,
        is_regex=options.regex,
        case_sensitive=options.case_sensitive,
        ranked=options.ranked,
    )
    reply: messages.DocMatches = _call(options, env, "search_docs", request)
    if options.is_json:
        print_json(reply)
    else:
        rows: list[tuple[str, str]] = []
        for match in reply.matches:
            heading = f"{one_line(match.heading)}: " if match.heading else ""
            history = "".join(f" [{line}]" for line in _cited(match.cited))
            rows.append((f"{match.slug}:{match.line_number}", heading + one_line(match.snippet) + history))
        if is_terminal():
            print_table([Column("where", "cyan"), Column("what", is_text=True)], rows)
        for row in rows if not is_terminal() else ():
            print_line("\t".join(row))
        more = f"{len(reply.matches)} of {reply.total} shown; narrow the pattern or name a --slug."
        _remark(*reply.notes, *([more] if reply.total > len(reply.matches) else []))
    return 0 if reply.matches else 1


def _write(options: argparse.Namespace, env: Mapping[str, str], operation: str) -> int:
    content = _text(options.file)
    if operation == "add_doc":
        title = options.title or _first_heading(content) or options.slug
        request: Struct = messages.AddDoc(slug=options.slug, title=title, content=content)
    else:
        request = messages.EditDoc(slug=options.slug, content=content, title=options.title)
    return _print_changed(options, _call(options, env, operation, request))


def _delete(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    return _print_changed(options, _call(options, env, "delete_doc", messages.DeleteDoc(slug=options.slug)))


def _restore(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    request = messages.RestoreDoc(slug=options.slug, version=options.version)
    return _print_changed(options, _call(options, env, "restore_doc", request))


def _forget(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    which = counted(len(options.versions), "former text") if options.versions else "All former texts"
    if not options.yes:
        confirm(f"{which} of {options.slug} will be gone for good.", "docs forget")
    client = Client(env, deadline_s=ERASE_S)
    request = messages.ForgetDoc(slug=options.slug, versions=options.versions)
    with WaitingBar("erasing"):
        reply = client.call(OPERATIONS["forget_doc"], request, caller_from(options, env))
    return print_erased(reply, is_json=options.is_json)


def _history(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    reply: messages.DocVersions = _call(options, env, "docs_history", messages.DocsHistory(slug=options.slug))
    if options.is_json:
        print_json(reply)
        return 0
    rows = [
        [
            f"{each.version}",
            minute(each.at),
            each.done,
            each.slug,
            one_line(each.title),
            f"{each.characters:,} characters",
        ]
        for each in reply.versions
    ]
    if is_terminal() and rows:
        columns = [
            Column("version", "cyan"),
            Column("when"),
            Column("done"),
            Column("slug"),
            Column("title", is_text=True),
        ]
        print_table([*columns, Column("size", is_number=True)], rows)
    for row in rows if not is_terminal() else ():
        print_line("\t".join(row))
    _remark(*([] if reply.versions else ["No former texts are kept."]))
    return 0 if reply.versions else 1


def _adopt(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    from rich.console import Console  # noqa: PLC0415  only here, and it is slow to import
    from rich.progress import track  # noqa: PLC0415

    listing: messages.DocList = _call(options, env, "list_docs", messages.ListDocs())
    tree = _tree(options, env)
    wanted = _folder_named(options.folder, tree) if options.folder else None
    if wanted and not options.dry_run and not listing.docs and _is_free(wanted, tree, Path(listing.folder)):
        _use_folder(wanted.relative_to(tree), options, env)
        listing = _call(options, env, "list_docs", messages.ListDocs())
    files, unnamed = _markdown_in(Path(listing.folder), wanted)
    batches = [files[first : first + ADOPTED_AT_ONCE_MAX] for first in range(0, len(files), ADOPTED_AT_ONCE_MAX)]
    adopted: list[messages.Doc] = []
    skipped: list[str] = unnamed
    console = Console(stderr=True)
    for batch in track(batches, "adopting", console=console, transient=True, disable=not console.is_terminal):
        request = messages.AdoptDocs(files=batch, dry_run=options.dry_run)
        part: messages.Adopted = _call(options, env, "adopt_docs", request)
        adopted += part.adopted
        skipped += part.skipped
    if options.is_json:
        print_json(messages.Adopted(adopted=adopted, skipped=skipped))
        return 0
    _print_docs(adopted)
    done = "would be adopted" if options.dry_run else "adopted"
    _remark(*skipped, f"{len(adopted)} {done}, {len(skipped)} skipped.")
    return 0


def _print_docs(docs: Sequence[messages.Doc]) -> None:
    if is_terminal():
        print_table(
            [Column("slug", "cyan"), Column("title", is_text=True)], [(doc.slug, one_line(doc.title)) for doc in docs]
        )
        return
    for doc in docs:
        print_line(f"{doc.slug}\t{one_line(doc.title)}")


def _tree(options: argparse.Namespace, env: Mapping[str, str]) -> Path:
    project = caller_from(options, env).project
    return Path(project.tree if project else "/").resolve()


def _folder_named(folder: str, tree: Path) -> Path:
    """Return the *folder* that is meant: from here, or within the project *tree* where there is none here."""
    here = Path(folder).resolve()
    return here if here.is_dir() or not (tree / folder).is_dir() else (tree / folder).resolve()


def _is_free(wanted: Path, tree: Path, present: Path) -> bool:
    """Tell whether *wanted* may become the documents' folder of the project *tree*, which has none in *present*."""
    return wanted.is_dir() and wanted != tree and wanted.is_relative_to(tree) and not _is_in(wanted, present)


def _is_in(wanted: Path, present: Path) -> bool:
    return wanted.is_relative_to(present.resolve())


def _use_folder(wanted: Path, options: argparse.Namespace, env: Mapping[str, str]) -> None:
    """Make *wanted*, within the project, the folder of its documents; what else is set stays."""
    request = Configure(key="docs.dir", value=wanted.as_posix(), file="project")
    reply: Settings = _call(options, env, "config", request)
    _remark(f"The project's documents are in {quoted(wanted)} from now on: {reply.done}.", *reply.notes)


def _markdown_in(folder: Path, wanted: Path | None) -> tuple[list[str], list[str]]:
    """Return the markdown files in *wanted* or all of *folder*, relative to *folder*, and why others are left out.

    Hidden folders are left out, and no link is followed.
    """
    start, root = wanted or folder.resolve(), folder.resolve()
    if not start.is_dir():
        text = f"{quoted(start)} is not a folder."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, f"The documents are in {quoted(folder)}.")
    if not start.is_relative_to(root):
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"{quoted(start)} is not in the documents' folder {quoted(folder)}.",
            f"Move it there; or have that folder instead: palimp config set --in-project docs.dir {start.name}",
        )
    files: list[str] = []
    unnamed: list[str] = []
    for below, folders, names in os.walk(start):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(below, name)
            if name.endswith(".md") and not name.startswith(".") and path.is_file() and not path.is_symlink():
                _sort_in(path.relative_to(root).as_posix(), files, unnamed)
    return sorted(files), sorted(unnamed)


def _sort_in(file: str, files: list[str], unnamed: list[str]) -> None:
    """Add *file* to *files*, or to *unnamed* if its name cannot be sent."""
    try:
        file.encode()
    except UnicodeEncodeError:
        unnamed.append(f"{quoted(file)}: its name is not UTF-8; rename it")
    else:
        files.append(file)


def _repair(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    reply: messages.Repaired = _call(options, env, "repair_docs", messages.RepairDocs())
    if options.is_json:
        print_json(reply)
        return 0
    for line in reply.done or ["Index and folder agree."]:
        print_line(one_line(line))
    return 0


def _print_changed(options: argparse.Namespace, reply: messages.DocChanged) -> int:
    if options.is_json:
        print_json(reply)
    else:
        print_line(f"{reply.done.capitalize()} {reply.slug} {one_line(reply.title)} ({shown_name(reply.path)})")
        kept = [] if reply.former is None else [f"The former text is kept as version {reply.former}."]
        _remark(*kept, *_cited(reply.cited), *reply.notes)
    return 0


def _text(file: str) -> str:
    """Return the text of *file*, one character more than allowed at most, so that too long is refused and not cut."""
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


def _first_heading(content: str) -> str:
    lines = (line.strip() for line in content.splitlines())
    return next((line.lstrip("#").strip() for line in lines if line.startswith("#")), "")[:200]


def _remark(*lines: str) -> None:
    for line in lines:
        print_remark(line)
