"""What the store remembers of the rows that every write needs."""

import pytest

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


@pytest.mark.parametrize(
    ("heard", "client"),
    [
        (("palimp", "my-client"), "my-client"),
        (("my-client", "palimp", ""), "my-client"),
        (("some-mcp-client", "codex"), "codex"),
        (("codex", "some-mcp-client", "palimp"), "codex"),
        (("", "claude-code", "qwen"), "claude-code"),  # Qwen Code was started by an agent in Claude Code
        (("claude-code", "claude-code"), "claude-code"),
    ],
)
def test_a_session_of_which_several_say_whose_it_is_has_its_clients_name(store, heard, client):
    project = ensure_project(store, Caller(ProjectRef("/work/店", "店")), 0)
    for name in (*heard, *heard):
        ensure_session(store, Caller(ProjectRef("/work/店", "店"), SessionRef("s1", name)), project, 0)
    assert value(store.connection, "SELECT group_concat(client) FROM sessions") == client
