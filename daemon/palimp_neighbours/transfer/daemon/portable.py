"""SQL of exports and imports: memories under their own ids."""

from collections.abc import Sequence

from palimp_daemon.runtime.sql import in_list
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import rule_checks
from palimp_daemon.store.tables.memory_links import NewLink, add, links_among, would_circle
from palimp_daemon.store.tables.memory_rows import NewMemory, insert_as
from palimp_daemon.store.tables.mutes import mute
from palimp_daemon.store.tables.pins import pin
from palimp_daemon.store.tables.proposals import propose
from palimp_daemon.store.tables.rule_counts import RuleCounts, counts_among
from palimp_neighbours.transfer.transfer_messages import PortableLink, PortableMemory, PortableRule


def portable_after(store: Store, project: int | None, seq: int, limit: int) -> tuple[list[PortableMemory], int | None]:
    """Return *limit* memories after *seq*, of *project* or all; and the next *seq*."""
    where, values = ("m.project_id = ? AND ", (project,)) if project is not None else ("", ())
    found = store.rows(
        "SELECT m.seq, m.id, m.title, m.content, m.kind, m.created_at, p.root, p.name, m.tags, m.source, t.key,"
        " t.client, m.updated_at, m.deleted_at, m.quote, (SELECT group_concat(o.id, ' ') FROM memories o WHERE"
        " o.superseded_by = m.seq AND o.seq < m.seq), n.at, w.at, u.at"
        " FROM memories m JOIN projects p ON p.id = m.project_id"
        " LEFT JOIN pins n ON n.seq = m.seq LEFT JOIN proposals w ON w.seq = m.seq"
        " LEFT JOIN mutes u ON u.seq = m.seq"
        f" LEFT JOIN sessions t ON t.id = m.session_id WHERE {where}m.seq > ? ORDER BY m.seq LIMIT ?",
        (*values, seq, limit + 1),
    )
    links = _links_of(store, [row[0] for row in found[:limit]])
    plain = {row[0]: {each.other for each in links.get(row[0], []) if _is_plain(each, row[5])} for row in found[:limit]}
    rules = _rules_of(store, [row[0] for row in found[:limit]])
    memories = [
        PortableMemory(
            id=row[1],
            title=row[2],
            content=row[3],
            kind=row[4],
            created_at=row[5],
            project=row[6],
            project_name=row[7],
            tags=row[8].split(),
            source=row[9],
            session=row[10] or "",
            client=row[11] or "",
            updated_at=row[12],
            purged_at=row[13],
            quote=row[14],
            supersedes=sorted({*(row[15] or "").split(), *plain[row[0]]}),
            links=[each for each in links.get(row[0], []) if not _is_plain(each, row[5])],
            pinned_at=row[16],
            proposed_at=row[17],
            muted_at=row[18],
            rule=rules.get(row[0]),
        )
        for row in found[:limit]
    ]
    return memories, found[limit - 1][0] if len(found) > limit else None


def _rules_of(store: Store, seqs: Sequence[int]) -> dict[int, PortableRule]:
    counts, known = counts_among(store, seqs), rule_checks.checks_among(store, seqs)
    own = rule_checks.own_checks(store, seqs)
    rules: dict[int, PortableRule] = {}
    for seq in seqs:
        checks, count = own[seq], counts.get(seq, RuleCounts())
        rule = PortableRule(
            own=None if checks is None else rule_checks.decoded_checks(checks),
            at_breach=known[seq].at_breach if seq in known else "remind",
            told=count.told,
            kept=count.kept,
            broken=count.broken,
            broken_told=count.broken_told,
            refused=count.refused,
            overruled=count.overruled,
        )
        if rule != PortableRule():
            rules[seq] = rule
    return rules


def _links_of(store: Store, seqs: Sequence[int]) -> dict[int, list[PortableLink]]:
    stored = [(max(link.newer, link.older), link) for link in links_among(store, seqs)]
    wanted = [(seq, link) for seq, link in stored if seq in {*seqs}]
    places, numbers = in_list(sorted({end for _, link in wanted for end in (link.newer, link.older)}))
    ids = dict(store.rows(f"SELECT seq, id FROM memories WHERE seq IN {places}", numbers)) if wanted else {}
    found: dict[int, list[PortableLink]] = {}
    for seq, link in wanted:
        portable = PortableLink(
            other=ids[min(link.newer, link.older)],
            relation=link.relation,
            said_by=link.said_by,
            at=link.at,
            said=link.said,
            is_edit=link.is_edit,
            is_older=link.older == seq,
        )
        found.setdefault(seq, []).append(portable)
    return found


def _is_plain(link: PortableLink, created_at: int) -> bool:
    """Tell whether *link* only says that the memory, of that time, supersedes the other."""
    return link == PortableLink(other=link.other, relation="replaces", said_by="compact", at=created_at)


def count_memories(store: Store, project: int | None) -> int:
    """Count the memories of *project*, or all."""
    where, values = ("WHERE project_id = ?", (project,)) if project is not None else ("", ())
    return store.value(f"SELECT count(*) FROM memories {where}", values)


def content_of(store: Store, memory_id: str) -> str | None:
    """Return the text under the whole id *memory_id*."""
    return store.value("SELECT content FROM memories WHERE id = ?", (memory_id,))


def insert_portable(store: Store, memory: PortableMemory, new: NewMemory) -> int:
    """Store *memory* under its id, with *new* derived from it; return its number."""
    seq = insert_as(store, memory.id, new)
    store.execute(
        "UPDATE memories SET updated_at = ?, deleted_at = ? WHERE seq = ?", (memory.updated_at, memory.purged_at, seq)
    )
    plain = {*memory.supersedes} - {link.other for link in memory.links if link.relation == "replaces"}
    links = [PortableLink(other=id_, relation="replaces", said_by="compact", at=memory.created_at) for id_ in plain]
    for link in (*links, *memory.links):
        _link(store, seq, link)
    if memory.pinned_at is not None:
        pin(store, [seq], memory.pinned_at)
    if memory.proposed_at is not None:
        propose(store, seq, memory.proposed_at)
    if memory.muted_at is not None:
        mute(store, [seq], memory.muted_at)
    if memory.rule is not None:
        if memory.rule.own is not None:
            rule_checks.set_own_checks(store, seq, rule_checks.encode_checks(memory.rule.own))
        if memory.rule.at_breach == "off":
            rule_checks.put_off(store, seq)
    return seq


def _link(store: Store, seq: int, link: PortableLink) -> None:
    other: int | None = store.value("SELECT seq FROM memories WHERE id = ?", (link.other,))
    if other is None:
        return
    newer, older = (other, seq) if link.is_older else (seq, other)
    if not would_circle(store, newer, older, link.relation):
        add(store, NewLink(newer, older, link.relation, link.said_by, link.said, link.is_edit), link.at)
