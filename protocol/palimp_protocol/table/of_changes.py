"""What is done with removed code, and the hooks."""

from typing import Final

from palimp_protocol import changes
from palimp_protocol.table.operation import Operation, reads, touches_nothing, writes

CHANGE_OPERATIONS: Final = (
    Operation(
        name="check_change",
        toolset="changes",
        title="Was this code removed before?",
        request=changes.CheckChange,
        reply=changes.ChangeChecked,
        access=touches_nothing,
        read_only=True,
        idempotent=True,
        description=(
            "Ask, before writing a larger piece of code, whether it brings back code that was removed here: when,"
            " in which commit or session, and why. Not needed where palimp's hooks are installed: they ask."
        ),
    ),
    Operation(
        name="list_changes",
        toolset="changes",
        title="List removed code",
        request=changes.ListChanges,
        reply=changes.ChangeList,
        access=reads,
        is_tool=False,
        read_only=True,
        idempotent=True,
        description="List code that was taken out, newest first.",
    ),
    Operation(
        name="show_change",
        toolset="changes",
        title="Show removed code",
        request=changes.ShowChange,
        reply=changes.RemovedHunk,
        access=reads,
        is_tool=False,
        read_only=True,
        idempotent=True,
        description="Show one hunk of removed code with its lines.",
    ),
    Operation(
        name="dismiss_change",
        toolset="changes",
        title="Dismiss removed code",
        request=changes.DismissChange,
        reply=changes.RemovedHunk,
        access=writes,
        is_tool=False,
        idempotent=True,
        description="Stop watching for a hunk in this project, or watch for it again.",
    ),
    Operation(
        name="import_changes",
        toolset="changes",
        title="Read git's history",
        request=changes.ImportChanges,
        reply=changes.ImportStatus,
        access=touches_nothing,
        is_tool=False,
        idempotent=True,
        description="Read what was removed in the project's git history, or say how far that is.",
    ),
    Operation(
        name="hook",
        toolset="changes",
        title="A client's hook",
        request=changes.Hook,
        reply=changes.HookAnswer,
        access=touches_nothing,
        is_tool=False,
        description="Tell what happened in an agent's session; answers with what the hook prints.",
    ),
)
