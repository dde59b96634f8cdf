"""Events, deadlines and the switch, shared by hooks and daemon."""

from collections.abc import Mapping
from typing import Final

HOOKS_OFF: Final = "PALIMP_HOOKS_OFF"
"""The variable under which hooks do nothing: set for programs that palimp starts, whose own sessions are none of the
user's."""

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
"""How long a hook waits for the daemon's answer, by event."""

HOOK_MARGIN_S: Final = 0.03
"""How much sooner the daemon must have the answer ready: it has a way to go."""

EDITING_TOOLS: Final = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit", "Delete", "ApplyPatch"})
"""Tools that change files. Claude Code has the first four; the names that others give theirs are translated."""

SHELLS: Final = frozenset({"Bash"})
"""Tools that run a line for the shell, by the name that all have here."""

TOOL: Final = "hook_event"
"""The tool that clients call in place of a hook's process. It is not listed, so that it costs a model nothing."""

KEPT_EVENTS: Final = frozenset({"PostToolUse", "PreCompact", "SessionEnd"})
"""Events of which nothing may be lost, an edit and that a session is to be looked through: a hook keeps one that could
not be stored, and sends it again. Of tools only EDITING_TOOLS: that a command worked or failed may be lost."""


def patience(env: Mapping[str, str]) -> int:
    """Return the factor for deadlines: hooks.patience, from a hook's environment."""
    given = env.get("PALIMP_HOOKS_PATIENCE", "")
    return max(1, int(given)) if given.isdecimal() else 1
