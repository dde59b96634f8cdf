"""How far git's history has been read."""

import pytest

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables.imports import (
    Progress,
    begin_commit,
    end_commit,
    hunk_count,
    progress_of,
    set_progress,
)
from palimp_daemon.store.tables.removed_code.change_rows import Change, add_hunks
from palimp_daemon.store.tables.removed_code.hunk_search import find_hunks
from palimp_protocol.messages.caller import Caller, ProjectRef

CHANGE = Change("It hid outages.", 1000, "git", "abc")
HUNK = Hunk("a.py", 1, ("def retry_with_backoff(call):", "    time.sleep(delay)"), (), (False, False))


@pytest.fixture
def project(store) -> int:
    return ensure_project(store, Caller(ProjectRef("/work/one", "one")), 0)


def test_how_far_it_is_is_remembered(store, project):
    assert progress_of(store, project) is None
    set_progress(store, project, Progress("b", "a", 2), 5)
    set_progress(store, project, Progress("c", "", 3), 6)
    assert progress_of(store, project) == Progress("c", "", 3)


def test_a_commit_is_stored_once(store, project):
    number = begin_commit(store, project, CHANGE)
    add_hunks(store, project, number, CHANGE, [HUNK])
    end_commit(store, number)
    assert begin_commit(store, project, CHANGE) is None
    assert hunk_count(store, project) == 1


def test_a_commit_of_which_only_a_part_was_stored_is_stored_anew(store, project):
    """As after a kill between two slices; nothing of the first part is left, in no index either."""
    number = begin_commit(store, project, CHANGE)
    add_hunks(store, project, number, CHANGE, [HUNK])
    again = begin_commit(store, project, CHANGE)
    assert again is not None
    assert hunk_count(store, project) == 0
    assert value(store.connection, "SELECT count(*) FROM fingerprints") == 0
    assert find_hunks(store, project, "backoff", 5).total == 0
    add_hunks(store, project, again, CHANGE, [HUNK])
    end_commit(store, again)
    assert hunk_count(store, project) == 1
