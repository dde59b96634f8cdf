"""What is done about edits in the background: what fails in it ends nothing else."""

from functools import partial
from pathlib import Path

import pytest
import trio

from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.removed_code.check import Checks
from palimp_daemon.features.removed_code.edits import Edits
from palimp_daemon.features.removed_code.working_tree import WorkingTrees
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.tables.removed_code.trees import known_trees
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef


async def test_a_tree_that_we_cannot_take_ends_nothing(tmp_path: Path, nursery, monkeypatch: pytest.MonkeyPatch):
    """The daemon would end, and end again with each session there. What comes next for the tree is done."""
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    log = Log("critical")
    trees = WorkingTrees(actor, log)
    jobs, redact = StoreJobs(actor, lambda: 0, lambda: 0), Redactor()
    edits = Edits(jobs, trees, Checks(actor, trees, redact), Settings({"HOME": str(tmp_path)}), redact, log)
    await nursery.start(edits.run)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("call(1)\n")
    caller = Caller(ProjectRef(str(tree), "tree"), SessionRef("s"))
    original = WorkingTrees.refresh

    failures: list[int] = []

    async def fail(*_: object) -> None:
        failures.append(1)
        raise ZeroDivisionError("of ours")

    with trio.fail_after(60):
        monkeypatch.setattr(WorkingTrees, "refresh", fail)
        await edits.settle_soon(caller, is_last=False)
        while not failures or trees.is_busy(str(tree)):
            await trio.sleep(0.01)
        monkeypatch.setattr(WorkingTrees, "refresh", original)
        await edits.refresh_soon(caller)
        while await actor.ask(Job(known_trees, is_write=False)) != [str(tree)]:
            await trio.sleep(0.01)
    nursery.cancel_scope.cancel()
