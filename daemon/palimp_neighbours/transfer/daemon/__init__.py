"""Export, import and backup in the daemon."""

from palimp_daemon.features.handler import AsyncHandler, Binding, Invocation
from palimp_daemon.features.neighbour import Neighbour, NeighbourBase
from palimp_neighbours.transfer.daemon.transfer_service import Transfers
from palimp_neighbours.transfer.transfer_messages import ImportPage


def build(base: NeighbourBase) -> Neighbour:
    """Return the three operations' neighbour."""
    transfers = Transfers(base.jobs, base.redact)

    async def import_file(call: Invocation) -> ImportPage:
        page = await transfers.import_file(call.request, call.caller)
        if page.imported:
            base.on_save()
        return page

    return Neighbour(
        bindings={
            "export": Binding(AsyncHandler(lambda call: transfers.export(call.request, call.caller))),
            "import_file": Binding(AsyncHandler(import_file)),
            "backup": Binding(AsyncHandler(lambda call: transfers.backup(call.request))),
        }
    )
