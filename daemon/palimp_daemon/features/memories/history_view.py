"""A memory's versions and links."""

from palimp_daemon.features.memories.superseding import link_name
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import history_of
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_protocol.limits import HISTORY_SHOWN_MAX
from palimp_protocol.messages.memory_messages import History, HistoryLink, Version


def history_told(store: Store, seq: int) -> History | None:
    """Return the newest versions of *seq*; None: it is the only one."""
    history = history_of(store, seq)
    if not history.links:
        return None
    versions = history.versions[-HISTORY_SHOWN_MAX:]
    links = [link for link in history.links if {link.newer, link.older} & {*versions}][:HISTORY_SHOWN_MAX]
    ends = {end for link in links for end in (link.newer, link.older)}
    rows = {row.seq: row for row in rows_by_seq(store, sorted({*versions, *ends}))}
    return History(
        versions=[_version(rows[each]) for each in versions],
        links=[
            HistoryLink(
                name=link_name(link.id),
                newer=shown_id(rows[link.newer]),
                older=shown_id(rows[link.older]),
                relation=link.relation,
                said_by=link.said_by,
                at=link.at,
                said=link.said,
                is_edit=link.is_edit,
            )
            for link in links
        ],
        others=[_version(rows[each]) for each in sorted(ends - {*versions})],
    )


def _version(row: Row) -> Version:
    return Version(id=shown_id(row), title=row.title, created_at=row.created_at, is_purged=row.deleted_at is not None)
