"""Names of tools in texts for agents, prefixed with `mcp.tool_prefix`; common words only in backquotes or a call."""

import re
from typing import Final

from palimp_protocol.operations import OPERATIONS

_TOOLS: Final = [name for name, operation in OPERATIONS.items() if operation.is_tool]

_MENTIONED: Final = re.compile(
    r"(?<![\w.-])(?:"
    + "|".join(rf"{name}\b" if "_" in name else rf"{name}(?=\()|(?<=`){name}(?=`)" for name in _TOOLS)
    + ")"
)


def with_tool_prefix(text: str, prefix: str) -> str:
    """Return *text*, one of palimp's own, with *prefix* before each name of a tool."""
    return _MENTIONED.sub(lambda name: prefix + name[0], text) if prefix else text
