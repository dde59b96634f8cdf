"""Operations on removed code, and hooks."""

from functools import partial
from typing import Final

from palimp_protocol.messages import removed_code
from palimp_protocol.messages.hook_messages import Hook, HookAnswer
from palimp_protocol.operations.operation import Operation, reads, writes

_for_agents = partial(Operation, toolset="changes")
_in_terminal = partial(Operation, toolset="changes", is_tool=False)

CHANGE_OPERATIONS: Final = (
    _for_agents(
        "check_change",
        "Check for removed code",
        removed_code.CheckChange,
        removed_code.ChangeChecked,
        "Ask, before writing a larger piece of code, whether it reintroduces code that was removed here: when,"
        " in which commit or session, and why. Not needed with palimp's hooks: they check edits.",
        read_only=True,
    ),
    _in_terminal(
        "list_changes",
        "List removed code",
        removed_code.ListChanges,
        removed_code.ChangeList,
        "List removed code, newest first.",
        access=reads,
    ),
    _in_terminal(
        "show_change",
        "Show removed code",
        removed_code.ShowChange,
        removed_code.RemovedHunk,
        "Show one hunk of removed code with its lines.",
        access=reads,
    ),
    _in_terminal(
        "dismiss_change",
        "Dismiss removed code",
        removed_code.DismissChange,
        removed_code.RemovedHunk,
        "Stop watching for a hunk in this project, or watch for it again.",
        access=writes,
    ),
    _in_terminal(
        "import_changes",
        "Read git's history",
        removed_code.ImportChanges,
        removed_code.ImportStatus,
        "Read what was removed in the project's git history, or say how far that is.",
    ),
    _in_terminal(
        "hook",
        "A client's hook",
        Hook,
        HookAnswer,
        "Tell what happened in an agent's session; answers with what the hook prints.",
        checks_repository=False,
    ),
)
