"""Find removed code that texts would reintroduce.

Before a warning all files are read again: restored code is not removed.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.codediff.normalize import code_lines, is_significant, key_of
from palimp_daemon.codediff.skip_list import is_skipped
from palimp_daemon.features.removed_code.origins import Origins
from palimp_daemon.features.removed_code.removed_code_handlers import return_of, returns_of
from palimp_daemon.features.removed_code.working_tree import WorkingTrees
from palimp_daemon.git.worktree import line_hashes, relative_to, text_of
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.removed_code import trees as stored_trees
from palimp_daemon.store.tables.removed_code.hunks import removed_from
from palimp_daemon.store.tables.removed_code.reintroduced import Reintroduction, returning
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import read_job
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.removed_code import ChangeChecked, CheckChange, Return
from palimp_protocol.text import count_of, quote_text, shown_name, verb

ORIGIN_S: Final = 1.0
"""Seconds for git to find the code's origin, for `check_change`."""


class Spot(NamedTuple):
    """A working tree, and a path in it."""

    tree: str
    path: str


class Checks:
    """Checks texts against removed code."""

    def __init__(self, actor: Actor, trees: WorkingTrees, redact: Redactor) -> None:
        self._actor = actor
        self._redact = redact
        self._trees = trees
        self.origins = Origins(redact)

    async def before_edit(
        self, caller: Caller, spot: Spot, hunks: Sequence[Hunk], own_keys: set[str]
    ) -> list[Reintroduction]:
        """Return the removed code that *hunks* reintroduce, once each, best first. Hold the tree's lock.

        *own_keys*: keys of the file's lines.
        """
        if not await self._trees.look_at_small_tree(spot.tree):
            suspects = await self._actor.read(partial(_suspects, caller, spot, hunks))
            await self._trees.look_at(spot.tree, suspects)
        job = read_job(partial(_returning, caller, spot, hunks, own_keys))
        found = await self._actor.ask(job)
        if any(each.level == "warn" for each in found) and not self._trees.is_fresh(spot.tree):
            await self._trees.refresh(spot.tree)
            found = await self._actor.ask(job)
        return found

    async def check(self, request: CheckChange, caller: Caller) -> ChangeChecked:
        """Return the removed code that *request* reintroduces; store nothing.

        Raises:
            PalimpError: the file is not in the project.
        """
        tree = caller.tree
        path = (await in_thread(partial(relative_to, tree, request.path))) if tree else None
        if path is None:
            raise RequestError(f"path: {shown_name(request.path)} is not in this project.", "Name a file within it.")
        if is_skipped(path):
            return ChangeChecked(
                returns=[], new_lines=0, notes=[f"{quote_text(path)} is generated or vendored; it is not checked."]
            )
        async with self._trees.lock(tree):
            if not self._trees.is_fresh(tree):
                await self._trees.refresh_for_a_while(tree)
            lines = await in_thread(lambda: code_lines(self._redact(request.text).splitlines()))
            own: set[int] = set()
            if request.is_staged:
                text = await in_thread(partial(text_of, Path(tree, path)))
                own = set(line_hashes(text))

            def work(store: Store) -> tuple[list[Reintroduction], int]:
                project = project_row(store, caller)
                dead, names = stored_trees.split_alive(store, tree, lines, except_in=own)
                return [] if project is None else returning(store, project, path, dead, names), len(dead)

            found, new = await self._actor.read(work)
        added = await self.origins.of(tree, found, ORIGIN_S)

        def describe(store: Store) -> list[Return]:
            return returns_of(store, project_row(store, caller) or 0, found, added)

        returns: list[Return] = []
        if found:
            returns = await self._actor.read(describe)
        known = len(lines) - new
        told = f"{known} of {count_of(len(lines), 'line')} {verb(known)} in the tree already."
        notes = [told] if known and not returns else []
        return ChangeChecked(returns=returns, new_lines=new, notes=notes)

    async def removed_lately(self, caller: Caller, paths: Sequence[str], since_ms: int, limit: int) -> list[Return]:
        """Return the hunks removed from *paths* since *since_ms*, newest first."""

        def work(store: Store) -> list[Return]:
            project = project_row(store, caller)
            if project is None:
                return []
            return [return_of(store, project, hunk) for hunk in removed_from(store, project, paths, since_ms, limit)]

        return await self._actor.read(work)


def _returning(
    caller: Caller, spot: Spot, hunks: Sequence[Hunk], own_keys: set[str], store: Store
) -> list[Reintroduction]:
    project = project_row(store, caller)
    if project is None:
        return []
    best: dict[int, Reintroduction] = {}
    for hunk in hunks:
        lines = [line for line in code_lines(hunk.added) if key_of(line) not in own_keys]
        dead, alive_names = stored_trees.split_alive(store, spot.tree, lines)
        if not any(is_significant(line) for line in dead):
            continue
        for each in returning(store, project, spot.path, dead, alive_names):
            known = best.get(each.hunk.id)
            if known is None or _rank(each) > _rank(known):
                best[each.hunk.id] = each
    return sorted(best.values(), key=lambda each: (each.level != "warn", -each.evidence.strength, -each.hunk.at))


def _rank(found: Reintroduction) -> tuple[bool, float]:
    return found.level == "warn", found.evidence.strength


def _suspects(caller: Caller, spot: Spot, hunks: Sequence[Hunk], store: Store) -> list[str]:
    project = project_row(store, caller)
    if project is None:
        return []
    paths: dict[str, None] = {}
    for hunk in hunks:
        lines = code_lines(hunk.added)
        dead, _ = stored_trees.split_alive(store, spot.tree, lines)
        if len(dead) < len(lines):
            found = returning(store, project, spot.path, lines)
            paths.update((each.hunk.path, None) for each in found)
            same = [line for each in found for line in each.same_lines if is_significant(line)]
            paths.update(dict.fromkeys(stored_trees.files_with(store, spot.tree, same)))
    return list(paths)
