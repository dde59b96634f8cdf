"""`palimp http`: serve MCP over HTTP on this machine."""

from palimp_protocol.messages.introspection import HttpStatus
from palimp_shim.cli.command import EXIT_FAILED, Invocation, argument, command, group
from palimp_shim.cli.output import print_line, print_remark

group(
    "http",
    "Serve MCP over HTTP, for clients that cannot start a program: on 127.0.0.1 only, for those who have the token."
    " Clients name their project with the header X-Palimp-Project or ?project= in the address. It is served while the"
    " daemon runs, which then does not leave by itself; after a restart of the machine, a session or a command starts"
    " it, or systemd.",
    "palimp http enable --port 8427",
)


@command("http new-token", "make a new token; the old one is worth nothing then", asks=("http",), scope=False)
@command("http disable", "do not serve it any more", asks=("http",), scope=False)
@command(
    "http enable",
    "serve it from now on; makes the token and shows it once",
    argument("--port", type=int, metavar="N", help="the port (default: that of http.port)"),
    asks=("http",),
    example="--port 8427",
    scope=False,
    unset={"action": "the command says it"},
)
@command("http status", "whether it is served, and where", asks=("http",), scope=False)
def run(typed: Invocation) -> int:
    """Ask the daemon; print HTTP's state."""
    action = typed.name.partition(" ")[2]
    reply: HttpStatus = typed.answer(typed.request(action=action.replace("-", "_")))
    if not typed.is_json:
        _print(reply, action)
    return EXIT_FAILED if reply.problem else 0


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
