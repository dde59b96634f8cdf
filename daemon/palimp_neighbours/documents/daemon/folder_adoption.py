"""Index a folder of markdown files; no file is moved."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from palimp_daemon.text.markdown import title_of
from palimp_neighbours.documents.daemon.folder import Entry, Folder, is_below, is_utf8
from palimp_neighbours.documents.daemon.slug import slug_of_path
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.limits import DOCUMENTS_MAX
from palimp_protocol.text import quote_text


def markdown_below(folder: Path) -> list[str]:
    """List relative paths of markdown files below *folder*, without hidden folders."""
    return sorted(_markdown_in(str(folder), ""))


def _markdown_in(folder: str, below: str) -> Iterator[str]:
    try:
        with os.scandir(os.path.join(folder, below)) as found:  # noqa: PTH118  thousands of them
            entries = list(found)
    except OSError:
        return  # not to be read: nothing in it can be adopted
    for entry in entries:
        name = f"{below}/{entry.name}" if below else entry.name
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _markdown_in(folder, name)
        elif entry.name.endswith(".md") and not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
            yield name


def adoptable(folder: Folder, files: list[str]) -> tuple[list[Entry], list[str]]:
    """Make entries of *files*, and a sentence for each refused one."""
    known = folder.entries()
    indexed = {entry.file for entry in known.values()}
    taken = dict.fromkeys(known, "a document of the index")
    entries: list[Entry] = []
    skipped: list[str] = []
    for file in files:
        if file in indexed:
            continue  # taken in before
        slug = slug_of_path(file)
        try:
            _check(file, slug, taken)
            text = folder.text(Entry(slug, slug, file))
        except PalimpError as error:
            skipped.append(f"{quote_text(file)}: {error.text}")
            continue
        taken[slug] = file
        entries.append(Entry(slug, title_of(text, slug), file))
    return entries, skipped


def _check(file: str, slug: str, taken: Mapping[str, str]) -> None:
    if not is_below(file):
        raise PalimpError(ErrorCode.REFUSED, "it is not below the documents' folder")
    if not is_utf8(file):
        raise RequestError("its name is not UTF-8; rename it")
    if not slug:
        raise RequestError("no slug can be made of its name")
    if slug in taken:
        raise RequestError(f"its slug {slug} is that of {quote_text(taken[slug])}")
    if len(taken) >= DOCUMENTS_MAX:
        raise PalimpError(ErrorCode.TOO_LARGE, f"a project has {DOCUMENTS_MAX:,} documents at most")
