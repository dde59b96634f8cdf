"""What palimp does when something happens in an agent's session: the answers to Claude Code's hooks.

An answer is what the hook's process prints: a line of JSON as the client's documentation describes it, or nothing.
Nothing here may stop an agent: whatever goes wrong is logged, and the answer is nothing. Only that the store cannot be
used is said, at a session's start.
"""

import json
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Final, NamedTuple, cast

import trio

from palimp_daemon.features.capture.service import Captures
from palimp_daemon.features.conversations.commits import CommitMessages
from palimp_daemon.features.conversations.transcripts import Transcripts
from palimp_daemon.features.removed_code.git_import import Importer
from palimp_daemon.features.removed_code.service import Edit, Edits
from palimp_daemon.features.sessions.acting import Acting
from palimp_daemon.features.sessions.actions import SHELLS
from palimp_daemon.features.sessions.context import Contexts
from palimp_daemon.features.sessions.repository_identity import Identities
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.project_switch import OFF
from palimp_daemon.settings.resolver import PATIENCE_S, Preferences
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.hooks import EDITING_TOOLS, HOOK_DEADLINES_S, HOOK_MARGIN_S, KEPT_EVENTS
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.hooks import Hook, HookAnswer
from palimp_protocol.text import without_control

_OF_ALL_AGENTS: Final = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
"""Events that matter whoever causes them; of the others a subagent's do not count as the user's session's."""

_SHOWING: Final = ("SessionStart", "UserPromptSubmit", "PreToolUse")
"""Events whose answer says something of what is stored for the folder. The client waits for it."""

CONFIRM_SHARE: Final = 0.6
"""Of the time that such an event has, what it may take to make sure that the folder holds the repository whose memories
it is given, where it is not known when it was sent; else all that is left. It takes a few milliseconds, mostly. Where
git takes longer nothing is said, and the next event may find it done."""

_KEPT_OUT: Final = ("Stop", "PreCompact", "SessionEnd")
"""Events at which a transcript is read on; of a project that is off it is passed over then."""

SESSIONS_TOLD_MAX: Final = 1_024
"""Sessions of projects that are off of which it is known that they were told; a user has tens."""

CLOCK_JUMP_S: Final = 3_600.0
"""A hook that seems to have waited longer was sent under another time."""


class HookServices(NamedTuple):
    """The services that hooks call."""

    edits: Edits
    importer: Importer
    contexts: Contexts
    captures: Captures
    transcripts: Transcripts
    commit_messages: CommitMessages
    acting: Acting
    identities: Identities


