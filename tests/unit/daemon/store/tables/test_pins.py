"""Pins: of what a memory is about, whatever takes its place."""

import pytest

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import value
from palimp_daemon.store.tables.memory_links import NewLink, add, undo_link
from palimp_daemon.store.tables.memory_rows import erase, set_purged
from palimp_daemon.store.tables.pins import pin, pinned_in, unpin
from palimp_protocol.messages.memory_messages import SaveMemory

NOW_MS = 1_763_726_400_000


@pytest.fixture
def project(store, request_context):
    """The number of a project with three memories."""
    for word in ("first", "second", "third"):
        save_memory(request_context(), SaveMemory(text=f"The {word} rule"))
    return value(store.connection, "SELECT project_id FROM memories")


def test_the_last_pinned_comes_first_and_keeps_its_time(store, project):
    pin(store, [1], NOW_MS)
    pin(store, [1, 3], NOW_MS + 1)
    assert list(pinned_in(store, [project]).items()) == [(3, NOW_MS + 1), (1, NOW_MS)]
    assert pinned_in(store, [project + 1]) == {}


def test_what_takes_the_place_of_a_pinned_memory_is_pinned_as_long_as_it_does(store, project):
    pin(store, [1], NOW_MS)
    link = add(store, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    assert list(pinned_in(store, [project])) == [2]
    undo_link(store, link, NOW_MS)
    assert list(pinned_in(store, [project])) == [1]


def test_taking_the_pin_off_the_newest_version_takes_it_off_all(store, project):
    pin(store, [1, 3], NOW_MS)
    link = add(store, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    unpin(store, [2])
    undo_link(store, link, NOW_MS)
    assert list(pinned_in(store, [project])) == [3]


def test_a_purged_memory_is_pinned_again_when_it_is_restored_and_an_erased_one_is_not(store, project):
    pin(store, [1, 2], NOW_MS)
    set_purged(store, 1, NOW_MS)
    assert list(pinned_in(store, [project])) == [2]
    set_purged(store, 1, None)
    assert list(pinned_in(store, [project])) == [2, 1]
    erase(store, 2, "m1xxxxxxx")
    assert list(pinned_in(store, [project])) == [1]
