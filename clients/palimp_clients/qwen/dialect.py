"""Qwen Code: Claude Code's events and answers, with Gemini CLI's tools; run with 0.24.

UserPromptSubmit comes again, empty, after tools; `submitted_prompt` is the typed text. Its own agent writes its memory
after a turn.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from palimp_clients.claude_code import dialect as claude
from palimp_clients.gemini.dialect import typed_in
from palimp_clients.gemini.gemini_tools import former_text_of, tool_of
from palimp_clients.hooks.event import Dialect, HookEvent, HookReply, mapping_of, paths_below, pick_texts, text_of

EVENTS: Final = frozenset(
    {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "PreCompact",
        "SessionEnd",
    }
)

TAKING: Final = frozenset({"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"})
"""Events with context that reaches the model."""

_TEXTS: Final = {key: key for key in ("transcript_path", "source", "trigger", "agent_id", "tool_use_id")}

_MEMORY: Final = re.compile(r"(?:memories|projects/[^/]+/memory)/")
"""Qwen's own memory, below its settings' folder."""

_COMMAND: Final = "Command: "
"""Beginning of the shell's report of a command."""

_SAYS_NOTHING: Final = ("(none)", "(empty)", "")
"""Placeholders for no output, and for no error."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused."""
    session = text_of(given, "session_id")
    if name not in EVENTS or not session or given.get("hook_event_name", name) != name:
        return None
    folder = text_of(given, "cwd")
    told = pick_texts(given, _TEXTS)
    if name == "UserPromptSubmit":
        prompt = text_of(given, "submitted_prompt").strip() or typed_in(text_of(given, "prompt"))
        return HookEvent(name, session, folder, {**told, "prompt": prompt}) if prompt else None
    if name in ("PreToolUse", "PostToolUse", "PostToolUseFailure"):
        told |= tool_of(given, folder)
    event = name
    if name == "PostToolUse":
        answer = text_of(mapping_of(given, "tool_response"), "llmContent")
        if told.get("tool_name") == "Bash" and _status_in(answer) not in ("", "0", "(none)"):
            event, told["error"] = "PostToolUseFailure", _error_in(answer)  # as versions before 0.24 say it
        told |= former_text_of(given)
    if name == "PostToolUseFailure":
        told["error"] = _error_in(text_of(given, "error"))
    if not told.get("error"):
        told.pop("error", None)
    told |= {"is_interrupt": True} if given.get("is_interrupt") is True else {}
    return HookEvent(event, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Qwen Code's form."""
    denial = reply.denial if event == "PreToolUse" else ""
    context = reply.context if event in TAKING else ""
    return claude.output_of(event, HookReply(context, denial, reply.warning))


def is_own_work(event: HookEvent, env: Mapping[str, str]) -> bool:
    """Tell whether *event*'s tool uses a file of Qwen's own memory."""
    home = env.get("QWEN_HOME") or (f"{env['HOME']}/.qwen" if env.get("HOME") else "")
    path = text_of(mapping_of(event.input, "tool_input"), "file_path")
    return any(map(_MEMORY.match, paths_below(home, path)))


def _status_in(answer: str) -> str:
    status = _parts_of(answer)[2]
    return status.partition("\n")[0] if answer.startswith(_COMMAND) else ""


def _error_in(error: str) -> str:
    if not _status_in(error):
        return error
    return "\n".join(part for part in _parts_of(error)[:2] if part not in _SAYS_NOTHING)


def _parts_of(answer: str) -> tuple[str, str, str]:
    output, _, about = answer.partition("\nOutput: ")[2].rpartition("\nError: ")
    why, _, status = about.partition("\nExit Code: ")
    return output, why, status


DIALECT: Final = Dialect("qwen", event_of, output_of, is_own_work=is_own_work, tells_before=False)
