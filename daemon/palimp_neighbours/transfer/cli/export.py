"""`palimp export`: memories as JSON lines, or markdown files."""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

import msgspec

from palimp_neighbours.transfer.transfer_messages import ExportPage, PortableMemory
from palimp_protocol import __version__
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.messages.memory_messages import Relation
from palimp_protocol.text import count_of
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.output import day, minute, print_remark
from palimp_shim.cli.progress import progress_bar

FORMAT_VERSION = 1

TIES: Final[Mapping[Relation, tuple[str, str]]] = {
    "replaces": ("replaces", "replaced-by"),
    "narrows": ("narrows", "narrowed-by"),
    "disagrees": ("disagrees-with", "disputed-by"),
}
"""Link texts in notes: on the newer memory, and on the older."""

HEAD_ENDS: Final = "\n---\n"
"""Ends a note's first lines, its metadata."""


@command(
    "export",
    "Write the memories of the project, purged ones too, to a file (one JSON object per line, which `palimp import`"
    " reads) or, with --markdown, to a folder, one file each (without the purged ones). Documents are files already,"
    " removed code and commit messages are read from git again, and turns of conversations from the clients' files;"
    " `palimp backup` copies the whole database of memories.",
    argument(
        "to", nargs="?", metavar="TO", help="the file, or the folder with --markdown; - or none in a pipe: stdout"
    ),
    flag("--markdown", "a folder of markdown files"),
    flag("--all", "the memories of all projects", "everything"),
    example="palimp export --all memories.jsonl; palimp export | wc -l; palimp export --markdown notes/",
    json=False,
    unset={"after": "the command asks for page after page"},
)
def run(typed: Invocation) -> int:
    """Write page after page."""
    options = typed.options
    to: str = options.to or ""
    if not to and (options.markdown or sys.stdout.isatty()):
        wanted = "folder" if options.markdown else "file"
        raise RequestError(f"Name the {wanted} to write to.", "Without one, lines go to a pipe or a redirected stdout.")
    if options.markdown:
        count = _write_folder(Path(to), _pages(typed))
    elif to in ("", "-"):
        count = _write_lines(sys.stdout.buffer, _pages(typed))
    else:
        count = _write_file(Path(to), _pages(typed))
    print_remark(f"{count_of(count, 'memory')} exported.")
    return 0 if count else 1


def _pages(typed: Invocation) -> Iterator[ExportPage]:
    after: int | None = 0
    with progress_bar(is_shown=sys.stderr.isatty()) as progress:
        task = progress.add_task("exporting", total=None)
        while after is not None:
            page: ExportPage = typed.ask(typed.request(after=after))
            yield page
            progress.update(task, total=page.total, advance=len(page.memories))
            after = page.next


def _write_lines(stream: IO[bytes], pages: Iterator[ExportPage]) -> int:
    count = 0
    stream.write(msgspec.json.encode({"palimp_export": FORMAT_VERSION, "version": __version__}) + b"\n")
    for page in pages:
        for memory in page.memories:
            stream.write(msgspec.json.encode(memory) + b"\n")
            count += 1
    stream.flush()
    return count


def _write_file(path: Path, pages: Iterator[ExportPage]) -> int:
    """Write all or nothing: half an export looks whole."""
    try:
        with open(path, "xb", opener=_private) as stream:
            try:
                return _write_lines(stream, pages)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
    except FileExistsError:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} exists.", "Name a file that does not.") from None
    except OSError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} cannot be written: {error.strerror}.") from None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write_folder(folder: Path, pages: Iterator[ExportPage]) -> int:
    notes: dict[str, Path] = {}
    ties: defaultdict[str, list[str]] = defaultdict(list)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for page in pages:
            for memory in page.memories:
                if memory.purged_at is None:
                    notes[memory.id] = _write_note(folder, memory)
                    for newer, older, relation in _ties(memory):
                        does, is_done = TIES[relation]
                        ties[newer].append(f"{does}: {older}")
                        ties[older].append(f"{is_done}: {newer}")
        for each in ties.keys() & notes.keys():  # what replaces a memory comes behind it
            _add_to_head(notes[each], ties[each])
    except OSError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{folder} cannot be written: {error.strerror}.") from None
    return len(notes)


def _ties(memory: PortableMemory) -> Iterator[tuple[str, str, Relation]]:
    for older in memory.supersedes:
        yield memory.id, older, "replaces"
    for link in memory.links:
        if link.said_by == "inferred":
            continue
        if link.is_older:
            yield link.other, memory.id, link.relation
        elif link.relation != "replaces":  # those that hide the older one were named above
            yield memory.id, link.other, link.relation


def _add_to_head(path: Path, lines: Sequence[str]) -> None:
    head, end, text = path.read_bytes().decode().partition(HEAD_ENDS)
    path.write_bytes("\n".join([head, *lines]).encode() + f"{end}{text}".encode())


def _write_note(folder: Path, memory: PortableMemory) -> Path:
    slug = re.sub(r"[^a-z0-9]+", "-", memory.title.lower()).strip("-")[:60].rstrip("-") or "memory"
    path = folder / f"{day(memory.created_at)}-{slug}-{memory.id}.md"
    facts = {
        "title": memory.title,
        "kind": memory.kind,
        "tags": ", ".join(memory.tags),
        "created": minute(memory.created_at),
        "project": memory.project_name,
        "id": memory.id,
    }
    head = "".join(f"{key}: {' '.join(value.split())}\n" for key, value in facts.items() if value)
    with open(path, "w", encoding="utf-8", newline="", opener=_private) as stream:
        stream.write(f"---\n{head}---\n\n{memory.content}\n")
    return path
