"""Read and write `index.json`, a folder's list of documents; unknown keys are kept."""

import errno
import json
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from palimp_neighbours.documents.daemon.slug import checked_slug
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.limits import DOCUMENTS_MAX, INDEX_BYTES_MAX, TITLE_CHARACTERS_MAX
from palimp_protocol.surrogates import mended_json
from palimp_protocol.text import one_line, quote_text

INDEX: Final = "index.json"
SCHEMA_VERSION: Final = 1


class Entry(NamedTuple):
    """An indexed document; its file is relative to the folder."""

    slug: str
    title: str
    file: str


def load_index(path: Path) -> dict[str, Any]:
    """Load the index at *path*, or make one.

    Raises:
        PalimpError: it cannot be read, or is no index of this version.
    """
    try:
        index = json.loads(mended_json(read_bounded(path, INDEX_BYTES_MAX, follows_links=False)).decode())
    except (FileNotFoundError, NotADirectoryError):
        return {"schemaVersion": SCHEMA_VERSION, "docs": []}
    except json.JSONDecodeError as error:
        raise _broken(path, f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            text = f"{quote_text(path)} is a symbolic link."
            raise PalimpError(ErrorCode.REFUSED, text, "Put the index itself there.") from None
        raise _broken(path, str(error.strerror or error)) from None
    except (ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from None
    if not isinstance(index, dict):
        raise _broken(path, "it is not an object")
    found = cast("dict[str, Any]", index)
    if found.get("schemaVersion", SCHEMA_VERSION) != SCHEMA_VERSION:
        version = quote_text(cast("object", found["schemaVersion"]))
        raise _broken(path, f"schemaVersion is {version}; this palimp knows {SCHEMA_VERSION}")
    return found


def entries_in(path: Path, index: dict[str, Any]) -> tuple[list[Entry], list[str]]:
    """Parse *index*, loaded from *path*, and return a sentence for each bad entry.

    Raises:
        PalimpError: its documents are no list.
    """
    rows: Any = index.setdefault("docs", [])
    if not isinstance(rows, list):
        raise _broken(path, "docs is not a list")
    entries: list[Entry] = []
    skipped: list[str] = []
    for number, row in enumerate(cast("list[Any]", rows), 1):
        try:
            if len(entries) == DOCUMENTS_MAX:
                raise PalimpError(ErrorCode.TOO_LARGE, f"a project has {DOCUMENTS_MAX:,} documents at most")
            entries.append(_entry(row))
        except PalimpError as error:
            skipped.append(f"Entry {number} of {INDEX} is skipped: {error.text}")
    return entries, skipped


def _entry(row: Any) -> Entry:
    slug = slug_in(row)
    if slug is None:
        raise RequestError("it has no slug.")
    checked_slug(slug)
    title, file = row.get("title", slug), row.get("file", f"{slug}.md")
    if not isinstance(title, str) or not isinstance(file, str):
        raise RequestError(f"title and file of {slug} must be texts.")
    return Entry(slug, one_line(title, TITLE_CHARACTERS_MAX) or slug, file)


def row_of(entry: Entry) -> dict[str, Any]:
    """Return *entry*'s row, its file only if not implied."""
    row = {"slug": entry.slug, "title": entry.title}
    return row if entry.file == f"{entry.slug}.md" else row | {"file": entry.file}


def slug_in(row: Any) -> str | None:
    """Return the slug in a *row* of any type."""
    slug: Any = cast("dict[str, Any]", row).get("slug") if isinstance(row, dict) else None
    return slug if isinstance(slug, str) else None


def index_text(index: dict[str, Any]) -> str:
    """Encode *index* as JSON."""
    text = json.dumps(index, ensure_ascii=False, indent=2) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:  # halves of characters in what another program wrote there
        text = json.dumps(index, indent=2) + "\n"
    return text


def _broken(path: Path, why: str) -> PalimpError:
    return RequestError(f"{quote_text(path)} is broken: {why}.", "Mend or remove it; it was left as it is.")
