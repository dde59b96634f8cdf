"""What a session should know at its start: gathered from the store and from git, within a budget.

The answer is there in a tenth of a second or it is empty: git is asked in worker threads with a bound, and the store
does its part in one job. Nothing known is nothing said.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from palimp_daemon.actor import Actor
from palimp_daemon.changes.git import GitError, RecentWork, recent_work
from palimp_daemon.checks import Checks, tree_of
from palimp_daemon.config import Config
from palimp_daemon.group_commit import Job
from palimp_daemon.operations.known_at_start import known_at_start
from palimp_daemon.render.context import context_text
from palimp_daemon.threads import in_thread
from palimp_protocol.limits import CHARACTERS_PER_TOKEN, CONTEXT_CHARACTERS_MAX, READ_DEADLINE_S
from palimp_protocol.operations import Caller

REMOVED_SINCE_MS: Final = 30 * 86_400_000
"""Code that was taken out longer ago is not spoken of at a session's start."""

REMOVED_ROWS: Final = 8


class Contexts:
    """Gives sessions what they should know at their start."""

    def __init__(self, actor: Actor, checks: Checks, config: Config, now_ms: Callable[[], int]) -> None:
        self._actor = actor
        self._checks = checks
        self._characters = min(config.context_tokens * CHARACTERS_PER_TOKEN, CONTEXT_CHARACTERS_MAX)
        self._format = config.answer_format
        self._now_ms = now_ms

    async def text(self, caller: Caller) -> str:
        """Return what a session of *caller* should know; empty when there is nothing."""
        if not self._characters:
            return ""
        work = await _recent_work(tree_of(caller))
        now_ms = self._now_ms()
        known = await self._actor.ask(
            Job(partial(known_at_start, caller, work, now_ms), is_write=False, deadline_s=READ_DEADLINE_S)
        )
        removed = await self._checks.removed_lately(caller, work.files, now_ms - REMOVED_SINCE_MS, REMOVED_ROWS)
        return context_text(known, removed, self._characters, self._format)


async def _recent_work(tree: str) -> RecentWork:
    nothing = RecentWork("", [], [])
    if not tree:
        return nothing
    try:
        return await in_thread(partial(recent_work, Path(tree)))
    except GitError:
        return nothing
