"""Gemini CLI: events of its own names, run with 0.61.

Nothing that it says has an id of the tool's use, and paths may be relative. What is context is taken at a start, with a
prompt and after a tool, and not before one: there only a denial is. AfterTool is heard of failures, too, which a field
or, of the shell, the last lines of the answer tell. PreCompress comes before every request, whether anything is
compressed or not, but for `/compress`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from palimp_protocol.dialects.event import Dialect, HookEvent, HookReply, mapping_of, said, text_of, written
from palimp_protocol.dialects.gemini_tools import former_text_of, tool_of

EVENTS: Final = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "AfterAgent": "Stop",
    "PreCompress": "PreCompact",
    "SessionEnd": "SessionEnd",
}
"""The events by the client's names, and what they are called here."""

FAILED: Final = "PostToolUseFailure"
"""What AfterTool is when the tool failed."""

TAKING: Final = {"SessionStart": "SessionStart", "UserPromptSubmit": "BeforeAgent", "PostToolUse": "AfterTool"} | {
    FAILED: "AfterTool"
}
"""The events at which context reaches the model."""

_TEXTS: Final = {"transcript_path": "transcript_path"}
_OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "SessionStart": {"source": "source"},
    "PreCompact": {"trigger": "trigger"},
}
"""What is told of an event beside where the transcript is, and how that is called here."""

_CONTEXT: Final = ("<hook_context>", "</hook_context>")
"""What stands around the context of a session's start, with which the first prompt begins; in it no `<` stands."""

_FILES: Final = "\n--- Content from referenced files ---"
"""What the content of files that a prompt names begins with."""

_UNTRUSTED: Final = ("<untrusted_context>\n", "\n</untrusted_context>")
_OUTPUT: Final = "Output: "
_NO_OUTPUT: Final = "(empty)"
_CANCELLED: Final = "Command was cancelled by user"
_TIMED_OUT: Final = "Command was automatically cancelled"
_ABOUT: Final = re.compile(r"(Exit Code|Signal|Background PIDs|Process Group PGID): [\w, -]+")
"""The lines behind the output of a command; a command that worked has neither of the first two."""

_ABOUT_MAX: Final = 4
"""Trailing status lines that are parsed."""


def event_of(name: str, given: Mapping[str, Any]) -> HookEvent | None:
    """Return the event *name* as Gemini CLI says it in *given*; None: there is nothing to do about it."""
    session, event = text_of(given, "session_id"), EVENTS.get(name)
    if event is None or not session or given.get("hook_event_name", name) != name:
        return None
    folder = text_of(given, "cwd")
    told = said(given, {**_TEXTS, **_OWN.get(event, {})})
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
    """Return *reply* as Gemini CLI takes it at *event*."""
    output: dict[str, Any] = {}
    if event == "PreToolUse" and reply.denial:
        output = {"decision": "deny", "reason": reply.denial}
    elif event in TAKING and reply.context:
        output = {"hookSpecificOutput": {"hookEventName": TAKING[event], "additionalContext": reply.context}}
    if reply.warning:
        output["systemMessage"] = reply.warning
    return written(output)


def typed_in(prompt: str) -> str:
    """Return what a person typed of *prompt*, without what hooks and the client put around it."""
    begin, end = _CONTEXT
    if prompt.startswith(begin):
        prompt = prompt.partition(end)[2]
    return prompt.partition(_FILES)[0].strip()


def _failure_in(given: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return how the tool's use failed that *given* is about; None: it did not."""
    response = mapping_of(given, "tool_response")
    if error := text_of(mapping_of(response, "error"), "message"):
        return {"error": error}
    return _failure_of_command(_text_in(response.get("llmContent"))) if told.get("tool_name") == "Bash" else None


def _failure_of_command(answer: str) -> dict[str, Any] | None:
    """Return how a command failed that the shell's *answer* is about; None: it did not, or still runs."""
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
    """Return the text of an answer: one text, or a list of texts and of objects that have one."""
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [mapping_of({"": part}, "").get("text", part) for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


DIALECT: Final = Dialect("gemini", event_of, output_of, tells_before=False)
