"""Resources: the context of a session's start, memories, documents."""

from typing import Final
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from palimp_daemon.mcp.backend import Backend
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.documents import Doc, DocList, DocPage, ListDocs, ReadDoc
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line, quote_text, without_control

CONTEXT_URI: Final = "palimp://context"
MEMORY_URI: Final = "palimp://memory/"
DOC_URI: Final = "palimp://doc/"

DOCS_LISTED_MAX: Final = 100
"""Documents in the list of resources; the template reaches all."""

COMPLETIONS_MAX: Final = 20

CONTEXT: Final = types.Resource(
    name="context",
    title="Session context",
    uri=CONTEXT_URI,
    description="Decisions, memories relevant to the current work, recently removed code: ids that recall opens.",
    mime_type="text/plain",
)

TEMPLATES: Final = (
    types.ResourceTemplate(
        name="memory",
        title="A memory",
        uri_template=f"{MEMORY_URI}{{id}}",
        description="The whole text of a memory.",
        mime_type="text/plain",
    ),
    types.ResourceTemplate(
        name="document",
        title="A document",
        uri_template=f"{DOC_URI}{{slug}}",
        description="The whole text of a document of the project.",
        mime_type="text/markdown",
    ),
)


async def resource_list(backend: Backend, caller: Caller) -> types.ListResourcesResult:
    """Return the context and the project's documents."""
    documents = [
        types.Resource(
            name=doc.slug, title=one_line(doc.title), uri=DOC_URI + quote(doc.slug), mime_type="text/markdown"
        )
        for doc in await _documents(backend, caller)
    ]
    return types.ListResourcesResult(resources=[CONTEXT, *documents[:DOCS_LISTED_MAX]])


async def read_resource(backend: Backend, caller: Caller, uri: str) -> types.ReadResourceResult:
    """Return the resource at *uri*.

    Raises:
        MCPError: it does not exist, or cannot be read now.
    """
    try:
        if uri == CONTEXT_URI:
            with backend.dispatcher.answering(caller):
                return _text(uri, without_control(await backend.contexts.text(caller)))
        if uri.startswith(MEMORY_URI):
            return _text(uri, await _memory(backend, caller, unquote(uri.removeprefix(MEMORY_URI))))
        if uri.startswith(DOC_URI):
            return _text(uri, await _document(backend, caller, unquote(uri.removeprefix(DOC_URI))), "text/markdown")
    except PalimpError as error:
        raise MCPError(types.INTERNAL_ERROR, str(error)) from None
    known = f"{CONTEXT_URI}, {MEMORY_URI}ID, {DOC_URI}SLUG"
    raise MCPError(types.INVALID_PARAMS, f"No resource is at {quote_text(uri)}; there are {known}.")


async def completions(backend: Backend, caller: Caller, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete the argument of a resource template."""
    values: list[str] = []
    begun = params.argument.value
    if isinstance(params.ref, types.ResourceTemplateReference):
        try:
            if params.ref.uri.startswith(MEMORY_URI) and params.argument.name == "id":
                values = [memory.id for memory in await _newest(backend, caller) if memory.id.startswith(begun)]
            elif params.ref.uri.startswith(DOC_URI) and params.argument.name == "slug":
                values = [doc.slug for doc in await _documents(backend, caller) if doc.slug.startswith(begun)]
        except PalimpError:
            values = []  # nothing can be offered while the store cannot be read
    shown = values[:COMPLETIONS_MAX]
    return types.CompleteResult(
        completion=types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
    )


async def _memory(backend: Backend, caller: Caller, memory_id: str) -> str:
    found: Recalled = await backend.dispatcher.answer(
        OPERATIONS["recall"], Recall(id=memory_id[:40], detail="full"), caller
    )
    if not found.memories:
        raise MCPError(
            types.INVALID_PARAMS, one_line(" ".join(found.unknown)) or f"No memory has the id {quote_text(memory_id)}."
        )
    return backend.dispatcher.text_of(OPERATIONS["recall"], found, "text", caller)


async def _document(backend: Backend, caller: Caller, slug: str) -> str:
    pages: list[str] = []
    while True:
        request = ReadDoc(slug=slug[:200], page=len(pages) + 1)
        page: DocPage = await backend.dispatcher.answer(OPERATIONS["read_doc"], request, caller)
        pages.append(page.content)
        if len(pages) >= page.pages:
            return without_control("".join(pages))


async def _newest(backend: Backend, caller: Caller) -> list[Memory]:
    found: Recalled = await backend.dispatcher.answer(OPERATIONS["recall"], Recall(limit=50), caller)
    return list(found.memories)


async def _documents(backend: Backend, caller: Caller) -> list[Doc]:
    if caller.project is None:
        return []
    try:
        listed: DocList = await backend.dispatcher.answer(OPERATIONS["list_docs"], ListDocs(), caller)
    except PalimpError:
        return []
    return list(listed.docs)


def _text(uri: str, text: str, mime_type: str = "text/plain") -> types.ReadResourceResult:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.ReadResourceResult(contents=[contents])
