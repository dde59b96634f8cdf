"""Events, deadlines and the switch, shared by hooks and daemon."""

from collections.abc import Mapping
from typing import Final

HOOKS_OFF: Final = "PALIMP_HOOKS_OFF"
"""Variable that disables hooks in programs started by palimp: their sessions are not the user's."""

HOOK_DEADLINES_S: Final[Mapping[str, float]] = {
    "SessionStart": 0.3,
    "UserPromptSubmit": 0.2,
    "PreToolUse": 0.2,
    "PostToolUse": 0.1,
    "PostToolUseFailure": 0.1,
    "Stop": 0.1,
    "SubagentStart": 0.2,
    "SubagentStop": 0.1,
    "PreCompact": 0.1,
    "SessionEnd": 0.1,
}
"""Seconds that a hook waits for the daemon, by event."""

HOOK_MARGIN_S: Final = 0.03
"""Seconds by which the daemon must answer earlier, for the way back."""

EDITING_TOOLS: Final = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "Delete", "ApplyPatch"})
"""Tools that change files: Claude Code's first four, and translated names of other clients."""

SHELLS: Final = frozenset({"Bash"})
"""Tools that run shell lines, by translated names."""

TOOL: Final = "hook_event"
"""Unlisted tool that clients call instead of a hook's process; unlisted, it costs a model nothing."""

KEPT_EVENTS: Final = frozenset({"PostToolUse", "PreCompact", "SessionEnd"})
"""Events not to be lost (edits, requests to read a session): a hook keeps and resends them. Of tools only
EDITING_TOOLS.
"""


def patience(env: Mapping[str, str]) -> int:
    """Return the factor for deadlines: hooks.patience, from a hook's environment."""
    given = env.get("PALIMP_HOOKS_PATIENCE", "")
    return max(1, int(given)) if given.isdecimal() else 1
