"""Of folders that are gone, worktrees mostly, nothing that was read of them is kept."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import trio

from palimp_daemon.features.removed_code.working_tree import WorkingTrees
from palimp_daemon.git.worktree import FileState
from palimp_daemon.runtime.files import is_gone
from palimp_daemon.runtime.log import Log
from palimp_daemon.server.background.housekeeping import OVER_CHECK_S, forget_what_is_over
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.tables.removed_code.trees import known_trees
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_neighbours.documents.daemon.document_rows import ReadDocument, SectionText, indexed_trees, update_sections
from palimp_neighbours.documents.daemon.ranked_search import DocumentSearch
from palimp_protocol.errors import ErrorCode, PalimpError

DOCUMENTS = [ReadDocument(slug, "Title", FileState(1, 1), "text", [SectionText("", 1, "text")]) for slug in "abcdefg"]


def is_written(path: Path) -> Path:
    path.mkdir()
    for number in range(3):
        (path / f"f{number}.py").write_text(f"call({number})\n")
    return path


async def test_of_a_worktree_that_was_removed_nothing_is_kept(tmp_path: Path, nursery):
    """Neither the lines of its files nor the sections of its documents; of another all of it."""
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    trees = WorkingTrees(actor, Log("error"))
    documents = DocumentSearch(actor, lambda: 0)
    here, gone = is_written(tmp_path / "here"), is_written(tmp_path / "gone")
    for tree in map(str, (here, gone)):
        await trees.refresh(tree)
        await actor.ask(Job(partial(update_sections, tree=tree, changed=DOCUMENTS, gone=[]), is_write=True))
    for file in gone.iterdir():
        file.unlink()
    gone.rmdir()

    await trees.forget_gone()
    await documents.forget_gone()

    for known in (known_trees, indexed_trees):
        assert await actor.ask(Job(known, is_write=False)) == [str(here)]
    assert not trees.is_fresh(str(gone)), "it is read again when it is there again"
    assert trees.is_fresh(str(here))


def test_what_cannot_be_looked_at_is_not_gone(tmp_path: Path, monkeypatch):
    """Its disk may be slow, or its permissions wrong."""
    (tmp_path / "file").touch()
    assert is_gone(str(tmp_path / "none"))
    assert is_gone(str(tmp_path / "file" / "below"))
    assert not is_gone(str(tmp_path))

    def refuse(_: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "stat", refuse)
    assert not is_gone(str(tmp_path / "none"))


async def test_it_is_looked_again_and_again(autojump_clock, nursery):
    """Also after the store could not be used."""
    said: list[str] = []

    async def forget_gone() -> None:
        said.append("looked")
        if len(said) == 1:
            raise PalimpError(ErrorCode.DISK_FULL, "The disk is full.")

    async def nothing(*_: object) -> bool:
        return False

    actor = SimpleNamespace(write=nothing)
    log = lambda event, **_: said.append(event)  # noqa: E731
    nursery.start_soon(forget_what_is_over, actor, (forget_gone, nothing), lambda: 0, log)
    await trio.sleep(2.5 * OVER_CHECK_S)
    assert said == ["looked", "upkeep_failed", "looked"]
