"""Tell sessions known facts before they act, and learn from failing commands.

A look-up is one job of the store, about a millisecond. Pending failures are in memory only: most come to nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import trio

from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.sessions.actions import Action, action_of
from palimp_daemon.features.sessions.before_acting import Fit, told_before
from palimp_daemon.features.sessions.command_failures import (
    FAILURES_MAX,
    Failure,
    Remedy,
    acting,
    failure_of,
    kept_line,
    left_after,
    names_of,
    remedies,
    will_fail_alike,
)
from palimp_daemon.render.acting_text import FailedBefore, acting_text
from palimp_daemon.render.prompted import Given
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.settings.resolver import PATIENCE_S, Settings
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, ensure_project, ensure_session, project_row, session_row
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import shown_id
from palimp_daemon.store.tables.memory_subjects import memories_with_names
from palimp_daemon.store.tables.sessions.failed_commands import (
    KEPT_MS,
    FailedCommand,
    failures_named,
    failures_told,
    forget_failures,
    keep_failure,
    note_failure_told,
)
from palimp_daemon.store.tables.sessions.given import note_given
from palimp_daemon.store.tables.sessions.session_rows import already_told, note_injected
from palimp_daemon.store.tables.team_heard import authors_among
from palimp_daemon.store.tables.unasked import withheld_among
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.shell_commands import SimpleCommand, commands_in
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller

K = TypeVar("K")
V = TypeVar("V")

READ_MAX: Final = 40
"""Memories read for one action, the newest with a common name."""

SESSIONS_MAX: Final = 256
"""Sessions and subagents with failures and shown memories kept; users have tens."""

SHARE: Final = 0.5
"""Share of a hook's time that this may take; it needs a millisecond, and the edit's check the rest."""

NAMED_CHARACTERS: Final = 120
"""Characters kept of the name for which a memory was shown."""

SETTING: Final = "hooks.before_acting"


class ActionContext(NamedTuple):
    """A text to tell before an action, with its facts."""

    text: str
    memories: tuple[tuple[int, str], ...]
    """Each one's number, and its name from the action."""
    failure: int | None


class Known(NamedTuple):
    """Memories on an action, best first, and its earlier failure."""

    fits: list[Fit]
    failure: FailedCommand | None
    authors: Mapping[int, str] = {}
    """By number, authors of memories from other replicas."""


class Acting:
    """Tells known facts, and learns from failing commands."""

    def __init__(self, jobs: StoreJobs, settings: Settings, redact: Redactor) -> None:
        self._actor = jobs.actor
        self._texts = jobs.texts
        self._now_ms = jobs.now_ms
        self._settings = settings
        self._redact = redact
        self._failures: BoundedDict[str, list[Failure]] = BoundedDict(SESSIONS_MAX)
        """By session, failures awaiting a success."""
        self._told: BoundedDict[tuple[str, str], set[int]] = BoundedDict(SESSIONS_MAX)
        """Memories shown, by subagent; a new one was shown none."""

    async def before(
        self,
        caller: Caller,
        tool: str,
        tool_input: Mapping[str, Any],
        left_s: float,
        agent: str = "",
        beside: Collection[int] = (),
    ) -> ActionContext | None:
        """Return the text to tell before *tool* is used, without the memories *beside* it.

        *agent* is the subagent; the caller waits *left_s* seconds. It must `note` the text once told.
        """
        project = caller.project
        action = action_of(tool, tool_input, [project.tree, project.root] if project else [])
        if action is None or not (action.names and await self._is_on(caller)):
            return None
        told = self._told.get((caller.session_key, agent), set[int]()) if agent else None
        look = partial(known_before, caller, action, self._now_ms(), told, beside)
        # Whatever the store says to this: the guard of removed code is asked after it.
        with trio.move_on_after(SHARE * left_s), suppress(PalimpError):
            found = await self._actor.read(look)
            return as_told(found)
        return None

    def note(self, caller: Caller, told: ActionContext, agent: str = "") -> None:
        """Note that the session, or its subagent *agent*, was told that."""
        if agent:
            _entry_of(self._told, (caller.session_key, agent), set[int]()).update(seq for seq, _ in told.memories)
        # Not waited for: what comes after it finds it done.
        note = partial(note_told, caller, told, self._now_ms(), is_subagent=bool(agent))
        self._actor.post(Job(note, is_write=True))

    def note_beside(self, caller: Caller, agent: str, seqs: Collection[int]) -> None:
        """Note that the subagent *agent* was told the memories *seqs* elsewhere."""
        _entry_of(self._told, (caller.session_key, agent), set[int]()).update(seqs)

    def note_edit(self, caller: Caller) -> None:
        """Drop pending failures: an edit before a success suggests a fault of the code."""
        self._failures.pop(caller.session_key, None)

    async def note_failure(self, caller: Caller, line: str, error: str) -> None:
        """Note that *line* failed with *error*."""
        if not await self._is_on(caller):
            return
        failure = await self._texts.run(partial(failure_of, line, error, self._redact), caller.session_key)
        if failure is None:
            return
        waiting = _entry_of(self._failures, caller.session_key, list[Failure]())
        others = [each for each in waiting if each.line != failure.line]
        waiting[:] = [*others[1 - FAILURES_MAX :], failure]

    async def note_success(self, caller: Caller, line: str) -> None:
        """Learn from *line*, which may remedy or disprove failures."""
        done = acting(commands_in(line))
        if not done or not await self._is_on(caller):
            return
        learned: list[Remedy] = []
        if self._failures.get(caller.session_key):
            kept = await self._texts.run(partial(kept_line, line, self._redact), caller.session_key)
            waiting = self._failures.get(caller.session_key, [])
            learned = remedies(waiting, kept)
            waiting[:] = left_after(waiting, kept, learned)
        now_ms = self._now_ms()
        healed: list[int] = await self._actor.read(partial(_heal, caller, done, now_ms))
        if learned or healed:
            self._actor.post(Job(partial(_learn, caller, learned, healed, now_ms), is_write=True))

    async def _is_on(self, caller: Caller) -> bool:
        return (await self._settings.of(caller, patience_s=PATIENCE_S)).flag(SETTING)


