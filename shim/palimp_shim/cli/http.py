"""`palimp http`: serve MCP over HTTP on this machine."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.introspection import Http, HttpStatus
from palimp_protocol.operations import OPERATIONS
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.transport.client import Client

EXIT_NOT_SERVED = 4
ACTIONS = {
    "status": "whether it is served, and where",
    "enable": "serve it from now on; makes the token and shows it once",
    "disable": "do not serve it any more",
    "new-token": "make a new token; the old one is worth nothing then",
}


def add_parser(commands: Commands) -> None:
    """Add the command and its subcommands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "http",
        help=SUMMARIES["http"],
        description=(
            "Serve MCP over HTTP, for clients that cannot start a program: on 127.0.0.1 only, for those who have the"
            " token. Clients name their project with the header X-Palimp-Project or ?project= in the address. It is"
            " served while the daemon runs, which then does not leave by itself; after a restart of the machine, a"
            " session or a command starts it, or systemd."
        ),
        epilog="Example: palimp http enable --port 8427",
    )
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, text in ACTIONS.items():
        action: argparse.ArgumentParser = subcommands.add_parser(
            name, help=text, description=text[0].upper() + text[1:]
        )
        action.epilog = f"Example: {action.prog}{' --port 8427' if name == 'enable' else ''}"
        if name == "enable":
            action.add_argument("--port", type=int, metavar="N", help="the port (default: that of http.port)")
        add_json(action)
        action.set_defaults(run=run, action=name.replace("-", "_"), port=None)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and say how it is."""
    request = Http(action=options.action, port=options.port)
    reply: HttpStatus = Client(env).call(OPERATIONS["http"], request, Caller())
    if options.is_json:
        print_json(reply)
    else:
        _print(reply, options.action)
    return EXIT_NOT_SERVED if reply.problem else 0


def _print(reply: HttpStatus, action: str) -> None:
    if reply.problem:
        print_remark(reply.problem)
    elif reply.url:
        print_line(f"Served at {reply.url}")
    else:
        print_line("Not served yet." if reply.is_enabled else "Not served. `palimp http enable` does it.")
    if reply.token:
        print_line(f"Authorization: Bearer {reply.token}")
        print_remark(f"This is shown once; the token is kept in {reply.token_file}.")
    elif action in ("enable", "status") and reply.is_enabled:
        print_line(f"The token is in {reply.token_file}")
