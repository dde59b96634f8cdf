"""Counts of what sessions were given: by weeks, bounded, and without a word of any memory."""

from dataclasses import replace

import pytest

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import Store, ensure_project, ensure_session, project_row
from palimp_daemon.store.tables.memory_rows import erase
from palimp_daemon.store.tables.sessions import usage_counts
from palimp_daemon.store.tables.sessions.given import note_given
from palimp_daemon.store.tables.sessions.usage_counts import (
    Amount,
    add_usage,
    given_lately,
    join_usage,
    note_opened,
    note_outcomes,
    saved_since,
    usage_since,
    used_most,
    week_of,
)
from palimp_protocol.limits import USAGE_WEEKS_MAX
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.usage_messages import SavedCount

WEEK_MS = 7 * 86_400_000


@pytest.fixture
def session(store: Store, request_context) -> int:
    """The number of a session that saved two memories."""
    for text in ("Nie am Freitag ausliefern", "再試行は三回まで"):
        save_memory(request_context(), SaveMemory(text=text))
    return value(store.connection, "SELECT id FROM sessions")


def test_weeks_begin_on_monday():
    assert week_of(0) == -3  # 1970 began on a Thursday
    assert week_of(4 * 86_400_000) == 4
    assert week_of(4 * 86_400_000 - 1) == -3


def test_a_weeks_amounts_are_summed_up_and_the_oldest_weeks_are_forgotten(store: Store, session: int):
    for at in (0, 0, WEEK_MS):
        add_usage(store, session, "prompt", Amount(1, 40, 2), at)
    found = usage_since(store, None, 0)
    assert [(each.week, each.times, each.tokens, each.memories) for each in found] == [(-3, 2, 20, 4), (4, 1, 10, 2)]
    add_usage(store, session, "prompt", Amount(1, 40, 2), USAGE_WEEKS_MAX * WEEK_MS + WEEK_MS)
    assert [each.week for each in usage_since(store, None, 0)] == [4, 4 + 7 * USAGE_WEEKS_MAX]


def test_clients_beyond_the_bound_are_counted_together(
    store: Store, session: int, request_context, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(usage_counts, "CLIENTS_MAX", 2)
    caller = request_context().caller
    for name in ("one", "two", "three", "four", "one"):
        other = type(caller)(caller.project, SessionRef(f"of {name}", name))
        row = ensure_session(store, other, ensure_project(store, other, 0), 0)
        assert row is not None
        add_usage(store, row, "start", Amount(1, 4), 0)
    assert {each.client: each.times for each in usage_since(store, None, 0)} == {"one": 2, "two": 1, "others": 2}


def test_what_was_given_is_looked_at_once_and_counted_if_it_was_used(store: Store, session: int):
    note_given(store, session, "prompt", [(1, ""), (2, "")], 0)
    given = given_lately(store, session)
    note_outcomes(store, session, given, {given[0].number})
    assert given_lately(store, session) == []
    [found] = usage_since(store, None, 0)
    assert (found.memories, found.used) == (2, 1)
    assert used_most(store, None, 5) == [(1, 1, 1)]


def test_one_that_is_opened_by_its_id_is_used_once(store: Store, session: int):
    note_given(store, session, "start", [(1, ""), (2, "")], 0)
    given = given_lately(store, session)
    note_outcomes(store, session, given, {given[0].number})
    ids = [shown for (shown,) in rows(store.connection, "SELECT substr(id, 1, 12) FROM memories ORDER BY seq")]
    note_opened(store, session, [*ids, *ids, "mnot-there"])
    [found] = usage_since(store, None, 0)
    assert found.used == 2


def test_of_an_erased_memory_only_numbers_are_left(store: Store, session: int):
    note_given(store, session, "action", [(1, "Freitag")], 0)
    note_outcomes(store, session, given_lately(store, session), {1})
    erase(store, 1, "m1xxxxxxx")
    assert used_most(store, None, 5) == []
    assert rows(store.connection, "SELECT * FROM given") == []
    assert [type(each) for each in rows(store.connection, "SELECT * FROM usage")[0][4:]] == [int] * 4


def test_a_project_that_was_moved_keeps_its_counts(store: Store, session: int, request_context):
    add_usage(store, session, "start", Amount(1, 4, 1), 0)
    caller = request_context("/work/two").caller
    second = ensure_project(store, caller, 0)
    other = ensure_session(store, caller, second, 0)
    assert other is not None
    add_usage(store, other, "start", Amount(2, 8, 1), 0)
    join_usage(store, 1, second)
    assert [(each.times, each.characters) for each in usage_since(store, second, 0)] == [(3, 12)]
    assert usage_since(store, 1, 0) == []


def test_memories_are_counted_in_the_week_in_which_they_were_saved(store: Store, request_context):
    """From the week on that is asked for, in one project or in all."""
    monday = 1_764_547_200_000  # 1 December 2025, 00:00 in UTC
    for at, text, project in (
        (monday - 1, "Before", "/work/one"),
        (monday, "First", "/work/one"),
        (monday + 6 * 86_400_000, "Second", "/work/one"),
        (monday, "Elsewhere", "/work/two"),
    ):
        save_memory(replace(request_context(project), now_ms=at), SaveMemory(text=f"{text} of them."))
    one = project_row(store, request_context().caller)
    assert saved_since(store, one, monday) == [SavedCount(week_of(monday), 2)]
    assert saved_since(store, None, monday - 1) == [SavedCount(week_of(monday - 1), 1), SavedCount(week_of(monday), 3)]
