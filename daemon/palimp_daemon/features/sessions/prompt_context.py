"""Which memories a prompt needs: few or none, since what is not asked for disturbs.

A prompt is searched for like a query, and of what is found only those stay that share with it words which say what it
is about. How much a word says is its rarity in the store; in a small store, where every word is rare, words that
developers use of everything (`fix`, `file`, `run`) say nothing. A memory must hold RELEVANT_WEIGHT of such words and
RELEVANT_SHARE of what the prompt says in all, or two words that say much (ONE_OF_TWO each), since a task says many
things besides; one identifier that few memories have is enough. Where words are not separated, see `shared_pieces`.

Where the prompt's meaning is known, a memory is given, too, that is near it (NEAR), or not far from it (NOT_FAR) and
has one word of it that says much (TELLING). `benchmarks/prompts.py` prints what comes of it.
"""

import math
import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

from palimp_daemon.features.sessions.cjk_overlap import sharing_two
from palimp_daemon.search.cjk import pieces_of
from palimp_daemon.search.engine import Filter, own_frequencies_of
from palimp_daemon.search.identifiers import camel_parts
from palimp_daemon.search.stems import WORD, Stems
from palimp_daemon.search.stop_words import ENGLISH, language_of
from palimp_daemon.search.terms import parse_query
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, newest_memory, project_row, session_row
from palimp_daemon.store.tables import memories, vectors
from palimp_daemon.store.tables.memories import CONFIRMED, Row
from palimp_daemon.store.tables.memory_query import Asked
from palimp_daemon.store.tables.memory_search import frequencies, matching
from palimp_daemon.store.tables.sessions import injected
from palimp_daemon.store.tables.vectors import QueryMeaning
from palimp_protocol.messages.caller import Caller

PROMPT_CHARACTERS_MAX: Final = 2_000
"""Of a prompt: what is asked stands at its beginning, what is pasted behind it."""

LOOKED_AT: Final = 8
POSTINGS: Final = 10_000
"""What is read of the index for one prompt: some 10 ms. A memory that only common words lead to is not needed."""
GIVEN_MAX: Final = 3

RELEVANT_WEIGHT: Final = 1.35
"""A word that one memory in hundreds has weighs 1."""
RELEVANT_SHARE: Final = 0.4
ONE_OF_TWO: Final = 0.7
NEAR: Final = 0.5
"""The cosine of what bears on a prompt in other words: of tasks that nothing is known of, hardly one comes so near."""
NOT_FAR: Final = 0.3
"""The cosine that is asked of a memory that has a TELLING word: what is about something else lies below it."""
FOREIGN: Final = 0.6
"""Both of a prompt that is not in English: to the model that knows its language, sentences that are only alike lie as
near as 0.5, whatever word they share."""
TELLING: Final = 0.85
"""What such a word says, at least: in a small store two memories may have it, in a large one some more."""
TELLING_PART: Final = 0.25
"""What the most telling word counts for beside the cosine, when memories are put in order."""
RARE_MEMORIES: Final = 3
"""An identifier that no more memories have points to them."""

