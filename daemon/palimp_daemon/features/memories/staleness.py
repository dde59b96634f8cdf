"""Remark on memories that cite places or commits now gone or changed.

git runs in the background: late findings are left out. They hold until HEAD or the files change; of new commits only
touched paths are checked.
"""

import math
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, NamedTuple

import trio

from palimp_daemon.features.memories.staleness_wording import remark
from palimp_daemon.git import GitError
from palimp_daemon.git.cited_places import CitedMemory, LookupResult, look_up, missing_paths
from palimp_daemon.git.head_state import HeadState, head_state, reflog_of
from palimp_daemon.git.past_files import Past
from palimp_daemon.git.tree_history import LINE_STEP, LineCommit, changed_between, line_of
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import brief_turns, in_thread
from palimp_daemon.text.citations import NOTHING_CITED, Citations, citations_of, may_cite
from palimp_daemon.text.named_subjects import subjects_of
from palimp_protocol.env import clock
from palimp_protocol.messages.caller import Caller

WAIT_S: Final = 0.15
"""Longest wait for git, in seconds. Ten memories take 20 to 50 ms, once, in a repository of some thousand commits."""

SEARCHES_MAX: Final = 2
"""Searches at once, including abandoned ones: each git may take a processor."""

KEPT_MAX: Final = 4_096
"""Memories with results kept, over all trees: some hundred bytes each."""

TREES_MAX: Final = 16
"""Trees with their first-parent line kept, up to LINE_COMMITS_MAX commits: 3 MB."""

RETRY_S: Final = 60.0
"""Seconds before a retry after git failed, or files changed meanwhile."""

CITED_MAX: Final = 2_048
"""Texts whose citations are kept."""


class Written(NamedTuple):
    """A memory to be shown: its id, text, and time saved, Unix milliseconds."""

    id: str
    text: str
    at: int


class _Known(NamedTuple):
    looked: LookupResult
    head: HeadState | None
    states: Sequence[tuple[int, int]]
    until: float = math.inf
    """Monotonic time at which it expires even if unchanged."""

    def holds(self, tree: str, head: HeadState | None) -> bool:
        if self.head != head or time.monotonic() >= self.until:
            return False
        return _states(tree, self.looked.files) == self.states

    def is_of_files_beside(self, changed: AbstractSet[str]) -> bool:
        is_of_files = bool(self.looked.files) and not self.looked.has_commits
        return is_of_files and not any(
            path in changed or any(each.startswith(f"{path}/") for each in changed) for path in self.looked.files
        )


class _Line(NamedTuple):
    head: HeadState
    commits: list[LineCommit]


