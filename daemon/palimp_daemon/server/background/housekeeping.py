"""Housekeeping: checkpoints, expiry, watchdog, idle exit."""

import contextlib
from collections.abc import Awaitable, Callable, Sequence, Sized
from typing import Final

import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.features.sessions.usage_notes import UsageNotes
from palimp_daemon.settings.http_access import HttpAccess
from palimp_daemon.settings.page_access import PageAccess
from palimp_daemon.store.sqlite_connection import checkpoint
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.act_rows import prune_acts
from palimp_daemon.store.tables.requests import forget_old_replies
from palimp_daemon.store.tables.sessions.session_rows import forget_details
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import CHECKPOINT_INTERVAL_S

LONG_S: Final = 900.0
"""Seconds allowed for opening or rewriting a database: minutes with a million memories."""

OVER_CHECK_S: Final = 600.0
"""Seconds between two looks for missing folders and ended sessions: nearly free, and within an idle daemon's life."""

SESSIONS_AT_ONCE: Final = 50
"""Sessions stripped of details at once: some milliseconds."""

IDLE_CHECK_S: Final = 15.0
"""Seconds between two checks whether the daemon is needed."""


async def keep_store(
    actor: Actor, counts: RecallCounts, usage: UsageNotes, now_ms: Callable[[], int], log: Callable[..., None]
) -> None:
    """Forget old requests and acts, store counts, and checkpoint, every CHECKPOINT_INTERVAL_S."""
    last_act = 0

    def forget(store: Store) -> None:
        nonlocal last_act
        forget_old_replies(store, now_ms())
        last_act = prune_acts(store, last_act)

    def shorten(store: Store) -> None:
        checkpoint(store.connection)

    while True:
        await trio.sleep(CHECKPOINT_INTERVAL_S)
        try:
            await actor.ask(Job(forget, is_write=True).allow_on_full_disk())
            await counts.store(actor)
            await usage.store()
            # Not a write: a checkpoint cannot run inside the group's transaction.
            await actor.ask(Job(shorten, is_write=False))
        except PalimpError as error:
            log("upkeep_failed", code=error.code, text=error.text)


async def forget_what_is_over(
    actor: Actor,
    forget_gone: Sequence[Callable[[], Awaitable[None]]],
    now_ms: Callable[[], int],
    log: Callable[..., None],
) -> None:
    """Forget details of sessions, and data of deleted folders, every OVER_CHECK_S.

    Each of *forget_gone* does so for one service.
    """

    def forget(store: Store) -> bool:
        return forget_details(store, now_ms(), SESSIONS_AT_ONCE)

    while True:
        await trio.sleep(OVER_CHECK_S)
        try:
            while await actor.write(forget):
                pass
            for each in forget_gone:
                await each()
        except PalimpError as error:
            log("upkeep_failed", code=error.code, text=error.text)


async def ping_watchdog(actor: Actor, interval_s: float, ping: Callable[[], None]) -> None:
    """Call *ping* every *interval_s* while the store thread answers, even "unavailable".

    Opening or rewriting the store gets LONG_S: a restart would begin it anew.
    """
    answered_at = trio.current_time()
    while True:
        if actor.takes_long and trio.current_time() - answered_at < LONG_S:
            ping()
        elif await _answers(actor, interval_s):
            answered_at = trio.current_time()
            ping()
        else:
            continue  # it has waited long enough
        await trio.sleep(interval_s)


async def _answers(actor: Actor, within_s: float) -> bool:
    def nothing(_: Store) -> None:
        """Be answered."""

    with trio.move_on_after(within_s):
        with contextlib.suppress(PalimpError):  # a full mailbox or a degraded store is an answer
            await actor.ask(Job(nothing, is_write=False))
        return True
    return False


async def exit_when_idle(
    state: DaemonState, peers: Sized, http_access: HttpAccess, page_access: PageAccess, idle_exit_s: float
) -> None:
    """Stop the daemon after *idle_exit_s* without a session or request.

    Not while it serves HTTP or the page: clients there cannot start a daemon.
    """
    while True:
        await trio.sleep(min(IDLE_CHECK_S, idle_exit_s))
        quiet_s = trio.current_time() - max(state.last_request_at, state.started_at)
        if not len(peers) and quiet_s >= idle_exit_s and not (http_access.url or page_access.url):
            state.request_stop(by_user=False)
