"""The request that carries a hook's event, and its answer."""

from typing import Any, Literal

from msgspec import Struct

HookName = Literal[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionEnd",
]


class Hook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened in an agent's session, as its client tells hooks."""

    event: HookName
    input: dict[str, Any]
    sent_at: int = 0
    """Unix milliseconds; 0: not told. Who asks waits for a fraction of a second, and is not told anything later."""


class HookAnswer(Struct, frozen=True, kw_only=True):
    """What the hook prints; empty: nothing."""

    output: str = ""
