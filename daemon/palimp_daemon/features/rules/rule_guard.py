"""Tell a session of rules before a breach, and count its acts.

A look-up is one read of the store. A session is told a rule once.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple

import trio

from palimp_clients.hooks.event import text_of
from palimp_daemon.features.handler import StoreJobs
from palimp_daemon.features.rules.acts_told import act_of, asked_of, use_of
from palimp_daemon.features.rules.breaches import Breach, Judged, Manner, breaches_of, judged_rules, telling_of
from palimp_daemon.git.head_state import head_state
from palimp_daemon.render.rule_reminder import BrokenRule, question_text, refusal_text, reminder_text
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import PATIENCE_S, Settings
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.rule_counts import count_broken, count_kept, count_refused, note_rules_told
from palimp_daemon.store.tables.sessions.given import note_given
from palimp_daemon.store.tables.sessions.session_rows import note_injected
from palimp_daemon.store.worker.group_commit import Job
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.rules.verdicts import Act
from palimp_daemon.text.shell_commands import GivenCommand
from palimp_protocol.errors import PalimpError
from palimp_protocol.hooks import EDITING_TOOLS, SHELLS
from palimp_protocol.messages.caller import Caller
from palimp_protocol.text import one_line

SESSIONS_MAX: Final = 256
"""Sessions and subagents with acts and reminders kept; users have tens."""

ACTS_MAX: Final = 256
"""Acts begun and not ended, a few per session. Acts that a person refuses never end."""

DONE_MAX: Final = 100
"""Commands of a session that succeeded since its last edit, the newest."""

TOLD_MAX: Final = 3
"""Rules told before one act: more are not read."""

SHARE: Final = 0.3
"""Share of a hook's time that this may take; it needs a millisecond."""

ACT_CHARACTERS: Final = 160
"""Characters kept of an act that breaks a rule: a table's line."""

SETTING: Final = "hooks.rules"

ActKey = tuple[str, str, str]
"""Session, subagent, and a hash of the tool and its input."""

_TEXTS: Final[Mapping[Manner, Callable[[Sequence[BrokenRule]], str]]] = {
    "remind": reminder_text,
    "refuse": refusal_text,
    "ask": question_text,
}

_ON_BRANCHES: Final = ("commit", "push", "merge")


class Reminder(NamedTuple):
    """A reminder of rules before an act."""

    manner: Manner
    text: str
    seqs: tuple[int, ...]
    held: tuple[int, ...]
    """Rules that refuse the act or ask the user; the others only remind."""
    line: str
    act: ActKey
    use: tuple[str, str]
    """Identifies the use of the tool."""


