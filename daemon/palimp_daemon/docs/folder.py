"""A project's folder of documents: the files, `index.json`, and writes that are whole or not there.

Theory
------
`index.json` is `{"schemaVersion": 1, "docs": [{"slug": …, "title": …}, …]}`; an entry may name a `file` below the
folder where that is not `slug.md` (adopted trees). It is read anew before every write, and whatever else
stands in it is kept. An index that cannot be read is an error that names the line, and is never overwritten.

Every write goes to a new file in the same folder, is synced, renamed over the old one, and the folder synced: a
crash leaves the old text or the new one. `add` writes the file, then the index; `delete` the index, then the file.
A crash in between leaves a file that the index does not know; `disagreements` reports it and `repair` mends it.

No path comes from a client: slugs are checked, and nothing is followed out of the folder by a symbolic link.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from palimp_daemon.docs.slug import checked_slug
from palimp_daemon.plain_files import TEMPORARY, open_plain, replace_file, sync_folder
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import DOCUMENT_CHARACTERS_MAX, DOCUMENTS_MAX, INDEX_BYTES_MAX, TITLE_CHARACTERS_MAX
from palimp_protocol.surrogates import mended_json

INDEX: Final = "index.json"
SCHEMA_VERSION: Final = 1


class Entry(NamedTuple):
    """One document of the index: its file is relative to the folder."""

    slug: str
    title: str
    file: str


class Folder:
    """The documents of one worktree."""

    def __init__(self, path: Path) -> None:
        self.path = path

    # --- reading ---------------------------------------------------------------------------------

    def entries(self) -> dict[str, Entry]:
        """Return the documents in the index, by slug.

        Raises:
            PalimpError: the index is broken.
        """
        return {entry.slug: entry for entry in _entries(self.path / INDEX, _loaded(self.path / INDEX))}

    def entry(self, slug: str) -> Entry:
        """Return the document *slug*.

        Raises:
            PalimpError: there is none, or *slug* is no slug.
        """
        known = self.entries()
        if found := known.get(checked_slug(slug)):
            return found
        names = ", ".join(sorted(known)[:10]) or "none yet"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"No document has the slug {slug!r}.", f"There are: {names}.")

    def file(self, entry: Entry) -> Path:
        """Return the path of *entry*'s file.

        Raises:
            PalimpError: it leads out of the folder.
        """
        path = self.path / entry.file
        # Only a path of several parts can lead out by a link in its middle, and resolving costs more than reading.
        is_nested = "/" in entry.file or ".." in entry.file
        if path.is_symlink() or (is_nested and not path.resolve().is_relative_to(self.path.resolve())):
            raise PalimpError(
                ErrorCode.REFUSED, f"{path} leads out of the documents' folder.", "Put the file itself there."
            )
        return path

    def data(self, entry: Entry) -> bytes:
        """Return the bytes of *entry*'s file.

        Raises:
            PalimpError: it is missing, too long, or cannot be read.
        """
        path = self.file(entry)
        try:
            with open_plain(path) as stream:
                data = stream.read()
        except FileNotFoundError:
            raise PalimpError(
                ErrorCode.BAD_REQUEST, f"The file of {entry.slug!r} is missing: {path}.", "Run `palimp docs repair`."
            ) from None
        except OSError as error:
            raise PalimpError(ErrorCode.BAD_REQUEST, f"{path} cannot be read: {error.strerror or error}.") from None
        if len(data) > 4 * DOCUMENT_CHARACTERS_MAX:
            raise PalimpError(ErrorCode.TOO_LARGE, f"{path} has more than {DOCUMENT_CHARACTERS_MAX:,} characters.")
        return data

    def text(self, entry: Entry) -> str:
        """Return the text of *entry*.

        Raises:
            PalimpError: as `data`, or its file is no UTF-8 text.
        """
        try:
            return self.data(entry).decode()
        except UnicodeDecodeError as error:
            raise PalimpError(
                ErrorCode.BAD_REQUEST, f"{self.path / entry.file} is no UTF-8 text (byte {error.start})."
            ) from None

    def disagreements(self) -> list[str]:
        """Return what index and folder do not agree on, a sentence each."""
        entries = self.entries()
        known = {entry.file for entry in entries.values()}
        missing = [entry.slug for entry in entries.values() if not (self.path / entry.file).is_file()]
        unknown = [path.name for path in self._files() if path.name not in known]
        hint = "palimp docs repair mends it"
        notes = [f"The file of {slug} is missing; {hint}." for slug in missing]
        return notes + [f"{name} is not in the index; {hint}." for name in unknown]

    def _files(self) -> Iterator[Path]:
        """Yield the markdown files directly in the folder."""
        if self.path.is_dir():
            yield from sorted(path for path in self.path.iterdir() if path.suffix == ".md" and path.is_file())

    # --- writing ---------------------------------------------------------------------------------

    def add(self, slug: str, title: str, text: str) -> Path:
        """Write a new document: the file, then the index.

        Raises:
            PalimpError: the slug is taken, in the index or by a file.
        """
        index = _loaded(self.path / INDEX)
        entries = _entries(self.path / INDEX, index)
        entry = Entry(checked_slug(slug), title, f"{slug}.md")
        if any(known.slug == slug for known in entries):
            raise PalimpError(
                ErrorCode.BAD_REQUEST, f"The document {slug!r} exists already.", "Use edit_doc, or another slug."
            )
        if len(entries) >= DOCUMENTS_MAX:
            raise PalimpError(ErrorCode.TOO_LARGE, f"The project has {DOCUMENTS_MAX:,} documents already.")
        path = self.path / entry.file
        if path.is_symlink() or path.exists():
            raise PalimpError(
                ErrorCode.BAD_REQUEST,
                f"A file {path} is there that the index does not know.",
                "Take it in with `palimp docs repair` or `palimp docs adopt`, or use another slug.",
            )
        self._write(path, text)
        index.setdefault("docs", []).append({"slug": slug, "title": title})
        self._write_index(index)
        return path

    def edit(self, slug: str, text: str, title: str | None) -> Entry:
        """Replace the text of *slug*, and its title if one is given."""
        entry = self.entry(slug)
        self._write(self.file(entry), text)
        if title is None or title == entry.title:
            return entry
        index = _loaded(self.path / INDEX)
        for row in index["docs"]:
            if row["slug"] == slug:
                row["title"] = title
        self._write_index(index)
        return entry._replace(title=title)

    def delete(self, slug: str) -> bool:
        """Take *slug* out of the index, then remove its file; return whether the file was there."""
        path = self.file(self.entry(slug))
        self._drop({slug})
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        sync_folder(path.parent)
        return True

    def take_in(self, entries: list[Entry]) -> None:
        """Put files that are there already into the index."""
        index = _loaded(self.path / INDEX)
        for entry in entries:
            row = {"slug": entry.slug, "title": entry.title}
            index.setdefault("docs", []).append(row if entry.file == f"{entry.slug}.md" else row | {"file": entry.file})
        self._write_index(index)

    def repair(self, title_of: "TitleOf") -> list[str]:
        """Make index and folder agree: unknown files come in, missing ones and unfinished writes go out."""
        done: list[str] = []
        for path in list(self.path.glob(f"{TEMPORARY}*")) if self.path.is_dir() else []:
            path.unlink()
            done.append(f"Removed an unfinished write, {path.name}.")
        entries = self.entries()
        missing = {entry.slug for entry in entries.values() if not (self.path / entry.file).is_file()}
        if missing:
            self._drop(missing)
            done += [f"Took {slug} out of the index: its file is missing." for slug in sorted(missing)]
        known = {entry.file for entry in entries.values()}
        new: list[Entry] = []
        for path in self._files():
            if path.name in known or path.is_symlink():
                continue
            try:
                slug = checked_slug(path.stem)
                new.append(Entry(slug, title_of(self.text(Entry(slug, slug, path.name)), slug), path.name))
            except PalimpError as error:
                done.append(f"Left {path.name} out of the index: {error.text}")
        if new:
            self.take_in(new)
            done += [f"Took {entry.file} into the index as {entry.slug}." for entry in new]
        return done

    def _drop(self, slugs: set[str]) -> None:
        index = _loaded(self.path / INDEX)
        index["docs"] = [row for row in index["docs"] if row["slug"] not in slugs]
        self._write_index(index)

    def _write_index(self, index: dict[str, Any]) -> None:
        self._write(self.path / INDEX, json.dumps(index, ensure_ascii=False, indent=2) + "\n")

    def _write(self, path: Path, text: str) -> None:
        """Write *path* so that a crash leaves the old file or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            replace_file(path, text.encode())
        except OSError as error:
            raise PalimpError(
                ErrorCode.STORE_UNAVAILABLE, f"{path} cannot be written: {error.strerror}.", "Nothing was changed."
            ) from error


