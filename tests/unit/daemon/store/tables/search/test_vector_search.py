"""What is nearest in meaning, looked for among all vectors by their signs."""

from dataclasses import replace

import numpy as np
import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.search import vector_search as module
from palimp_daemon.store.tables.search.vector_search import NOT_ALL, NOT_YET, Among, Signs, nearest
from palimp_daemon.store.tables.vector_rows import FIRST_KIND, KnownVectors, QueryVector
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

ALL = Filter("1")
OWN = 1
"""The project of all memories here."""

QUERY = bytes([7, *[0] * 383])
"""Near what is mostly in the first dimension."""


def vector(*begin: int) -> bytes:
    return bytes([each % 256 for each in begin] + [0] * (384 - len(begin)))


def save(request_context: RequestContexts, count: int, **more) -> list[int]:
    """Save *count* memories and return their numbers."""
    for number in range(count):
        save_memory(request_context("/work/one"), SaveMemory(text=f"Text {number}.", **more))
    return [
        seq
        for (seq,) in request_context.store.connection.execute(
            f"SELECT seq FROM memories ORDER BY seq DESC LIMIT {count}"
        )
    ]


def names(store: Store, limit: int = 50, where: Filter = ALL) -> list[int]:
    return list(nearest(store, (QueryVector(QUERY),), Among([OWN], where, limit))[0])


def test_the_nearest_come_first_whatever_their_lengths(request_context: RequestContexts, store: Store):
    """A vector of nothing is near nothing."""
    save(request_context, 5)
    across = {1: (1, 1), 2: (0, 9), 3: (50, 0), 4: (0, 0), 5: (3, 1)}
    vector_rows.insert(store, [(seq, vector(*pair)) for seq, pair in across.items()])

    found, left_out = nearest(store, (QueryVector(QUERY),), Among([OWN], ALL, 3))

    assert [(seq, round(near, 2)) for seq, near in found.items()] == [(3, 1.0), (5, 0.95), (1, 0.71)]
    assert not left_out


