"""Mutes: of the words that somebody does not want told again, not of what takes their place."""

import pytest

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import value
from palimp_daemon.store.tables.memory_links import NewLink, add, undo_link
from palimp_daemon.store.tables.memory_rows import erase, set_purged
from palimp_daemon.store.tables.mutes import count_muted, mute, muted_among, muted_in, unmute
from palimp_protocol.messages.memory_messages import SaveMemory

NOW_MS = 1_763_726_400_000


@pytest.fixture
def project(store, request_context):
    """The number of a project with three memories."""
    for text in ("Nie am Freitag ausliefern", "絶対に再試行しない", "The third rule"):
        save_memory(request_context(), SaveMemory(text=text))
    return value(store.connection, "SELECT project_id FROM memories")


def test_the_last_muted_comes_first_and_keeps_its_time(store, project):
    mute(store, [1], NOW_MS)
    mute(store, [1, 3], NOW_MS + 1)
    assert list(muted_in(store, [project], 9).items()) == [(3, NOW_MS + 1), (1, NOW_MS)]
    assert list(muted_in(store, [project], 1)) == [3]
    assert count_muted(store, [project]) == 2
    assert (muted_in(store, [project + 1], 9), count_muted(store, [project + 1])) == ({}, 0)


def test_only_what_is_muted_is_muted(store, project):
    mute(store, [1, 2], NOW_MS)
    unmute(store, [2, 3])
    assert muted_among(store, [1, 2, 3]) == {1}
    assert muted_among(store, []) == set()


def test_what_takes_the_place_of_a_muted_memory_is_not_muted(store, project):
    """And once that was undone, the former one is muted as before."""
    mute(store, [1], NOW_MS)
    link = add(store, NewLink(2, 1, "replaces", "agent"), NOW_MS)
    assert muted_in(store, [project], 9) == {}
    assert muted_among(store, [2]) == set()
    undo_link(store, link, NOW_MS)
    assert list(muted_in(store, [project], 9)) == [1]


def test_a_purged_memory_is_muted_again_when_it_is_restored_and_of_an_erased_one_nothing_is_left(store, project):
    mute(store, [1, 2], NOW_MS)
    set_purged(store, 1, NOW_MS)
    assert list(muted_in(store, [project], 9)) == [2]
    set_purged(store, 1, None)
    assert list(muted_in(store, [project], 9)) == [2, 1]
    erase(store, 2, "m1xxxxxxx")
    assert value(store.connection, "SELECT group_concat(seq) FROM mutes") == "1"
