"""`palimp mcp tools`: what clients see, and what it costs them."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.introspection import ToolList, Tools
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import has_colour, print_json, print_line, print_remark
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "mcp",
        help=SUMMARIES["mcp"],
        description="What MCP clients see of palimp.",
        epilog="Example: palimp mcp tools; palimp config set mcp.toolsets memory docs",
    )
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    text = "the tools, and what each costs in tokens"
    tools: argparse.ArgumentParser = subcommands.add_parser("tools", help=text, description=f"List {text}.")
    tools.epilog = f"Example: {tools.prog}"
    add_scope(tools)
    add_json(tools)
    tools.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and print a line for each tool."""
    reply: ToolList = Client(env).call(OPERATIONS["tools"], Tools(), caller_from(options, env))
    if options.is_json:
        print_json(reply)
        return 0
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")
    for tool in reply.tools:
        print_line(f"{bold}{tool.name:<14}{plain} {tool.toolset:<8} {tool.tokens:>5}  {', '.join(tool.parameters)}")
        print_line(f"{dim}  {tool.description}{plain}")
    print_line(f"{counted(len(reply.tools), 'tool')}, {reply.characters:,} characters, about {reply.tokens:,} tokens")
    if reply.left_out:
        print_remark(f"Left out by mcp.toolsets: {', '.join(reply.left_out)}.")
    return 0
