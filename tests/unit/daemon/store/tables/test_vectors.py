"""SQL of the table `vectors`: whose they are, who has none, and how near they are."""

from dataclasses import replace

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vectors
from palimp_protocol.messages.memories import Recall, SaveMemory


def test_vectors_of_another_model_are_dropped(request_context: RequestContexts, store: Store):
    """They are not comparable."""
    save_memory(request_context(), SaveMemory(text="One."))
    vectors.use_model(store, "first")
    vectors.insert(store, [(1, bytes(384))])

    vectors.use_model(store, "first")
    assert vectors.counts(store) == (1, 1)
    vectors.use_model(store, "second")
    assert vectors.counts(store) == (0, 1)


def test_what_has_no_vector_is_found_in_slices(
    request_context: RequestContexts, store: Store, monkeypatch: pytest.MonkeyPatch
):
    """Newest first, to the end, also across stretches where all have one."""
    monkeypatch.setattr(vectors, "LOOKED_THROUGH", 3)
    for number in range(9):
        save_memory(request_context(), SaveMemory(text=f"Text {number}."))
    vectors.insert(store, [(seq, bytes(384)) for seq in (4, 5, 6, 7)])

    seen: list[int] = []
    upper = None
    while (found := vectors.next_unembedded(store, upper, 2)) is not None:
        upper, batch = found
        seen += [seq for seq, _ in batch]

    assert seen == [9, 8, 3, 2, 1]


def test_what_most_matches_mean_is_taken_from_the_meaning_of_each():
    """So one that also means what is asked for stands out; of a few matches nobody knows what is usual."""
    usual, asked = bytes([100, *[0] * 383]), bytes([100, 40, *[0] * 382])
    others = dict.fromkeys(range(2, 72), usual)

    few, many = vectors.cosines(asked, {1: asked, 2: usual}), vectors.cosines(asked, {1: asked} | others)

    assert few[1] == pytest.approx(1)
    assert many[1] == pytest.approx(1)
    assert few[2] == pytest.approx(100 / (100**2 + 40**2) ** 0.5, abs=0.001)
    assert many[2] < few[2] - 0.05


def test_a_vector_goes_with_its_text(request_context: RequestContexts, store: Store):
    """When the text changes or the memory is deleted."""
    for text in ("One.", "Two."):
        save_memory(request_context(), SaveMemory(text=text))
    vectors.insert(store, [(1, bytes(384)), (2, bytes(384))])

    store.connection.execute("UPDATE memories SET content = 'New.' WHERE seq = 1")
    assert vectors.counts(store) == (1, 2)
    store.connection.execute("DELETE FROM memories WHERE seq = 2")
    assert vectors.counts(store) == (0, 1)


def test_meaning_never_shows_another_project(request_context: RequestContexts, store: Store):
    """Nor what is purged."""
    texts = {"/work/one": "mine", "/work/two": "theirs"}
    saved = {root: save_memory(request_context(root), SaveMemory(text=text)).id for root, text in texts.items()}
    purged = save_memory(request_context("/work/one"), SaveMemory(text="gone")).id
    recall(request_context(), Recall(ids=[purged], action="purge"))
    vector = bytes([100, *[0] * 383])
    vectors.insert(store, [(seq, vector) for seq in (1, 2, 3)])
    at = request_context()

    found = recall(replace(at, query_vector=vector), Recall(query="unknown"))

    assert [memory.id for memory in found.memories] == [saved["/work/one"]]
