"""`palimp tags`: list tags with numbers of memories."""

from palimp_protocol.limits import TAGS_LISTED_MAX
from palimp_protocol.messages.tag_messages import TagList
from palimp_protocol.text import count_of
from palimp_shim.cli.command import ALL, Invocation, argument, command
from palimp_shim.cli.output import print_line, print_remark
from palimp_shim.cli.tables import Column, is_terminal, print_table


@command(
    "tags",
    "List the tags of the project's memories, the most frequent first. Exits with 1 without any.",
    ALL,
    argument("--limit", type=int, metavar="N", help=f"tags at most (default {TAGS_LISTED_MAX:,})"),
    example="palimp tags; palimp list --tag api",
)
def run(typed: Invocation) -> int:
    """Print the tags."""
    reply: TagList = typed.answer()
    if typed.is_json:
        return 0 if reply.tags else 1
    if not reply.tags:
        print_line("No memory here has a tag: `palimp add TEXT --tag TAG` gives one.")
    elif is_terminal():
        rows = [[each.tag, f"{each.count:,}"] for each in reply.tags]
        print_table([Column("tag", "cyan"), Column("memories", is_number=True)], rows)
    else:
        for each in reply.tags:
            print_line(f"{each.tag}\t{count_of(each.count, 'memory')}")
    if len(reply.tags) < reply.total:
        print_remark(f"{len(reply.tags):,} of {reply.total:,} shown.")
    return 0 if reply.tags else 1
