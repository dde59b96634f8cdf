"""SQL of the table `vectors`: whose they are, who has none, and how near they are."""

from dataclasses import replace

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.vector_rows import FIRST_KIND, Kind, QueryVector, Wanted
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

MAIN, OTHERS, BESIDE = 1, 2, 3
"""Kinds of vectors: of memories in English, of others, and second ones of those in English."""

KINDS = [Kind("main", "english"), Kind("others", "any", 2.0), Kind("beside", "any", 2.0)]

BOTH = Wanted((MAIN, OTHERS), (MAIN,), BESIDE)


def numbers_of_unembedded(store: Store, wanted: Wanted) -> list[int]:
    found = vector_rows.next_unembedded(store, None, 9, wanted)
    return [each.seq for each in found[1]] if found else []


@pytest.fixture
def five(request_context: RequestContexts, store: Store) -> None:
    """Five memories."""
    for number in range(5):
        save_memory(request_context(), SaveMemory(text=f"Text {number}."))


def test_a_kind_keeps_its_number(store: Store):
    assert vector_rows.ensure_kinds(store, [Kind("first", "a")]) == {"first": 1}
    assert vector_rows.ensure_kinds(store, [Kind("second", "a"), Kind("first", "a")]) == {"first": 1, "second": 2}
    assert vector_rows.kinds(store) == {"first": 1, "second": 2}


@pytest.mark.usefixtures("five")
def test_vectors_of_another_model_are_made_again(store: Store):
    """Until then they stay."""
    vector_rows.insert(store, [(1, bytes(384)), (2, bytes(384))])
    vector_rows.insert(store, [(3, bytes(512))], kind=OTHERS)

    assert numbers_of_unembedded(store, Wanted((OTHERS,))) == [5, 4, 2, 1]
    assert vector_rows.counts(store, Wanted((OTHERS,))) == (1, 5)
    assert vector_rows.of(store, [1, 3]) == {1: {MAIN: bytes(384)}, 3: {OTHERS: bytes(512)}}


@pytest.mark.usefixtures("five")
def test_only_beside_a_model_for_english_a_second_vector_is_wanted(store: Store):
    vector_rows.insert(store, [(1, bytes(384)), (2, bytes(384))])
    vector_rows.insert(store, [(3, bytes(512))], kind=OTHERS)
    vector_rows.insert_other(store, [(1, bytes(512)), (4, bytes(512))], kind=BESIDE)

    found = vector_rows.next_unembedded(store, None, 9, BOTH)

    assert found is not None
    assert [(each.seq, each.kind, each.has_other) for each in found[1]] == [
        (5, None, False),
        (4, None, True),
        (2, MAIN, False),
    ]
    assert vector_rows.counts(store, BOTH) == (2, 5)


@pytest.mark.usefixtures("five")
def test_what_is_not_wanted_any_more_is_deleted_some_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch):
    """And a kind that no vector has; one that an old vector has stays."""
    monkeypatch.setattr(vector_rows, "DELETED_AT_ONCE", 2)
    vector_rows.ensure_kinds(store, KINDS)
    vector_rows.insert(store, [(1, bytes(384))])
    vector_rows.insert_other(store, [(seq, bytes(512)) for seq in (1, 2, 3)], kind=BESIDE)

    assert not vector_rows.delete_unwanted(store, Wanted((OTHERS,)))
    assert vector_rows.delete_unwanted(store, Wanted((OTHERS,)))

    assert vector_rows.kinds(store) == {"main": MAIN, "others": OTHERS}
    assert vector_rows.of(store, [1, 2, 3]) == {1: {MAIN: bytes(384)}}


def test_a_query_is_compared_with_vectors_of_its_model_alone():
    """What the first part of it can be compared with is not asked of the second."""
    near, far = bytes([100, *[0] * 383]), bytes([0, 100, *[0] * 382])
    query = QueryVector(near, (MAIN,)), QueryVector(near, (OTHERS,), 0.5, (BESIDE,))
    known = {1: {MAIN: near, BESIDE: far}, 2: {OTHERS: near}, 3: {BESIDE: near}, 4: {9: near}}

    assert vector_rows.cosines(query, known) == {1: pytest.approx(1), 2: pytest.approx(0.5), 3: pytest.approx(0.5)}


def test_a_plain_cosine_does_not_depend_on_what_else_there_is():
    """It is brought to the one scale, which ends at 1."""
    asked, usual = bytes([100, *[0] * 383]), bytes([100, 100, *[0] * 382])
    query = QueryVector(asked, (MAIN,)), QueryVector(asked, (OTHERS,), 2.0)
    many = {1: {MAIN: usual}} | {seq: {OTHERS: usual} for seq in range(2, 99)}

    assert vector_rows.plain_cosines(query, {1: {MAIN: usual}}) == {1: pytest.approx(0.707, abs=0.001)}
    found = vector_rows.plain_cosines(query, many)
    assert (found[1], found[2]) == (pytest.approx(0.707, abs=0.001), 1.0)


