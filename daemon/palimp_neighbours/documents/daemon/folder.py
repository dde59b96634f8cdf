"""Keep a project's folder of documents: files, `index.json`, and atomic writes.

`index.json` is `{"schemaVersion": 1, "docs": [{"slug": …, "title": …, "file"?: …}, …]}`, read anew before every write;
a broken one is never overwritten. `add` writes the file first, `delete` the index first: after a crash `disagreements`
reports a file without an entry, and `repair` mends it.

No path comes from a client: slugs are checked, and no symbolic link leads out of the folder.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, Final

from palimp_daemon.runtime.files import TEMPORARY, replace_file, sync_folder
from palimp_daemon.settings.reserved_folders import is_reserved
from palimp_daemon.text.markdown import title_of
from palimp_neighbours.documents.daemon.index_file import (
    INDEX,
    Entry,
    entries_in,
    index_text,
    load_index,
    row_of,
    slug_in,
)
from palimp_neighbours.documents.daemon.slug import checked_slug
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.errors import ErrorCode, NotFoundError, PalimpError, RequestError
from palimp_protocol.limits import (
    DOCUMENT_CHARACTERS_MAX,
    DOCUMENTS_MAX,
    PATH_CHARACTERS_MAX,
)
from palimp_protocol.text import quote_text

DOCUMENT_BYTES_MAX: Final = 4 * DOCUMENT_CHARACTERS_MAX
"""UTF-8 takes up to four bytes per character."""

NOTES_MAX: Final = 100
"""Disagreements listed; the others are counted."""


class Folder:
    """A worktree's documents."""

    def __init__(self, path: Path) -> None:
        self.path = path

    # --- reading ---------------------------------------------------------------------------------

    def entries(self) -> dict[str, Entry]:
        """Load the indexed documents, by slug.

        Raises:
            PalimpError: the index is broken.
        """
        return self._load()[0]

    def _load(self) -> tuple[dict[str, Entry], list[str]]:
        path = self.path / INDEX
        entries, skipped = entries_in(path, load_index(path))
        return {entry.slug: entry for entry in entries}, skipped

    def entry(self, slug: str) -> Entry:
        """Return the document *slug*.

        Raises:
            PalimpError: there is none, or *slug* is no slug.
        """
        known = self.entries()
        if found := known.get(checked_slug(slug)):
            return found
        names = ", ".join(sorted(known)[:10]) or "none yet"
        raise NotFoundError(f"No document has the slug {quote_text(slug)}.", f"There are: {names}.")

    def file(self, entry: Entry) -> Path:
        """Return the path of *entry*'s file.

        Raises:
            PalimpError: it leads out of the folder.
        """
        path = self.path / entry.file
        # Only a path of several parts can lead out by a link in its middle, and resolving costs more than reading.
        if path.is_symlink() or (not is_below(entry.file)) or ("/" in entry.file and not _stays_in(path, self.path)):
            raise PalimpError(
                ErrorCode.REFUSED,
                f"{quote_text(path)} leads out of the documents' folder.",
                "Put the file itself there.",
            )
        return path

    def data(self, entry: Entry) -> bytes:
        """Read the bytes of *entry*'s file.

        Raises:
            PalimpError: it is missing, too long, or cannot be read.
        """
        path = self.file(entry)
        try:
            return read_bounded(path, DOCUMENT_BYTES_MAX, follows_links=False)
        except FileNotFoundError:
            raise RequestError(
                f"The file of {entry.slug} is missing: {quote_text(path)}.", "Run `palimp docs repair`."
            ) from None
        except OSError as error:
            if error.errno == errno.EFBIG:
                text = f"{quote_text(path)} has more than {DOCUMENT_CHARACTERS_MAX:,} characters."
                raise PalimpError(ErrorCode.TOO_LARGE, text, "Split it into several documents.") from None
            text = f"{quote_text(path)} cannot be read: {error.strerror or error}."
            raise RequestError(text) from None

    def text(self, entry: Entry) -> str:
        """Read the text of *entry*.

        Raises:
            PalimpError: as `data`, or its file is no UTF-8 text.
        """
        try:
            return self.data(entry).decode()
        except UnicodeDecodeError as error:
            raise RequestError(f"{quote_text(self.path / entry.file)} is no UTF-8 text (byte {error.start}).") from None

    def disagreements(self) -> list[str]:
        """List differences between index and folder, in sentences."""
        entries, skipped = self._load()
        known = {entry.file for entry in entries.values()}
        notes = [*skipped, *(note for entry in entries.values() if (note := self._problem_of(entry)))]
        notes += [_unindexed_file_note(path.name) for path in self._files() if path.name not in known]
        more = len(notes) - NOTES_MAX
        return notes if more <= 0 else [*notes[:NOTES_MAX], f"… and {more:,} more like these."]

    def _problem_of(self, entry: Entry) -> str:
        try:
            path = self.file(entry)
        except PalimpError as error:
            return error.text
        return "" if _is_plain(path) else f"The file of {entry.slug} is missing; palimp docs repair mends it."

    def _files(self) -> Iterator[Path]:
        try:
            with os.scandir(self.path) as found:
                names = [
                    each.name for each in found if each.name.endswith(".md") and each.is_file(follow_symlinks=False)
                ]
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            text = f"{quote_text(self.path)} cannot be read: {error.strerror}."
            raise RequestError(text) from None
        yield from (self.path / name for name in names)

    # --- writing ---------------------------------------------------------------------------------

    def add(self, slug: str, title: str, text: str) -> Path:
        """Write a new document: the file, then the index.

        Raises:
            PalimpError: the slug is taken, in the index or by a file.
        """
        index = load_index(self.path / INDEX)
        entries, _ = entries_in(self.path / INDEX, index)
        entry = Entry(checked_slug(slug), title, f"{slug}.md")
        if any(known.slug == slug for known in entries):
            raise RequestError(
                f"The document {slug} exists already.",
                f"edit_doc, or `palimp docs edit {slug}` in a terminal, replaces its text; or take another slug.",
            )
        if len(entries) >= DOCUMENTS_MAX:
            raise PalimpError(ErrorCode.TOO_LARGE, f"The project has {DOCUMENTS_MAX:,} documents already.")
        path = self.path / entry.file
        if path.is_symlink() or path.exists():
            raise RequestError(
                f"A file {quote_text(path)} is there that the index does not know.",
                "Take it in with `palimp docs repair` or `palimp docs adopt`, or use another slug.",
            )
        self._write(path, text)
        index["docs"].append(row_of(entry))
        try:
            self._write_index(index)
        except PalimpError:
            path.unlink(missing_ok=True)
            raise
        return path

    def edit(self, slug: str, text: str, title: str | None) -> Entry:
        """Replace *slug*'s text, and title if given."""
        entry = self.entry(slug)
        self._write(self.file(entry), text)
        if title is None or title == entry.title:
            return entry
        index = load_index(self.path / INDEX)
        for row in index["docs"]:
            if slug_in(row) == slug:
                row["title"] = title
        try:
            self._write_index(index)
        except PalimpError as error:
            hint = "The new text was written; only the title is the former one."
            raise PalimpError(error.code, error.text, hint) from None
        return entry._replace(title=title)

    def delete(self, slug: str) -> bool:
        """Remove *slug* from the index, then its file; return whether that existed.

        Raises:
            PalimpError: the file cannot be removed; the index is as before, unless the error says otherwise.
        """
        path = self.file(self.entry(slug))
        index = load_index(self.path / INDEX)
        self._drop({slug})
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            text = f"{quote_text(path)} cannot be removed: {error.strerror}."
            raise PalimpError(ErrorCode.STORE_UNAVAILABLE, text, self._restore_index(index)) from None
        sync_folder(path.parent)
        return True

    def _restore_index(self, index: dict[str, Any]) -> str:
        try:
            self._write_index(index)
        except PalimpError as error:
            return f"The index does not list it any more ({error.text}) `palimp docs repair` takes it in again."
        return "The document is listed as before."

    def take_in(self, entries: list[Entry]) -> None:
        """Add existing files to the index."""
        index = load_index(self.path / INDEX)
        index.setdefault("docs", []).extend(row_of(entry) for entry in entries)
        self._write_index(index)

    def repair(self) -> list[str]:
        """Index unknown files; remove entries of missing ones and unfinished writes."""
        done: list[str] = []
        for path in list(self.path.glob(f"{TEMPORARY}*")) if self.path.is_dir() else []:
            path.unlink()
            done.append(f"Removed an unfinished write, {quote_text(path.name)}.")
        entries = self.entries()
        missing = {entry.slug for entry in entries.values() if self._is_missing(entry)}
        if missing:
            self._drop(missing)
            done += [f"Took {slug} out of the index: its file is missing." for slug in sorted(missing)]
        known = {entry.file for entry in entries.values()}
        new: list[Entry] = []
        for path in self._files():
            if path.name in known:
                continue
            try:
                slug = checked_slug(path.stem)
                new.append(Entry(slug, title_of(self.text(Entry(slug, slug, path.name)), slug), path.name))
            except PalimpError as error:
                done.append(f"Left {quote_text(path.name)} out of the index: {error.text}")
        if new:
            self.take_in(new)
            done += [f"Took {quote_text(entry.file)} into the index as {entry.slug}." for entry in new]
        return done

    def _is_missing(self, entry: Entry) -> bool:
        try:
            return not _is_plain(self.file(entry))
        except PalimpError:
            return False

    def _drop(self, slugs: set[str]) -> None:
        index = load_index(self.path / INDEX)
        index["docs"] = [row for row in index["docs"] if slug_in(row) not in slugs]
        self._write_index(index)

    def _write_index(self, index: dict[str, Any]) -> None:
        self._write(self.path / INDEX, index_text(index))

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            replace_file(path, text.encode())
        except OSError as error:
            raise PalimpError(
                ErrorCode.STORE_UNAVAILABLE,
                f"{quote_text(path)} cannot be written: {error.strerror}.",
                "Nothing was changed.",
            ) from error


