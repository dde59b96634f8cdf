"""Tools' names in texts for agents, with `mcp.tool_prefix`; common words only in backquotes or calls."""

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
    """Return palimp's own *text* with *prefix* before each tool's name."""
    return _MENTIONED.sub(lambda name: prefix + name[0], text) if prefix else text
