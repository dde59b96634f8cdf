"""Adopting: what a folder of markdown files becomes in the index. Nothing is moved."""

from pathlib import Path

from palimp_daemon.docs.folder import Entry, Folder
from palimp_daemon.docs.sections import title_of
from palimp_daemon.docs.slug import slug_of_path
from palimp_protocol.errors import ErrorCode, PalimpError


def markdown_below(folder: Path) -> list[str]:
    """Return the markdown files below *folder*, relative to it; hidden folders left out."""
    found = (path.relative_to(folder) for path in folder.rglob("*.md"))
    return sorted(str(path) for path in found if not any(part.startswith(".") for part in path.parts))


def adoptable(folder: Folder, files: list[str]) -> tuple[list[Entry], list[str]]:
    """Return the entries that *files* become, and a sentence for each that cannot."""
    known = folder.entries()
    indexed = {entry.file for entry in known.values()}
    taken = dict.fromkeys(known, "a document of the index")
    entries: list[Entry] = []
    skipped: list[str] = []
    for file in files:
        if file in indexed:
            continue  # taken in before
        slug = slug_of_path(file)
        entry = Entry(slug, slug, file)
        try:
            if not slug:
                raise PalimpError(ErrorCode.BAD_REQUEST, "no slug can be made of its name")
            if slug in taken:
                raise PalimpError(ErrorCode.BAD_REQUEST, f"its slug {slug} is that of {taken[slug]}")
            if Path(file).is_absolute() or ".." in Path(file).parts:
                raise PalimpError(ErrorCode.REFUSED, "it is not below the documents' folder")
            text = folder.text(entry)
        except PalimpError as error:
            skipped.append(f"{file}: {error.text}")
            continue
        taken[slug] = file
        entries.append(entry._replace(title=title_of(text, slug)))
    return entries, skipped
