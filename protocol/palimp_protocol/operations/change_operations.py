"""Operations on removed code, and hooks."""

from typing import Final

from palimp_protocol.messages import removed_code
from palimp_protocol.messages.hooks import Hook, HookAnswer
from palimp_protocol.operations.operation import Operation, reads, touches_nothing, writes

CHANGE_OPERATIONS: Final = (
    Operation(
        name="check_change",
        toolset="changes",
        title="Check for removed code",
        request=removed_code.CheckChange,
        reply=removed_code.ChangeChecked,
        access=touches_nothing,
        read_only=True,
        description=(
            "Ask, before writing a larger piece of code, whether it reintroduces code that was removed here: when,"
            " in which commit or session, and why. Not needed with palimp's hooks: they check edits."
        ),
    ),
    Operation(
        name="list_changes",
        toolset="changes",
        title="List removed code",
        request=removed_code.ListChanges,
        reply=removed_code.ChangeList,
        access=reads,
        is_tool=False,
        read_only=True,
        description="List removed code, newest first.",
    ),
    Operation(
        name="show_change",
        toolset="changes",
        title="Show removed code",
        request=removed_code.ShowChange,
        reply=removed_code.RemovedHunk,
        access=reads,
        is_tool=False,
        read_only=True,
        description="Show one hunk of removed code with its lines.",
    ),
    Operation(
        name="dismiss_change",
        toolset="changes",
        title="Dismiss removed code",
        request=removed_code.DismissChange,
        reply=removed_code.RemovedHunk,
        access=writes,
        is_tool=False,
        description="Stop watching for a hunk in this project, or watch for it again.",
    ),
    Operation(
        name="import_changes",
        toolset="changes",
        title="Read git's history",
        request=removed_code.ImportChanges,
        reply=removed_code.ImportStatus,
        access=touches_nothing,
        is_tool=False,
        description="Read what was removed in the project's git history, or say how far that is.",
    ),
    Operation(
        name="hook",
        toolset="changes",
        title="A client's hook",
        request=Hook,
        reply=HookAnswer,
        access=touches_nothing,
        is_tool=False,
        checks_repository=False,  # it does so itself, within the time that a hook has
        description="Tell what happened in an agent's session; answers with what the hook prints.",
    ),
)
