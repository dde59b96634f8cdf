"""Bind the operations on removed code to their handlers and texts."""

from collections.abc import Callable

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
from palimp_daemon.features.removed_code.git_import import Importer
from palimp_daemon.features.removed_code.handlers import dismiss_change, list_changes, show_change
from palimp_daemon.render.changes import checked_text
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.removed_code import ImportStatus


def bindings(jobs: StoreJobs, checks: Checks, importer: Importer, ask_messages: Callable[[Caller], None]) -> Bindings:
    """Bind the operations on removed code; *ask_messages* has the commits' messages read, too."""

    async def import_changes(call: Invocation) -> ImportStatus:
        if call.request.start:
            importer.request_read(call.caller, call.request.since)
            ask_messages(call.caller)
        return await importer.status(call.caller)

    return {
        "check_change": Binding(AsyncHandler(lambda call: checks.check(call.request, call.caller)), checked_text),
        "list_changes": Binding(StoreHandler(jobs, StoreWork(list_changes))),
        "show_change": Binding(StoreHandler(jobs, StoreWork(show_change))),
        "dismiss_change": Binding(StoreHandler(jobs, StoreWork(dismiss_change))),
        "import_changes": Binding(AsyncHandler(import_changes)),
    }