def test_two_memories_are_compared_by_a_model_that_made_vectors_of_both(store: Store):
    """Two in English by their own, one in English and another one by what stands beside the former."""
    vector_rows.ensure_kinds(store, KINDS)
    asked, aside = bytes([100, *[0] * 383]), bytes([100, 100, *[0] * 382])
    far = bytes([20, 100, *[0] * 382])
    known = {
        1: {MAIN: asked, BESIDE: asked},
        2: {MAIN: aside, BESIDE: asked},
        3: {OTHERS: far},
        4: {MAIN: asked},
        5: {9: asked},
    }

    found = vector_rows.cosines_between(store, known)

    assert found[1, 2] == found[2, 1] == pytest.approx(0.707, abs=0.001)
    assert found[1, 3] == found[3, 1] == pytest.approx(2 * 0.196, abs=0.001)
    assert found[1, 4] == pytest.approx(1)
    assert not {(3, 4), (1, 5), (3, 5)} & found.keys()


def test_the_scale_of_a_kind_is_that_of_this_version(store: Store):
    """A store that was made by another one has another factor."""
    vector_rows.ensure_kinds(store, [Kind("others", "any", 0.5)])
    vector_rows.ensure_kinds(store, [Kind("others", "any", 1.0)])
    aside = bytes([100, 100, *[0] * 382])

    assert vector_rows.cosines_between(store, {1: {1: aside}, 2: {1: aside}})[1, 2] == pytest.approx(1)


def test_what_has_no_vector_is_found_in_slices(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """Newest first, to the end, also across stretches where all have one."""
    monkeypatch.setattr(vector_rows, "LOOKED_THROUGH", 3)
    for number in range(9):
        save_memory(request_context(), SaveMemory(text=f"Text {number}."))
    vector_rows.insert(store, [(seq, bytes(384)) for seq in (4, 5, 6, 7)])

    seen: list[int] = []
    upper = None
    while (found := vector_rows.next_unembedded(store, upper, 2)) is not None:
        upper, batch = found
        seen += [each.seq for each in batch]

    assert seen == [9, 8, 3, 2, 1]


def test_what_most_matches_mean_is_taken_from_the_meaning_of_each():
    """So one that also means what is asked for stands out; of a few matches nobody knows what is usual."""
    usual, asked = bytes([100, *[0] * 383]), bytes([100, 40, *[0] * 382])
    others = dict.fromkeys(range(2, 72), usual)

    query = (QueryVector(asked),)
    few, many = (
        vector_rows.cosines(query, {seq: {FIRST_KIND: vector} for seq, vector in known.items()})
        for known in ({1: asked, 2: usual}, {1: asked} | others)
    )

    assert few[1] == pytest.approx(1)
    assert many[1] == pytest.approx(1)
    assert few[2] == pytest.approx(100 / (100**2 + 40**2) ** 0.5, abs=0.001)
    assert many[2] < few[2] - 0.05


def test_what_several_models_know_of_is_near_by_their_average():
    """Of what one of them has no vector of, what the other says counts."""
    near, far = bytes([100, *[0] * 383]), bytes([0, 100, *[0] * 382])
    query = (QueryVector(near), QueryVector(near, kinds=(), factor=0.5, beside=(BESIDE,)))

    found = vector_rows.mean_cosines(
        query, {1: {FIRST_KIND: near, BESIDE: near}, 2: {FIRST_KIND: far, BESIDE: near}, 3: {FIRST_KIND: near}}
    )

    assert found == {1: pytest.approx(0.75), 2: pytest.approx(0.25), 3: pytest.approx(1.0)}
    assert vector_rows.mean_cosines((), {1: {FIRST_KIND: near}}) == {}


def test_a_vector_goes_with_its_text(request_context: RequestContexts, store: Store):
    """When the text changes or the memory is deleted."""
    for text in ("One.", "Two."):
        save_memory(request_context(), SaveMemory(text=text))
    vector_rows.insert(store, [(1, bytes(384)), (2, bytes(384))])
    vector_rows.insert_other(store, [(1, bytes(512)), (2, bytes(512))], kind=BESIDE)

    store.connection.execute("UPDATE memories SET content = 'New.' WHERE seq = 1")
    assert list(vector_rows.of(store, [1, 2])) == [2]
    store.connection.execute("DELETE FROM memories WHERE seq = 2")
    assert vector_rows.of(store, [1, 2]) == {}


def test_meaning_never_shows_another_project(request_context: RequestContexts, store: Store):
    """Nor what is purged."""
    texts = {"/work/one": "mine", "/work/two": "theirs"}
    saved = {root: save_memory(request_context(root), SaveMemory(text=text)).id for root, text in texts.items()}
    purged = save_memory(request_context("/work/one"), SaveMemory(text="gone")).id
    recall(request_context(), Recall(ids=[purged], action="purge"))
    vector = bytes([100, *[0] * 383])
    vector_rows.insert(store, [(seq, vector) for seq in (1, 2, 3)])
    at = request_context()

    found = recall(replace(at, query_vectors=(QueryVector(vector),)), Recall(query="unknown"))

    assert [memory.id for memory in found.memories] == [saved["/work/one"]]