COUNTED_MAX: Final = 300
"""Places in the index of a word that is counted; one that has more says little, however they are spread."""

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
    fail slow fast sometimes script command folder directory server client app application table column row button form
    field screen view window component object variable parameter argument instance array loop url response
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Stop words of prompts, in all their forms."""

_IDENTIFIER: Final = re.compile(r"\w+(?:[_.:/-]\w+)+|\w*[a-z]\w*[A-Z]\w*|\w*\d\w*[a-zA-Z]\w*|[A-Z]{2,}\w*\d+\w*")


def known_for_prompt(caller: Caller, prompt: str, meaning: QueryMeaning, now_ms: int, store: Store) -> list[Row]:
    """Return the memories that *prompt*, which has *meaning*, needs and the session was not given yet, best first."""
    text = prompt[:PROMPT_CHARACTERS_MAX].replace('"', " ")
    own = project_row(store, caller)
    weights, pieces = _weights(store, text), pieces_of(text)
    has_words = bool(weights or pieces)
    if not has_words and not meaning:
        return []
    projects = sorted({GLOBAL_PROJECT, GLOBAL_PROJECT if own is None else own})
    where = memories.in_scope(projects)
    alive = Filter(f"{where.sql} AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND {CONFIRMED}", where.values)
    found = matching(store, Asked(text, alive, LOOKED_AT, None, POSTINGS), now_ms) if has_words else None
    seqs = [each.seq for each in found.ranked] if found else []
    cosines = _cosines(store, meaning, seqs, projects, alive) if meaning else {}
    session = None if own is None else session_row(store, caller, own)
    given = injected(store, session) if session is not None else set[int]()
    rows = [
        row
        for row in memories.distinct(memories.rows_by_seq(store, [*dict.fromkeys([*seqs, *cosines])]))
        if row.seq not in given and (session is None or row.session_id != session)
    ]
    everything = max(STORE_MIN, store.frequencies_at)
    sharing = sharing_two(store, pieces, rows, lambda count: _weight(count, everything) >= ONE_OF_TWO)
    near = (NEAR, NOT_FAR) if language_of(text) == ENGLISH else (FOREIGN, FOREIGN)
    fitting = [
        (row, bearing)
        for row in rows
        if (bearing := _bearing(store, row, weights, cosines.get(row.seq, 0.0), near) or float(row.seq in sharing))
    ]
    if cosines:
        fitting.sort(key=lambda each: -each[1])
    return [row for row, _ in fitting[:GIVEN_MAX]]


def _cosines(
    store: Store, meaning: QueryMeaning, seqs: Sequence[int], projects: Sequence[int], alive: Filter
) -> dict[int, float]:
    """Return how near the memories *seqs* are to *meaning*, and those that are nearest of all."""
    from palimp_daemon.store.tables.vector_search import nearest  # noqa: PLC0415  numpy is installed where a meaning is known

    near, _ = nearest(store, meaning, projects, alive, LOOKED_AT)
    return vectors.cosines(meaning, vectors.of(store, seqs)) | near


def _weights(store: Store, text: str) -> dict[str, float]:
    """Return the stems of *text* that say what it is about, each with how much it says; above 1: it alone is enough."""
    terms = [term for term in parse_query(text).terms if " " not in term]
    stems = {stem: term for term in terms for stem in store.stems.of_term(term)}
    counts = _own_frequencies(store, set(stems))
    everything = max(STORE_MIN, store.frequencies_at)
    identifiers = {stem for each in _IDENTIFIER.findall(text) for stem in _parts(store, each)}
    weights: dict[str, float] = {}
    of_everything = _of_everything(store.stems)
    for stem, term in stems.items():
        if stem in of_everything or term.isdecimal() or len(term) < 3:
            continue
        weight = _weight(counts.get(stem, 0), everything)
        is_pointer = stem in identifiers and 0 < counts.get(stem, 0) <= RARE_MEMORIES
        weights[stem] = weight * (RELEVANT_WEIGHT if is_pointer else 1.0)
    return weights


def _weight(count: int, everything: int) -> float:
    """Return how much a word says that *count* memories of *everything* have: 1 if one has it."""
    return max(0.0, _rarity(max(1, count), everything) / _rarity(1, everything))


def _own_frequencies(store: Store, stems: AbstractSet[str]) -> dict[str, int]:
    """Return in how many memories each of *stems* stands; of common words, in how many places of the index.

    The index has a word of one memory in those that were saved just after it, too.
    """
    counts = frequencies(store, stems, newest_memory(store))
    few = [stem for stem, count in counts.items() if count <= COUNTED_MAX]
    return counts | own_frequencies_of(store.connection, store.engine, few)


@lru_cache(maxsize=1)
def _of_everything(stems: Stems) -> frozenset[str]:
    return frozenset(stem for word in OF_EVERYTHING for stem in stems.of_term(word))


def _parts(store: Store, identifier: str) -> Iterable[str]:
    """Return the stems of *identifier* as the index has it whole, if it is one word there."""
    whole = store.stems.of_term(identifier)
    return whole if len(whole) == 1 or not camel_parts(identifier) else ()


def _rarity(count: int, everything: int) -> float:
    return math.log((everything - count + 0.5) / (count + 0.5))


def _bearing(store: Store, row: Row, weights: dict[str, float], cosine: float, near: tuple[float, float]) -> float:
    """Return how much *row* bears on a prompt of these *weights*, to which it is as near as *cosine*; 0: not at all."""
    words = WORD.findall(f"{row.title} {row.content} {row.tags}")
    own = {stem for word in words for stem in store.stems.of_word(word)}
    shared = [weight for stem, weight in weights.items() if stem in own]
    most = max(shared, default=0.0)
    is_said = sum(shared) >= RELEVANT_WEIGHT and sum(shared) >= RELEVANT_SHARE * sum(weights.values())
    has_two = sum(weight >= ONE_OF_TWO for weight in shared) >= 2
    is_meant = cosine >= near[0] or (cosine >= near[1] and most >= TELLING)
    return max(cosine, 0.0) + TELLING_PART * min(most, 1.0) if is_said or has_two or is_meant else 0.0
