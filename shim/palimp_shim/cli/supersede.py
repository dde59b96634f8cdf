"""`palimp supersede`: say that a memory replaces, narrows or disputes another."""

from typing import Final

from palimp_protocol.messages.links import Superseded
from palimp_protocol.messages.memory_messages import Relation
from palimp_protocol.text import quote_title
from palimp_shim.cli.command import Invocation, argument, choice, command, one_of
from palimp_shim.cli.output import print_line, print_remark

DOES: Final[dict[Relation, str]] = {
    "replaces": "replaces",
    "narrows": "narrows",
    "disagrees": "disagrees with",
}


@command(
    "supersede",
    "Record that the memory NEW replaces OLD (search then shows OLD below NEW, and sessions are not shown it), is an"
    " exception to it (--narrows), or contradicts it (--disagrees). Neither text changes; `palimp undo` reverts the"
    " link.",
    argument("older", metavar="OLD", help="the id of the memory that is replaced, or its beginning"),
    argument("newer", metavar="NEW", help="the id of the memory that replaces it"),
    one_of(
        choice("--narrows", "NEW is an exception to OLD", "relation", "narrows"),
        choice("--disagrees", "they contradict each other", "relation", "disagrees"),
    ),
    argument("--why", metavar="TEXT", help="the reason"),
    example='palimp supersede m1rv7je2 m1rv9abc --why "measured again"; palimp supersede OLD NEW --narrows',
)
def run(typed: Invocation) -> None:
    """Link them; print the result."""
    reply: Superseded = typed.answer()
    if not typed.is_json:
        before = "As before: " if reply.is_known else ""
        print_line(f"{before}{reply.newer.id} {quote_title(reply.newer.title)}")
        print_line(f"{DOES[reply.relation]} {reply.older.id} {quote_title(reply.older.title)}.")
        print_remark(f"`palimp undo {reply.link}` takes it back.")
