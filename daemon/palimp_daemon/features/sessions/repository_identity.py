"""Notice a folder that holds another repository than before, or a second clone.

A project is set aside until the user decides if none of its remembered first commits is among the objects now, on any
branch; nothing is said without any to compare (no repository, a shallow one). git is asked once for each state of
`.git`, by `stat`.
"""

import os
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import trio
from msgspec.structs import replace

from palimp_daemon.features.sessions.folder_decisions import DECISIONS
from palimp_daemon.features.sessions.former_folders import contains, known_spelling, leads_to
from palimp_daemon.git import GitError
from palimp_daemon.git.git_repository import commits_here, first_commits, is_shallow
from palimp_daemon.runtime.background_tasks import BackgroundTasks
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.files import is_gone
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store, remember_first_commits
from palimp_daemon.store.tables import folder_links
from palimp_daemon.store.tables.folder_links import FolderState, Link
from palimp_daemon.store.tables.project_rows import ProjectRow, known_projects, project_at
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.env.project import git_folder_of
from palimp_protocol.errors import NotFoundError, PalimpError, RequestError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.project_messages import LinkProject, ProjectLinked
from palimp_protocol.text import count_of, without_control

CONFIRMED_S: Final = 0.1
"""Seconds for which a folder is not examined again, so that a hundred calls a second share one look."""

FIRST_COMMITS_S: Final = 0.1
"""Seconds that a folder's first call waits for its repository's first commits: some 10 ms for 1,000 commits; a hook has
170 ms."""

FOLDERS_MAX: Final = 256
"""Folders with contents cached; the oldest is examined again."""

CLONES_MAX: Final = 100
"""Projects compared with this repository to find clones: a session's start waits."""

Stamp = tuple[tuple[int, int, int], ...]
"""Device, number and time of each file, which detect another `.git`."""


class Seen(NamedTuple):
    """The finding on a folder, and its time."""

    stamp: Stamp
    at: float
    notice: str


class Clone(NamedTuple):
    """Another clone of a repository, with memories."""

    root: str
    memories: int