def test_what_two_projects_saved_in_a_time_is_compared_as_one(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """Each has few enough, and both together do not: none of them is left out unseen."""
    monkeypatch.setattr(module, "FEW", 3)
    for project in ("/work/one", "/work/two"):
        for number in range(3):
            save_memory(request_context(project), SaveMemory(text=f"Texte n° {number} de {project}."))
    vector_rows.insert(store, [(seq, vector(0, 9)) for seq in range(1, 6)] + [(6, vector(3, 1))])
    projects = [row for (row,) in store.connection.execute("SELECT DISTINCT project_id FROM memories").fetchall()]

    found, _ = nearest(store, (QueryVector(QUERY),), Among(projects, ALL, 1, span=(0, 2**60)))

    assert list(found) == [6]


def test_few_that_are_near_are_found_among_thousands_that_are_not(request_context: RequestContexts, store: Store):
    """Though a hundredth of the vectors is read; twenty are the query's with as much noise again."""
    chance = np.random.default_rng(1)
    asked = chance.normal(size=384)
    near = asked + chance.normal(size=(20, 384))
    every = np.concatenate([near, chance.normal(size=(3_000, 384))])
    as_bytes = [row.tobytes() for row in np.clip(every * 30, -127, 127).astype(np.int8)]
    signs = Signs()
    signs.add([(seq, OWN, row) for seq, row in enumerate(as_bytes, 1)])

    shortlist = signs.shortlist((asked * 30).astype(np.int8).tobytes(), [OWN], 30)

    assert set(range(1, 21)) <= set(shortlist)
    assert len(shortlist) == 30


def test_signs_are_read_newest_first_and_some_with_each_search(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """Until all are known the answer says so."""
    monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    save(request_context, 3)
    vector_rows.insert(store, [(seq, QUERY) for seq in (1, 2, 3)])

    first, later = (nearest(store, (QueryVector(QUERY),), Among([OWN], ALL, 9)) for _ in range(2))

    assert (set(first[0]), first[1]) == ({2, 3}, NOT_YET)
    assert (set(later[0]), later[1]) == ({1, 2, 3}, "")


def test_a_search_says_that_not_all_were_compared(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """In its answer, where an agent reads it."""
    monkeypatch.setattr(module, "READ_AT_ONCE", 1)
    save(request_context, 2)
    vector_rows.insert(store, [(1, QUERY), (2, QUERY)])
    at = replace(request_context("/work/one"), query_vectors=(QueryVector(QUERY),))

    assert NOT_YET in recall(at, Recall(query="elsewhere")).notes


def test_new_vectors_are_known_at_once(request_context: RequestContexts, store: Store):
    """And those that were replaced are what they are now."""
    save(request_context, 3)
    vector_rows.insert(store, [(1, QUERY), (2, vector(0, 1))])
    assert names(store) == [1, 2]

    vector_rows.insert(store, [(3, QUERY), (1, vector(0, 1)), (2, QUERY)])

    assert set(names(store, 2)) == {2, 3}
    assert len(names(store)) == 3


def test_a_new_vector_that_will_be_read_anyway_is_not_known_twice(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """Signs take memory."""
    monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    save(request_context, 4)
    vector_rows.insert(store, [(seq, QUERY) for seq in (2, 3, 4)])
    assert set(names(store)) == {3, 4}

    vector_rows.insert(store, [(1, QUERY)])
    names(store)

    assert set(names(store)) == {1, 2, 3, 4}
    assert len(store.state(KnownVectors).of_kind[FIRST_KIND]) == 4


def test_signs_have_a_bound(request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch):
    """The newest are known, and who asks is told."""
    monkeypatch.setattr(module, "KNOWN_MAX", 4)
    monkeypatch.setattr(module, "READ_AT_ONCE", 2)
    save(request_context, 9)
    vector_rows.insert(store, [(seq, QUERY) for seq in range(1, 7)])
    for _ in range(3):
        found, left_out = nearest(store, (QueryVector(QUERY),), Among([OWN], ALL, 9))
    assert (set(found), left_out) == ({3, 4, 5, 6}, NOT_ALL)

    for seq in (7, 8, 9):
        vector_rows.insert(store, [(seq, QUERY)])
    for _ in range(3):
        found, left_out = nearest(store, (QueryVector(QUERY),), Among([OWN], ALL, 9))

    assert (set(found), left_out) == ({6, 7, 8, 9}, NOT_ALL)


def test_a_kind_that_is_rare_is_found_behind_many_that_are_nearer(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """More vectors are read then."""
    monkeypatch.setattr(module, "SHORTLISTED", (2, 100))
    save(request_context, 5)
    (decision,) = save(request_context, 1, kind="decision")
    vector_rows.insert(store, [*((seq, QUERY) for seq in range(1, 6)), (decision, vector(1, 1, 1, 1))])

    for limit in (1, 50):
        assert names(store, limit, Filter("m.kind = ?", ("decision",))) == [decision]


@pytest.mark.parametrize(("few", "is_found"), [(1, True), (0, False)], ids=["few", "more"])
def test_of_a_span_of_time_all_are_compared_where_they_are_few(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch, few: int, is_found: bool
):
    """Among a million memories those of a day are hardly ever among the nearest."""
    monkeypatch.setattr(module, "SHORTLISTED", (2, 3))
    monkeypatch.setattr(module, "FEW", few)
    save(request_context, 6)
    vector_rows.insert(store, [*((seq, QUERY) for seq in range(1, 6)), (6, vector(1, 1, 1, 1))])
    store.connection.execute("UPDATE memories SET created_at = 1_800_000_000_000 WHERE seq = 6")
    at = replace(request_context("/work/one"), query_vectors=(QueryVector(QUERY),), now_ms=1_800_000_100_000)

    reply = recall(at, Recall(query="elsewhere", since="2027-01-15", until="2027-01-16"))

    found = [memory.title for memory in (*reply.memories, *reply.unrelated)]
    assert [bool(found), *found][:2] == ([True, "Text 5"] if is_found else [False])


def test_any_number_of_dimensions_has_signs(request_context: RequestContexts, store: Store):
    """The user may name another model."""
    save(request_context, 2)
    vector_rows.insert(store, [(1, bytes([1] * 20)), (2, bytes([255] * 20))])

    found, _ = nearest(store, (QueryVector(bytes([1] * 20)),), Among([OWN], ALL, 9))

    assert found == {1: pytest.approx(1), 2: pytest.approx(-1)}


def test_vectors_of_another_model_are_not_looked_at(request_context: RequestContexts, store: Store):
    """They may have other dimensions, or the same and another sense."""
    save(request_context, 3)
    vector_rows.insert(store, [(1, QUERY), (3, vector(1, 1))])
    vector_rows.insert(store, [(2, QUERY)], kind=2)

    assert names(store) == [1, 3]
    assert list(nearest(store, (QueryVector(QUERY, (2,)),), Among([OWN], ALL, 9))[0]) == [2]


def test_the_nearest_by_several_models_are_put_in_one_order(request_context: RequestContexts, store: Store):
    """Each by what its own says, brought to one scale."""
    save(request_context, 4)
    vector_rows.insert(store, [(1, vector(1, 1)), (3, QUERY)])
    vector_rows.insert(store, [(2, bytes([2, 1] * 10)), (4, bytes([9, *[0] * 19]))], kind=2)
    query = QueryVector(QUERY), QueryVector(bytes([1, *[0] * 19]), (2,), 0.8)

    found, _ = nearest(store, query, Among([OWN], ALL, 3))

    assert [(seq, round(near, 2)) for seq, near in found.items()] == [(3, 1.0), (4, 0.8), (1, 0.71)]


def test_a_vector_of_another_model_takes_the_place_of_the_old_one(request_context: RequestContexts, store: Store):
    """Also where the old one was known by its signs."""
    save(request_context, 2)
    vector_rows.insert(store, [(1, QUERY), (2, QUERY)])
    assert names(store) == [2, 1]

    vector_rows.insert(store, [(2, QUERY)], kind=2)

    assert names(store) == [1]
    assert list(nearest(store, (QueryVector(QUERY), QueryVector(QUERY, (2,))), Among([OWN], ALL, 9))[0]) == [2, 1]
