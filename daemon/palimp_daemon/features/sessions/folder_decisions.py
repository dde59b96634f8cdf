"""Store the user's decision on a folder; one that does not fit changes nothing."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from palimp_daemon.features.sessions.moved_projects import sharing_after
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import folder_links
from palimp_daemon.store.tables.folder_links import Link
from palimp_daemon.store.tables.project_rows import project_at
from palimp_daemon.store.tables.team_keys import is_anothers_key
from palimp_protocol.errors import NotFoundError, RequestError
from palimp_protocol.messages.caller import ProjectRef
from palimp_protocol.messages.project_messages import LinkProject, ProjectLinked

STAYS_ONE: Final = (
    "Your team goes on with both as one project, and keeps what it has. This folder is not shared any more:"
    " `palimp team share --as NAME` shares it as a project of its own."
)


def _say_same(
    _: LinkProject, present: ProjectRef, commits: Collection[str], now_ms: int, store: Store
) -> ProjectLinked:
    held = _held_link(store, present.root, ("held", "other"))
    own = project_at(store, present.root)
    folder_links.merge_held_project(store, held, present, commits, now_ms)
    former = project_at(store, present.root)
    return ProjectLinked(
        action="same", root=present.root, memories=former.memories if former else 0, joined=own.memories if own else 0
    )


def _say_new(_: LinkProject, present: ProjectRef, __: Collection[str], ___: int, store: Store) -> ProjectLinked:
    held = _held_link(store, present.root, ("held", "same"))
    folder_links.keep_held_apart(store, held)
    kept = project_at(store, folder_links.held_root(held.project, held.root))
    return ProjectLinked(action="new", root=kept.root if kept else "", memories=kept.memories if kept else 0)


def _held_link(store: Store, root: str, states: Collection[str]) -> Link:
    for link in folder_links.links_of(store, root):
        if link.state in states:
            return link
    raise RequestError(
        "This folder is not known to have held another repository.", "`palimp projects` lists the known ones."
    )


def _link(
    request: LinkProject, present: ProjectRef, commits: Collection[str], now_ms: int, store: Store
) -> ProjectLinked:
    for link in folder_links.links_of(store, present.root):
        if link.state == "clone":
            raise RequestError("This folder is linked already.", "`palimp projects unlink` first.")
    if any(root == present.root for root in folder_links.clone_roots(store).values()):
        raise RequestError(
            "Another folder is linked with this one.", "Run it in that one; or `palimp projects unlink` there first."
        )
    root = folder_links.clone_roots(store).get(
        request.root, request.root
    )  # linked with a third one, which is meant then
    other, own = project_at(store, root), project_at(store, present.root)
    if other is None or root == present.root:
        raise NotFoundError(f"No project is known at {root}.", "`palimp projects` lists the known ones.")
    notes = sharing_after(store, own.id, other.id) if own else []
    folder_links.link_clone(store, present, other.id, now_ms)
    folder_links.note_first_commits(store, other.id, commits)
    joined = own.memories if own else 0
    return ProjectLinked(action="link", root=root, memories=other.memories, joined=joined, notes=notes)


def _unlink(_: LinkProject, present: ProjectRef, __: Collection[str], ___: int, store: Store) -> ProjectLinked:
    for link in folder_links.links_of(store, present.root):
        if link.state == "clone":
            root = folder_links.clone_roots(store)[present.root]
            memories = folder_links.unlink_clone(store, link)
            is_one = link.own is not None and is_anothers_key(store, link.own)
            notes = [STAYS_ONE] if is_one else []
            return ProjectLinked(action="unlink", root=root, memories=memories, notes=notes)
    raise RequestError("This folder is linked with no other.", "`palimp projects` lists them.")


DECISIONS: Final[Mapping[str, Callable[..., ProjectLinked]]] = {
    "same": _say_same,
    "new": _say_new,
    "link": _link,
    "unlink": _unlink,
}
"""By the actions of `LinkProject`; they raise PalimpError if one does not fit."""
