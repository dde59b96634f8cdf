"""What is looked for of a search while its query's meaning is not known yet."""

from dataclasses import replace

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.find import search_ahead
from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.search import memory_search
from palimp_daemon.store.tables.search.memory_query import PreparedSearches
from palimp_daemon.store.tables.vector_rows import QueryVector
from palimp_protocol.messages.memory_messages import Recall, SaveMemory


def with_meaning(request_context: RequestContext, vector: bytes) -> RequestContext:
    return replace(request_context, query_vectors=(QueryVector(vector),))


@pytest.fixture
def towns(request_context: RequestContexts, store: Store) -> list[str]:
    """A hundred memories with one word in common, each with a meaning of its own; their ids."""
    saved = [
        save_memory(request_context(), SaveMemory(text=f"Town {number} lies by a river.")).id for number in range(100)
    ]
    vector_rows.insert(store, [(seq, bytes([100, seq, *[0] * 382])) for seq in range(1, 101)])
    return saved


@pytest.mark.parametrize("query", ["which town", '"town 7" river', "town", "somewhere", "…"])
def test_what_was_prepared_ahead_gives_the_same_answer(request_context: RequestContexts, towns: list[str], query: str):
    """And is used once."""
    request, at = (
        Recall(query=query, limit=30, explain=True),
        with_meaning(request_context(), bytes([100, 60, *[0] * 382])),
    )
    straight = recall(at, request)

    search_ahead(request_context(), request)

    assert recall(at, request) == straight
    assert request_context().store.state(PreparedSearches).parts == {}


def test_a_search_that_was_prepared_ahead_does_not_look_for_the_words_again(
    request_context: RequestContexts, towns: list[str], monkeypatch: pytest.MonkeyPatch
):
    """That is what it was prepared for."""
    request = Recall(query="which town by the river")
    search_ahead(request_context(), request)
    monkeypatch.setattr(memory_search, "search", None)

    assert recall(with_meaning(request_context(), bytes(384)), request).total == len(towns)


def test_what_was_written_since_it_was_prepared_counts(request_context: RequestContexts, towns: list[str]):
    """A memory that was purged meanwhile is not shown, and one that was saved is found."""
    request = Recall(query="town river", limit=100)
    search_ahead(request_context(), request)
    recall(request_context(), Recall(ids=[towns[0]], action="purge"))
    saved = save_memory(request_context(), SaveMemory(text="Another town, another river.")).id

    found = [memory.id for memory in recall(with_meaning(request_context(), bytes(384)), request).memories]

    assert towns[0] not in found
    assert saved in found


def test_what_nobody_came_back_for_is_forgotten(request_context: RequestContexts, towns: list[str]):
    """The oldest first."""
    for number in range(memory_search.AHEAD_MAX + 3):
        search_ahead(request_context(), Recall(query=f"town {number}"))

    assert [asked.text for asked in request_context().store.state(PreparedSearches).parts] == [
        f"town {number}" for number in range(3, memory_search.AHEAD_MAX + 3)
    ]