TitleOf = Any
"""From a text and what to call it otherwise to its title."""


def folder_of(tree: Path, named: str) -> Folder:
    """Return the folder of documents of the worktree *tree*: *named* is its `docs.dir`.

    Raises:
        PalimpError: it lies outside the project.
    """
    path = tree / named
    if not path.resolve().is_relative_to(tree.resolve()) or path.resolve() == tree.resolve():
        raise PalimpError(ErrorCode.REFUSED, f"docs.dir is {named!r}.", "It must be a folder inside the project.")
    return Folder(path)


def _loaded(path: Path) -> dict[str, Any]:
    """Return the index at *path*, or a new one when there is none."""
    try:
        if path.is_symlink():
            raise PalimpError(ErrorCode.REFUSED, f"{path} is a symbolic link.", "Put the index itself there.")
        with open_plain(path) as stream:
            data = stream.read(INDEX_BYTES_MAX + 1)
        if len(data) > INDEX_BYTES_MAX:
            raise _broken(path, f"it has more than {INDEX_BYTES_MAX:,} bytes")
        index = json.loads(mended_json(data).decode())
    except FileNotFoundError:
        return {"schemaVersion": SCHEMA_VERSION, "docs": []}
    except json.JSONDecodeError as error:
        raise _broken(path, f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise _broken(path, str(error)) from None
    if not isinstance(index, dict):
        raise _broken(path, "it is not an object")
    found = cast("dict[str, Any]", index)
    if found.get("schemaVersion", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise _broken(path, f"schemaVersion is {found['schemaVersion']!r}; this palimp knows {SCHEMA_VERSION}")
    return found


def _entries(path: Path, index: dict[str, Any]) -> list[Entry]:
    rows: Any = index.setdefault("docs", [])
    if not isinstance(rows, list):
        raise _broken(path, "docs is not a list")
    entries: list[Entry] = []
    for number, row in enumerate(cast("list[Any]", rows), 1):
        match row:
            case {"slug": str(slug), "title": str(title)} if re.fullmatch(r"[a-z0-9][a-z0-9-]*", slug):
                file: Any = cast("dict[str, Any]", row).get("file", f"{slug}.md")
                entries.append(Entry(slug, " ".join(title.split())[:TITLE_CHARACTERS_MAX] or slug, str(file)))
            case _:
                raise _broken(path, f"entry {number} of docs needs a slug and a title")
    return entries


def _broken(path: Path, why: str) -> PalimpError:
    return PalimpError(ErrorCode.BAD_REQUEST, f"{path} is broken: {why}.", "Mend or remove it; it was left as it is.")
