"""The operations `projects` and `adopt`: what is known of which folder, and what becomes of it when a folder is moved.

Theory
------
A project is its folder, so one that was moved or renamed has forgotten everything. It is recognised by its history: the
newest commit that was read of a folder which is gone is in the repository that is here; where none was read, by its
name. Then the present one is offered what is known of the former, once nothing is known of it itself; nothing moves
until its user says so, since two folders may have the same history for other reasons.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from palimp_daemon.codediff.git_repository import commits_here
from palimp_daemon.runtime.files import is_gone
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.changes import forget_hunks
from palimp_daemon.store.tables.folder_links import clone_roots
from palimp_daemon.store.tables.project_merge import delete_left, join
from palimp_daemon.store.tables.projects import HELD, ProjectRow, known_projects, left_projects, project_at
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.env.git_command import GitError
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.projects import Adopt, Adopted, KnownProject, ProjectList, Projects
from palimp_protocol.text import shown_name

LOOKED_AT_MAX: Final = 100
"""Projects of which it is looked whether they were moved here: a session's start waits for it."""

SLICE_HUNKS: Final = 500
"""Hunks that are deleted in one go, some 50 ms, so that others are served between."""

ANY_TIME_MS: Final = 2**53
"""Later than every change."""


class ProjectMoves:
    """Answers `projects` and `adopt`, and knows what was moved where."""

    def __init__(self, actor: Actor, read_history: Callable[[Caller], None]) -> None:
        self._actor = actor
        self._read_history = read_history

    async def listed(self, request: Projects, notes: Sequence[str] = ()) -> ProjectList:
        """Return the known projects, and *notes* on the folder that was asked from.

        Raises:
            PalimpError: the store cannot be used.
        """
        found, total = await self._known(request.limit)
        gone = await in_thread(partial(_gone, found))
        linked = await self._actor.read(clone_roots)
        return ProjectList(
            projects=[
                KnownProject(
                    root=each.root,
                    name=each.name,
                    memories=each.memories,
                    removed=each.removed,
                    sessions=each.sessions,
                    last_at=each.last_at,
                    is_gone=each in gone,
                    linked_to=linked.get(each.root, ""),
                )
                for each in found
            ],
            total=total,
            notes=list(notes),
        )

    async def moved_here(self, caller: Caller) -> ProjectRow | None:
        """Return the project that *caller*'s seems to have been before it was moved here; None: it was not."""
        if caller.project is None:
            return None
        found, _ = await self._known(LOOKED_AT_MAX)
        work = partial(_moved, found, Path(caller.project.tree or caller.project.root), caller.project.name)
        return await in_thread(work)

    async def adopt(self, request: Adopt, caller: Caller) -> Adopted:
        """Let *caller*'s project have what is known of the folder that *request* names.

        Raises:
            PalimpError: that folder is still there, or nothing is known of it; or the store cannot be used.
        """
        present = caller.project
        if present is None:
            raise PalimpError(
                ErrorCode.BAD_REQUEST, "This folder is no project.", "Run it in the folder that was moved."
            )
        if request.root == present.root or not await in_thread(partial(is_gone, request.root)):
            raise PalimpError(
                ErrorCode.BAD_REQUEST,
                f"{shown_name(request.root)} is still there.",
                "Only a folder that is gone can be adopted. For a second clone of the same repository there is `palimp"
                " projects link`.",
            )
        adopted: Adopted = await self._actor.write(partial(_adopt, request.root, present))
        for left in await self._actor.read(left_projects):
            forget = partial(_forget, left)
            while await self._actor.write(forget):
                pass
            await self._actor.write(lambda store, left=left: delete_left(store, left))
        self._read_history(caller)
        return adopted

    async def _known(self, limit: int) -> tuple[list[ProjectRow], int]:
        work = partial(known_projects, limit=limit)
        return await self._actor.read(work)


def _adopt(root: str, present: ProjectRef, store: Store) -> Adopted:
    if present.root in clone_roots(store):
        raise PalimpError(
            ErrorCode.BAD_REQUEST, "This folder is linked with another.", "`palimp projects unlink` first."
        )
    former, here = project_at(store, root), project_at(store, present.root)
    if former is None:
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"No project is known at {shown_name(root)}.",
            "`palimp projects` lists the known ones.",
        )
    join(store, former.id, present)
    return Adopted(
        root=root,
        memories=former.memories,
        removed=former.removed,
        sessions=former.sessions,
        joined=here.memories if here else 0,
    )


def _forget(left: int, store: Store) -> int:
    """Delete some hunks of *left*, and return how many."""
    return forget_hunks(store, left, ANY_TIME_MS, 0, SLICE_HUNKS)


def _gone(projects: Sequence[ProjectRow]) -> list[ProjectRow]:
    """Return those of *projects* whose folders are gone."""
    return [each for each in projects if is_gone(each.root)]


def _moved(projects: Sequence[ProjectRow], tree: Path, name: str) -> ProjectRow | None:
    """Return one of *projects* whose folder is gone: of *tree*'s history, or else of this *name*."""
    gone = [each for each in _gone(projects) if each.memories]
    commits = [each.newest_commit for each in gone if each.newest_commit]
    try:
        here = commits_here(tree, commits)
    except GitError:
        here = set[str]()
    # One whose history is known and is not this one is another, whatever its name.
    same = [each for each in gone if each.newest_commit in here]
    is_path = (each for each in gone if not each.root.startswith(HELD))
    named = [each for each in is_path if each.name == name and not each.newest_commit]
    return next(iter((*same, *named)), None)
