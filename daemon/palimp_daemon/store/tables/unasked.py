"""What a session may be told without asking for it, at its start and with its prompts.

Less than what a search finds: nothing that was purged, replaced or muted, no proposal, and nothing that is
likely outdated.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from palimp_daemon.judgement.replacing import (
    DAY_MS,
    START_BOUND,
    START_DAYS_MIN,
    Statement,
    log_odds,
    replaced_in,
    worth_comparing,
)
from palimp_daemon.runtime.sql import value
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.telling_words import telling_words
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vectors
from palimp_daemon.store.tables.memories import Exclusion, Row, Selection, unmarked
from palimp_daemon.store.tables.memory_statements import COMPARED_CHARACTERS
from palimp_daemon.store.tables.mutes import muted_among
from palimp_daemon.store.tables.proposals import proposed_among
from palimp_daemon.text.titles import with_title

_WITHHELD: Final[tuple[Exclusion, ...]] = ("mutes", "proposals")

_STANDING: Final = Filter("m.deleted_at IS NULL AND m.superseded_by IS NULL")

CURRENT: Final = Filter(f"{_STANDING.sql} AND {unmarked('proposals')}")
"""The memories *m* that hold, told or not: a muted one still replaces others."""


def unasked(projects: Sequence[int], kinds: Sequence[str] = ()) -> Selection:
    """Return the memories of *projects* and *kinds* that a session may be told unasked.

    What else is only to be found by a search is to be left out here.
    """
    return Selection(projects, kinds, _STANDING, _WITHHELD)


UNASKED: Final = unasked(()).condition
"""What is true of the memories *m* that a session may be told unasked."""


def count_standing(store: Store, project: int) -> int:
    """Return how many memories of *project* hold, proposals among them; it is counted in an index alone."""
    return value(
        store.connection,
        f"SELECT count(*) FROM memories m INDEXED BY memories_by_kind WHERE m.project_id = ? AND {_STANDING.sql}",
        (project,),
    )


def withheld_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return those of the memories *seqs* that are told to nobody unasked: proposals, and what was muted."""
    return proposed_among(store, seqs) | muted_among(store, seqs)


def replaced_among(store: Store, rows: Iterable[Row]) -> set[int]:
    """Return the numbers of those of *rows* that another of them likely replaced; a row may stand there twice."""
    statements = {row.seq: _statement(store, row) for row in rows}
    pairs = worth_comparing(statements, START_BOUND)
    near = vectors.cosines_between(store, vectors.of(store, sorted({seq for pair in pairs for seq in pair})), pairs)
    odds = {
        (newer, older): log_odds(statements[newer], statements[older], near.get((newer, older)))
        for newer, older in pairs
        if statements[newer].created_at - statements[older].created_at >= START_DAYS_MIN * DAY_MS
    }
    return replaced_in(odds, START_BOUND)


def _statement(store: Store, row: Row) -> Statement:
    text = with_title(row.title, row.content[:COMPARED_CHARACTERS])
    return Statement(telling_words(text, store.stems), row.kind, row.session_id, row.created_at)
