"""SQL of working trees: the lines in them now.

Hashes include the tree. Lines are counted by files, so that one stays alive while any has it.
"""

import json
from array import array
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from palimp_daemon.codediff.fingerprint import feature, owned_hash
from palimp_daemon.codediff.normalize import definitions, key_of
from palimp_daemon.git.worktree import FileState, ReadFile
from palimp_daemon.store.store import Store

FILES_WITH_MAX: Final = 50
"""Files examined again for one line; in more, it says nothing."""


def tree_row(store: Store, root: str) -> int | None:
    """Return the row of a tree; None if never read."""
    return store.value("SELECT id FROM trees WHERE root = ?", (root,))


def ensure_tree(store: Store, root: str) -> int:
    """Return the row of a tree, made if need be."""
    row = tree_row(store, root)
    if row is None:
        row = store.insert("trees (root)", (root,))
    return row


def known_states(store: Store, root: str, at_most: int = -1) -> dict[str, FileState]:
    """Return the states of files (*at_most*; -1: all) when read."""
    found = store.rows(
        "SELECT f.path, f.mtime_ns, f.size FROM tree_files f JOIN trees t ON t.id = f.tree_id WHERE t.root = ? LIMIT ?",
        (root, at_most),
    )
    return {path: FileState(mtime_ns, size) for path, mtime_ns, size in found}


def states_known_of(store: Store, root: str, paths: Sequence[str]) -> dict[str, FileState]:
    """Return the read states of *paths* in the tree."""
    found = store.rows(
        "SELECT f.path, f.mtime_ns, f.size FROM json_each(?)"
        " JOIN trees t ON t.root = ? JOIN tree_files f ON f.tree_id = t.id AND f.path = value",
        (json.dumps(list(paths)), root),
    )
    return {path: FileState(mtime_ns, size) for path, mtime_ns, size in found}


def update_tree(store: Store, root: str, changed: Sequence[ReadFile], gone: Sequence[str] = ()) -> None:
    """Update the tree by read and *gone* files."""
    db, tree = store.connection, ensure_tree(store, root)
    for path in gone:
        _count(store, tree, _lines_of(store, tree, path), -1)
        db.execute("DELETE FROM tree_files WHERE tree_id = ? AND path = ?", (tree, path))
    for file in changed:
        before = _lines_of(store, tree, file.path)
        _count(store, tree, file.hashes - before, 1)
        _count(store, tree, before - file.hashes, -1)
        db.execute(
            "INSERT INTO tree_files (tree_id, path, mtime_ns, size, lines) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (tree_id, path) DO UPDATE SET mtime_ns = excluded.mtime_ns, size = excluded.size,"
            " lines = excluded.lines",
            (tree, file.path, *file.state, array("q", sorted(file.hashes)).tobytes()),
        )


def split_alive(
    store: Store, root: str, lines: Iterable[str], *, except_in: AbstractSet[int] = frozenset()
) -> tuple[list[str], set[str]]:
    """Return those of *lines* not in the tree, and those names defined in them that are.

    *except_in*: hashes of a file to ignore.
    """
    lines = list(lines)
    names = {name for line in lines for name in definitions(line)}
    tree = tree_row(store, root)
    if tree is None:
        return lines, set()
    line_hashes = [feature("L", key_of(line)) for line in lines]
    name_hashes = {feature("D", name): name for name in names}
    found = store.rows(
        "SELECT hash, files FROM json_each(?) JOIN live_lines ON hash = value",
        (json.dumps([owned_hash(each, tree) for each in {*line_hashes, *name_hashes}]),),
    )
    files = dict(found)

    def is_alive(hashed: int) -> bool:
        return files.get(owned_hash(hashed, tree), 0) > (hashed in except_in)

    dead = [line for line, hashed in zip(lines, line_hashes, strict=True) if not is_alive(hashed)]
    return dead, {name for hashed, name in name_hashes.items() if is_alive(hashed)}


def files_with(store: Store, root: str, lines: Iterable[str]) -> list[str]:
    """Return the files with the rarest of *lines*; slow, as it reads every file's lines."""
    tree = tree_row(store, root)
    hashes = {owned_hash(hashed, tree or 0): hashed for line in lines if (hashed := feature("L", key_of(line)))}
    found = store.rows(
        "SELECT hash FROM json_each(?) JOIN live_lines ON hash = value ORDER BY files LIMIT 1",
        (json.dumps(list(hashes)),),
    )
    if tree is None or not found:
        return []
    sought = array("q", [hashes[found[0][0]]]).tobytes()
    return store.column(
        "SELECT path FROM tree_files WHERE tree_id = ? AND instr(lines, ?) LIMIT ?", (tree, sought, FILES_WITH_MAX)
    )


def known_trees(store: Store) -> list[str]:
    """Return the roots of the trees that were read."""
    return store.column("SELECT root FROM trees")


def forget_files(store: Store, root: str, limit: int) -> bool:
    """Forget up to *limit* files, at last the tree; tell whether any remain."""
    tree = tree_row(store, root)
    if tree is None:
        return False
    found = store.rows("SELECT path FROM tree_files WHERE tree_id = ? LIMIT ?", (tree, limit))
    update_tree(store, root, [], gone=[path for (path,) in found])
    if len(found) == limit:
        return True
    store.execute("DELETE FROM trees WHERE id = ?", (tree,))
    return False


def _lines_of(store: Store, tree: int, path: str) -> frozenset[int]:
    data = store.value("SELECT lines FROM tree_files WHERE tree_id = ? AND path = ?", (tree, path))
    return frozenset(array("q", data or b""))


def _count(store: Store, tree: int, hashes: Iterable[int], change: int) -> None:
    own = json.dumps([owned_hash(each, tree) for each in hashes])
    if change > 0:
        store.execute(
            "INSERT INTO live_lines (hash, files) SELECT value, 1 FROM json_each(?) WHERE true"
            " ON CONFLICT (hash) DO UPDATE SET files = files + 1",
            (own,),
        )
        return
    store.execute("UPDATE live_lines SET files = files - 1 WHERE hash IN (SELECT value FROM json_each(?))", (own,))
    store.execute("DELETE FROM live_lines WHERE files <= 0 AND hash IN (SELECT value FROM json_each(?))", (own,))
