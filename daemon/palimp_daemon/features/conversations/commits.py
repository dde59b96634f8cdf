"""Read commit messages into the conversations' store, deleting unreachable ones (after a rebase)."""

from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.features.conversations.conversation_service import Conversations
from palimp_daemon.git import GitError
from palimp_daemon.git.git_messages import Commit, first_parent_line, new_commits, unreachable
from palimp_daemon.git.git_repository import head_of
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables.sessions import conversation_rows as table
from palimp_daemon.store.tables.sessions.conversation_rows import StoredCommit
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller

WAITING_MAX: Final = 64
"""Projects that wait; a further one is queued at its next turn."""

HEADS_KEPT: Final = 256
"""Trees with HEAD remembered; users have tens."""

FILES_TOLD: Final = 10
"""Paths of a commit indexed with its message."""


class CommitMessages:
    """Reads the messages of requested projects."""

    def __init__(self, conversations: Conversations, redact: Redactor, log: Log) -> None:
        self._conversations = conversations
        self._redact = redact
        self._log = log
        self._asked, self._waiting = trio.open_memory_channel[Caller](WAITING_MAX)
        self._queued: set[str] = set()
        self._heads: BoundedDict[str, str] = BoundedDict(HEADS_KEPT)
        """HEAD of each tree when its messages were last all read."""

    def request_read(self, caller: Caller) -> None:
        """Queue *caller*'s project for reading, once."""
        root = caller.root
        if not root or root in self._queued or not self._conversations.is_on:
            return
        try:
            self._asked.send_nowait(caller)
        except trio.WouldBlock:
            return
        self._queued.add(root)

    async def run(self) -> None:
        """Read queued projects one by one, until cancelled."""
        async for caller in self._waiting:
            assert caller.project is not None  # noqa: S101  `request_read` saw to it
            self._queued.discard(caller.project.root)
            try:
                await self.read(caller)
            except (PalimpError, GitError, OSError) as error:
                self._log("commits_not_read", why=str(error))
            except Exception as error:  # noqa: BLE001  a bug in reading must not end the daemon
                self._log.bug(error)

    async def read(self, caller: Caller) -> int:
        """Read the project's new messages; return their number.

        Raises:
            PalimpError: the store cannot be used.
            GitError: git cannot be asked; earlier messages stay.
        """
        assert caller.project is not None  # noqa: S101  `request_read` saw to it
        tree = Path(caller.project.tree or caller.project.root)
        owner = await self._conversations.owner_of(caller)
        head = await in_thread(partial(head_of, tree))
        if head and self._heads.get(str(tree)) == head:
            return 0  # most turns commit nothing
        known: set[str] = await self._conversations.ask(partial(_known_hashes, owner), is_write=True)
        line = await first_parent_line(tree)
        left = known.difference(line.hashes)
        if left and (gone := await unreachable(tree, left)):
            await self._conversations.ask(partial(_forget, owner, gone), is_write=True)
        count = 0
        async with aclosing(new_commits(tree, line, known, self._redact)) as pages:
            async for page in pages:
                commits = [_stored_commit(commit) for commit in page]
                count += await self._conversations.ask(partial(_keep, owner, commits), is_write=True)
        self._heads[str(tree)] = "" if line.is_shallow else head  # a shallow clone may be deepened
        return count


def _stored_commit(commit: Commit) -> StoredCommit:
    more = commit.files_total - len(commit.files[:FILES_TOLD])
    files = ", ".join(commit.files[:FILES_TOLD]) + (f" and {more:,} more" if more > 0 else "")
    parts = [commit.subject, commit.body, f"Files: {files}" if files else ""]
    return StoredCommit(commit.hash, commit.at_ms, "\n\n".join(filter(None, parts)), commit.author)


def _known_hashes(owner: Caller, store: Store) -> set[str]:
    return table.known_commits(store, ensure_project(store, owner, 0))


def _forget(owner: Caller, hashes: list[str], store: Store) -> int:
    return table.forget_commits(store, ensure_project(store, owner, 0), hashes)


def _keep(owner: Caller, commits: list[StoredCommit], store: Store) -> int:
    return table.keep_commits(store, ensure_project(store, owner, commits[0].at_ms), commits)
