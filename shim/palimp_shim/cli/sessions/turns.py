"""`palimp turns`: a session's turns."""

from palimp_protocol.messages.conversation_messages import TurnList
from palimp_protocol.text import count_of, shown_name, verb
from palimp_shim.cli.command import Invocation, argument, command, one_of
from palimp_shim.cli.output import minute, print_line, print_remark, print_text, styles


@command(
    "turns",
    "Print what was said in a session, 50 turns at a time, from the first: who, when, the turn's id, and the text as it"
    " was kept, with secrets redacted. --from N goes on; --at ID shows the 50 that have a turn which a search found."
    " Without a session, those of the newest; `palimp sessions` lists them, and `palimp handoff` tells in short where"
    " one stood. Exits with 1 when nothing is kept of it.",
    argument("session", nargs="?", metavar="SESSION", help="its key, or how it begins, as `palimp sessions` lists it"),
    one_of(
        argument("--from", type=int, metavar="N", dest="first", sets="first", help="begin with turn N (default: 1)"),
        argument("--at", metavar="ID", help="show those that have the turn ID"),
    ),
    argument("--limit", type=int, metavar="N", help="turns at most (default 50)"),
    example="palimp turns; palimp turns 3f8b523d; palimp turns 3f8b523d --from 51",
)
def run(typed: Invocation) -> None:
    """Print a slice."""
    reply: TurnList = typed.answer()
    if typed.is_json:
        return
    bold, dim, plain = styles()
    if typed.options.session is None:
        print_remark(f"Session {shown_name(reply.session)} ({shown_name(reply.client)})")
    for each in reply.turns:
        print_line(f"{bold}{shown_name(each.role)}{plain}  {dim}{minute(each.at)}  {each.id}{plain}")
        print_text(f"{each.text}\n")
    last = reply.first + len(reply.turns) - 1
    if not reply.turns:
        print_remark(f"Only {count_of(reply.total, 'turn')} {verb(reply.total)} there.")
    elif last < reply.total:
        print_remark(f"{reply.first:,} to {last:,} of {reply.total:,} turns; --from {last + 1} goes on.")
