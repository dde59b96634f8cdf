"""Failures are kept once each, are few, grow old, and go with their project."""

import pytest

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.sessions import failed_commands
from palimp_daemon.store.tables.sessions.failed_commands import (
    KEPT_MS,
    FailedCommand,
    erase_failures,
    failures_named,
    failures_told,
    forget_failures,
    keep_failure,
    note_failure_told,
)

NOW_MS = 1_763_726_400_000


@pytest.fixture
def project(store: Store) -> int:
    store.connection.execute("INSERT INTO projects (id, root, name, created_at) VALUES (7, '/x', 'x', 0)")
    store.connection.execute(
        "INSERT INTO sessions (id, key, project_id, client, started_at) VALUES (1, 's', 7, 'test', 0)"
    )
    return 7


def failure(command: str = "dvc push", worked: str = "kinit && dvc push", at: int = NOW_MS) -> FailedCommand:
    return FailedCommand(0, "dvc push", command, "denied", worked, at, 1)


def test_the_same_line_is_kept_once_with_what_worked_last(store: Store, project: int):
    keep_failure(store, project, failure())
    keep_failure(store, project, failure(worked="kinit -R && dvc push"))
    [kept] = failures_named(store, project, ["dvc push", "git push"], 0)
    assert (kept.command, kept.worked, kept.session_id) == ("dvc push", "kinit -R && dvc push", 1)
    assert failures_named(store, project, ["git push"], 0) == []
    assert failures_named(store, project + 1, ["dvc push"], 0) == []


def test_they_are_few_and_grow_old(store: Store, project: int, monkeypatch):
    monkeypatch.setattr(failed_commands, "KEPT_MAX", 3)
    keep_failure(store, project, failure("old", at=NOW_MS - KEPT_MS - 1))
    for number in range(5):
        keep_failure(store, project, failure(f"dvc push {number}"))
    assert [each.command for each in failures_named(store, project, ["dvc push"], 0)] == [
        "dvc push 4",
        "dvc push 3",
        "dvc push 2",
    ]
    assert failures_named(store, project, ["dvc push"], NOW_MS + 1) == []


def test_what_was_told_is_remembered_and_goes_with_it(store: Store, project: int):
    keep_failure(store, project, failure())
    [kept] = failures_named(store, project, ["dvc push"], 0)
    note_failure_told(store, 1, kept.id, 7)
    note_failure_told(store, 1, 999, 7)
    assert failures_told(store, 1) == {kept.id}
    forget_failures(store, [kept.id])
    assert failures_told(store, 1) == set()


@pytest.mark.parametrize(
    ("session", "containing", "left"),
    [("s", "", 0), ("other", "", 2), ("", "kinit && dvc", 1), ("", "nothing", 2), ("", "", 0)],
)
def test_they_are_erased_by_session_by_text_or_all(
    store: Store, project: int, session: str, containing: str, left: int
):
    keep_failure(store, project, failure())
    keep_failure(store, project, failure("dvc push -q", worked="ssh-add; dvc push -q"))
    assert erase_failures(store, project, session, containing) == 2 - left
    assert len(failures_named(store, project, ["dvc push"], 0)) == left


def test_a_session_or_project_that_goes_leaves_nothing_that_names_it(store: Store, project: int):
    keep_failure(store, project, failure())
    store.connection.execute("DELETE FROM sessions")
    assert value(store.connection, "SELECT session_id FROM failed_commands") is None
    store.connection.execute("DELETE FROM projects WHERE id = 7")
    assert rows(store.connection, "SELECT * FROM failed_commands") == []
