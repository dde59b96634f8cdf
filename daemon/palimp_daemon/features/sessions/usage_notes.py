"""Count texts given to sessions, and hooks' times, stored now and then, as giving is no write.

A memory was of use if the turn's writing has words of it that neither prompt nor act had, or if it is opened later. A
killed daemon loses its last minute.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from palimp_clients.hooks.event import mapping_of, parts_of
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.duration_buckets import COARSE, bucket_of
from palimp_daemon.runtime.files import size_of
from palimp_daemon.search.telling_words import telling_words_of_language
from palimp_daemon.search.written_again import is_written_again
from palimp_daemon.store.store import Store, ensure_session, project_row, session_row
from palimp_daemon.store.tables.memory_rows import rows_by_seq
from palimp_daemon.store.tables.sessions.daily_measures import day_of, keep_measures
from palimp_daemon.store.tables.sessions.usage_counts import Amount, add_usage, given_lately, note_opened, note_outcomes
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.hooks import SHELLS
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import DOCTOR
from palimp_protocol.messages.memory_messages import Recall, Recalled
from palimp_protocol.messages.usage_messages import HookMoment, Moment

WAITING_MAX: Final = 2_000
"""Sessions and moments counted between two writes to the store; users have tens."""

SESSIONS_MAX: Final = 256
"""Sessions whose writing in the present turn is kept."""

WRITTEN_CHARACTERS_MAX: Final = 20_000
"""Characters kept of one turn's writing; text that follows a memory is early."""

OPENED_MAX: Final = 100
"""Ids opened by a session between two writes to the store."""

_WRITTEN_KEYS: Final = ("content", "new_string", "command", "new_source")
"""Inputs of editing tools and shells with the agent's writing."""

HOOK_MOMENTS: Final[Mapping[str, HookMoment]] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "action",
    "SubagentStart": "subagent",
    "PostToolUse": "after",
    "PostToolUseFailure": "after",
    "Stop": "end",
    "PreCompact": "end",
    "SessionEnd": "end",
}
"""The moment of each hook that is answered."""


class _Waiting(NamedTuple):
    caller: Caller
    amounts: dict[Moment, Amount]
    opened: dict[str, None]


