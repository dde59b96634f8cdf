"""Exchanged values of memories and links, as texts."""

import hashlib
import json
from typing import Final

from palimp_daemon.features.team.deciding import Known
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.marks import marked_among
from palimp_daemon.store.tables.memory_links import NewLink
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.team_links import LinkState
from palimp_daemon.store.tables.team_registers import registers_of

_DIGEST_BYTES: Final = 12
"""Bytes that distinguish one memory's texts only from its earlier ones."""


def memory_values(store: Store, row: Row) -> dict[str, str]:
    """Return {field: value}; empty: never purged or pinned."""
    return values_of(row, marked_among(store, "pin", [row.seq]).get(row.seq))


def values_of(row: Row, pinned: int | None) -> dict[str, str]:
    """Return {field: value} of *row*, *pinned* at that time."""
    return {
        "put": texts_digest(row.title, row.content, row.tags, row.kind),
        "purged": "" if row.deleted_at is None else str(row.deleted_at),
        "pin": "" if pinned is None else str(pinned),
    }


def texts_digest(*texts: str) -> str:
    """Return a digest of *texts*."""
    return hashlib.blake2b("\0".join(texts).encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).hexdigest()


def link_value(link: LinkState | None) -> str:
    """Return the value of *link*, empty for None."""
    return json.dumps([link.said_by, link.said, link.at, link.is_edit]) if link and link.holds else ""


def link_of_value(newer: int, older: int, relation: str, value: str) -> tuple[NewLink, int]:
    """Return the link with *value*, and since when it holds."""
    said_by, said, at, is_edit = json.loads(value)
    return NewLink(newer, older, relation, said_by, said, is_edit), at  # pyright: ignore[reportArgumentType]  as decoded


def known_values(store: Store, project: int, memory: str) -> dict[str, Known]:
    """Return the registers of *memory* by field."""
    return {field: Known(*known) for field, known in registers_of(store, project, memory).items()}
