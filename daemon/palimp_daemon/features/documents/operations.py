"""Bind the operations on documents to their handlers and texts."""

from collections.abc import Awaitable, Callable
from typing import Any

from palimp_daemon.features.documents.service import Documents
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation
from palimp_daemon.render.documents import changed_text, list_text, matches_text, page_text
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.erasure import Erased


def bindings(
    documents: Documents,
    on_change: Callable[[Caller], Awaitable[None]],
    finish_erasing: Callable[[Erased], Awaitable[Erased]],
) -> Bindings:
    """Bind the operations on documents; *on_change* is awaited after each change of the list."""

    async def read(call: Invocation) -> Any:
        return await documents.answer(call.operation.name, call.request, call.caller, call.request_id)

    async def write(call: Invocation) -> Any:
        reply = await read(call)
        await on_change(call.caller)
        return reply

    async def forget(call: Invocation) -> Erased:
        return await finish_erasing(await documents.forget(call.request, call.caller, call.request_id))

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
