"""Operations' names, descriptions and schemas for clients, as dicts.

Every session pays for each character: nothing is said twice, and bounds nobody would break are left out.
"""

from collections.abc import Collection
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from palimp_protocol.limits import CHARACTERS_PER_TOKEN
from palimp_protocol.messages.introspection import ListedTool, ToolList
from palimp_protocol.operations import OPERATIONS, Operation
from palimp_protocol.operations.operation import FOR_TERMINALS
from palimp_protocol.operations.tool_names import with_tool_prefix

ALWAYS_LOADED: Final = frozenset({"save_memory", "recall"})
"""Claude Code defers other tools; these two are palimp's main ones."""

LENGTH_TOLD_MIN: Final = 1_000
"""Shorter bounds of texts are not stated: names and ids never reach them."""


OF_PERSONS: Final = frozenset({"upkeep"})
"""Toolsets that may need a person's consent: they change settings, or merge memories."""


def tools_of(toolsets: Collection[str], prefix: str = "") -> dict[str, dict[str, Any]]:
    """Return the tools of *toolsets* by operation, in the table's order."""
    return {
        name: _tool(operation, prefix)
        for name, operation in OPERATIONS.items()
        if operation.is_tool and operation.toolset in toolsets
    }


def _tool(operation: Operation, prefix: str) -> dict[str, Any]:
    tool: dict[str, Any] = {
        "name": prefix + operation.name,
        "title": operation.title,
        "description": with_tool_prefix(operation.description, prefix),
        "inputSchema": input_schema(operation.request),
        "annotations": _annotations(operation),
    }
    return tool | {"_meta": {"anthropic/alwaysLoad": True}} if operation.name in ALWAYS_LOADED else tool


def _annotations(operation: Operation) -> dict[str, bool]:
    """Return annotations that differ from the protocol's defaults, and matter.

    Codex asks a person before a tool that may destroy something or reach the open world; no client uses
    `idempotentHint`.
    """
    if operation.read_only:
        return {"readOnlyHint": True}
    if operation.destructive:
        return {}
    return {"destructiveHint": False} | ({} if operation.toolset in OF_PERSONS else {"openWorldHint": False})


def input_schema(request: type[Struct]) -> dict[str, Any]:
    """Return the JSON schema of *request*: flat, without references and nulls."""
    _, components = msgspec.json.schema_components([request])
    schema = cast("dict[str, Any]", components[request.__name__])
    properties = {name: _simple(field) for name, field in schema["properties"].items() if name not in FOR_TERMINALS}
    flat: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return flat | {"required": schema["required"]} if schema.get("required") else flat


def _simple(field: dict[str, Any]) -> dict[str, Any]:
    """Drop null alternatives, empty defaults, and bounds nobody would break."""
    outer = {key: value for key, value in field.items() if key != "anyOf"}
    for choice in cast("list[dict[str, Any]]", field.get("anyOf", [])):
        if choice.get("type") != "null":
            outer |= choice
    if ("default" in outer and outer["default"] in (None, [])) or outer.get("default") is False:
        del outer["default"]
    if isinstance(outer.get("items"), dict):
        outer["items"] = _simple(outer["items"])
    outer.pop("minLength", None)
    outer.pop("maxItems", None)
    if outer.get("maxLength", LENGTH_TOLD_MIN) < LENGTH_TOLD_MIN:
        del outer["maxLength"]
    if "enum" in outer:
        outer["type"] = "string"
    return outer


def listed_tools(toolsets: Collection[str], prefix: str) -> ToolList:
    """Return the tools visible to clients, with their cost."""
    tools = tools_of(toolsets, prefix)
    texts = {name: msgspec.json.encode(tool).decode() for name, tool in tools.items()}
    characters = len('{"tools":[]}') + sum(len(text) + 1 for text in texts.values())
    return ToolList(
        tools=[
            ListedTool(
                name=tool["name"],
                toolset=OPERATIONS[name].toolset,
                description=tool["description"],
                parameters=list(tool["inputSchema"]["properties"]),
                characters=len(texts[name]),
                tokens=-(-len(texts[name]) // CHARACTERS_PER_TOKEN),
            )
            for name, tool in tools.items()
        ],
        characters=characters,
        tokens=-(-characters // CHARACTERS_PER_TOKEN),
        left_out=[name for name, each in OPERATIONS.items() if each.is_tool and name not in tools],
    )
