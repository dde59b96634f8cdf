"""What is looked up among many memories is not looked for in all of them, however SQLite would go about it."""

from collections.abc import Callable

import pytest
from desks import Desks

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.memories.stats import store_health
from palimp_daemon.features.sessions.history import list_sessions
from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import Store
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


def fill(desk: Desks, upto: int) -> None:
    """Save notes until there are *upto* of them."""
    desk.store.connection.execute("BEGIN")
    for number in range(value(desk.store.connection, "SELECT count(*) FROM memories"), upto):
        save_memory(desk(session=f"s{number}"), SaveMemory(text=f"note {number} of many that are alike"))
    desk.store.connection.execute("COMMIT")


LOOKED_UP: dict[str, Callable[[Desks], object]] = {
    "an id": lambda desk: recall(desk(), Recall(id="mzz")),
    "the newest of one kind": lambda desk: recall(desk(), Recall(kind="decision")),
    "the newest of one kind here and in the global scope": lambda desk: recall(
        desk(), Recall(kind="decision", scope="all")
    ),
}
COUNTED: dict[str, Callable[[Desks], object]] = {
    "the newest": lambda desk: recall(desk(), Recall()),
    "the newest here and in the global scope": lambda desk: recall(desk(), Recall(scope="all")),
    "the newest with a session's": lambda desk: list_sessions(desk(), Sessions()),
    "what there is": lambda desk: store_health(desk()),
}


@pytest.mark.parametrize("work", LOOKED_UP.values(), ids=LOOKED_UP)
def test_what_is_named_is_found_at_once(desk, work):
    fill(desk, FEW)
    among_few = steps(desk.store, lambda: work(desk))
    fill(desk, MANY)

    assert steps(desk.store, lambda: work(desk)) <= among_few + 1


@pytest.mark.parametrize("work", COUNTED.values(), ids=COUNTED)
def test_what_is_counted_is_counted_in_an_index(desk, work):
    """And nothing is sorted: a few steps for each memory."""
    fill(desk, FEW)
    among_few = steps(desk.store, lambda: work(desk))
    fill(desk, MANY)
    more = steps(desk.store, lambda: work(desk)) - among_few

    assert more * STEPS <= 20 * (MANY - FEW)
