"""`palimp mcp tools`: clients' tools, and their cost."""

from palimp_protocol.messages.introspection import ToolList
from palimp_protocol.text import count_of
from palimp_shim.cli.command import Invocation, command, group
from palimp_shim.cli.output import print_line, print_remark, styles

group("mcp", "What MCP clients see of palimp.", "palimp mcp tools; palimp config set mcp.toolsets memory docs")


@command(
    "mcp tools",
    "the tools, and what each costs in tokens",
    asks=("tools",),
    description="List the tools, and what each costs in tokens.",
)
def run(typed: Invocation) -> None:
    """Print a line for each tool."""
    reply: ToolList = typed.answer()
    if typed.is_json:
        return
    bold, dim, plain = styles()
    for tool in reply.tools:
        print_line(f"{bold}{tool.name:<14}{plain} {tool.toolset:<8} {tool.tokens:>5}  {', '.join(tool.parameters)}")
        print_line(f"{dim}  {tool.description}{plain}")
    print_line(f"{count_of(len(reply.tools), 'tool')}, {reply.characters:,} characters, about {reply.tokens:,} tokens")
    if reply.left_out:
        print_remark(f"Left out by mcp.toolsets: {', '.join(reply.left_out)}.")
