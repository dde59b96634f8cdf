"""The resources that clients can read: `palimp://context`."""

from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from palimp_daemon.calls import Calls
from palimp_protocol.errors import PalimpError
from palimp_protocol.operations import Caller

CONTEXT_URI: Final = "palimp://context"

CONTEXT: Final = types.Resource(
    name="context",
    title="What a session should know at its start",
    uri=CONTEXT_URI,
    description="Decisions, what fits the work at hand, code taken out lately: ids that recall opens.",
    mime_type="text/plain",
)


def resource_list() -> types.ListResourcesResult:
    """Return the resources that every client gets."""
    return types.ListResourcesResult(resources=[CONTEXT])


async def read_resource(calls: Calls, context: ServerRequestContext[Any], uri: str) -> types.ReadResourceResult:
    """Return the resource at *uri*.

    Raises:
        MCPError: there is none, or it cannot be read now.
    """
    if uri != CONTEXT_URI:
        raise MCPError(types.INVALID_PARAMS, f"No resource is at {uri}; there is {CONTEXT_URI}.")
    caller: Caller = context.lifespan_context
    try:
        text = await calls.contexts.text(caller)
    except PalimpError as error:
        raise MCPError(types.INTERNAL_ERROR, str(error)) from None
    contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return types.ReadResourceResult(contents=[contents])
