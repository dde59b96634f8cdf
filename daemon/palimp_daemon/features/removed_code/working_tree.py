"""Keep the stored lines of working trees up to date."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.git.worktree import FileState, ReadFile, changed_files, files_of, read_file, states_of
from palimp_daemon.runtime.files import is_gone
from palimp_daemon.runtime.keyed_locks import KeyedLocks
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.tables.removed_code import trees
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import CHANGES_READ_AT_ONCE

REFRESH_S: Final = 20.0

FRESH_S: Final = 1.0
"""Seconds for which a refreshed tree is not read again."""

SMALL_TREE_FILES: Final = 3_000
"""Files of a tree read whole before each check; of larger ones, only suspects (`checks`)."""

FRESH_TREES_MAX: Final = 256
"""Trees with their last refresh remembered."""


class WorkingTrees:
    """The lines of sessions' working trees."""

    def __init__(self, actor: Actor, log: Log) -> None:
        self._actor = actor
        self._log = log
        self._locks = KeyedLocks()
        self._fresh_at: dict[str, float] = {}

    def is_fresh(self, tree: str) -> bool:
        """Tell whether *tree* was refreshed within FRESH_S."""
        return trio.current_time() - self._fresh_at.get(tree, -1e9) < FRESH_S

    async def look_at_small_tree(self, tree: str) -> bool:
        """Update changed known files; False if too many. Hold the tree's lock."""
        known = await self._actor.read(partial(trees.known_states, root=tree, at_most=SMALL_TREE_FILES + 1))
        if len(known) > SMALL_TREE_FILES:
            return False
        await self._look_at(tree, known)
        return True

    async def look_at(self, tree: str, paths: Sequence[str]) -> None:
        """Update changed files among *paths*. Hold the tree's lock."""
        if paths:
            await self._look_at(tree, await self._actor.read(partial(trees.states_known_of, root=tree, paths=paths)))

    async def _look_at(self, tree: str, known: Mapping[str, FileState]) -> None:
        await self._update(tree, known, await in_thread(lambda: states_of(Path(tree), known)))

    async def refresh(self, tree: str) -> None:
        """Update all files of *tree*. Hold its lock."""
        known = await self._actor.read(partial(trees.known_states, root=tree))
        states = await in_thread(lambda: states_of(Path(tree), files_of(Path(tree))))
        await self._update(tree, known, states)
        if len(self._fresh_at) >= FRESH_TREES_MAX:
            self._fresh_at.clear()
        self._fresh_at[tree] = trio.current_time()

    async def _update(self, tree: str, known: Mapping[str, FileState], states: Mapping[str, FileState]) -> None:
        changed, gone = changed_files(known, states)
        for first in range(0, max(len(changed), bool(gone)), CHANGES_READ_AT_ONCE):
            part = changed[first : first + CHANGES_READ_AT_ONCE]
            files = await in_thread(partial(_read_all, Path(tree), part, states))
            update = partial(trees.update_tree, root=tree, changed=files, gone=gone if first == 0 else ())
            await self._actor.write(update)

    async def forget_gone(self) -> None:
        """Forget removed trees, as all their lines are kept.

        Raises:
            PalimpError: the store cannot be used.
        """
        known: list[str] = await self._actor.read(trees.known_trees)
        for tree in await in_thread(lambda: [each for each in known if is_gone(each)]):
            async with self.lock(tree):
                self._fresh_at.pop(tree, None)
                forget = partial(trees.forget_files, root=tree, limit=CHANGES_READ_AT_ONCE)
                while await self._actor.write(forget):
                    pass

    async def refresh_for_a_while(self, tree: str) -> None:
        """Refresh within REFRESH_S; only log a failure."""
        with trio.move_on_after(REFRESH_S):
            try:
                await self.refresh(tree)
            except PalimpError as error:
                self._log("tree_not_read", code=error.code)

    def is_busy(self, tree: str) -> bool:
        """Tell whether the lock of *tree* is held."""
        return self._locks.is_busy(tree)

    def lock(self, tree: str) -> trio.Lock:
        """Return the lock of *tree*."""
        return self._locks.lock(tree)


def _read_all(tree: Path, paths: Sequence[str], states: Mapping[str, FileState]) -> list[ReadFile]:
    return [read_file(tree, path, states[path]) for path in paths]
