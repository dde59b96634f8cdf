"""Bindings of the operations on removed code."""

from msgspec.structs import replace

from palimp_daemon.features.handler import (
    AsyncHandler,
    Binding,
    Bindings,
    Invocation,
    StoreHandler,
    StoreJobs,
    StoreWork,
)
from palimp_daemon.features.removed_code.check import Checks
from palimp_daemon.features.removed_code.git_history import GitHistory
from palimp_daemon.features.removed_code.removed_code_handlers import dismiss_change, list_changes, show_change
from palimp_daemon.render.changes_text import checked_text
from palimp_protocol.messages.removed_code import ChangeChecked, ImportStatus


def bindings(jobs: StoreJobs, checks: Checks, history: GitHistory) -> Bindings:
    """Bind the operations on removed code."""

    async def check_change(call: Invocation) -> ChangeChecked:
        known = await history.await_progress(call.caller) if call.caller.project else None
        checked = await checks.check(call.request, call.caller)
        return replace(checked, history=known.state, history_note=known.note) if known else checked

    async def import_changes(call: Invocation) -> ImportStatus:
        if call.request.start:
            history.request(call.caller, call.request.since)
        return await history.status(call.caller)

    return {
        "check_change": Binding(AsyncHandler(check_change), checked_text),
        "list_changes": Binding(StoreHandler(jobs, StoreWork(list_changes))),
        "show_change": Binding(StoreHandler(jobs, StoreWork(show_change))),
        "dismiss_change": Binding(StoreHandler(jobs, StoreWork(dismiss_change))),
        "import_changes": Binding(AsyncHandler(import_changes)),
    }