class Identities(BackgroundTasks):
    """Confirms that folders hold their projects' repositories, and links folders."""

    def __init__(
        self, actor: Actor, now_ms: Callable[[], int], log: Log, read_history: Callable[[Caller], None], home: str
    ) -> None:
        self._actor = actor
        self._now_ms = now_ms
        self._log = log
        self._read_history = read_history
        self._home = home
        self._seen: BoundedDict[str, Seen] = BoundedDict(FOLDERS_MAX)
        self._looking: dict[tuple[str, Stamp], trio.Event] = {}
        """Folders being examined, with an event set at the end."""

    # --- confirming ------------------------------------------------------------------------------

    def is_confirmed(self, caller: Caller) -> bool:
        """Tell whether *caller*'s folder was just checked, without a notice."""
        if caller.project is None or not caller.project.root.startswith("/"):
            return True
        seen = self._seen_just_now(caller.project)
        return seen is not None and not seen.notice

    def _seen_just_now(self, project: ProjectRef) -> Seen | None:
        seen = self._seen.get(project.root)
        return seen if seen is not None and trio.current_time() - seen.at < CONFIRMED_S else None

    def forget(self) -> None:
        """Check every folder again, after a decision on one."""
        self._seen.clear()

    async def confirm(self, caller: Caller) -> str:
        """Return a notice if *caller*'s folder held another repository, undecided by the user."""
        project = caller.project
        if project is None or not project.root.startswith("/"):
            return ""
        if (recent := self._seen_just_now(project)) is not None:
            return recent.notice
        stamp = await in_thread(partial(_stamp, project))
        if (seen := self._seen_again(project, stamp)) is not None:
            return seen.notice
        looking = self._looking.get((project.root, stamp))
        if looking is None:
            looking = self._looking[project.root, stamp] = trio.Event()
            if self._background is None:
                await self._note_look(project, stamp, looking)
            else:
                self._background.start_soon(self._note_look, project, stamp, looking)
        await looking.wait()
        seen = self._seen_again(project, stamp)
        return seen.notice if seen is not None else ""  # who asks is told by the store itself why nothing is known

    def _seen_again(self, project: ProjectRef, stamp: Stamp) -> Seen | None:
        seen = self._seen.get(project.root)
        if seen is None or seen.stamp != stamp:
            return None
        self._seen[project.root] = seen._replace(at=trio.current_time())
        return seen

    async def _note_look(self, project: ProjectRef, stamp: Stamp, looking: trio.Event) -> None:
        try:
            notice = await self._look(project)
        except PalimpError:
            return
        except Exception as error:  # noqa: BLE001  a repository that we cannot take must not end the daemon
            self._log.bug(error)
            return
        else:
            self._seen[project.root] = Seen(stamp, trio.current_time(), notice)
        finally:
            del self._looking[project.root, stamp]
            looking.set()

    async def _look(self, project: ProjectRef) -> str:
        place: FolderState = await self._actor.read(partial(folder_links.state_of_folder, root=project.root))
        tree = Path(project.tree or project.root)
        known = place.commits.union(*(held.commits for held in place.held))
        if known:
            verdict = await in_thread(partial(_verdict, tree, place))
            if verdict is not None:
                place = await self._actor.write(partial(_settle_folder, project.root, verdict, self._now_ms()))
                self._log("another_repository", project=project.root)
        if not place.first and self._background:
            # Before somebody relies on it, where git is quick; in a very long history, behind the answer.
            is_noted = trio.Event()
            self._background.start_soon(self._note_first, project.root, tree, is_noted)
            with trio.move_on_after(FIRST_COMMITS_S):
                await is_noted.wait()
        undecided = [held for held in place.held if held.link.state == "held"]
        return notice_text(sum(held.memories for held in undecided)) if undecided else ""

    async def _note_first(self, root: str, tree: Path, is_noted: trio.Event) -> None:
        try:
            commits = await in_thread(partial(first_commits, tree))
            if commits:
                await self._actor.write(partial(_note_commits, root, commits))
        except (GitError, PalimpError) as error:
            self._log("first_commits_not_known", project=root, why=str(error))
        except Exception as error:  # noqa: BLE001  a repository that we cannot take must not end the daemon
            self._log.bug(error)
        finally:
            is_noted.set()

    # --- other clones ----------------------------------------------------------------------------

    async def clone_of(self, caller: Caller) -> Clone | None:
        """Return another clone of *caller*'s repository with memories, or None."""
        project = caller.project
        if project is None:
            return None
        known: list[tuple[ProjectRow, frozenset[str]]] = await self._actor.read(partial(_candidates, project.root))
        if not known:
            return None
        return await in_thread(partial(_clone, known, Path(project.tree or project.root)))

    async def offer(self, caller: Caller) -> str:
        """Return a sentence on another clone, or an empty one."""
        clone = await self.clone_of(caller)
        return clone_text(clone) if clone else ""

    # --- what the user says ----------------------------------------------------------------------

    async def link_folder(self, request: LinkProject, caller: Caller) -> ProjectLinked:
        """Apply the user's decision on *caller*'s folder.

        Raises:
            PalimpError: it does not fit; nothing was changed.
        """
        present = caller.project
        if present is None:
            raise RequestError("This folder is no project.", "Run it in a project's folder.")
        commits: Collection[str] = ()
        tree = Path(present.tree or present.root)
        if request.action in ("same", "link"):
            try:
                commits = await in_thread(partial(first_commits, tree))
            except GitError:
                commits = ()
        if request.action == "link":
            request = replace(request, root=await known_spelling(self._actor, request.root))
            if contains(request.root, str(tree)) or contains(str(tree), request.root):
                commits = ()  # those of another repository, or of none
            else:
                await self._must_be_a_clone(request.root, present, tree)
        work = partial(DECISIONS[request.action], request, present, commits, self._now_ms())
        reply: ProjectLinked = await self._actor.write(work)
        self.forget()
        self._read_history(caller)
        return reply

    async def _must_be_a_clone(self, root: str, present: ProjectRef, tree: Path) -> None:
        other: FolderState = await self._actor.read(partial(folder_links.state_of_folder, root=root))
        if root == present.root:
            raise RequestError("A folder cannot be linked with itself.", "`palimp projects` lists the known ones.")
        if other.project is None:
            raise NotFoundError(f"No project is known at {root}.", "`palimp projects` lists the known ones.")
        if await in_thread(partial(leads_to, root, self._home)) == present.root:
            text = f"{shown_path(root)} leads to this folder now: it was moved here."
            raise RequestError(text, f"`palimp adopt {shown_path(root)}` gives it its memories.")
        try:
            # One that was last used before first commits were remembered is asked itself.
            first = other.first or await in_thread(partial(first_commits, Path(root)))
            here = await in_thread(partial(commits_here, tree, sorted(first)))
        except GitError as error:
            raise RequestError(f"The repositories cannot be compared: {error}") from None
        if not here:
            raise RequestError(
                f"{root} is not known to be of the same repository: none of its first commits is here.",
                "Clones of one repository can be one project, and a folder with one that contains it. A session started"
                " there lets palimp know its first commits.",
            )


