"""What the user says about a folder is done where it fits, and refused with a sentence where it does not."""

from collections.abc import Collection
from pathlib import Path
from typing import Literal

import pytest
from new_stores import new_store
from request_contexts import NOON_MS, RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.folder_decisions import DECISIONS
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import folder_links
from palimp_daemon.store.tables.project_rows import project_at
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.project_messages import LinkProject, ProjectLinked

HERE, THERE = ProjectRef("/src/здесь", "здесь"), ProjectRef("/src/there", "there")
COMMITS = ("a" * 40,)


@pytest.fixture
def store(tmp_path: Path):
    """An open store."""
    opened = new_store(tmp_path / "palimp.db")
    yield opened
    opened.connection.close()


@pytest.fixture
def contexts(store: Store) -> RequestContexts:
    """What saves are made with."""
    return RequestContexts(store)


def decide(
    store: Store,
    action: Literal["same", "new", "link", "unlink"],
    root: str = "",
    present: ProjectRef = HERE,
    commits: Collection[str] = COMMITS,
) -> ProjectLinked:
    """Have the user say *action* in the folder of *present*."""
    return DECISIONS[action](LinkProject(action=action, root=root), present, commits, NOON_MS, store)


def test_a_folder_that_held_another_repository_may_be_the_same_project(store: Store, contexts: RequestContexts):
    """What was set aside is shown again, with what was saved since."""
    save_memory(contexts(HERE.root), SaveMemory(text="Retries are three."))
    folder_links.set_aside(store, HERE.root, NOON_MS)
    save_memory(contexts(HERE.root), SaveMemory(text="Retries are five."))
    said = decide(store, "same")

    assert (said.memories, said.joined) == (2, 1)
    now = project_at(store, HERE.root)
    assert now is not None
    assert folder_links.first_commits_of(store, now.id) == {*COMMITS}


def test_it_may_be_another_project_and_that_can_be_taken_back(store: Store, contexts: RequestContexts):
    """What was set aside is kept."""
    save_memory(contexts(HERE.root), SaveMemory(text="Retries are three."))
    folder_links.set_aside(store, HERE.root, NOON_MS)

    assert decide(store, "new").memories == 1
    assert project_at(store, HERE.root) is None
    assert decide(store, "same").memories == 1


def test_two_folders_are_one_project_until_they_are_parted(store: Store, contexts: RequestContexts):
    """Each has then what it had."""
    save_memory(contexts(HERE.root), SaveMemory(text="of here"))
    save_memory(contexts(THERE.root), SaveMemory(text="of there"))

    linked = decide(store, "link", THERE.root)
    assert (linked.root, linked.memories, linked.joined) == (THERE.root, 1, 1)
    assert decide(store, "unlink").memories == 1


@pytest.mark.parametrize("action", ["same", "new"])
def test_a_folder_that_held_no_other_repository_has_nothing_to_decide(store: Store, action):
    """Of it nothing is changed."""
    with pytest.raises(PalimpError, match="not known to have held another") as refused:
        decide(store, action)
    assert refused.value.code is ErrorCode.BAD_REQUEST


def test_a_link_that_does_not_fit_is_refused(store: Store, contexts: RequestContexts):
    """With what is unknown, twice, or with a folder that is linked itself."""
    save_memory(contexts(THERE.root), SaveMemory(text="of there"))
    with pytest.raises(PalimpError, match="No project is known at /src/unknown"):
        decide(store, "link", "/src/unknown")
    with pytest.raises(PalimpError, match="linked with no other"):
        decide(store, "unlink")
    decide(store, "link", THERE.root)
    with pytest.raises(PalimpError, match="linked already"):
        decide(store, "link", THERE.root)
    with pytest.raises(PalimpError, match="Another folder is linked with this one"):
        decide(store, "link", HERE.root, present=THERE)
