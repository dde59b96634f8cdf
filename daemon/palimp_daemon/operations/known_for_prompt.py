"""Which memories a prompt needs: few or none, since what is not asked for disturbs.

A prompt is searched for like a query, and of what is found only those stay that share with it words which say what it
is about. How much a word says is its rarity in the store; in a small store, where every word is rare, words that
developers use of everything (`fix`, `file`, `run`) say nothing. A memory must hold RELEVANT_WEIGHT of such words and
RELEVANT_SHARE of what the prompt says in all; one identifier that few memories have is enough.
"""

import math
import re
from collections.abc import Iterable
from typing import Final

from palimp_daemon.search.engine import Filter
from palimp_daemon.search.identifiers import camel_parts
from palimp_daemon.search.stems import WORD
from palimp_daemon.search.terms import parse_query
from palimp_daemon.store import memories
from palimp_daemon.store.finding import Asked, frequencies, matching
from palimp_daemon.store.memories import Row
from palimp_daemon.store.sessions import injected
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, newest_memory, project_row, session_row
from palimp_protocol.operations import Caller

PROMPT_CHARACTERS_MAX: Final = 2_000
"""Of a prompt: what is asked stands at its beginning, what is pasted behind it."""

LOOKED_AT: Final = 8
POSTINGS: Final = 10_000
"""What is read of the index for one prompt: some 10 ms. A memory that only common words lead to is not needed."""
GIVEN_MAX: Final = 3

RELEVANT_WEIGHT: Final = 1.35
"""A word that one memory in hundreds has weighs 1."""
RELEVANT_SHARE: Final = 0.4
RARE_MEMORIES: Final = 3
"""An identifier that no more memories have points to them."""

STORE_MIN: Final = 200
"""Memories that a store is taken to have at least, so that a word of a small one is not called common."""

OF_EVERYTHING: Final = frozenset(
    """
    add fix make run test tests file files code function class method error bug issue change update use new old please
    need want look check show see get set write read create remove delete rename move implement refactor build work
    project repo branch commit thing way line lines name value type data list call return import module page user users
    help let now first next try start stop open close same different example version problem question answer explain
    could would should like also still just one two three all any some more less good better best wrong right done
    continue go back again yes okay thanks happen find put take give know think tell say come keep feature task todo
    review pull request merge push deploy release log print output input string number text option config setting
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Words that say nothing of what a prompt is about."""

_IDENTIFIER: Final = re.compile(r"\w+(?:[_.:/-]\w+)+|\w*[a-z]\w*[A-Z]\w*|\w*\d\w*[a-zA-Z]\w*|[A-Z]{2,}\w*\d+\w*")


def known_for_prompt(caller: Caller, prompt: str, now_ms: int, store: Store) -> list[Row]:
    """Return the memories that *prompt* needs and the session was not given yet, best first."""
    text = prompt[:PROMPT_CHARACTERS_MAX].replace('"', " ")
    own = project_row(store, caller)
    weights = _weights(store, text)
    if not weights:
        return []
    where = memories.in_scope(sorted({GLOBAL_PROJECT, GLOBAL_PROJECT if own is None else own}))
    alive = Filter(f"{where.sql} AND m.deleted_at IS NULL AND m.superseded_by IS NULL", where.values)
    found = matching(store, Asked(text, alive, LOOKED_AT, None, POSTINGS), now_ms)
    session = None if own is None else session_row(store, caller, own)
    given = injected(store, session) if session is not None else set[int]()
    fitting = [
        row
        for row in memories.rows_by_seq(store, [each.seq for each in found.ranked])
        if row.seq not in given and (session is None or row.session_id != session) and _fits(store, row, weights)
    ]
    return fitting[:GIVEN_MAX]


def _weights(store: Store, text: str) -> dict[str, float]:
    """Return the stems of *text* that say what it is about, each with how much it says; above 1: it alone is enough."""
    terms = [term for term in parse_query(text).terms if " " not in term]
    stems = {stem: term for term in terms for stem in store.stems.of_term(term)}
    counts = frequencies(store, set(stems), newest_memory(store))
    everything = max(STORE_MIN, store.frequencies_at)
    identifiers = {stem for each in _IDENTIFIER.findall(text) for stem in _parts(store, each)}
    weights: dict[str, float] = {}
    for stem, term in stems.items():
        if term in OF_EVERYTHING or term.isdecimal() or len(term) < 3:
            continue
        weight = _rarity(max(1, counts.get(stem, 0)), everything) / _rarity(1, everything)
        is_pointer = stem in identifiers and 0 < counts.get(stem, 0) <= RARE_MEMORIES
        weights[stem] = max(0.0, weight) * (RELEVANT_WEIGHT if is_pointer else 1.0)
    return weights


def _parts(store: Store, identifier: str) -> Iterable[str]:
    """Return the stems of *identifier* as the index has it whole, if it is one word there."""
    whole = store.stems.of_term(identifier)
    return whole if len(whole) == 1 or not camel_parts(identifier) else ()


def _rarity(count: int, everything: int) -> float:
    return math.log((everything - count + 0.5) / (count + 0.5))


def _fits(store: Store, row: Row, weights: dict[str, float]) -> bool:
    words = WORD.findall(f"{row.title} {row.content} {row.tags}")
    own = {stem for word in words for stem in store.stems.of_word(word)}
    shared = sum(weight for stem, weight in weights.items() if stem in own)
    return shared >= RELEVANT_WEIGHT and shared >= RELEVANT_SHARE * sum(weights.values())
