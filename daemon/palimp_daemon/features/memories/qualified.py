"""Notes on the memories that narrow or dispute a shown one."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import qualifying_links
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_protocol.history_text import DOES

TOLD_MAX: Final = 2
"""Links shown with one memory, the newest; `palimp show` shows all."""


def qualifiers_of(store: Store, rows: Sequence[Row], projects: Sequence[int]) -> dict[int, str]:
    """Return these notes by number, from memories of *projects*."""
    links = qualifying_links(store, [row.seq for row in rows], projects)
    newer = {row.seq: row for row in rows_by_seq(store, sorted({link.newer for link in links}))}
    told: dict[int, list[str]] = {}
    for link in reversed(links):
        told.setdefault(link.older, []).append(f"{DOES[link.relation]} {shown_id(newer[link.newer])}")
    return {seq: ", ".join(each[:TOLD_MAX]) for seq, each in told.items()}
