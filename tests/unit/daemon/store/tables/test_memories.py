"""What is looked up among many memories is not looked for in all of them, however SQLite would go about it."""

from collections.abc import Callable

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.stats import store_health
from palimp_daemon.features.sessions.history import list_sessions
from palimp_daemon.runtime.sql import value
from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memories import CONFIRMED, Selection, newest
from palimp_daemon.store.tables.proposals import propose
from palimp_protocol.messages.memories import Recall, SaveMemory
from palimp_protocol.messages.sessions import Sessions

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


def fill(request_context: RequestContexts, upto: int) -> None:
    """Save notes until there are *upto* of them."""
    request_context.store.connection.execute("BEGIN")
    for number in range(value(request_context.store.connection, "SELECT count(*) FROM memories"), upto):
        save_memory(request_context(session=f"s{number}"), SaveMemory(text=f"note {number} of many that are alike"))
    request_context.store.connection.execute("COMMIT")


LOOKED_UP: dict[str, Callable[[RequestContexts], object]] = {
    "an id": lambda request_context: recall(request_context(), Recall(id="mzz")),
    "the newest of one kind": lambda request_context: recall(request_context(), Recall(kind="decision")),
    "the newest of one kind here and in the global scope": lambda request_context: recall(
        request_context(), Recall(kind="decision", scope="all")
    ),
}
COUNTED: dict[str, Callable[[RequestContexts], object]] = {
    "the newest": lambda request_context: recall(request_context(), Recall()),
    "the newest here and in the global scope": lambda request_context: recall(request_context(), Recall(scope="all")),
    "the newest with a session's": lambda request_context: list_sessions(request_context(), Sessions()),
    "what there is": lambda request_context: store_health(request_context()),
}


@pytest.mark.parametrize("work", LOOKED_UP.values(), ids=LOOKED_UP)
def test_what_is_named_is_found_at_once(request_context, work):
    fill(request_context, FEW)
    among_few = steps(request_context.store, lambda: work(request_context))
    fill(request_context, MANY)

    assert steps(request_context.store, lambda: work(request_context)) <= among_few + 1


@pytest.mark.parametrize("work", COUNTED.values(), ids=COUNTED)
def test_what_is_counted_is_counted_in_an_index(request_context, work):
    """And nothing is sorted: a few steps for each memory."""
    fill(request_context, FEW)
    among_few = steps(request_context.store, lambda: work(request_context))
    fill(request_context, MANY)
    more = steps(request_context.store, lambda: work(request_context)) - among_few

    assert more * STEPS <= 20 * (MANY - FEW)


def test_proposals_are_left_out_of_lists_and_of_their_numbers(request_context):
    store = request_context().store
    for number, kind in enumerate(["decision", "decision", "note", "decision"]):
        save_memory(request_context(), SaveMemory(text=f"Number {number} of them", kind=kind))
    propose(store, 2, 5)
    propose(store, 3, 5)
    confirmed = Filter(f"m.deleted_at IS NULL AND {CONFIRMED}")
    rows, total = newest(store, Selection([1], where=confirmed), 10)
    assert ([row.seq for row in rows], total) == ([4, 1], 2)
    rows, total = newest(store, Selection([1], ["decision"], confirmed), 1)
    assert ([row.seq for row in rows], total) == ([4], 2)
