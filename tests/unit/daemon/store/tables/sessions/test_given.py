"""What sessions were given: kept in order, bounded, and gone with what it was."""

import pytest

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.memory_rows import erase
from palimp_daemon.store.tables.sessions.failed_commands import FailedCommand, keep_failure, note_failure_told
from palimp_daemon.store.tables.sessions.given import (
    FailureRow,
    GivenRow,
    failures_told_to,
    given_to,
    join_given,
    note_given,
)
from palimp_protocol.limits import SESSION_GIVEN_MAX
from palimp_protocol.messages.memory_messages import SaveMemory


@pytest.fixture
def session(store: Store, request_context) -> int:
    """The number of a session that saved two memories."""
    context = request_context()
    for text in ("Nie am Freitag ausliefern", "再試行は三回まで"):
        save_memory(context, SaveMemory(text=text))
    return value(store.connection, "SELECT id FROM sessions")


def test_what_was_given_is_told_in_the_order_in_which_it_was(store: Store, session: int):
    note_given(store, session, "start", [(2, "pinned"), (1, "recent")], 10)
    note_given(store, session, "prompt", [], 20)
    note_given(store, session, "action", [(1, "カート/ttl.py")], 30)
    assert given_to(store, session) == [
        GivenRow(10, "start", 2, "pinned"),
        GivenRow(10, "start", 1, "recent"),
        GivenRow(30, "action", 1, "カート/ttl.py"),
    ]
    assert given_to(store, session + 1) == []


def test_the_last_of_many_are_kept(store: Store, session: int):
    for at in range(SESSION_GIVEN_MAX // 10 + 2):
        note_given(store, session, "start", [(number, "") for number in range(1, 11)], at)
    found = given_to(store, session)
    assert len(found) == SESSION_GIVEN_MAX
    assert found[0].at == 2


def test_of_an_erased_memory_nothing_is_left(store: Store, session: int):
    """What it names is its own words."""
    note_given(store, session, "action", [(1, "cart/ttl.py"), (2, "git push")], 10)
    erase(store, 1, "m1xxxxxxx")
    assert given_to(store, session) == [GivenRow(10, "action", 2, "git push")]


def test_two_that_are_one_session_have_what_both_were_given(store: Store, session: int, request_context):
    other = request_context("/work/two")
    second = ensure_session(store, other.caller, ensure_project(store, other.caller, 0), 0)
    assert second is not None
    note_given(store, session, "start", [(1, "")], 10)
    note_given(store, second, "start", [(2, "")], 5)
    note_given(store, second, "prompt", [(1, "")], 15)
    join_given(store, second, session)
    assert [(each.at, each.seq) for each in given_to(store, session)] == [(5, 2), (10, 1), (15, 1)]


def test_commands_that_had_failed_are_told_with_when(store: Store, session: int):
    project = value(store.connection, "SELECT project_id FROM sessions")
    keep_failure(store, project, FailedCommand(0, "cargo build", "cargo build", "no linker", "cargo b", 1, None))
    failure = value(store.connection, "SELECT id FROM failed_commands")
    note_failure_told(store, session, failure, 7)
    assert failures_told_to(store, session, 5) == [FailureRow(7, "cargo build")]
    store.connection.execute("UPDATE failures_told SET at = 0")
    assert failures_told_to(store, session, 5) == []
