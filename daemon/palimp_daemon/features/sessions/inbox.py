"""Decide when a session's start mentions waiting proposals: weekly at most, if they grew."""

from typing import Final

from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.proposals import (
    ReviewReminder,
    count_waiting,
    has_saved_among,
    inbox_told,
    note_inbox_told,
)
from palimp_protocol.messages.caller import Caller
from palimp_protocol.text import count_of

WAITING_MIN: Final = 3
"""Captured proposals from which the user is notified; of saved memories that wait, one suffices."""

TOLD_AGAIN_MS: Final = 7 * 86_400_000
"""Milliseconds before an ignored reminder is repeated: a week."""


def is_worth_telling(waiting: int, last: ReviewReminder | None, now_ms: int, *, were_saved: bool = False) -> bool:
    """Tell whether to mention *waiting* proposals; *were_saved*: some were not captured."""
    if waiting < (1 if were_saved else WAITING_MIN):
        return False
    return last is None or (waiting > last.waiting and _is_due(last, now_ms))


def inbox_line(caller: Caller, now_ms: int, store: Store) -> str:
    """Return the line on waiting proposals, or an empty text."""
    project = project_row(store, caller)
    waiting = 0 if project is None else _worth_telling(store, project, now_ms)
    if not waiting:
        return ""
    verb = "awaits" if waiting == 1 else "await"
    return f"{count_of(waiting, 'memory')} {verb} the user's `palimp review`. Tell the user once."


def note_inbox_line(caller: Caller, now_ms: int, store: Store) -> None:
    """Note that a session was told the line, if due."""
    project = project_row(store, caller)
    if project is not None and (waiting := _worth_telling(store, project, now_ms)):
        note_inbox_told(store, project, ReviewReminder(now_ms, waiting))


def _worth_telling(store: Store, project: int, now_ms: int) -> int:
    last = inbox_told(store, project)
    if last is not None and not _is_due(last, now_ms):
        return 0
    waiting = count_waiting(store, project)
    were_saved = 0 < waiting < WAITING_MIN and has_saved_among(store, project)
    return waiting if is_worth_telling(waiting, last, now_ms, were_saved=were_saved) else 0


def _is_due(last: ReviewReminder, now_ms: int) -> bool:
    return now_ms - last.at >= TOLD_AGAIN_MS
