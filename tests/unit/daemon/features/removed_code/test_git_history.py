"""Git's history is read for clients that tell no start of a session, and what is not read is never called unremoved."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from repositories import Repository

from palimp_daemon.features.removed_code import git_history
from palimp_daemon.features.removed_code.git_history import GitHistory
from palimp_daemon.features.removed_code.git_import import Importer
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef

QUICK_S = 60.0
"""More than reading three commits takes on the busiest machine: it is over when they are read."""


class Stage:
    """A history, who reads it, and what is noted of that."""

    def __init__(self, folder: Path, actor: Actor, importer: Importer, **settings: str) -> None:
        self.actor = actor
        self.caller = Caller(ProjectRef(str(folder), folder.name))
        self.importer = importer
        self.confirmed: list[Caller] = []
        self.messages: list[Caller] = []
        self.is_off = False
        self.history = GitHistory(
            importer,
            self.messages.append,
            self._confirm,
            Settings({"HOME": "/nonexistent", **settings}),
            lambda _: self.is_off,
            Log("critical"),
        )

    async def _confirm(self, caller: Caller) -> None:
        assert self.caller.project.root not in self.importer._queued, "it was asked for before it was confirmed"
        self.confirmed.append(caller)

    async def commits_read(self) -> int:
        """Return how many commits are known when nothing is read any more."""
        with trio.fail_after(QUICK_S):
            while True:  # each look waits for the store
                was_waking, status = bool(self.history._waking), await self.history.status(self.caller)
                if not (was_waking or status.is_running):
                    return status.commits


@pytest.fixture
async def staged(tmp_path: Path, nursery, monkeypatch: pytest.MonkeyPatch):
    """Makes stages in a folder, whose importers and background run."""
    monkeypatch.setattr(git_history, "READ_WAIT_S", QUICK_S)

    async def made(folder: Path, *, reads: bool = True, **settings: str) -> Stage:
        actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
        await nursery.start(actor.run)
        importer = Importer(actor, lambda: 1_700_000_000_000, Log("critical"), Redactor(), keep_days=0)
        if reads:
            nursery.start_soon(importer.run)
        stage = Stage(folder, actor, importer, **settings)
        await nursery.start(stage.history.run)
        return stage

    yield made
    nursery.cancel_scope.cancel()


def repository_of_three(folder: Path) -> Repository:
    repository = Repository(folder)
    for number in range(3):
        repository.commit(f"commit {number}", a_py=f"call_something({number})\n")
    return repository


async def test_who_asks_has_the_history_read_and_what_is_committed_later(tmp_path: Path, staged):
    repository = repository_of_three(tmp_path / "größe")
    stage = await staged(repository.path)
    for commits in (3, 4):
        assert await stage.history.await_progress(stage.caller) == git_history.READ
        assert await stage.commits_read() == commits
        assert stage.messages == [stage.caller] * (commits - 2)
        repository.commit("another", a_py="")


async def test_an_older_commit_that_is_checked_out_was_read(tmp_path: Path, staged):
    repository = repository_of_three(tmp_path / "one")
    stage = await staged(repository.path)
    assert await stage.history.await_progress(stage.caller) == git_history.READ
    repository.git("checkout", "--quiet", "HEAD~2")
    assert await stage.importer.has_read(stage.caller)


async def test_where_nobody_may_read_it_that_is_said(tmp_path: Path, staged):
    """Until somebody asks for it in so many words; and of what came after that, again."""
    repository = repository_of_three(tmp_path / "one")
    stage = await staged(repository.path, PALIMP_CHANGES_IMPORT="off")
    assert await stage.history.await_progress(stage.caller) == git_history.OFF
    stage.history.wake(stage.caller)
    assert await stage.commits_read() == 0

    stage.history.request(stage.caller)
    assert await stage.commits_read() == 3
    assert await stage.history.await_progress(stage.caller) == git_history.READ
    repository.commit("another", a_py="")
    assert await stage.history.await_progress(stage.caller) == git_history.OFF


async def test_of_a_project_that_is_off_nothing_is_read(tmp_path: Path, staged):
    stage = await staged(repository_of_three(tmp_path / "one").path)
    stage.is_off = True
    assert await stage.history.await_progress(stage.caller) == git_history.OFF_HERE
    stage.history.wake(stage.caller)
    assert await stage.commits_read() == 0


async def test_a_folder_without_a_repository_has_no_history_and_one_without_commits_has_all_of_it(
    tmp_path: Path, staged
):
    (tmp_path / "plain").mkdir()
    assert await (stage := await staged(tmp_path / "plain")).history.await_progress(stage.caller) == git_history.NO_GIT
    Repository(tmp_path / "new")
    assert await (stage := await staged(tmp_path / "new")).history.await_progress(stage.caller) == git_history.READ


async def test_a_history_that_is_still_read_is_not_all_of_it(tmp_path: Path, staged, monkeypatch: pytest.MonkeyPatch):
    """Nobody waits for it twice: a large one takes minutes."""
    stage = await staged(repository_of_three(tmp_path / "one").path, reads=False)
    monkeypatch.setattr(git_history, "READ_WAIT_S", 0.0)
    first = await stage.history.await_progress(stage.caller)
    monkeypatch.setattr(git_history, "READ_WAIT_S", 1e9)
    with trio.fail_after(QUICK_S):
        again = await stage.history.await_progress(stage.caller)
    assert first.state == again.state == "reading"
    assert "is being read" in first.note


async def test_a_history_that_cannot_be_read_is_said_to_be_so_and_why(tmp_path: Path, staged):
    repository = repository_of_three(tmp_path / "one")
    for name in (repository.path / ".git" / "objects").glob("??/*"):
        name.unlink()
    stage = await staged(repository.path)
    known = await stage.history.await_progress(stage.caller)
    assert known.state == "failed"
    assert known.note.startswith("Git's history cannot be read")


async def test_a_folder_is_confirmed_before_its_history_is_read(tmp_path: Path, staged):
    """Else a new repository's could come into the project of the one that was there before."""
    stage = await staged(repository_of_three(tmp_path / "one").path)
    stage.history.wake_once(stage.caller)
    assert await stage.commits_read() == 3
    assert stage.confirmed == stage.messages == [stage.caller]
    stage.history.wake_once(stage.caller)
    assert await stage.commits_read() == 3
    assert len(stage.confirmed) == 1, "an edit had it looked for once more"
    stage.history.wake(Caller())
    assert await stage.commits_read() == 3
    assert len(stage.confirmed) == 1, "there is no history of no project"


async def test_a_folder_that_cannot_be_looked_at_ends_nothing(tmp_path: Path, staged):
    stage = await staged(repository_of_three(tmp_path / "one").path)
    broken: Any = SimpleNamespace(of=_fail)
    stage.history._settings, settings = broken, stage.history._settings
    stage.history.wake(stage.caller)
    assert await stage.commits_read() == 0
    stage.history._settings = settings
    stage.history.wake(stage.caller)
    assert await stage.commits_read() == 3


async def _fail(*_: Any, **__: Any) -> None:
    raise ZeroDivisionError("of ours")
