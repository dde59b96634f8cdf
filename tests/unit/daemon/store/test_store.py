"""What the store remembers of the rows that every write needs."""

from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import REMEMBERED_MAX, ensure_project, ensure_session
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

PROJECT = ProjectRef("/work/one", "one")


def test_more_sessions_than_are_remembered_keep_their_rows(store):
    """Sessions come and go for weeks: the newest are remembered, the others are looked up."""
    callers = [Caller(PROJECT, SessionRef(f"s{number}")) for number in range(REMEMBERED_MAX + 2)]
    project = ensure_project(store, callers[0], 0)
    numbers = [ensure_session(store, caller, project, 0) for caller in callers]
    assert [key for key, *_ in store.sessions] == [f"s{number}" for number in range(2, REMEMBERED_MAX + 2)]
    assert [ensure_session(store, caller, project, 0) for caller in callers] == numbers
    assert value(store.connection, "SELECT count(*) FROM sessions") == len(callers)
    assert store.projects == {PROJECT.root: project}
