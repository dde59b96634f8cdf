"""Compare known folders with the present ones.

A project whose folder is gone, or whose path is another project's now, can be adopted.
"""

from collections.abc import Sequence
from functools import partial
from os.path import normpath, realpath
from pathlib import Path

from palimp_daemon.runtime.files import is_gone
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.project_rows import ProjectRow, project_at
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.env.project import git_folder_of, project_from_directory
from palimp_protocol.messages.caller import ProjectRef


def leads_to(root: str, home: str) -> str:
    """Return *root*'s present project; empty: it is gone."""
    if is_gone(root):
        return ""
    try:
        project = project_from_directory(root, home)
    except OSError:
        return root  # what cannot be looked at is not left
    return project.root if project else root


def spellings(path: str) -> list[str]:
    """Return *path* as it is, with its parents' links resolved, and fully resolved."""
    if not path.startswith("/"):
        return [path]  # a name that a repair, or the identity of a repository, gave
    plain = Path(normpath(path))
    return list(dict.fromkeys([str(plain), f"{realpath(plain.parent)}/{plain.name}", realpath(plain)]))


async def known_spelling(actor: Actor, path: str) -> str:
    """Return the project's root known at a spelling of *path*, else *path*."""
    spelled = await in_thread(partial(spellings, path))

    def spelling_in_store(store: Store) -> str:
        return next((each for each in spelled if project_at(store, each)), spelled[0])

    return await actor.read(spelling_in_store)


def contains(folder: str, other: str) -> bool:
    """Tell whether *other* lies in *folder*."""
    return other.startswith(folder.rstrip("/") + "/")


def nearby(known: Sequence[ProjectRow], here: ProjectRef) -> ProjectRow | None:
    """Return the project that *here*, an unknown folder, may belong to, or None.

    A folder without git may belong to one around it, or to the only bare repository within; a repository only to
    another.
    """
    tree = here.tree or here.root
    around = [each for each in known if contains(each.root, tree) and each.root != here.root]
    if is_repository(here.root):
        around = [each for each in around if is_repository(each.root)]
        inside: list[ProjectRow] = []
    else:
        inside = [each for each in known if contains(tree, each.root) and is_bare(each.root)]
    nearest = max(around, key=lambda each: len(each.root), default=None)
    return nearest or (inside[0] if len(inside) == 1 else None)


def is_repository(folder: str) -> bool:
    """Tell whether *folder* is a repository, bare or not, or a worktree."""
    return git_folder_of(folder) is not None or is_bare(folder)


def is_bare(folder: str) -> bool:
    """Tell whether *folder* is itself a git folder."""
    path = Path(folder)
    return path.name != ".git" and (path / "HEAD").is_file() and (path / "objects").is_dir()
