"""Read removed hunks, with time and reason, from git's history into the store.

The first-parent line is read once, newest first; then only new commits. A rewritten history is read again from HEAD,
skipping known commits.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import trio

from palimp_daemon.codediff.diff import clean_hunk, only_gone, takes_out, without_moves
from palimp_daemon.git import GitError
from palimp_daemon.git.git_log import Commit, History, reason_of
from palimp_daemon.git.git_repository import count_commits, head_of, is_ancestor, lacks_head, parent_of
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store, ensure_project, project_row
from palimp_daemon.store.tables import imports
from palimp_daemon.store.tables.imports import Progress
from palimp_daemon.store.tables.removed_code.change_rows import Change, add_hunks, forget_hunks
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import HUNKS_MAX, IMPORT_COMMITS_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.removed_code import ImportStatus

SLICE_HUNKS: Final = 40
"""Hunks stored in one job, so that other sessions get their turn."""

COMMIT_HUNKS_MAX: Final = 500
"""Hunks stored of one commit: larger ones are rewrites that no reason explains."""

WAITING_MAX: Final = 64
"""Projects that wait to be read."""

IMPORT_S: Final = 900.0
"""Seconds per project and run; the next run resumes."""

DAY_MS: Final = 86_400_000

COUNTED_MAX: Final = 100_000_000
"""Commits counted for the number left out: above any repository's."""

READ_AHEAD_COMMITS: Final = 20
"""Commits taken from git at once."""


class _Range(NamedTuple):
    revisions: list[str]
    limit: int


