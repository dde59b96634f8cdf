"""Start reading git's history, and report its progress.

It starts with sessions and after turns; for clients without these events, when they connect, edit or ask.
`changes.import` must allow it.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple

from palimp_daemon.features.removed_code.git_import import Importer
from palimp_daemon.git import GitError, is_repository
from palimp_daemon.runtime.background_tasks import BackgroundTasks
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import PATIENCE_S, Settings
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.removed_code import HistoryState, ImportStatus
from palimp_protocol.text import count_of, one_line

READ_WAIT_S: Final = 1.0
"""Seconds that a question about removed code waits for recent commits to be read, in some milliseconds."""

PROJECTS_KEPT: Final = 256
"""Projects with requested history; users have tens."""


class HistoryKnown(NamedTuple):
    """Progress of reading git's history, and its missing part."""

    state: HistoryState
    note: str = ""


READ: Final = HistoryKnown("read")

NO_GIT: Final = HistoryKnown("none", "There is no git repository here: only what agents' edits removed is known.")

OFF: Final = HistoryKnown(
    "off",
    "Git's history is not read by itself here (changes.import = off): code that only git knows of may be missing."
    " `palimp changes import` reads it.",
)

OFF_HERE: Final = HistoryKnown(
    "off",
    "palimp is off in this project, so that git's history is not read: code that only git knows of may be missing.",
)


class GitHistory(BackgroundTasks):
    """Starts reading of histories; *request_messages* that of messages.

    *confirm* checks the caller's repository. *is_off* tells whether a project is off.
    """

    def __init__(
        self,
        importer: Importer,
        request_messages: Callable[[Caller], None],
        confirm: Callable[[Caller], Awaitable[object]],
        settings: Settings,
        is_off: Callable[[Caller], bool],
        log: Log,
    ) -> None:
        self._importer = importer
        self._request_messages = request_messages
        self._confirm = confirm
        self._settings = settings
        self._is_off = is_off
        self._log = log
        self._waking: set[str] = set()
        self._woken: BoundedDict[str, None] = BoundedDict(PROJECTS_KEPT)

    def wake(self, caller: Caller) -> None:
        """Read new commits of *caller*'s project in the background."""
        root = caller.root
        if self._background is None or not root or root in self._waking:
            return
        self._waking.add(root)
        self._woken[root] = None
        self._background.start_soon(self._request_where_allowed, caller, root)

    def wake_once(self, caller: Caller) -> None:
        """`wake`, once per project and daemon."""
        if caller.project and caller.project.root not in self._woken:
            self.wake(caller)

    def request(self, caller: Caller, since_ms: int | None = None) -> None:
        """Read the history regardless of settings, back to *since_ms*."""
        self._importer.request_read(caller, since_ms)
        self._request_messages(caller)

    async def status(self, caller: Caller) -> ImportStatus:
        """Return the progress of reading *caller*'s history."""
        return await self._importer.status(caller)

    async def await_progress(self, caller: Caller) -> HistoryKnown:
        """Return the progress once new commits are read, or after READ_WAIT_S."""
        try:
            if not await in_thread(partial(is_repository, caller.tree)):
                return NO_GIT
            if await self._importer.has_read(caller):
                return READ
            if self._is_off(caller):
                return OFF_HERE
            if not await self._may_read(caller):
                return OFF
            self._request_messages(caller)
            await self._importer.read_within(caller, READ_WAIT_S)
            return READ if await self._importer.has_read(caller) else not_read(await self._importer.status(caller))
        except GitError as error:
            return not_read(ImportStatus(is_running=False, commits=0, total=0, hunks=0, problem=str(error)))

    async def _may_read(self, caller: Caller) -> bool:
        values = await self._settings.of(caller, patience_s=PATIENCE_S)
        return values.text("changes.import") == "auto"

    async def _request_where_allowed(self, caller: Caller, root: str) -> None:
        try:
            await self._confirm(caller)  # else another repository's could come into the former one's project
            if not self._is_off(caller) and await self._may_read(caller):
                self.request(caller)
        except (PalimpError, OSError) as error:
            self._log("history_not_requested", project=root, why=str(error))
        except Exception as error:  # noqa: BLE001  a folder that we cannot take must not end the daemon
            self._log.bug(error)
        finally:
            self._waking.discard(root)


def not_read(status: ImportStatus) -> HistoryKnown:
    """Describe a history that failed, or is being read."""
    if status.problem and not status.is_running:
        why = one_line(status.problem).rstrip(".")
        return HistoryKnown("failed", f"Git's history cannot be read, so that only part of it is known: {why}.")
    far = f" ({status.commits:,} of {count_of(status.total, 'commit')})" if status.total > status.commits else ""
    return HistoryKnown(
        "reading", f"Git's history is being read{far}: code that only git knows of may be missing. Ask again soon."
    )
