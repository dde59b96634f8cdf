"""Answer tool calls of the common form without the SDK.

The SDK's two validations, context, scope and task cost more than most calls. It gets other forms, and alone reports
errors; it also gets calls during another, so that calls begin in order.
"""

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from palimp_daemon.mcp.tool_calls import ToolText
from palimp_protocol.decoders import decoder_of

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""`_meta` key of requests of the stateless era only."""

_SIGN: Final = b'"tools/call"'


class PlainParameters(Struct, forbid_unknown_fields=True, rename={"meta": "_meta"}):
    """Name and arguments of a call."""

    name: str
    arguments: dict[str, Any] | None = None
    meta: dict[str, Any] | UnsetType = UNSET


class PlainCall(Struct, forbid_unknown_fields=True):
    """A `tools/call` of the handshake era."""

    jsonrpc: Literal["2.0"]
    method: Literal["tools/call"]
    id: int | str
    params: PlainParameters


def plain_call_in(body: bytes) -> PlainCall | None:
    """Return the call in the message *body*; None: for the SDK."""
    if _SIGN not in body:
        return None
    try:
        call = _CALL.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    meta = call.params.meta
    if meta is UNSET:
        return call
    token = meta.get("progressToken", "")
    is_plain = VERSION_KEY not in meta and isinstance(token, int | str) and not isinstance(token, bool)
    return call if is_plain else None


def plain_answer(request_id: int | str, answer: ToolText) -> bytes:
    """Return the answer to a call as the SDK writes it.

    Raises:
        UnicodeEncodeError: the id cannot be sent.
    """
    content = [{"text": answer.text, "type": "text"}]
    result = {"content": content, "isError": answer.is_error}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, "result": result})


_CALL: Final = decoder_of(PlainCall)
