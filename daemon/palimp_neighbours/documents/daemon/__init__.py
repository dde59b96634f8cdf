"""Documents in the daemon: operations, source and search."""

from typing import Any

from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation
from palimp_daemon.features.neighbour import Background, Neighbour, NeighbourBase
from palimp_neighbours.documents.daemon.document_service import Documents
from palimp_neighbours.documents.daemon.document_texts import changed_text, list_text, matches_text, page_text
from palimp_protocol.messages.erasure import Erased


def build(base: NeighbourBase) -> Neighbour:
    """Return the documents."""
    documents = Documents(base.jobs.actor, base.settings, base.jobs.now_ms)
    return Neighbour(
        bindings=_bindings(documents, base),
        alone=[documents],
        background=Background(before_serving=[documents.ranked.run], forget_gone=[documents.ranked.forget_gone]),
    )


def _bindings(documents: Documents, base: NeighbourBase) -> Bindings:
    async def read(call: Invocation) -> Any:
        return await documents.answer(call.operation.name, call.request, call.caller, call.request_id)

    async def write(call: Invocation) -> Any:
        reply = await read(call)
        await base.tell_changed(call.caller)
        return reply

    async def forget(call: Invocation) -> Erased:
        return await base.finish_erasing(await documents.forget(call.request, call.caller, call.request_id))

    reader, writer = AsyncHandler(read), AsyncHandler(write)
    return {
        "list_docs": Binding(reader, list_text),
        "read_doc": Binding(reader, page_text),
        "search_docs": Binding(reader, matches_text),
        "docs_history": Binding(reader),
        "add_doc": Binding(writer, changed_text),
        "edit_doc": Binding(writer, changed_text),
        "delete_doc": Binding(writer, changed_text),
        "restore_doc": Binding(writer),
        "adopt_docs": Binding(writer),
        "repair_docs": Binding(writer),
        "forget_doc": Binding(AsyncHandler(forget)),
    }
