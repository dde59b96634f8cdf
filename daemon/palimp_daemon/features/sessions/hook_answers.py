"""Answer clients' hooks, in Claude Code's form: a line of JSON, or nothing.

Nothing may stop an agent: errors are logged; only an unusable store is reported, at a session's start.
"""

import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

import trio
from msgspec.structs import replace

from palimp_clients.claude_code.dialect import output_of
from palimp_clients.dialects import dialect_named
from palimp_clients.hooks.event import IDLE_KEY, HookReply, mapping_of, text_of
from palimp_daemon.features.capture.capture_service import Captures
from palimp_daemon.features.conversations.transcript_reading import Transcripts
from palimp_daemon.features.removed_code.edits import Edits
from palimp_daemon.features.removed_code.git_history import GitHistory
from palimp_daemon.features.rules.rule_guard import RuleGuard
from palimp_daemon.features.sessions.acting import Acting
from palimp_daemon.features.sessions.arrivals import Arrivals
from palimp_daemon.features.sessions.calling_sessions import CallingSessions
from palimp_daemon.features.sessions.edits_told import edits_told, id_of_part
from palimp_daemon.features.sessions.held_back import HeldBack
from palimp_daemon.features.sessions.repository_identity import Identities
from palimp_daemon.features.sessions.session_context import COMPACTED, Contexts
from palimp_daemon.features.sessions.subagent_pointer import POINTER
from palimp_daemon.features.sessions.transcript_watch import TranscriptWatch
from palimp_daemon.features.sessions.usage_notes import UsageNotes
from palimp_daemon.render.frame import is_frame_at_start, with_tools_named
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.project_switch import OFF
from palimp_daemon.settings.resolver import Settings
from palimp_protocol.env import clock
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.hooks import HOOK_DEADLINES_S, HOOK_MARGIN_S, KEPT_EVENTS, SHELLS
from palimp_protocol.messages.caller import Caller, SessionRef
from palimp_protocol.messages.hook_messages import Hook, HookAnswer
from palimp_protocol.text import without_control

_OF_ALL_AGENTS: Final = ("SubagentStart", "PreToolUse", "PostToolUse", "PostToolUseFailure")
"""Events that count from any agent; others only from the session itself."""

_SHOWING: Final = ("SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse")
"""Events answered from the folder's memories; the client waits for it."""

_AROUND_ACTS: Final = ("PreToolUse", "PostToolUse")
"""Events around an act; other answers are counted elsewhere."""

CONFIRM_SHARE: Final = 0.6
"""Share of the deadline for confirming the folder's repository, in some milliseconds, if the hook does not state its
sending time; else all remaining time. If git is slower, nothing is shown; the next event may find it done."""

_TURN_OVER: Final = ("Stop", "PreCompact", "SessionEnd")
"""Events at which a transcript is read, or skipped if the project is off."""

_WITH_TRANSCRIPT: Final = (*_TURN_OVER, "SessionStart", "UserPromptSubmit", "PostToolUse")
"""Events that need the transcript's place; before a tool's use, nothing does."""

SESSIONS_TOLD_MAX: Final = 1_024
"""Sessions told that their project is off; users have tens."""

ASKED_CHARACTERS_MAX: Final = 1_000
"""Characters kept of a session's last prompt: more than a reason has."""

CLOCK_JUMP_S: Final = 3_600.0
"""Seconds; hooks that seem to have waited longer were sent before the clock changed."""

IDLE_S_MAX: Final = 10 * 365 * 86_400.0
"""Seconds; a session silent for longer is none."""

NOTHING: Final = HookReply()
GIVEN: Final = "palimp gave this session what earlier ones noted; `palimp context` shows it."
"""Shown to the user when a session starts with memories."""

_STARTED: Final = "startup"
"""Why a new session starts, without any work yet."""


class HookServices(NamedTuple):
    """The services that hooks call."""

    edits: Edits
    git_history: GitHistory
    contexts: Contexts
    captures: Captures
    transcripts: Transcripts
    acting: Acting
    rules: RuleGuard
    watch: TranscriptWatch
    identities: Identities
    usage: UsageNotes


