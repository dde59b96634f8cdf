"""Export, import and backup: what answers each."""

from collections.abc import Callable

from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation
from palimp_daemon.features.transfer.service import Transfers
from palimp_protocol.messages.transfer import ImportPage


def bindings(transfers: Transfers, on_save: Callable[[], None] | None) -> Bindings:
    """Return what answers export, import and backup; *on_save* is called after memories were imported."""

    async def import_file(call: Invocation) -> ImportPage:
        page = await transfers.import_file(call.request, call.caller)
        if on_save and page.imported:
            on_save()
        return page

    return {
        "export": Binding(AsyncHandler(lambda call: transfers.export(call.request, call.caller))),
        "import_file": Binding(AsyncHandler(import_file)),
        "backup": Binding(AsyncHandler(lambda call: transfers.backup(call.request))),
    }
