"""`palimp about`: everything known of a name."""

from collections.abc import Sequence
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import ABOUT_CHARACTERS_MAX, ABOUT_MEMORIES_MAX
from palimp_protocol.messages.about_messages import SAME_NAME_TAG, SAME_NAME_TEXT, AboutMemory, AboutPage
from palimp_protocol.messages.memory_messages import Saved, SaveMemory
from palimp_protocol.text import count_of, one_line, quote_text, shown_name
from palimp_shim.cli.arguments import refuse_agents
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import day, print_line, print_notes, print_remark, print_rows, styles
from palimp_shim.cli.parsing import number
from palimp_shim.cli.tables import Column

BELOW: Final = "    "
"""Indents details of the memory above."""


@command(
    "about",
    "Show what is known of a path, symbol, command, ticket, package, person or term: what holds, with the versions that"
    " it replaced folded under it, what disagrees; open questions; removed code and documents that name it; the last"
    " sessions that touched it; and what else at least two of its memories name. `getUserById` and `get_user_by_id`, a"
    " path and its end, a word and its plural are the same. Exits with 1 when nothing is known.",
    argument("name", metavar="X", help="the name: cart/ttl.py, getUserById, cargo, SHOP-12, 'Alice Meyer'"),
    argument("--same-as", metavar="Y", help="remember that X is another name of Y, here or with --global everywhere"),
    argument("--limit", type=number(1, ABOUT_MEMORIES_MAX), metavar="N", help="memories at most (default 20)"),
    example="palimp about cart/ttl.py; palimp about getUserById; palimp about SHOP-12 --json;"
    " palimp about basket --same-as cart",
)
def run(typed: Invocation) -> int:
    """Print the page, or unite two names."""
    if typed.options.same_as is not None:
        return _make_same(typed, typed.options.name, typed.options.same_as)
    page: AboutPage = typed.answer()
    is_empty = not (page.memories or page.questions or page.removed or page.documents or page.sessions)
    if typed.is_json:
        return int(is_empty)
    if is_empty:
        print_line(f"Nothing is known of {shown_name(page.name)} here.")
        return 1
    bold, _, plain = styles()
    written = [each for each in page.written if each != page.name]
    print_line(
        f"{bold}{shown_name(page.name)}{plain}" + (f", also {', '.join(map(shown_name, written))}" * bool(written))
    )
    _print_memories("What holds", page.memories)
    if page.more:
        print_remark(f"{count_of(page.more, 'memory')} more; --limit shows more, `palimp search` finds among them.")
    _print_memories("Open", page.questions)
    _print_part("Removed code", [(each.id, day(each.at), each.title) for each in page.removed])
    _print_part("Documents", [(each.id, "", each.title) for each in page.documents])
    sessions = [(each, f"{each.client or '?'}: {each.about or 'saved nothing'}") for each in page.sessions]
    _print_part("Sessions", [(each.key[:8], day(each.seen_at), said) for each, said in sessions], "session")
    _print_part("Named with it", [("", count_of(each.memories, "memory"), each.name) for each in page.neighbours])
    print_notes(*page.notes)
    return 0


def _make_same(typed: Invocation, *written: str) -> int:
    if typed.caller.project is None:
        refuse_agents(typed, "Only a person names things in all projects")
    name, other = (one_line(each).replace("`", " ").strip()[:ABOUT_CHARACTERS_MAX] for each in written)
    if name.casefold() == other.casefold() or not all(any(map(str.isalnum, each)) for each in (name, other)):
        raise PalimpError(ErrorCode.BAD_REQUEST, "Two names are needed.", "Example: palimp about basket --same-as cart")
    text = SAME_NAME_TEXT.format(name, other)
    reply: Saved = typed.answer(SaveMemory(text=text, kind="note", tags=[SAME_NAME_TAG], source="cli"))
    if not typed.is_json:
        print_line(
            f"{quote_text(name)} and {quote_text(other)} are one from now on ({reply.id}); palimp undo takes it back."
        )
    return 0


def _print_part(title: str, rows: Sequence[tuple[str, str, str]], links: str = "id") -> None:
    if rows:
        bold, _, plain = styles()
        print_line(f"\n{bold}{title}{plain}")
        print_rows(
            [Column("", "cyan", links=links), Column("", "dim"), Column("", is_text=True)],
            [[shown_name(one), two, one_line(three)] for one, two, three in rows],
        )


def _print_memories(title: str, found: Sequence[AboutMemory]) -> None:
    if not found:
        return
    bold, dim, plain = styles()
    print_line(f"\n{bold}{title}{plain}")
    for each in found:
        waits = ", waits for a yes" if each.is_proposal else ""
        print_line(f"{each.id}  {day(each.created_at)}  {each.kind}{waits}: {one_line(each.title)}", hanging=BELOW)
        for mark, others in (("was", each.former), ("disputed by", each.disputed_by), ("except", each.narrowed_by)):
            for other in others:
                print_line(f"{BELOW}{dim}{mark} {other.id}: {one_line(other.title)}{plain}")