class UsageNotes:
    """Counts given texts, hooks' times, and the *databases*' sizes."""

    def __init__(self, actor: Actor, now_ms: Callable[[], int], databases: tuple[Path, Path]) -> None:
        self._actor = actor
        self._databases = databases
        self._hooks: Counter[tuple[HookMoment, int]] = Counter()
        self._measured_on = 0
        """The last day with noted sizes."""
        self._now_ms = now_ms
        self._waiting: dict[tuple[str, str], _Waiting] = {}
        self._written: BoundedDict[str, str] = BoundedDict(SESSIONS_MAX)
        """By session, its writing in the present turn."""

    def note(self, caller: Caller, moment: Moment, text: str, memories: int = 0) -> None:
        """Count *text* with *memories*, given to the session; an empty one only as "silent"."""
        is_counted = bool(text) or moment == "silent"
        if is_counted and caller.session is not None and (waiting := self._of(caller)):
            amount = Amount(1, len(text), memories)
            waiting.amounts[moment] = waiting.amounts.get(moment, Amount()).plus(amount)

    def note_answer(self, caller: Caller, request: Any, reply: Any, text: str) -> None:
        """Count a tool's answer *text*, and the memories it opened."""
        if not (isinstance(request, Recall) and isinstance(reply, Recalled) and request.action == "view"):
            self.note(caller, "tools", text)
            return
        is_opened = bool(request.id or request.ids)
        found = len(reply.about.memories if reply.about else reply.memories)
        self.note(caller, "opened" if is_opened else "asked" if found else "nothing", text, found)
        waiting = self._of(caller) if is_opened and caller.session is not None else None
        if waiting and len(waiting.opened) < OPENED_MAX:
            waiting.opened.update(dict.fromkeys(each.id for each in reply.memories))

    def note_hook(self, caller: Caller, event: str, seconds: float) -> None:
        """Count a hook answered after *seconds*."""
        if caller.session is not None and caller.session.client != DOCTOR:
            self._hooks[HOOK_MOMENTS[event], bucket_of(seconds, COARSE)] += 1

    def wrote(self, caller: Caller, tool: str, tool_input: Mapping[str, Any], *, is_edit: bool) -> None:
        """Remember the texts written by *tool*, an edit or a shell command."""
        if caller.session is not None and (is_edit or tool in SHELLS):
            before = self._written.get(caller.session.key, "")
            text = "\n".join(texts_written(tool_input)) if len(before) < WRITTEN_CHARACTERS_MAX else ""
            if text:
                self._written[caller.session.key] = f"{before}\n{text}"[:WRITTEN_CHARACTERS_MAX]

    def turn_over(self, caller: Caller, asked: str) -> None:
        """Judge the use of the last turn's memories; *asked* was its prompt."""
        if caller.session is None:
            return
        written = self._written.pop(caller.session.key, "")
        self._actor.post(Job(partial(judge_given, caller, asked, written), is_write=True))

    def _of(self, caller: Caller) -> _Waiting | None:
        if caller.session is not None and caller.session.client == DOCTOR:
            return None
        key = (caller.session_key, caller.root)
        if key not in self._waiting and len(self._waiting) >= WAITING_MAX:
            return None
        return self._waiting.setdefault(key, _Waiting(caller, {}, {}))

    async def store(self) -> None:
        """Store and reset the counts; on an error they are lost.

        Raises:
            PalimpError: the store cannot be used, or the disk is full.
        """
        waiting, self._waiting = self._waiting, {}
        hooks, self._hooks = self._hooks, Counter()
        now_ms = self._now_ms()
        is_measured = bool(hooks) or self._measured_on != day_of(now_ms)

        def keep(store: Store) -> None:
            _keep(list(waiting.values()), now_ms, store)
            if is_measured:
                memories, conversations = (
                    size_of(path) + size_of(path.with_name(f"{path.name}-wal")) for path in self._databases
                )
                keep_measures(store, day_of(now_ms), hooks, (memories, conversations))

        if waiting or is_measured:
            await self._actor.ask(Job(keep, is_write=True))
            self._measured_on = day_of(now_ms)


def texts_written(tool_input: Mapping[str, Any]) -> list[str]:
    """Return the texts written by a tool; of a patch each file's."""
    calls = [tool_input]
    for part in parts_of(tool_input):
        one_file = mapping_of(part, "tool_input") or part
        calls += [one_file, *parts_of(one_file)]
    return [text for call in calls for key in _WRITTEN_KEYS if isinstance(text := call.get(key), str)]


def _keep(waiting: Sequence[_Waiting], now_ms: int, store: Store) -> None:
    for caller, amounts, opened in waiting:
        project = project_row(store, caller)
        session = None if project is None else ensure_session(store, caller, project, now_ms)
        if session is not None:
            for moment, amount in amounts.items():
                add_usage(store, session, moment, amount, now_ms)
            note_opened(store, session, opened)


def judge_given(caller: Caller, asked: str, written: str, store: Store) -> None:
    """Note the last turn's memories that *written* used."""
    project = project_row(store, caller)
    session = None if project is None else session_row(store, caller, project)
    if session is None:
        return
    given = given_lately(store, session)
    if not given:
        return
    texts = {row.seq: f"{row.title}\n{row.content}" for row in rows_by_seq(store, sorted({each.seq for each in given}))}
    words = telling_words_of_language(written, store.stems)
    used = {
        each.number
        for each in given
        if each.seq in texts and is_written_again(texts[each.seq], words, f"{asked}\n{each.why}", store.stems)
    }
    note_outcomes(store, session, given, used)
