"""Check the state folder before anything is made in it."""

import os
from os.path import dirname

from palimp_protocol.env import paths

ROOT = 0
"""User that may write everywhere, with files that others cannot open."""


def problem_with(env: paths.Environment, *, user_id: int) -> str:
    """Return why palimp cannot run as *user_id* with *env*'s folders, or empty. Changes nothing."""
    return paths.problem_of(env) or _not_utf8(env) or _of_another_user(env, user_id)


def _not_utf8(env: paths.Environment) -> str:
    """SQLite takes paths as UTF-8 only."""
    folder = paths.state_directory(env)
    try:
        folder.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(folder).decode("utf-8", "backslashreplace")
        return f"The state folder {shown} has a name that is not UTF-8. Set PALIMP_HOME to a folder whose name is."
    return ""


def _of_another_user(env: paths.Environment, user_id: int) -> str:
    """The owner could no longer open files that another user makes here."""
    folder = paths.state_directory(env)
    socket_folder = dirname(paths.socket_path(env, user_id=user_id))
    owner = owner_of_store(folder)
    if owner is not None and owner != user_id:
        return _belongs_to(owner, f"The state folder {folder}")
    if user_id != ROOT or owner is not None:
        return ""
    # Root may write anywhere: what it makes in somebody's folder locks that one out.
    for place in (folder, socket_folder):
        owner = _owner_of_nearest(place)
        if owner != ROOT:
            return _belongs_to(owner, f"The place of {place}")
    return ""


def _belongs_to(owner: int, what: str) -> str:
    name = name_of(owner)
    return f"{what} belongs to {name} (uid {owner}): run palimp as that user, or set PALIMP_HOME to a folder of yours."


def name_of(user_id: int) -> str:
    """Return *user_id*'s name, or `another user`."""
    import pwd  # noqa: PLC0415  only for a message

    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return "another user"


def owner_of_store(folder: str) -> int | None:
    """Return the owner of *folder*'s database; None: none, or invisible."""
    try:
        return os.stat(os.path.join(folder, "palimp.db")).st_uid
    except OSError:
        return None


def _owner_of_nearest(path: str) -> int:
    while True:
        try:
            return os.stat(path).st_uid
        except OSError:
            if path == dirname(path):
                return ROOT
            path = dirname(path)
