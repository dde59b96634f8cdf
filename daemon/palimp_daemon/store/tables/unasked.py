"""Select memories that a session may be told unasked.

Left out are purged, replaced, muted, proposed, likely outdated, and untrusted members' ones.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from palimp_daemon.judgement.replacing import comparable_at_start, replaced_at_start
from palimp_daemon.judgement.siblings import are_of_one_kind
from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.memory_links import telling_links_among
from palimp_daemon.store.tables.memory_rows import Exclusion, Row, Selection, unmarked_condition
from palimp_daemon.store.tables.memory_statements import statement_of
from palimp_daemon.store.tables.mutes import muted_among
from palimp_daemon.store.tables.proposals import proposed_among
from palimp_daemon.store.tables.team_trust import untold_among
from palimp_daemon.text.former_values import begins_with_former
from palimp_daemon.text.memory_kinds import SETTLING_KINDS
from palimp_daemon.text.replacing_words import is_exception, says_that_it_returns, words_that_replace

_WITHHELD: Final[tuple[Exclusion, ...]] = ("mutes", "proposals", "team_untold")

_STANDING: Final = Filter("m.deleted_at IS NULL AND m.superseded_by IS NULL")

CURRENT: Final = Filter(f"{_STANDING.sql} AND {unmarked_condition('proposals', 'team_untold')}")
"""Memories *m* that hold and are trusted, even muted: those still replace others."""

PROPOSED: Final = Filter(f"{_STANDING.sql} AND m.seq IN (SELECT seq FROM proposals)")
"""Proposals *m* awaiting a yes: sessions are pointed to them, not shown them."""


def unasked_selection(projects: Sequence[int], kinds: Sequence[str] = ()) -> Selection:
    """Return the selection of memories that may be told unasked."""
    return Selection(projects, kinds, _STANDING, _WITHHELD)


UNASKED: Final = unasked_selection(()).condition
"""Condition on memories *m* that a session may be shown unasked."""


def count_holding(store: Store, project: int) -> int:
    """Count the memories in force, without proposals, from an index and the few proposals."""
    standing = store.value(
        f"SELECT count(*) FROM memories m INDEXED BY memories_by_kind WHERE m.project_id = ? AND {_STANDING.sql}",
        (project,),
    )
    return standing - store.value(
        "SELECT count(*) FROM proposals o CROSS JOIN memories m ON m.seq = o.seq"
        f" WHERE m.project_id = ? AND {_STANDING.sql}",
        (project,),
    )


def withheld_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return those of *seqs* never told unasked: proposals, muted and untrusted ones."""
    return proposed_among(store, seqs) | muted_among(store, seqs) | untold_among(store, seqs)


def replaced_among(store: Store, rows: Iterable[Row]) -> dict[int, int]:
    """Return likely replaced *rows*, each with its newest replacement.

    Exceptions and siblings replace none, repairs no decision; what says that an older text's first name is former does.
    """
    known = {row.seq: row for row in rows}
    pairs = comparable_at_start({seq: statement_of(store, row) for seq, row in known.items()})
    newest = {newer for newer, _ in pairs}
    exceptions = {newer for newer in newest if is_exception(known[newer].content)}
    pairs = {
        (newer, older): odds
        for (newer, older), odds in pairs.items()
        if newer not in exceptions and _may_replace(known[newer], known[older])
    }
    compared = sorted({seq for pair in pairs for seq in pair})
    cosines = vector_rows.cosines_between(store, vector_rows.of(store, compared), pairs)
    replaced = replaced_at_start(pairs, cosines, {seq for seq in newest if says_that_it_returns(known[seq].content)})
    links = telling_links_among(store, sorted(known))
    narrowing = [(link.newer, link.older) for link in links if link.relation == "narrows"]
    return replaced | {
        older: newer
        for newer, older in narrowing
        if newer in known and older in known and begins_with_former(known[newer].content, known[older].title)
    }


def _may_replace(newer: Row, older: Row) -> bool:
    is_repair = newer.kind == "fix" and older.kind in SETTLING_KINDS
    if is_repair and not words_that_replace(newer.content):
        return False
    return not are_of_one_kind(newer.content, older.content)
