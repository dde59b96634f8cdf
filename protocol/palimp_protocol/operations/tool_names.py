"""The names of tools where texts for agents mention them, with the prefix that `mcp.tool_prefix` puts before each.

A tool is mentioned by a name that nothing else has (`save_memory`), or as a call (`recall(`) or in backquotes
(`` `recall` ``) where its name is a common word.
"""

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
    """Return *text*, which palimp wrote itself, with *prefix* before each name of a tool."""
    return _MENTIONED.sub(lambda name: prefix + name[0], text) if prefix else text