# --- what is said --------------------------------------------------------------------------------


def notice_text(memories: int) -> str:
    """Return the notice on a former repository."""
    what = f"its {count_of(memories, 'memory')} are" if memories != 1 else "its memory is"
    return (
        f"This folder held another repository before; {what} kept and not shown. The user decides:"
        " `palimp projects same` if it is the same project after all, `palimp projects new` if it is another."
    )


def clone_text(clone: Clone) -> str:
    """Return the offer for a folder with a known *clone*."""
    return (
        f"This folder has no memories, but {shown_path(clone.root)}, another clone of the same repository, has"
        f" {count_of(clone.memories, 'memory')}."
        f" The user decides: `palimp projects link {shown_path(clone.root)}` makes both one project."
    )


def shown_path(path: str) -> str:
    """Return *path* on one line."""
    return " ".join(without_control(path).split())


# --- plain functions -----------------------------------------------------------------------------


def _stamp(project: ProjectRef) -> Stamp:
    found: list[tuple[int, int, int]] = []
    for folder in dict.fromkeys((project.root, project.tree or project.root)):
        try:
            status = os.stat(f"{folder}/.git")  # noqa: PTH116  as text, it is asked often
        except (OSError, ValueError):
            continue
        found.append((status.st_dev, status.st_ino, status.st_mtime_ns))
    return tuple(found)


class Verdict(NamedTuple):
    """Set the folder's project aside, or give one back."""

    is_set_aside: bool
    back: Link | None


def _verdict(tree: Path, place: FolderState) -> Verdict | None:
    try:
        here = commits_here(tree, sorted(place.commits.union(*(held.commits for held in place.held))))
        if place.commits & here:
            return None
        back = next((held.link for held in place.held if held.commits & here), None)
        if back is not None and not place.commits and place.project is not None:
            back = None  # what was saved since is of a folder without a history: the user decides
        if back is not None:
            return Verdict(is_set_aside=False, back=back)
        if not place.first or git_folder_of(str(tree)) is None or is_shallow(tree):
            return None
    except GitError:
        return None
    return Verdict(is_set_aside=True, back=None)


def _settle_folder(root: str, verdict: Verdict, now_ms: int, store: Store) -> FolderState:
    if verdict.back is not None:
        folder_links.restore_held(store, verdict.back, now_ms)
    elif verdict.is_set_aside:
        folder_links.set_aside(store, root, now_ms)
    return folder_links.state_of_folder(store, root)


def _note_commits(root: str, commits: Collection[str], store: Store) -> None:
    place = folder_links.state_of_folder(store, root)
    if place.project is None:
        remember_first_commits(store, root, commits)
    else:
        folder_links.note_first_commits(store, place.project, commits)


def _candidates(root: str, store: Store) -> list[tuple[ProjectRow, frozenset[str]]]:
    own = project_at(store, root)
    if (own and own.memories) or any(link.state == "clone" for link in folder_links.links_of(store, root)):
        return []
    first = folder_links.projects_with_commits(store, CLONES_MAX)
    found, _ = known_projects(store, CLONES_MAX)
    # Of one that was last used before first commits were remembered, the newest one that was read.
    known = [(each, first.get(each.id) or frozenset({each.newest_commit} - {""})) for each in found]
    return [(each, commits) for each, commits in known if commits and each.memories and each.root != root]


def _clone(known: list[tuple[ProjectRow, frozenset[str]]], tree: Path) -> Clone | None:
    try:
        here = commits_here(tree, sorted(frozenset[str]().union(*(commits for _, commits in known))))
    except GitError:
        return None
    # All of its first commits: one that was merged into this repository is another.
    same = [each for each, commits in known if commits <= here and not is_gone(each.root)]
    best = max(same, key=lambda each: each.memories, default=None)
    return Clone(best.root, best.memories) if best else None