def folder_of(tree: Path, named: str) -> Folder:
    """Return worktree *tree*'s documents' folder; *named* is its `docs.dir`.

    Raises:
        PalimpError: it lies outside the project.
    """
    path = tree / named
    try:
        root, real = tree.resolve(), path.resolve()
    except (OSError, ValueError, RuntimeError):  # a NUL; a link that leads to itself
        root, real = tree, tree
    if real == root or not real.is_relative_to(root) or is_reserved(real.relative_to(root)) or _is_git_of(root, real):
        hint = "It must be a folder of documents inside the project, and no folder of git's or palimp's own."
        raise PalimpError(ErrorCode.REFUSED, f"docs.dir is {quote_text(named)}.", hint)
    return Folder(path)


def is_below(file: str) -> bool:
    """Tell whether *file* stays below its beginning, regardless of the disk."""
    parts = PurePath(file).parts
    is_plain = 0 < len(file) <= PATH_CHARACTERS_MAX and "\0" not in file and not file.startswith("/")
    return is_plain and ".." not in parts and bool(parts) and not is_reserved(PurePath(file))


def is_utf8(name: str) -> bool:
    """Tell whether a file *name* can be stored."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_git_of(root: Path, path: Path) -> bool:
    try:
        git = (root / ".git").stat()
        below = [each for each in (path, *path.parents) if each != root and each.is_relative_to(root)]
        return any(os.path.samestat(git, each.stat()) for each in below if each.exists())
    except OSError:
        return False


def _stays_in(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _is_plain(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _unindexed_file_note(name: str) -> str:
    if not is_utf8(name):
        return f"{quote_text(name)} is skipped: its name is not UTF-8; rename it."
    try:
        checked_slug(PurePath(name).stem)
    except PalimpError:
        return f"{quote_text(name)} is skipped: its name is no slug; `palimp docs adopt` takes it in under one."
    return f"{quote_text(name)} is not in the index; palimp docs repair mends it."
