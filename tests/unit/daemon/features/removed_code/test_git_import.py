"""Reading a history in the background: what fails in it ends nothing else."""

from functools import partial
from pathlib import Path

import pytest
import trio
from repositories import ENVIRONMENT, Repository

from palimp_daemon.features.removed_code import git_import
from palimp_daemon.features.removed_code.git_import import Importer
from palimp_daemon.runtime.log import Log
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef


async def test_a_bug_in_reading_one_history_is_said_and_others_are_read(tmp_path: Path, nursery, monkeypatch):
    """The daemon would end, and end again with each session of that project."""
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    reader = Importer(actor, lambda: 1_700_000_000_000, Log("critical"), Redactor(), keep_days=0)
    nursery.start_soon(reader.run)
    repository = Repository(tmp_path / "one")
    repository.commit("first", a_py="call(1)\n")
    caller = Caller(ProjectRef(str(repository.path), "one"))

    async def read() -> git_import.ImportStatus:
        reader.request_read(caller)
        return await finished(reader, caller)

    original = git_import._next_commits

    def fail(*_: object) -> list[git_import.Commit]:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(git_import, "_next_commits", fail)
    assert "palimp failed on it (ZeroDivisionError)" in (await read()).problem
    monkeypatch.setattr(git_import, "_next_commits", original)
    status = await read()
    assert (status.problem, status.commits) == ("", 1)
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("commits", [1, 3])
async def test_a_history_that_was_read_down_to_its_first_commit_is_done(tmp_path: Path, nursery, commits: int):
    """Also when that was the last thing that was stored: there is nothing above it, and that is no failure."""
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    reader = Importer(actor, lambda: 1_700_000_000_000, Log("critical"), Redactor(), keep_days=0)
    repository = Repository(tmp_path / "one")
    names = [repository.commit(f"commit {number}", a_py=f"call({number})\n") for number in range(commits)]
    caller = Caller(ProjectRef(str(repository.path), "one"))
    project = await reader._actor.write(lambda store: git_import.ensure_project(store, caller, 0))
    await reader._set(project, git_import.Progress(names[-1], names[0], commits))

    await reader._read(caller)

    left = await reader._actor.read(lambda store: git_import.imports.progress_of(store, project))
    assert left == git_import.Progress(names[-1], "", commits)
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("seconds", ["4102444800000", "99999999999999999", "0"])
async def test_a_commit_is_never_of_the_future(tmp_path: Path, nursery, seconds: str):
    """Milliseconds in the place of seconds are an easy mistake, and no date."""
    now_ms = 1_700_000_000_000
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    reader = Importer(actor, lambda: now_ms, Log("critical"), Redactor(), keep_days=0)
    repository = Repository(tmp_path / "one")
    first = repository.commit("first", a_py="call_something(1)\nand_another(2)\n")
    tree = repository.git("rev-parse", f"{repository.commit('second', a_py='')}^{{tree}}")
    who = f"a <a@example.com> {seconds} +0000"
    text = f"tree {tree}\nparent {first}\nauthor {who}\ncommitter {who}\n\nOdd.\n"
    (tmp_path / "commit").write_text(text)
    odd = repository.git("hash-object", "-t", "commit", "-w", "--literally", str(tmp_path / "commit"))
    repository.git("update-ref", "HEAD", odd)

    await reader._read(Caller(ProjectRef(str(repository.path), "one")))

    found = await reader._actor.read(
        lambda store: store.connection.execute("SELECT at FROM changes WHERE reason = 'Odd.'").fetchall()
    )
    assert found == [(0 if seconds == "0" else now_ms,)]
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("before", range(360, 402, 6))
async def test_no_part_of_a_secret_is_left_where_a_message_is_cut(tmp_path: Path, nursery, before: int):
    """What is left of a token, cut at the 400th character, would not be recognised as one."""
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    reader = Importer(actor, lambda: NOW_MS, Log("critical"), Redactor(), keep_days=0)
    repository = Repository(tmp_path / "one")
    repository.commit("first", a_py="call_something(1)\nand_another(2)\n")
    words = "Straße 🦊 שלום " * 40
    repository.commit(f"Drop it.\n\n{words[: before - 10]} ghp_{'a1B2c3D4e5F6' * 3}", a_py="")

    await reader._read(Caller(ProjectRef(str(repository.path), "one")))

    [(reason,)] = await reader._actor.read(
        lambda store: store.connection.execute("SELECT reason FROM changes").fetchall()
    )
    assert reason.startswith("Drop it. Straße 🦊")
    assert "ghp_" not in reason
    nursery.cancel_scope.cancel()


DAY_MS = 86_400_000
NOW_MS = 1_700_000_000_000


def with_old_commits(folder: Path, ages_in_days: list[int], monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a repository whose commits, oldest first, are so old; each but the first takes a line out."""
    repository = Repository(folder)
    for number, age in enumerate(ages_in_days):
        repository.write("a.py", f"call_something({number}, of={number * 7})\n")
        monkeypatch.setitem(ENVIRONMENT, "GIT_COMMITTER_DATE", f"{(NOW_MS - age * DAY_MS) // 1000} +0000")
        repository.commit(f"commit {number}")
    return repository


async def finished(reader: Importer, caller: Caller) -> git_import.ImportStatus:
    """Return the status when nothing is read any more."""
    with trio.fail_after(60):
        while (status := await reader.status(caller)).is_running:
            await trio.sleep(0.01)
    return status


async def test_what_is_left_out_is_counted_and_can_be_asked_for(tmp_path: Path, nursery, monkeypatch):
    """Back to the day that the settings say; further for whoever asks, and what was read so is not forgotten."""
    monkeypatch.setattr(git_import, "READ_AHEAD_COMMITS", 1)
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    reader = Importer(actor, lambda: NOW_MS, Log("critical"), Redactor(), keep_days=30)
    nursery.start_soon(reader.run)
    repository = with_old_commits(tmp_path / "one", [400, 300, 200, 20, 10], monkeypatch)
    caller = Caller(ProjectRef(str(repository.path), "one"))

    reader.request_read(caller)
    status = await finished(reader, caller)
    assert (status.commits, status.hunks, status.left_out) == (2, 2, 3)
    assert status.since == NOW_MS - 30 * DAY_MS

    reader.request_read(caller, NOW_MS - 250 * DAY_MS)
    status = await finished(reader, caller)
    assert (status.commits, status.hunks, status.left_out) == (3, 3, 2)
    assert status.since == NOW_MS - 250 * DAY_MS

    reader.request_read(caller, 0)
    status = await finished(reader, caller)
    assert (status.commits, status.hunks, status.left_out, status.since) == (5, 4, 0, 0)

    reader.request_read(caller)  # as each session's start does: it forgets what is too old
    status = await finished(reader, caller)
    assert (status.hunks, status.left_out) == (4, 0)
    nursery.cancel_scope.cancel()