class Hooks:
    """Answers hooks. *is_off* tells whether a person switched a project off."""

    def __init__(
        self,
        services: HookServices,
        settings: Settings,
        is_off: Callable[[Caller], bool],
        log: Log,
    ) -> None:
        self._edits = services.edits
        self._captures = services.captures
        self._git_history = services.git_history
        self._transcripts = services.transcripts
        self._context = services.contexts
        self._acting = services.acting
        self._rules = services.rules
        self._watch = services.watch
        self._identities = services.identities
        self._usage = services.usage
        self._settings = settings
        self._log = log
        self._is_off = is_off
        self.calling = CallingSessions()
        self._arrivals = Arrivals()
        self._held_back = HeldBack()
        self._asked: BoundedDict[str, str] = BoundedDict(SESSIONS_TOLD_MAX)
        self._compacted: BoundedDict[str, None] = BoundedDict(SESSIONS_TOLD_MAX)
        """Sessions compacted and not restarted: not every client reports the restart."""
        self._told_off: BoundedDict[str, None] = BoundedDict(SESSIONS_TOLD_MAX)
        self._patience = settings.current(None).number("hooks.patience")

    async def answer(self, request: Hook, caller: Caller, request_id: bytes) -> HookAnswer:
        """Return the output of the hook.

        Raises:
            PalimpError: a record could not be written; the hook keeps it and sends it again.
        """
        if request.event not in self._handlers or caller.session is None or _is_of_agent(request):
            return HookAnswer()
        key = caller.session.key
        self.calling.note_event(caller, request.event, trio.current_time())
        began = trio.current_time()
        if not self._arrivals.register(request, key, request_id, began):
            return HookAnswer()
        try:
            reply = await self._reply(request, caller, request_id)
        except PalimpError as error:
            self._arrivals.forget(request, key)
            self._log("hook_failed", event_name=request.event, code=error.code)
            if request.event in KEPT_EVENTS and not _line(request.input):
                raise
            reply = _refusal_reply(error) if request.event == "SessionStart" else NOTHING
        except Exception as error:  # noqa: BLE001  a bug must not stop an agent
            self._log.bug(error)
            return HookAnswer()
        output = self._shown_reply(request, caller, caller.session, reply)
        self._usage.note_hook(caller, request.event, trio.current_time() - began)
        return HookAnswer(output=output)

    async def _reply(self, request: Hook, caller: Caller, request_id: bytes) -> HookReply:
        request = await self._with_transcript(request, caller)
        is_known = await self._is_confirmed(request, caller)
        if self._is_off(caller):
            return await self._off(request, caller)
        if not is_known:
            return await self._not_confirmed(request, caller)
        return await self._handlers[request.event](self, request, caller, request_id)

    def _shown_reply(self, request: Hook, caller: Caller, session: SessionRef, reply: HookReply) -> str:
        dialect = dialect_named(session.client)
        if dialect and not dialect.tells_before:
            reply = reply._replace(context=self._held_back.told_at(request, session.key, reply.context))
        if request.event in _AROUND_ACTS:
            self._usage.note(caller, "action", f"{reply.context}{reply.denial}{reply.question}")
        prefix = self._settings.current(None).text("mcp.tool_prefix")
        return output_of(request.event, HookReply(*(without_control(with_tools_named(text, prefix)) for text in reply)))

    async def _with_transcript(self, request: Hook, caller: Caller) -> Hook:
        if request.event != "SessionStart":  # nothing was said yet
            self._watch.watch(caller, is_turn_over=request.event in _TURN_OVER)
        if request.event not in _WITH_TRANSCRIPT or request.input.get("agent_id"):
            return request  # a subagent may have one of its own
        path = await self._watch.path_of(caller, text_of(request.input, "transcript_path"))
        return replace(request, input={**request.input, "transcript_path": path})

    async def _is_confirmed(self, request: Hook, caller: Caller) -> bool:
        within_s = math.inf
        if request.event in _SHOWING:
            within_s = self._left_s(request) * (1.0 if request.sent_at else CONFIRM_SHARE)
        with trio.move_on_after(within_s) as waited:
            await self._identities.confirm(caller)
        return not waited.cancelled_caught

    async def _not_confirmed(self, request: Hook, caller: Caller) -> HookReply:
        self._log("repository_not_confirmed_in_time", event_name=request.event)
        if request.event == "PreToolUse":
            for edit in edits_told(request.input, caller):
                verdict = await self._edits.before(edit, self._left_s(request))
                if edit.is_cut and verdict.level:
                    return HookReply(verdict.text)
        if request.event == "SessionStart":
            self._captures.remember_path(caller, text_of(request.input, "transcript_path"))
            await self._edits.refresh_soon(caller)
            self._git_history.wake(caller)
        return NOTHING

    async def _off(self, request: Hook, caller: Caller) -> HookReply:
        assert caller.session  # noqa: S101  without one nobody gets here
        if request.event in _TURN_OVER:
            await self._captures.pass_over(caller, text_of(request.input, "transcript_path"))
            self._transcripts.queue_reading(caller, text_of(request.input, "transcript_path"))
        if request.event not in ("SessionStart", "UserPromptSubmit") or caller.session.key in self._told_off:
            return NOTHING
        self._told_off[caller.session.key] = None
        return HookReply(OFF)

    def _left_s(self, request: Hook) -> float:
        late_s = (clock.now_ms() - request.sent_at) / 1000 if request.sent_at else 0.0
        # A clock that was set meanwhile must not make it deaf for long.
        late_s = late_s if 0 <= late_s < CLOCK_JUMP_S else 0.0
        return max(0.0, (HOOK_DEADLINES_S[request.event] - HOOK_MARGIN_S) * self._patience - late_s)

    async def _session_start(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        text = ""
        dialect = dialect_named(caller.session.client) if caller.session else None
        if text_of(request.input, "source") == _STARTED and (dialect is None or dialect.ends_commands):
            self._rules.begin(caller)
        if caller.session:
            self._compacted.pop(caller.session.key, None)
        with trio.move_on_after(self._left_s(request)):
            text = await self._context.at_start(caller, text_of(request.input, "source"), _idle_s(request.input))
        # Behind the answer: reading a large tree takes the processor that the answer needs.
        await self._edits.refresh_soon(caller)
        self._git_history.wake(caller)
        is_shown = text and dialect and dialect.shows_remarks and text_of(request.input, "source") != COMPACTED
        return HookReply(text, warning=GIVEN if is_shown else "")

    async def _subagent_start(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        text = ""
        with trio.move_on_after(self._left_s(request)):
            text = await self._context.pointer(caller)
        return HookReply(text)

    async def _prompt(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        assert caller.session  # noqa: S101  without one nobody gets here
        self._asked[caller.session.key] = text_of(request.input, "prompt")[:ASKED_CHARACTERS_MAX]
        text, left_s = "", self._left_s(request)
        if caller.session.key in self._compacted:
            del self._compacted[caller.session.key]
            with trio.move_on_after(left_s):
                text = await self._context.at_start(caller, COMPACTED)
            return HookReply(text)
        with trio.move_on_after(left_s):
            text = await self._context.with_prompt(caller, text_of(request.input, "prompt"), left_s)
        return HookReply(text)

    async def _before_tool(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        given, tool_input = request.input, mapping_of(request.input, "tool_input")
        agent = text_of(given, "agent_id")
        dialect = dialect_named(caller.session.client) if caller.session else None
        can_ask = bool(dialect and dialect.asks)
        reminder = await self._rules.before(caller, given, tool_input, self._left_s(request), can_ask=can_ask)
        beside = reminder.seqs if reminder else ()
        told = await self._acting.before(
            caller, text_of(given, "tool_name"), tool_input, self._left_s(request), agent, beside
        )
        verdicts = [await self._edits.before(edit, self._left_s(request)) for edit in edits_told(given, caller)]
        if verdicts:
            self._git_history.wake_once(caller)
        denials = [verdict.text for verdict in verdicts if verdict.level == "deny"]
        if reminder and reminder.manner == "refuse":
            self._rules.note(caller, reminder, agent)
            denials.insert(0, reminder.text)
        if denials:
            # Nothing else: what is denied is looked at anew, and the same edit comes back with its memories.
            return HookReply(denial="\n\n".join(denials))
        if told:
            self._acting.note(caller, told, agent)
        if reminder:
            self._rules.note(caller, reminder, agent)
            if agent:
                self._acting.note_beside(caller, agent, reminder.seqs)
        if dialect and not dialect.ends_commands and _line(given):
            await self._rules.after(caller, given, tool_input, is_well=False)
        asks = reminder is not None and reminder.manner == "ask"
        said = [each.text for each in (None if asks else reminder, *verdicts, told) if each]
        return HookReply("\n\n".join(filter(None, said)), question=reminder.text if reminder and asks else "")

    async def _after_tool(self, request: Hook, caller: Caller, request_id: bytes) -> HookReply:
        asked = self._asked.get(caller.session.key, "") if caller.session else ""
        edits = edits_told(request.input, caller, asked)
        self._usage.wrote(
            caller, text_of(request.input, "tool_name"), mapping_of(request.input, "tool_input"), is_edit=bool(edits)
        )
        if edits:
            self._acting.note_edit(caller)
            for number, edit in enumerate(edits):
                await self._edits.after(edit, id_of_part(request_id, number))
        elif line := _line(request.input):
            await self._acting.note_success(caller, line)
        await self._rules.after(caller, request.input, mapping_of(request.input, "tool_input"), is_well=True)
        return NOTHING

    async def _after_failure(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        line = _line(request.input)
        if line and request.input.get("is_interrupt") is not True:
            await self._acting.note_failure(caller, line, text_of(request.input, "error"))
            await self._rules.after(caller, request.input, mapping_of(request.input, "tool_input"), is_well=False)
        return NOTHING

    async def _stop(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        await self._edits.settle_soon(caller, is_last=False)
        self._git_history.wake(caller)  # the turn may have committed something
        asked = self._asked.get(caller.session.key, "") if caller.session else ""
        self._usage.turn_over(caller, asked)
        self._transcripts.queue_reading(caller, text_of(request.input, "transcript_path"))
        await self._captures.turn_ended(caller, text_of(request.input, "transcript_path"))
        return NOTHING

    async def _compaction(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        if caller.session:
            self._compacted[caller.session.key] = None
        self._transcripts.queue_reading(caller, text_of(request.input, "transcript_path"))
        await self._captures.capture_before_pause(caller, text_of(request.input, "transcript_path"), is_over=False)
        return NOTHING

    async def _session_end(self, request: Hook, caller: Caller, _: bytes) -> HookReply:
        await self._edits.settle_soon(caller, is_last=True)
        self._git_history.wake(caller)
        self._transcripts.queue_reading(caller, text_of(request.input, "transcript_path"))
        await self._captures.capture_before_pause(caller, text_of(request.input, "transcript_path"), is_over=True)
        return NOTHING

    _handlers: ClassVar[dict[str, Callable[..., Awaitable[HookReply]]]] = {
        "SessionStart": _session_start,
        "SubagentStart": _subagent_start,
        "UserPromptSubmit": _prompt,
        "PreToolUse": _before_tool,
        "PostToolUse": _after_tool,
        "PostToolUseFailure": _after_failure,
        "Stop": _stop,
        "PreCompact": _compaction,
        "SessionEnd": _session_end,
    }


def _line(given: Mapping[str, Any]) -> str:
    return text_of(mapping_of(given, "tool_input"), "command") if given.get("tool_name") in SHELLS else ""


def _refusal_reply(error: PalimpError) -> HookReply:
    """Report an unusable store: every other hook is silent then."""
    if error.code != ErrorCode.STORE_UNAVAILABLE:
        return NOTHING
    problem = " ".join(f"{error.text} {error.hint}".split())
    told = f"palimp's memory cannot be used, so nothing is recalled or saved in this session. Tell the user: {problem}"
    return HookReply(told, warning=f"palimp: {problem}")


def _is_of_agent(request: Hook) -> bool:
    """Tell whether a prompt is a subagent's task after palimp's text to it, as some clients submit."""
    prompt = text_of(request.input, "prompt")
    if request.event == "UserPromptSubmit" and (prompt.startswith(POINTER) or is_frame_at_start(prompt)):
        return True
    return bool(request.input.get("agent_id")) and request.event not in _OF_ALL_AGENTS


def _idle_s(given: Mapping[str, Any]) -> float:
    idle_s = given.get(IDLE_KEY)
    return float(idle_s) if isinstance(idle_s, int | float) and 0 <= idle_s < IDLE_S_MAX else 0.0