class Staleness:
    """Finds and caches the state of cited places."""

    def __init__(self, now_ms: Callable[[], int], log: Log) -> None:
        self._now_ms = now_ms
        self._log = log
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._lines: OrderedDict[str, _Line] = OrderedDict()
        self._searched: set[tuple[str, str]] = set()
        self._limiter = trio.CapacityLimiter(SEARCHES_MAX)

    async def remarks(self, caller: Caller, memories: Sequence[Written], wait_s: float = WAIT_S) -> dict[str, str]:
        """Return remarks by id, as far as known in *wait_s*."""
        tree = caller.tree
        citing = [memory for memory in memories if may_cite(memory.text)]
        if not tree or not citing:
            return {}
        found, unknown = await in_thread(partial(self._look, tree, citing))
        if unknown:
            with trio.move_on_after(wait_s):
                found |= await trio.to_thread.run_sync(
                    partial(self._look_up, tree, unknown), abandon_on_cancel=True, limiter=self._limiter
                )
        now_ms = self._now_ms()
        return {name: remark(looked.finding, now_ms) for name, looked in found.items() if looked.finding}

    def _look(self, tree: str, memories: Sequence[Written]) -> tuple[dict[str, LookupResult], list[Written]]:
        """In a thread: it reads the disk."""
        head = head_state(tree)
        if head is None and not _is_plain_folder(Path(tree)):
            return {}, []  # before it is read what each text cites, which takes longer
        found: dict[str, LookupResult] = {}
        unknown: list[Written] = []
        for memory in memories:
            known = self._known.get((tree, memory.id))
            if known and known.holds(tree, head):
                found[memory.id] = known.looked
            elif (tree, memory.id) not in self._searched and read_citations(memory.text) != NOTHING_CITED:
                unknown.append(memory)
        return found, unknown

    def _look_up(self, tree: str, memories: Sequence[Written]) -> dict[str, LookupResult]:
        self._search(tree, memories)
        return self._look(tree, memories)[0]

    def _search(self, tree: str, memories: Sequence[Written]) -> None:
        keys = {(tree, memory.id) for memory in memories} - self._searched
        if not keys:
            return  # another thread took them since they were found to be unknown
        self._searched |= keys
        try:
            with brief_turns():
                self._find(tree, [memory for memory in memories if (tree, memory.id) in keys])
        except Exception as error:  # noqa: BLE001  a remark that cannot be made must not take an answer along
            self._log.bug(error)
        finally:
            self._searched -= keys

    def _find(self, tree: str, memories: Sequence[Written]) -> None:
        head, until, begun_ns = head_state(tree), math.inf, clock.now_ns()
        left = memories
        try:
            line = self._line(tree, head) if head else []
            left = [memory for memory in memories if not self._is_known(tree, memory.id, head)]
            asked = [CitedMemory(read_citations(memory.text), memory.at) for memory in left]
            looked = (
                look_up(Path(tree), Past(line, reflog_of(tree)), asked) if line else missing_paths(Path(tree), asked)
            )
        except GitError as error:
            self._log("staleness_not_known", error=str(error))
            looked, until = [LookupResult(None)] * len(left), time.monotonic() + RETRY_S
        for memory, each in zip(left, looked, strict=True):
            states = _states(tree, each.files)
            was_written = any(written_ns >= begun_ns for written_ns, _ in states)  # perhaps after it was read
            ends = min(until, time.monotonic() + RETRY_S) if was_written else until
            self._known[tree, memory.id] = _Known(each, head, states, ends)
            self._known.move_to_end((tree, memory.id))
        while len(self._known) > KEPT_MAX:
            self._known.popitem(last=False)

    def _is_known(self, tree: str, name: str, head: HeadState | None) -> bool:
        known = self._known.get((tree, name))
        return known is not None and known.holds(tree, head)

    def _line(self, tree: str, head: HeadState) -> list[LineCommit]:
        before = self._lines.get(tree)
        if before and before.head == head:
            return before.commits
        commits = line_of(Path(tree), before.commits if before else ())
        if head_state(tree) != head:
            return commits  # it moved meanwhile: which state they are of is not known
        if before and commits and before.commits:
            self._carry_over(tree, before, _Line(head, commits))
        self._lines[tree] = _Line(head, commits)
        while len(self._lines) > TREES_MAX:
            self._lines.popitem(last=False)
        return commits

    def _carry_over(self, tree: str, before: _Line, now: _Line) -> None:
        if before.commits[0] not in now.commits[:LINE_STEP]:
            return  # HEAD was set back, or is on another branch
        try:
            changed = changed_between(Path(tree), before.commits[0].sha, now.commits[0].sha)
        except GitError as error:  # too many files, for one
            self._log("staleness_not_carried_over", error=str(error))
            return
        for key, known in [*self._known.items()]:
            if key[0] == tree and known.head == before.head and known.is_of_files_beside(changed):
                self._known[key] = known._replace(head=now.head)


@lru_cache(maxsize=CITED_MAX)
def read_citations(text: str) -> Citations:
    """Return the citations in *text*, cached."""
    return citations_of(text, subjects_of(text))


def _is_plain_folder(folder: Path) -> bool:
    return folder.is_dir() and not (folder / "HEAD").is_file()


def _states(tree: str, files: Sequence[str]) -> list[tuple[int, int]]:
    states: list[tuple[int, int]] = []
    for path in files:
        try:
            status = os.lstat(f"{tree}/{path}")  # joined as text: a Path each takes longer than the question
        except (OSError, ValueError):
            states.append((-1, -1))
        else:
            states.append((status.st_mtime_ns, status.st_size))
    return states