def _entry_of(table: BoundedDict[K, V], key: K, default: V) -> V:
    table[key] = kept = table.get(key, default)
    return kept


def known_before(
    caller: Caller, action: Action, now_ms: int, told: set[int] | None, beside: Collection[int], store: Store
) -> Known:
    """Return the facts on *action*, except *told* memories (None: as stored) or those *beside*."""
    own = project_row(store, caller)
    projects = sorted({GLOBAL_PROJECT, GLOBAL_PROJECT if own is None else own})
    session = None if own is None else session_row(store, caller, own)
    failure = None if own is None else _failure(store, own, session, acting(action.commands), now_ms)
    seqs = memories_with_names(store, projects, action.names)
    if told is None and session is not None and seqs:
        told = already_told(store, session)
    left = [seq for seq in seqs if seq not in (told or ()) and seq not in beside][:READ_MAX]
    withheld = withheld_among(store, left)
    found = memory_rows.rows_by_seq(store, [seq for seq in left if seq not in withheld])
    fits = told_before(action, [row for row in found if session is None or row.session_id != session])
    return Known(fits, failure, authors_among(store, [fit.row for fit in fits]))


def _failure(
    store: Store, project: int, session: int | None, about_to: Sequence[SimpleCommand], now_ms: int
) -> FailedCommand | None:
    alike = [
        each
        for each in _failed_alike(store, project, about_to, now_ms)
        if session is None or each.session_id != session
    ]
    told = failures_told(store, session) if alike and session is not None else set[int]()
    return next((each for each in alike if each.id not in told), None)


def _failed_alike(store: Store, project: int, commands: Sequence[SimpleCommand], now_ms: int) -> list[FailedCommand]:
    known = failures_named(store, project, names_of(commands), now_ms - KEPT_MS)
    return [each for each in known if will_fail_alike(commands, each.command, each.worked)]


def as_told(found: Known) -> ActionContext | None:
    """Return the wording of *found*; None: nothing."""
    rows = [fit.row for fit in found.fits]
    given = [
        Given(shown_id(row), row.kind, row.title, row.content, row.created_at, author=found.authors.get(row.seq, ""))
        for row in rows
    ]
    failed = found.failure
    before = FailedBefore(failed.command, failed.error, failed.worked, failed.at) if failed else None
    text, count = acting_text(given, before)
    told = tuple((fit.row.seq, fit.named) for fit in found.fits[:count])
    return ActionContext(text, told, failed.id if failed else None) if text else None


def note_told(caller: Caller, told: ActionContext, now_ms: int, store: Store, *, is_subagent: bool = False) -> None:
    """Note that *caller*'s session was told *told*; a subagent's may be told it again."""
    session = ensure_session(store, caller, ensure_project(store, caller, now_ms), now_ms)
    if session is None:
        return
    named = [(seq, name[:NAMED_CHARACTERS]) for seq, name in told.memories]
    note_given(store, session, "action", named, now_ms)
    if is_subagent:
        return
    note_injected(store, session, [seq for seq, _ in told.memories])
    if told.failure is not None:
        note_failure_told(store, session, told.failure, now_ms)


def _heal(caller: Caller, done: Sequence[SimpleCommand], now_ms: int, store: Store) -> list[int]:
    project = project_row(store, caller)
    return [] if project is None else [each.id for each in _failed_alike(store, project, done, now_ms)]


def _learn(caller: Caller, learned: Sequence[Remedy], healed: Sequence[int], now_ms: int, store: Store) -> None:
    forget_failures(store, healed)
    if not learned:
        return
    project = ensure_project(store, caller, now_ms)
    session = ensure_session(store, caller, project, now_ms)
    for each in learned:
        keep_failure(store, project, FailedCommand(0, each.name, each.failed, each.error, each.worked, now_ms, session))