class Hooks:
    """Answers hooks. *is_off* tells whether a person switched a caller's project off."""

    def __init__(
        self,
        services: HookServices,
        preferences: Preferences,
        is_off: Callable[[Caller], bool],
        log: Log,
    ) -> None:
        self._edits = services.edits
        self._captures = services.captures
        self._importer = services.importer
        self._transcripts = services.transcripts
        self._commit_messages = services.commit_messages
        self._context = services.contexts
        self._acting = services.acting
        self._identities = services.identities
        self._preferences = preferences
        self._log = log
        self._is_off = is_off
        self._told_off: dict[str, None] = {}
        """Sessions that know that their project is off."""
        self._patience = preferences.known(None).number("hooks.patience")

    async def answer(self, request: Hook, caller: Caller, request_id: bytes) -> HookAnswer:
        """Return what the hook prints.

        Raises:
            PalimpError: what was to be recorded was not; the hook keeps it and sends it again.
        """
        handler = self._handlers.get(request.event)
        is_of_subagent = bool(request.input.get("agent_id")) and request.event not in _OF_ALL_AGENTS
        if handler is None or caller.session is None or is_of_subagent:
            return HookAnswer()
        try:
            is_known = await self._is_confirmed(request, caller)
            if self._is_off(caller):
                output = await self._off(request, caller)
            elif not is_known:
                output = await self._not_confirmed(request, caller)
            else:
                output = await handler(self, request, caller, request_id)
        except PalimpError as error:
            self._log("hook_failed", event_name=request.event, code=error.code)
            if request.event in KEPT_EVENTS and not _line(request.input):
                raise
            return HookAnswer(output=_dumped(_refused(error)) if request.event == "SessionStart" else "")
        except Exception as error:  # noqa: BLE001  a bug must not stop an agent
            self._log.bug(error)
            return HookAnswer()
        return HookAnswer(output=_dumped(output))

    async def _is_confirmed(self, request: Hook, caller: Caller) -> bool:
        """Tell whether the folder of *caller* was looked at: in the time there is, where something is to be shown."""
        within_s = math.inf
        if request.event in _SHOWING:
            within_s = self._left_s(request) * (1.0 if request.sent_at else CONFIRM_SHARE)
        with trio.move_on_after(within_s) as waited:
            await self._identities.confirm(caller)
        return not waited.cancelled_caught

    async def _not_confirmed(self, request: Hook, caller: Caller) -> dict[str, Any] | None:
        """Show nothing that is stored to a session of which it is not known yet what its folder holds."""
        self._log("repository_not_confirmed_in_time", event_name=request.event)
        edit = _edit(request.input, caller) if request.event == "PreToolUse" else None
        if edit:
            verdict = await self._edits.before(edit, self._left_s(request))
            return _said("PreToolUse", verdict.text) if edit.is_cut and verdict.level else None
        if request.event == "SessionStart":
            self._captures.heard_of(caller, _text(request.input, "transcript_path"))
            await self._edits.refresh_soon(caller)
            await self._import_soon(caller)
        return None

    async def _off(self, request: Hook, caller: Caller) -> dict[str, Any] | None:
        """Tell a session of a project that is off so, once; store nothing of what happened in it."""
        assert caller.session  # noqa: S101  without one nobody gets here
        if request.event in _KEPT_OUT:
            await self._captures.pass_over(caller, _text(request.input, "transcript_path"))
            self._transcripts.heard_of(caller, _text(request.input, "transcript_path"))
        if request.event not in ("SessionStart", "UserPromptSubmit") or caller.session.key in self._told_off:
            return None
        if len(self._told_off) >= SESSIONS_TOLD_MAX:
            del self._told_off[next(iter(self._told_off))]
        self._told_off[caller.session.key] = None
        return _said(request.event, OFF)

    def _left_s(self, request: Hook) -> float:
        """Return the seconds in which the hook that sent *request* can still be told something."""
        late_s = (time.time_ns() // 1_000_000 - request.sent_at) / 1000 if request.sent_at else 0.0
        # A clock that was set meanwhile must not make it deaf for long.
        late_s = late_s if 0 <= late_s < CLOCK_JUMP_S else 0.0
        return max(0.0, (HOOK_DEADLINES_S[request.event] - HOOK_MARGIN_S) * self._patience - late_s)

    async def _import_soon(self, caller: Caller) -> None:
        if (await self._preferences.of(caller, patience_s=PATIENCE_S)).text("changes.import") == "auto":
            self._importer.ask(caller)
            self._commit_messages.ask(caller)

    async def _session_start(self, request: Hook, caller: Caller, _: bytes) -> dict[str, Any] | None:
        self._captures.heard_of(caller, _text(request.input, "transcript_path"))
        text = ""
        with trio.move_on_after(self._left_s(request)):
            text = await self._context.at_start(caller, _text(request.input, "source"))
        # Behind the answer: reading a large tree takes the processor that the answer needs.
        await self._edits.refresh_soon(caller)
        await self._import_soon(caller)
        return _said("SessionStart", text)

    async def _prompt(self, request: Hook, caller: Caller, _: bytes) -> dict[str, Any] | None:
        self._captures.heard_of(caller, _text(request.input, "transcript_path"))
        text, left_s = "", self._left_s(request)
        with trio.move_on_after(left_s):
            text = await self._context.with_prompt(caller, _text(request.input, "prompt"), left_s)
        return _said("UserPromptSubmit", text)

    async def _before_tool(self, request: Hook, caller: Caller, _: bytes) -> dict[str, Any] | None:
        given = request.input
        agent = _text(given, "agent_id")
        told = await self._acting.before(
            caller, _text(given, "tool_name"), _mapping(given, "tool_input"), self._left_s(request), agent
        )
        edit = _edit(given, caller)
        verdict = await self._edits.before(edit, self._left_s(request)) if edit else None
        if verdict and verdict.level == "deny":
            # Nothing else: what is denied is looked at anew, and the same edit comes back with its memories.
            return {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": without_control(verdict.text),
                }
            }
        if told:
            self._acting.note(caller, told, agent)
        said = [verdict.text if verdict and verdict.level else "", told.text if told else ""]
        return _said("PreToolUse", "\n\n".join(filter(None, said)))

    async def _after_tool(self, request: Hook, caller: Caller, request_id: bytes) -> None:
        if edit := _edit(request.input, caller):
            self._acting.edited(caller)
            await self._edits.after(edit, request_id)
        elif line := _line(request.input):
            await self._acting.worked(caller, line)

    async def _after_failure(self, request: Hook, caller: Caller, _: bytes) -> None:
        line = _line(request.input)
        if line and request.input.get("is_interrupt") is not True:
            await self._acting.failed(caller, line, _text(request.input, "error"))

    async def _stop(self, request: Hook, caller: Caller, _: bytes) -> None:
        await self._edits.settle_soon(caller, is_last=False)
        await self._import_soon(caller)  # the turn may have committed something
        self._transcripts.heard_of(caller, _text(request.input, "transcript_path"))
        await self._captures.turn_ended(caller, _text(request.input, "transcript_path"))

    async def _compaction(self, request: Hook, caller: Caller, _: bytes) -> None:
        self._transcripts.heard_of(caller, _text(request.input, "transcript_path"))
        await self._captures.is_due(caller, _text(request.input, "transcript_path"), is_over=False)

    async def _session_end(self, request: Hook, caller: Caller, _: bytes) -> None:
        await self._edits.settle_soon(caller, is_last=True)
        await self._import_soon(caller)
        self._transcripts.heard_of(caller, _text(request.input, "transcript_path"))
        await self._captures.is_due(caller, _text(request.input, "transcript_path"), is_over=True)

    _handlers: ClassVar[dict[str, Callable[..., Awaitable[dict[str, Any] | None]]]] = {
        "SessionStart": _session_start,
        "UserPromptSubmit": _prompt,
        "PreToolUse": _before_tool,
        "PostToolUse": _after_tool,
        "PostToolUseFailure": _after_failure,
        "Stop": _stop,
        "PreCompact": _compaction,
        "SessionEnd": _session_end,
    }


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""


