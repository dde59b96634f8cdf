"""`palimp pin` and `palimp mute`: memories for every session, or unasked for none."""

from collections.abc import Sequence

from palimp_protocol.messages.links import MarkedMemory, Muted, Pinned
from palimp_protocol.text import count_of, one_line
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.output import day, print_line, print_notes, print_remark, print_rows
from palimp_shim.cli.tables import Column


@command(
    "pin",
    "Pin memories: every session of the project starts with them, whatever it is about. When a pinned memory is"
    " replaced, its replacement is shown instead. Pinning unmutes. Without an id, list pinned memories.",
    argument("ids", nargs="*", metavar="ID", help="an id or its unambiguous beginning; none: list them"),
    flag("--off", "unpin them"),
    example="palimp pin m1rv7je2; palimp pin; palimp pin --off m1rv7je2",
)
def pin(typed: Invocation) -> int:
    """Pin, unpin or list; return 1 for an unknown id."""
    reply: Pinned = typed.answer()
    if typed.options.ids or typed.is_json:
        return _print_marked(typed, reply, "pinned")
    _print_list(reply.pinned, "pinned")
    if not reply.pinned:
        print_remark("Nothing is pinned here.", "`palimp pin ID` has every session start with a memory.")
    return 0


@command(
    "mute",
    "Mute memories: sessions are no longer shown them at their start, with prompts or before actions; recall, search"
    " and list still find them. Without an id, list muted memories. A replacement of a muted memory is not muted."
    " Pinning unmutes, muting unpins.",
    argument("ids", nargs="*", metavar="ID", help="an id or its unambiguous beginning; none: list them"),
    flag("--off", "unmute them"),
    example="palimp mute m1rv7je2; palimp mute; palimp mute --off m1rv7je2",
)
def mute(typed: Invocation) -> int:
    """Mute, unmute or list; return 1 for an unknown id."""
    reply: Muted = typed.answer()
    if typed.options.ids or typed.is_json:
        return _print_marked(typed, reply, "muted")
    _print_list(reply.muted, "muted")
    if not reply.total:
        print_remark("Nothing is muted here.", "`palimp sessions ID` says which memories a session was told.")
    elif reply.total > len(reply.muted):
        print_remark(f"{len(reply.muted)} of {count_of(reply.total, 'muted memory')} shown.")
    return 0


def _print_list(marked: Sequence[MarkedMemory], state: str) -> None:
    rows = [[each.id, one_line(each.title), day(each.at)] for each in marked]
    print_rows([Column("id", "cyan"), Column("memory", is_text=True), Column(state, "dim")], rows)


def _print_marked(typed: Invocation, reply: Pinned | Muted, state: str) -> int:
    is_off = typed.options.off
    if not typed.is_json:
        done = f"Not {state} any more:" if is_off else state.capitalize()
        for memory in reply.memories:
            print_line(f"{done} {memory.id} {one_line(memory.title)}")
        print_notes(*(f"{name}: {f'not {state}' if is_off else f'{state} already'}" for name in reply.unchanged))
        print_notes(*reply.unknown)
    return 1 if reply.unknown else 0