class Importer:
    """Reads projects' histories. Start `run` in a nursery."""

    def __init__(self, actor: Actor, now_ms: Callable[[], int], log: Log, redact: Redactor, *, keep_days: int) -> None:
        self._actor = actor
        self._now_ms = now_ms
        self._log = log
        self._redact = redact
        self._keep_days = keep_days
        self._asked, self._waiting = trio.open_memory_channel[Caller](WAITING_MAX)
        self._queued: dict[str, trio.Event] = {}
        """Projects to be read, with an event set at the end."""
        self._status: dict[str, ImportStatus] = {}
        self._wanted: dict[str, int] = {}
        self._from_ms = 0
        """Earliest time of the present project's stored commits."""

    def request_read(self, caller: Caller, since_ms: int | None = None) -> None:
        """Queue *caller*'s history, back to *since_ms*."""
        root = caller.root
        if not root:
            return
        if since_ms is not None:
            self._wanted[root] = since_ms
        if root in self._queued:
            return
        try:
            self._asked.send_nowait(caller)
        except trio.WouldBlock:
            self._wanted.pop(root, None)
            return  # it is asked for again at the next session's start
        self._queued[root] = trio.Event()

    async def read_within(self, caller: Caller, within_s: float) -> None:
        """Read *caller*'s history for *within_s* seconds at most, unless under way."""
        root = caller.root
        if root in self._queued:
            return
        self.request_read(caller)
        if (is_over := self._queued.get(root)) is not None:
            with trio.move_on_after(within_s):
                await is_over.wait()

    async def has_read(self, caller: Caller) -> bool:
        """Tell whether all commits up to HEAD are read.

        Raises:
            GitError: git cannot be asked, or the repository lacks HEAD.
        """
        assert caller.project is not None  # noqa: S101  who asks saw to it
        tree = Path(caller.project.tree or caller.project.root)
        if not (head := await in_thread(partial(head_of, tree))):
            if await in_thread(partial(lacks_head, tree)):
                raise GitError("the commit that HEAD names is missing")
            return True

        def work(store: Store) -> Progress | None:
            project = project_row(store, caller)
            return None if project is None else imports.progress_of(store, project)

        known = await self._actor.read(work)
        if known is None or known.oldest:
            return False
        return known.newest == head or await in_thread(partial(is_ancestor, tree, head, known.newest))

    async def status(self, caller: Caller) -> ImportStatus:
        """Return the progress of *caller*'s history."""
        if caller.project is None:
            return ImportStatus(is_running=False, commits=0, total=0, hunks=0, problem="This is no project.")

        def work(store: Store) -> tuple[int, int, int]:
            project = project_row(store, caller)
            if project is None:
                return 0, 0, self._kept_from(None)
            progress = imports.progress_of(store, project)
            since = self._kept_from(imports.kept_from(store, project))
            return imports.hunk_count(store, project), progress.commits if progress else 0, since

        hunks, commits, since = await self._actor.read(work)
        root = caller.project.root
        last = self._status.get(root) or ImportStatus(is_running=False, commits=0, total=0, hunks=0)
        is_running = root in self._queued
        return ImportStatus(
            is_running=is_running,
            commits=commits,
            total=max(last.total, commits),
            hunks=hunks,
            problem=last.problem,
            since=min(since, self._wanted.get(root, since)),
            left_out=0 if is_running or not commits else await self._left_out(caller, commits),
        )

    async def _left_out(self, caller: Caller, read: int) -> int:
        assert caller.project is not None  # noqa: S101  `status` saw to it
        tree = Path(caller.project.tree or caller.project.root)
        try:
            head = await in_thread(partial(head_of, tree))
            total = await in_thread(partial(count_commits, tree, [head], COUNTED_MAX)) if head else 0
        except (GitError, OSError):
            return 0  # `problem` says why it cannot be read
        return max(0, total - read)

    def _kept_from(self, asked_ms: int | None) -> int:
        by_settings = self._now_ms() - self._keep_days * DAY_MS if self._keep_days else 0
        return by_settings if asked_ms is None else min(by_settings, asked_ms)

    async def run(self) -> None:
        """Read queued projects one by one, until cancelled."""
        async for caller in self._waiting:
            root = caller.root
            problem = ""
            try:
                with trio.move_on_after(IMPORT_S):
                    await self._read(caller)
                    while root in self._wanted:  # asked for meanwhile
                        await self._read(caller)
            except (PalimpError, GitError, OSError) as error:
                problem = str(error)
                self._log("history_not_read", project=root, why=problem)
            except Exception as error:  # noqa: BLE001  a history that we cannot take must not end the daemon, again and again
                problem = f"palimp failed on it ({type(error).__name__}); the traceback is in the daemon's log"
                self._log.bug(error)
            if len(self._status) >= WAITING_MAX:
                self._status.clear()
            total = self._status[root].total if root in self._status else 0
            self._status[root] = ImportStatus(is_running=False, commits=0, total=total, hunks=0, problem=problem)
            self._wanted.pop(root, None)
            self._queued.pop(root).set()

    async def _read(self, caller: Caller) -> None:
        assert caller.project is not None  # noqa: S101  `request_read` saw to it
        tree = Path(caller.project.tree or caller.project.root)
        project: int = await self._actor.write(lambda store: ensure_project(store, caller, self._now_ms()))
        wanted = self._wanted.pop(caller.project.root, None)
        begin = partial(self._begin, project, wanted)
        self._from_ms = await (self._actor.read(begin) if wanted is None else self._actor.write(begin))
        if head := await in_thread(partial(head_of, tree)):
            await self._read_history(project, caller.project.root, tree, head)
        await self.forget(project)

    def _begin(self, project: int, wanted: int | None, store: Store) -> int:
        known = self._kept_from(imports.kept_from(store, project))
        if wanted is not None and wanted < known:
            imports.keep_from(store, project, wanted)
            return wanted
        return known

    async def _read_history(self, project: int, root: str, tree: Path, head: str) -> None:
        known: Progress | None = await self._actor.read(lambda store: imports.progress_of(store, project))
        if known and not await in_thread(partial(is_ancestor, tree, known.newest, head)):
            known = None  # rewritten, or another branch
        if known is None:
            known = Progress(head, head, 0)
            new = _Range([head], IMPORT_COMMITS_MAX)
            await self._read_range(root, project, tree, new, Progress(head, "", 0))
        elif known.newest != head:
            new = _Range([f"{known.newest}..{head}"], IMPORT_COMMITS_MAX)
            await self._read_range(root, project, tree, new, known._replace(newest=head), is_new=True)
        rest: Progress | None = await self._actor.read(lambda store: imports.progress_of(store, project))
        if not rest or not rest.oldest:
            return
        if parent := await in_thread(partial(parent_of, tree, rest.oldest)):
            await self._read_range(
                root, project, tree, _Range([parent], max(1, IMPORT_COMMITS_MAX - rest.commits)), rest
            )
        else:
            await self._set(project, rest._replace(oldest=""))

    async def _read_range(
        self, root: str, project: int, tree: Path, wanted: _Range, after: Progress, *, is_new: bool = False
    ) -> None:
        """Store the commits *wanted*, newest first; *after* is the progress at their end.

        With *is_new* they lie above known ones, and count when all are stored.
        """
        total = await in_thread(partial(count_commits, tree, wanted.revisions, wanted.limit))
        read = after.commits
        self._status[root] = ImportStatus(is_running=True, commits=read, total=read + total, hunks=0)
        with History(tree, wanted.revisions, wanted.limit) as history:
            commits = iter(history)
            while batch := await in_thread(partial(_next_commits, commits, self._redact)):
                if all(self._is_too_old(commit.at) for commit in batch):
                    break
                for commit in batch:
                    await self._store(project, commit)
                read += len(batch)
                if not is_new:
                    await self._set(project, after._replace(commits=read, oldest=batch[-1].sha))
            if history.problem:
                raise GitError(history.problem)
        await self._set(project, after._replace(commits=read, oldest=after.oldest if is_new else ""))

    async def _store(self, project: int, commit: Commit) -> None:
        hunks = commit.hunks[:COMMIT_HUNKS_MAX]
        if not hunks or self._is_too_old(commit.at):
            return
        # Of another clock, or in milliseconds by mistake: a time that has no date could not be told to anybody.
        at = min(max(commit.at, 0), self._now_ms())
        change = Change(reason_of(commit.message), at, "git", commit.sha)
        number = await self._actor.write(lambda store: imports.begin_commit(store, project, change))
        if number is None:
            return
        for first in range(0, len(hunks), SLICE_HUNKS):
            part = hunks[first : first + SLICE_HUNKS]
            add = partial(add_hunks, project=project, number=number, change=change, hunks=part)
            await self._actor.write(add)
        await self._actor.write(lambda store: imports.end_commit(store, number))

    def _is_too_old(self, at: int) -> bool:
        return self._from_ms > 0 and at < self._from_ms

    async def _set(self, project: int, progress: Progress) -> None:
        await self._actor.write(lambda store: imports.set_progress(store, project, progress, self._now_ms()))

    async def forget(self, project: int) -> None:
        """Delete expired and surplus hunks."""

        def work(store: Store) -> int:
            keep_from = self._kept_from(imports.kept_from(store, project))
            return forget_hunks(store, project, keep_from, HUNKS_MAX, SLICE_HUNKS)

        while await self._actor.write(work):
            pass


def _next_commits(commits: Iterator[Commit], redact: Redactor) -> list[Commit]:
    batch: list[Commit] = []
    for commit in commits:
        hunks = [clean_hunk(only_gone(hunk), redact) for hunk in without_moves(commit.hunks) if takes_out(hunk)]
        batch.append(commit._replace(message=redact(commit.message), hunks=hunks))
        if len(batch) == READ_AHEAD_COMMITS:
            break
    return batch
