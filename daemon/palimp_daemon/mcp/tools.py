"""The operations as MCP tools: their schemas from the request types, their descriptions from the table."""

from typing import Any, Final, cast

import mcp_types as types
import msgspec
from msgspec import Struct

from palimp_protocol.table import OPERATIONS, Operation

ALWAYS_LOADED: Final = frozenset({"save_memory", "recall"})
"""Claude Code defers tools it has not been told to load; these two are what palimp is for."""

LENGTH_TOLD_MIN: Final = 1_000
"""Shorter bounds of texts are not told: names and ids are never so long, and every client pays for each character."""


def tool_list() -> list[types.Tool]:
    """Return the tools that agents get, in the order of the table."""
    return [_tool(operation) for operation in OPERATIONS.values() if operation.is_tool]


def _tool(operation: Operation) -> types.Tool:
    return types.Tool(
        name=operation.name,
        description=operation.description,
        input_schema=input_schema(operation.request),
        annotations=_annotations(operation),
        _meta={"anthropic/alwaysLoad": True} if operation.name in ALWAYS_LOADED else None,
    )


def _annotations(operation: Operation) -> types.ToolAnnotations:
    """Return what differs from the protocol's defaults, since every client pays for each character."""
    if operation.read_only:
        return types.ToolAnnotations(read_only_hint=True)
    return types.ToolAnnotations(
        destructive_hint=None if operation.destructive else False,
        idempotent_hint=operation.idempotent or None,
    )


def input_schema(request: type[Struct]) -> dict[str, Any]:
    """Return the JSON schema of *request* as clients like it: flat, without references and nulls."""
    _, components = msgspec.json.schema_components([request])
    schema = cast("dict[str, Any]", components[request.__name__])
    properties = {name: _simple(field) for name, field in schema["properties"].items()}
    flat: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return flat | {"required": schema["required"]} if schema.get("required") else flat


def _simple(field: dict[str, Any]) -> dict[str, Any]:
    """Return *field* without its null alternative, an empty default, and bounds that nobody would break."""
    outer = {key: value for key, value in field.items() if key != "anyOf"}
    for choice in cast("list[dict[str, Any]]", field.get("anyOf", [])):
        if choice.get("type") != "null":
            outer |= choice
    if ("default" in outer and outer["default"] in (None, [])) or outer.get("default") is False:
        del outer["default"]
    if isinstance(outer.get("items"), dict):
        outer["items"] = _simple(outer["items"])
    outer.pop("minLength", None)
    if outer.get("maxLength", LENGTH_TOLD_MIN) < LENGTH_TOLD_MIN:
        del outer["maxLength"]
    if "enum" in outer:
        outer["type"] = "string"
    return outer
