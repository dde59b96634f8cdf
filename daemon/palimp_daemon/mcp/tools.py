"""The operations as MCP tools, in the SDK's types."""

from collections.abc import Collection

import mcp_types as types

from palimp_daemon.dispatch.tool_schemas import tools_of


def tool_list(toolsets: Collection[str], prefix: str = "") -> list[types.Tool]:
    """Return agents' tools of *toolsets*, in the order of the table."""
    return [types.Tool.model_validate(tool) for tool in tools_of(toolsets, prefix).values()]
