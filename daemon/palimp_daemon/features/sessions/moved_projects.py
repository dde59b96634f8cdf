"""`projects` and `adopt`: list known folders, and adopt moved ones.

A moved folder is recognised by its history, name, or a link at its old path. Only the user adopts one: two folders may
share a history.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.features.sessions.former_folders import contains, known_spelling, leads_to, nearby
from palimp_daemon.git import GitError
from palimp_daemon.git.git_repository import commits_here
from palimp_daemon.render.folders_text import moved_text, nearby_text
from palimp_daemon.runtime.files import is_gone
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.folder_links import clone_roots
from palimp_daemon.store.tables.project_merge import delete_left, join
from palimp_daemon.store.tables.project_rows import HELD, ProjectRow, known_projects, left_projects, project_at
from palimp_daemon.store.tables.removed_code.change_rows import forget_hunks
from palimp_daemon.store.tables.team_tables import shared_project
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.errors import NotFoundError, RequestError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.project_messages import Adopt, Adopted, KnownProject, ProjectList, Projects
from palimp_protocol.text import shown_name

LOOKED_AT_MAX: Final = 100
"""Projects checked for a move to this folder: a session's start waits."""

SLICE_HUNKS: Final = 500
"""Hunks deleted at once, some 50 ms, between other requests."""

ANY_TIME_MS: Final = 2**53
"""Later than every change."""


class ProjectMoves:
    """Answers `projects` and `adopt`."""

    def __init__(
        self,
        actor: Actor,
        read_history: Callable[[Caller], None],
        home: str,
        offer_clone: Callable[[Caller], Awaitable[str]],
    ) -> None:
        """*offer_clone* returns a sentence on another clone, or an empty one."""
        self._actor = actor
        self._read_history = read_history
        self._home = home
        self._offer_clone = offer_clone

    async def list_projects(self, request: Projects, notes: Sequence[str] = ()) -> ProjectList:
        """Return the known projects, with *notes* on the caller's folder.

        Raises:
            PalimpError: the store cannot be used.
        """
        found, total = await self._known_projects(request.limit)
        now_at = await in_thread(partial(_now_at, found, self._home))
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
                    is_gone=not now_at[each.root],
                    leads_to="" if now_at[each.root] == each.root else now_at[each.root],
                    linked_to=linked.get(each.root, ""),
                )
                for each in found
            ],
            total=total,
            notes=list(notes),
        )

    async def offer(self, caller: Caller) -> str:
        """Return a sentence on another folder whose memories may be meant, if any."""
        project = caller.project
        if project is None:
            return ""
        known, _ = await self._known_projects(LOOKED_AT_MAX)
        known = [each for each in known if each.memories]
        is_empty = all(each.root != project.root for each in known)
        moved = await in_thread(partial(_move_of, known, project, self._home))
        if moved and (is_empty or moved.leads_here):
            return moved_text(moved.project.root, moved.project.memories, leads_here=moved.leads_here)
        if not is_empty or project.root in await self._actor.read(clone_roots):
            return ""
        if clone := await self._offer_clone(caller):
            return clone
        near = await in_thread(partial(_nearby, known, project))
        return nearby_text(near.root, near.memories) if near else ""

    async def adopt(self, request: Adopt, caller: Caller) -> Adopted:
        """Move the named folder's memories to *caller*'s project.

        Raises:
            PalimpError: the folder still exists, nothing is known of it, or the store cannot be used.
        """
        present = caller.project
        if present is None:
            raise RequestError("This folder is no project.", "Run it in the folder that was moved.")
        root = await known_spelling(self._actor, request.root)
        if root == present.root or await in_thread(partial(leads_to, root, self._home)) == root:
            is_near = contains(root, present.root) or contains(present.root, root)
            whose = "a folder that contains this one, or lies in it" if is_near else "a second clone of this repository"
            raise RequestError(
                f"{shown_name(root)} is still there.",
                f"Only a folder that was moved or removed can be adopted. For {whose}, there is `palimp projects"
                " link`.",
            )
        adopted: Adopted = await self._actor.write(partial(_adopt, root, present))
        for left in await self._actor.read(left_projects):
            forget = partial(_forget, left)
            while await self._actor.write(forget):
                pass
            await self._actor.write(lambda store, left=left: delete_left(store, left))
        self._read_history(caller)
        return adopted

    async def _known_projects(self, limit: int) -> tuple[list[ProjectRow], int]:
        work = partial(known_projects, limit=limit)
        return await self._actor.read(work)


def _adopt(root: str, present: ProjectRef, store: Store) -> Adopted:
    if present.root in clone_roots(store):
        raise RequestError("This folder is linked with another.", "`palimp projects unlink` first.")
    former, here = project_at(store, root), project_at(store, present.root)
    if former is None:
        raise NotFoundError(f"No project is known at {shown_name(root)}.", "`palimp projects` lists the known ones.")
    notes = sharing_after(store, here.id, former.id) if here else []
    join(store, former.id, present)
    return Adopted(
        root=root,
        memories=former.memories,
        removed=former.removed,
        sessions=former.sessions,
        joined=here.memories if here else 0,
        notes=notes,
    )


def sharing_after(store: Store, left: int, joined: int) -> list[str]:
    """Return a sentence on a team's view of *left*, whose memories go to *joined*."""
    was_shared, is_shared = (shared_project(store, each) is not None for each in (left, joined))
    if is_shared and was_shared:
        return ["Both were shared with your team: they are one project there, too."]
    if is_shared:
        return ["The other folder is shared with your team: memories that this one had are, too, after team.hold."]
    if was_shared:
        return ["This project is not shared with your team any more, as the other folder was not: palimp team share"]
    return []


def _forget(left: int, store: Store) -> int:
    return forget_hunks(store, left, ANY_TIME_MS, 0, SLICE_HUNKS)


def _now_at(projects: Sequence[ProjectRow], home: str) -> dict[str, str]:
    return {each.root: leads_to(each.root, home) for each in projects}


class _Moved(NamedTuple):
    project: ProjectRow
    leads_here: bool


def _move_of(projects: Sequence[ProjectRow], here: ProjectRef, home: str) -> _Moved | None:
    now_at = _now_at(projects, home)
    for each in projects:
        if each.root != here.root and now_at[each.root] == here.root:
            return _Moved(each, leads_here=True)
    gone = [each for each in projects if not now_at[each.root]]
    commits = [each.newest_commit for each in gone if each.newest_commit]
    try:
        found = commits_here(Path(here.tree or here.root), commits)
    except GitError:
        found = set[str]()
    # One whose history is known and is not this one is another, whatever its name.
    same = [each for each in gone if each.newest_commit in found]
    is_path = (each for each in gone if not each.root.startswith(HELD))
    named = [each for each in is_path if each.name == here.name and not each.newest_commit]
    former = next(iter((*same, *named)), None)
    return _Moved(former, leads_here=False) if former else None


def _nearby(projects: Sequence[ProjectRow], here: ProjectRef) -> ProjectRow | None:
    return nearby([each for each in projects if not is_gone(each.root)], here)
