"""The operations as MCP tools: their schemas from the request types, their descriptions from the table."""

from typing import Any, Final, cast

import mcp_types as types
import msgspec
from msgspec import Struct

from palimp_protocol.table import OPERATIONS, Operation

ALWAYS_LOADED: Final = frozenset({"save_memory", "recall"})
"""Claude Code defers tools it has not been told to load; these two are what palimp is for."""

_DROPPED: Final = frozenset({"title", "description", "default"})
"""Of a schema's own keywords, what says nothing that the tool's description does not."""


def tool_list() -> list[types.Tool]:
    """Return the tools that agents get, in the order of the table."""
    return [_tool(operation) for operation in OPERATIONS.values() if operation.is_tool]


def _tool(operation: Operation) -> types.Tool:
    return types.Tool(
        name=operation.name,
        title=operation.title,
        description=operation.description,
        input_schema=input_schema(operation.request),
        annotations=_annotations(operation),
        _meta={"anthropic/alwaysLoad": True} if operation.name in ALWAYS_LOADED else None,
    )


def _annotations(operation: Operation) -> types.ToolAnnotations:
    """Return what differs from the protocol's defaults, since every client pays for each character."""
    if operation.read_only:
        return types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ToolAnnotations(
        destructive_hint=operation.destructive,
        idempotent_hint=operation.idempotent or None,
        open_world_hint=False,
    )


def input_schema(request: type[Struct]) -> dict[str, Any]:
    """Return the JSON schema of *request* as clients like it: flat, without references and nulls."""
    _, components = msgspec.json.schema_components([request])
    schema = cast("dict[str, Any]", components[request.__name__])
    properties = {name: _simple(field) for name, field in schema["properties"].items()}
    flat: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return flat | {"required": schema["required"]} if schema.get("required") else flat


def _simple(field: dict[str, Any]) -> dict[str, Any]:
    """Return *field* without its null alternative and without an empty default."""
    outer = {key: value for key, value in field.items() if key != "anyOf"}
    for choice in cast("list[dict[str, Any]]", field.get("anyOf", [])):
        if choice.get("type") != "null":
            outer |= choice
    if outer.get("default") in (None, []):
        outer.pop("default", None)
    if "enum" in outer:
        outer["type"] = "string"
    return outer