class RuleGuard:
    """Tells sessions of rules, refuses where a person wants it, and counts."""

    def __init__(self, jobs: StoreJobs, settings: Settings, redact: Redactor) -> None:
        self._actor = jobs.actor
        self._now_ms = jobs.now_ms
        self._settings = settings
        self._redact = redact
        self._done: BoundedDict[str, tuple[GivenCommand, ...]] = BoundedDict(SESSIONS_MAX)
        """By session seen from its start, commands that succeeded since the last edit."""
        self._begun: BoundedDict[tuple[str, str], Act | None] = BoundedDict(ACTS_MAX)
        """Acts under way, by tool use; None: refused, so it will not end."""
        self._told: BoundedDict[tuple[str, str], frozenset[int]] = BoundedDict(SESSIONS_MAX)
        """Rules told, by subagent; a new one was told none."""
        self._refused: BoundedDict[ActKey, frozenset[int]] = BoundedDict(ACTS_MAX)
        """Refused acts, each with its rules; sent again, they pass."""

    def begin(self, caller: Caller) -> None:
        """Note that the session begins, with nothing done yet."""
        if caller.session and caller.session.key not in self._done:
            self._done[caller.session.key] = ()

    async def before(
        self,
        caller: Caller,
        given: Mapping[str, Any],
        tool_input: Mapping[str, Any],
        left_s: float,
        *,
        can_ask: bool = False,
    ) -> Reminder | None:
        """Return the reminder before the tool's use in *given*, or None.

        The client waits *left_s* seconds. A reminder must be noted (`note`) once told.
        """
        tool, agent = text_of(given, "tool_name"), text_of(given, "agent_id")
        if tool not in SHELLS and tool not in EDITING_TOOLS:
            return None
        if caller.session is None or not await self._is_on(caller):
            return None
        with trio.move_on_after(SHARE * left_s), suppress(PalimpError):
            act = await self._act(caller, tool, tool_input, text_of(given, "cwd"))
            use = (caller.session.key, use_of(given))
            self._begun[use] = act
            told = self._told.get((caller.session.key, agent), frozenset[int]()) if agent else None
            found: list[Breach] = await self._actor.read(partial(breaches_of, caller, act, told))
            again = _same_act(caller.session.key, given)
            telling = telling_of(found, self._refused.get(again, frozenset[int]()), TOLD_MAX, can_ask=can_ask)
            if telling:
                rules = [
                    BrokenRule(each.id, each.text, [(other.id, other.title) for other in each.qualified_by])
                    for each in telling.breaches
                ]
                text, seqs = _TEXTS[telling.manner](rules), tuple(each.seq for each in telling.breaches)
                held = (
                    () if telling.manner == "remind" else tuple(each.seq for each in telling.breaches if each.is_held)
                )
                return Reminder(telling.manner, text, seqs, held, self._act_line(tool, tool_input), again, use)
        return None

    def note(self, caller: Caller, reminder: Reminder, agent: str = "") -> None:
        """Note that the session, or its subagent *agent*, got *reminder*."""
        if agent and caller.session:
            key = (caller.session.key, agent)
            self._told[key] = self._told.get(key, frozenset()) | {*reminder.seqs}
        if reminder.manner == "refuse":
            self._begun[reminder.use] = None
        if reminder.held:  # an act that the user was asked about runs only by their wish
            self._refused[reminder.act] = self._refused.get(reminder.act, frozenset()) | {*reminder.held}
        noted = partial(_note_told, caller, reminder, self._now_ms(), is_subagent=bool(agent))
        self._actor.post(Job(noted, is_write=True))

    async def after(
        self, caller: Caller, given: Mapping[str, Any], tool_input: Mapping[str, Any], *, is_well: bool
    ) -> None:
        """Count a finished act, and remember it if *is_well*."""
        tool = text_of(given, "tool_name")
        if caller.session is None or (tool not in SHELLS and tool not in EDITING_TOOLS):
            return
        use = (caller.session.key, use_of(given))
        is_refused = use in self._begun and self._begun[use] is None
        act = self._begun.pop(use, None)
        if is_refused or not await self._is_on(caller):
            return
        overruled = self._refused.get(_same_act(caller.session.key, given), frozenset[int]())
        with suppress(PalimpError):
            act = act or await self._act(caller, tool, tool_input, text_of(given, "cwd"))
            judged: Judged = await self._actor.read(partial(judged_rules, caller, act))
            if judged.kept or judged.broken:
                count = partial(_count, caller, judged, overruled, self._act_line(tool, tool_input), self._now_ms())
                self._actor.post(Job(count, is_write=True))
        self._remember(caller.session.key, act, is_well=is_well)

    def _act_line(self, tool: str, tool_input: Mapping[str, Any]) -> str:
        return one_line(self._redact(_line(tool, tool_input)), ACT_CHARACTERS)

    def _remember(self, session: str, act: Act | None, *, is_well: bool) -> None:
        done = self._done.get(session)
        if done is None or act is None:
            return
        if act.edits and is_well:
            self._done[session] = ()
        elif act.commands and is_well:
            self._done[session] = (*done, *act.commands)[-DONE_MAX:]

    async def _act(self, caller: Caller, tool: str, tool_input: Mapping[str, Any], folder: str) -> Act:
        project = caller.project
        roots = [project.tree, project.root] if project else []
        # Whether a file is there is asked of a disk, which may hang.
        made = partial(act_of, tool, tool_input, roots, folder=folder)
        act = await in_thread(made) if tool in EDITING_TOOLS else made()
        branch = ""
        if project and any(
            each.command.program == "git" and each.command.words[:1] and each.command.words[0] in _ON_BRANCHES
            for each in act.commands
        ):
            state = await in_thread(partial(head_state, project.tree))
            branch = state.head.removeprefix("ref: refs/heads/") if state and state.head.startswith("ref: ") else ""
        return act._replace(branch=branch, done=self._done.get(caller.session_key))

    async def _is_on(self, caller: Caller) -> bool:
        return (await self._settings.of(caller, patience_s=PATIENCE_S)).flag(SETTING)


def _same_act(session: str, given: Mapping[str, Any]) -> ActKey:
    return session, text_of(given, "agent_id"), asked_of(given)


def _line(tool: str, tool_input: Mapping[str, Any]) -> str:
    return text_of(tool_input, "command") if tool in SHELLS else f"{tool} {text_of(tool_input, 'file_path')}".strip()


def _note_told(caller: Caller, reminder: Reminder, now_ms: int, store: Store, *, is_subagent: bool) -> None:
    session = ensure_session(store, caller, ensure_project(store, caller, now_ms), now_ms)
    if session is None:
        return
    note_rules_told(store, session, reminder.seqs)
    if reminder.manner == "refuse":
        count_refused(store, session, reminder.held)
    note_given(store, session, "action", [(seq, reminder.line) for seq in reminder.seqs], now_ms)
    if not is_subagent:
        note_injected(store, session, reminder.seqs)


def _count(caller: Caller, judged: Judged, overruled: frozenset[int], act: str, now_ms: int, store: Store) -> None:
    session = ensure_session(store, caller, ensure_project(store, caller, now_ms), now_ms)
    if session is not None:
        count_kept(store, session, [each.seq for each in judged.kept])
        broken = [each.seq for each in judged.broken]
        count_broken(store, session, broken, act, now_ms, overruled=overruled)
