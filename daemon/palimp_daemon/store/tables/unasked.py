"""What a session may be told without asking for it, at its start and with its prompts.

Less than what a search finds: nothing that was purged, replaced or muted, no proposal, and nothing that likely holds no
more.
"""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.search.engine import Filter
from palimp_daemon.search.still_holding import Statement, likely_replaced, opening_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memories import Mark, Row, Selection, unmarked
from palimp_daemon.store.tables.memory_statements import COMPARED_CHARACTERS, telling_words
from palimp_daemon.store.tables.mutes import muted_among
from palimp_daemon.store.tables.proposals import proposed_among

_WITHHELD: Final[tuple[Mark, ...]] = ("mutes", "proposals")

_STANDING: Final = Filter("m.deleted_at IS NULL AND m.superseded_by IS NULL")

HOLDING: Final = Filter(f"{_STANDING.sql} AND {unmarked('proposals')}")
"""The memories *m* that hold, told or not: a muted one still replaces others."""


def unasked(projects: Sequence[int], kinds: Sequence[str] = ()) -> Selection:
    """Return the memories of *projects* and *kinds* that a session may be told unasked.

    What else is only to be found by a search is to be left out here.
    """
    return Selection(projects, kinds, _STANDING, _WITHHELD)


UNASKED: Final = unasked(()).condition
"""What is true of the memories *m* that a session may be told unasked."""


def withheld_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return those of the memories *seqs* that are told to nobody unasked: proposals, and what was muted."""
    return proposed_among(store, seqs) | muted_among(store, seqs)


def replaced_among(store: Store, rows: Sequence[Row]) -> set[int]:
    """Return the numbers of those of *rows* that another of them likely replaced."""
    return likely_replaced({row.seq: statement_of(store, row) for row in rows})


def statement_of(store: Store, row: Row) -> Statement:
    """Return *row* as it is held beside others."""
    content = row.content[:COMPARED_CHARACTERS]
    # What a title says that was made of the text, the text says.
    text = content if row.title.rstrip("…") in content else f"{row.title}\n{content}"
    return Statement(
        telling_words(text, store.stems),
        telling_words(opening_of(text), store.stems),
        row.created_at,
    )
