"""What is looked up among many memories is not looked for in all of them, however SQLite would go about it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from lanes import IS_NIGHTLY
from new_stores import new_store
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.stats import store_health
from palimp_daemon.features.sessions.session_history import list_sessions
from palimp_daemon.runtime.sql import transaction
from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import qualifying_links
from palimp_daemon.store.tables.memory_rows import PROPOSALS_COUNTED, Selection, by_time, newest
from palimp_daemon.store.tables.proposals import propose
from palimp_protocol.messages.memory_messages import Recall, SaveMemory
from palimp_protocol.messages.session_messages import Sessions

STEPS = 100
"""SQLite's steps between two counts."""


def steps(store: Store, work: Callable[[], object]) -> int:
    """Return how many steps of SQLite's virtual machine *work* takes, in hundreds."""
    counted = 0

    def count() -> bool:
        nonlocal counted
        counted += 1
        return False

    store.connection.set_progress_handler(count, STEPS)
    try:
        work()
    finally:
        store.connection.set_progress_handler(None)
    return counted


FEW, MANY = 100, 1_100


def filled(path: Path, engine: str, count: int) -> RequestContexts:
    """Make a store with *count* notes."""
    request_context = RequestContexts(new_store(path, engine))
    with transaction(request_context.store.connection):
        for number in range(count):
            save_memory(request_context(session=f"s{number}"), SaveMemory(text=f"note {number} of many that are alike"))
    return request_context


@pytest.fixture(scope="module", params=["fts5", "fts4"] if IS_NIGHTLY else ["fts5"])
def among(request, tmp_path_factory: pytest.TempPathFactory):
    """Make a store with few notes and one with many, of which nothing is changed."""
    folder = tmp_path_factory.mktemp("among")
    made = [filled(folder / f"{count}.db", request.param, count) for count in (FEW, MANY)]
    yield made
    for each in made:
        each.store.connection.close()


LOOKED_UP: dict[str, Callable[[RequestContexts], object]] = {
    "an id": lambda request_context: recall(request_context(), Recall(id="mzz")),
    "the newest of one kind": lambda request_context: recall(request_context(), Recall(kind="decision")),
    "the newest of one kind here and in the global scope": lambda request_context: recall(
        request_context(), Recall(kind="decision", scope="all")
    ),
    "what narrows any of many": lambda request_context: qualifying_links(request_context.store, range(1, 201), [0, 1]),
}
COUNTED: dict[str, Callable[[RequestContexts], object]] = {
    "the newest": lambda request_context: recall(request_context(), Recall()),
    "the newest here and in the global scope": lambda request_context: recall(request_context(), Recall(scope="all")),
    "the newest with a session's": lambda request_context: list_sessions(request_context(), Sessions()),
    "what there is": lambda request_context: store_health(request_context()),
}


@pytest.mark.parametrize("work", LOOKED_UP.values(), ids=LOOKED_UP)
def test_what_is_named_is_found_at_once(among: list[RequestContexts], work):
    few, many = (steps(each.store, lambda each=each: work(each)) for each in among)

    assert many <= few + 1


def test_words_of_an_hour_are_looked_for_among_the_memories_of_that_hour(among: list[RequestContexts]):
    """Ten times as many of other hours are hardly more work: the index itself has grown."""
    asked = Recall(query="many alike", since="2025-11-21T12:00+00:00", until="2025-11-21T13:00+00:00")
    few, many = (steps(each.store, lambda each=each: recall(each(), asked)) for each in among)

    assert many <= 1.5 * few


@pytest.mark.parametrize("work", COUNTED.values(), ids=COUNTED)
def test_what_is_counted_is_counted_in_an_index(among: list[RequestContexts], work):
    """And nothing is sorted: a few steps for each memory."""
    few, many = (steps(each.store, lambda each=each: work(each)) for each in among)

    assert (many - few) * STEPS <= 20 * (MANY - FEW)


def test_proposals_are_left_out_of_lists_and_of_their_numbers(request_context):
    store = request_context().store
    for number, kind in enumerate(["decision", "decision", "note", "decision"]):
        save_memory(request_context(), SaveMemory(text=f"Number {number} of them", kind=kind))
    propose(store, 2, 5)
    propose(store, 3, 5)
    alive = Filter("m.deleted_at IS NULL")
    for listed in (newest, by_time):
        rows, total = listed(store, Selection([1], (), alive, ["proposals"]), 10)
        assert ([row.seq for row in rows], total) == ([4, 1], 2)
        rows, total = listed(store, Selection([1], ["decision"], alive, ["proposals"]), 1)
        assert ([row.seq for row in rows], total) == ([4], 2)


def test_of_a_full_inbox_the_last_proposals_are_taken_off_a_number(request_context):
    store = request_context().store
    for number in range(PROPOSALS_COUNTED + 3):
        save_memory(request_context(), SaveMemory(text=f"Number {number} of them"))
        propose(store, number + 1, 5)
    assert newest(store, Selection([1], without=["proposals"]), 10) == ([], 3)
