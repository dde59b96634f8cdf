"""Gemini CLI, run with 0.61.

Uses of tools have no id, paths may be relative. AfterTool also follows failures. PreCompress means a compression only
after `/compress`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from palimp_clients.gemini.gemini_tools import former_text_of, tool_of
from palimp_clients.hooks.event import Dialect, HookEvent, HookReply, json_line, mapping_of, pick_texts, text_of

EVENTS: Final = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "PreCompress": "PreCompact",
    "SessionEnd": "SessionEnd",
}

FAILED: Final = "PostToolUseFailure"
"""Our name of AfterTool when the tool failed."""

TAKING: Final = {"SessionStart": "SessionStart", "UserPromptSubmit": "BeforeAgent", "PostToolUse": "AfterTool"} | {
    FAILED: "AfterTool"
}
"""Events with context that reaches the model."""

_TEXTS: Final = {"transcript_path": "transcript_path"}
_OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "SessionStart": {"source": "source"},
    "PreCompact": {"trigger": "trigger"},
}
"""Other fields of an event, and our names for them."""

_CONTEXT: Final = ("<hook_context>", "</hook_context>")
"""Marks around the start's context in the first prompt, which has no `<`."""

_FILES: Final = "\n--- Content from referenced files ---"
"""Start of the contents of files that a prompt names."""

_UNTRUSTED: Final = ("<untrusted_context>\n", "\n</untrusted_context>")
_OUTPUT: Final = "Output: "
_NO_OUTPUT: Final = "(empty)"
_CANCELLED: Final = "Command was cancelled by user"
_TIMED_OUT: Final = "Command was automatically cancelled"
_ABOUT: Final = re.compile(r"(Exit Code|Signal|Background PIDs|Process Group PGID): [\w, -]+")
"""Lines behind a command's output; after success, neither of the first two."""

_ABOUT_MAX: Final = 4
"""Trailing status lines that are parsed."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event; None: unused."""
    session, event = text_of(given, "session_id"), EVENTS.get(name)
    if event is None or not session or given.get("hook_event_name", name) != name:
        return None
    folder = text_of(given, "cwd")
    told = pick_texts(given, {**_TEXTS, **_OWN.get(event, {})})
    if event == "PreCompact" and told.get("trigger") != "manual":
        return None
    if event == "UserPromptSubmit":
        prompt = typed_in(text_of(given, "prompt"))
        return HookEvent(event, session, folder, {**told, "prompt": prompt}) if prompt else None
    if event in ("PreToolUse", "PostToolUse"):
        told |= tool_of(given, folder)
    if event == "PostToolUse":
        failure = _failure_in(given, told)
        told |= former_text_of(given) if failure is None else failure
        event = event if failure is None else FAILED
    return HookEvent(event, session, folder, told)


def output_of(event: str, reply: HookReply) -> str:
    """Return *reply* in Gemini CLI's form."""
    output: dict[str, Any] = {}
    if event == "PreToolUse" and reply.denial:
        output = {"decision": "deny", "reason": reply.denial}
    elif event in TAKING and reply.context:
        output = {"hookSpecificOutput": {"hookEventName": TAKING[event], "additionalContext": reply.context}}
    if reply.warning:
        output["systemMessage"] = reply.warning
    return json_line(output)


def typed_in(prompt: str) -> str:
    """Return the typed part of *prompt*."""
    begin, end = _CONTEXT
    if prompt.startswith(begin):
        prompt = prompt.partition(end)[2]
    return prompt.partition(_FILES)[0].strip()


def _failure_in(given: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any] | None:
    response = mapping_of(given, "tool_response")
    if error := text_of(mapping_of(response, "error"), "message"):
        return {"error": error}
    return _failure_of_command(_text_in(response.get("llmContent"))) if told.get("tool_name") == "Bash" else None


def _failure_of_command(answer: str) -> dict[str, Any] | None:
    answer = answer.removeprefix(_UNTRUSTED[0]).removesuffix(_UNTRUSTED[1])
    if answer.startswith(_CANCELLED):
        return {"is_interrupt": True}
    if answer.startswith(_TIMED_OUT):
        return {"error": answer}
    output, has_failed = answer, False
    for _ in range(_ABOUT_MAX):
        before, _, last = output.rpartition("\n")
        about = _ABOUT.fullmatch(last)
        if about is None:
            break
        has_failed = has_failed or about[1] in ("Exit Code", "Signal")
        output = before
    if not has_failed:
        return None
    output = output.removeprefix(_OUTPUT)
    return {} if output in ("", _NO_OUTPUT) else {"error": output}


def _text_in(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [mapping_of({"": part}, "").get("text", part) for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


DIALECT: Final = Dialect("gemini", event_of, output_of, tells_before=False)
