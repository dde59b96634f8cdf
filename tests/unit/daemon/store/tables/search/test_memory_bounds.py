"""Between which numbers the memories of projects lie, and those of a span of time."""

import pytest

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.store import scope_rows
from palimp_daemon.store.tables.search import memory_bounds
from palimp_daemon.store.tables.search.memory_bounds import NOWHERE, Bounds, bounds_of, bounds_of_span, bounds_sparing
from palimp_protocol.messages.memory_messages import SaveMemory

ONE, TWO = "/work/one", "/work/two"
MOST = 1_000


@pytest.fixture
def saved(request_context) -> dict[int, int]:
    """Six memories, of two projects in turn: when each was saved, by number."""
    for number in range(6):
        context = request_context((ONE, TWO)[number % 2], session=f"s{number}")
        save_memory(context, SaveMemory(text=f"Η απόφαση {number}: the ledger is kept."))
    return dict(rows(request_context.store.connection, "SELECT seq, created_at FROM memories"))


def scope(request_context, project: str) -> list[int]:
    context = request_context(project)
    return scope_rows(context.store, context.caller, "project")


def test_the_bounds_of_a_project_hold_what_others_saved_between_its_own(request_context, saved):
    """Without a project, all there is."""
    store = request_context.store

    assert bounds_of(store, scope(request_context, TWO), 6) == Bounds(2, 6)
    assert bounds_of(store, [], 6) == Bounds(1, 6)
    assert bounds_of(store, [99], 6) == NOWHERE


def test_the_bounds_of_a_span_are_those_of_what_was_saved_in_it(request_context, saved):
    """It ends before its second time."""
    store, projects = request_context.store, scope(request_context, ONE)

    assert bounds_of_span(store, projects, (saved[2], saved[5]), MOST) == Bounds(3, 3)
    assert bounds_of_span(store, projects, (saved[1], saved[5] + 1), MOST) == Bounds(1, 5)
    assert bounds_of_span(store, projects, (saved[1] - 9, saved[1]), MOST) == NOWHERE


def test_what_was_saved_later_at_an_earlier_time_is_within_the_bounds(request_context, saved):
    """As an import saves it: numbers do not follow times."""
    store, projects = request_context.store, scope(request_context, ONE)
    store.connection.execute("UPDATE memories SET created_at = ? WHERE seq = 5", (saved[1],))

    assert bounds_of_span(store, projects, (saved[1], saved[1] + 1), MOST) == Bounds(1, 5)


def test_a_span_with_too_much_in_it_has_no_bounds(request_context, saved, monkeypatch: pytest.MonkeyPatch):
    """Nor has one of all projects: which they are is not looked up."""
    store, projects = request_context.store, scope(request_context, ONE)
    monkeypatch.setattr(memory_bounds, "DATED_MAX", 2)

    assert bounds_of_span(store, projects, (saved[1], saved[4]), 2) == Bounds(1, 3)
    assert bounds_of_span(store, projects, (saved[1], saved[6]), 2) is None
    assert bounds_sparing(store, projects, (saved[1], saved[6]), MOST) is None
    assert bounds_of_span(store, [], (saved[1], saved[2]), 2) is None


def test_a_span_with_much_more_in_it_than_the_index_has_to_be_read_has_no_bounds(request_context, saved):
    """Of a rare word the few postings are read sooner than the dates are gone through."""
    store, projects = request_context.store, scope(request_context, ONE)

    assert bounds_sparing(store, projects, (saved[1], saved[4]), 1) == Bounds(1, 3)
    assert bounds_sparing(store, projects, (saved[1], saved[4]), 0) is None