def _mapping(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = given.get(key)
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _line(given: Mapping[str, Any]) -> str:
    """Return the line for the shell that a hook's input is about; empty: it is about another tool."""
    return _text(_mapping(given, "tool_input"), "command") if given.get("tool_name") in SHELLS else ""


def _edit(given: Mapping[str, Any], caller: Caller) -> Edit | None:
    """Return the edit that a hook's input describes; None when it is of another tool, or not understood."""
    tool, tool_input, response = given.get("tool_name"), given.get("tool_input"), given.get("tool_response")
    if not isinstance(tool, str) or tool not in EDITING_TOOLS or not isinstance(tool_input, dict):
        return None
    return Edit(
        tool=tool,
        input=cast("Mapping[str, Any]", tool_input),
        response=cast("Mapping[str, Any]", response) if isinstance(response, dict) else {},
        transcript=_text(given, "transcript_path"),
        caller=caller,
        is_cut=given.get("is_cut") is True,
    )


def _dumped(output: dict[str, Any] | None) -> str:
    return json.dumps(output, ensure_ascii=False) if output else ""


def _refused(error: PalimpError) -> dict[str, Any] | None:
    """Return what a session is told at its start when *error* says that the store cannot be used.

    Without it nobody would notice: every other hook is silent then. The user is shown it, and the agent is told.
    """
    if error.code != ErrorCode.STORE_UNAVAILABLE:
        return None
    problem = " ".join(f"{error.text} {error.hint}".split())
    told = f"palimp's memory cannot be used, so nothing is recalled or saved in this session. Tell the user: {problem}"
    return {**(_said("SessionStart", told) or {}), "systemMessage": f"palimp: {problem}"}


def _said(event: str, text: str) -> dict[str, Any] | None:
    """Return the answer that adds *text* to what the agent knows."""
    return (
        {"hookSpecificOutput": {"hookEventName": event, "additionalContext": without_control(text)}} if text else None
    )
