"""What the commands print: tables and colour on a terminal, plain lines in a pipe, JSON on request.

rich is imported only when a terminal is there to look at.
"""

import datetime
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from palimp_protocol.limits import ERROR_CHARACTERS_MAX
from palimp_protocol.operations import Memory, Recalled
from palimp_protocol.plain import json_escaped, one_line, shown_name, without_control

_COLOURS = re.compile(r"(\x1b\[(?:0|1|2|31|32|1;31)m)")
"""Those that the commands print."""


def print_json(reply: Struct | dict[str, Any] | None) -> None:
    """Print *reply* as indented JSON: in UTF-8, whatever the terminal's encoding is, and nothing that it acts on."""
    sys.stdout.flush()
    document = msgspec.json.format(msgspec.json.encode(reply), indent=2).decode()
    sys.stdout.buffer.write(json_escaped(document).encode() + b"\n")
    sys.stdout.buffer.flush()


def print_line(text: str) -> None:
    """Print a line. Of what terminals act on, only our own colours are left of it; the rest was somebody's text."""
    pieces = _COLOURS.split(text) if has_colour() else [text]  # every second one is a colour
    sys.stdout.write("".join(piece if n % 2 else without_control(piece) for n, piece in enumerate(pieces)) + "\n")


def print_remark(text: str) -> None:
    """Print to stderr, on one line, what is to be said besides the answer."""
    sys.stderr.write(f"palimp: {one_line(text, ERROR_CHARACTERS_MAX)}\n")


def has_colour() -> bool:
    """Whether stdout is a terminal whose user did not ask for plain text (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def print_memories(reply: Recalled) -> None:
    """Print the rows of *reply*."""
    if has_colour():
        _print_table(reply)
    else:
        for memory in reply.memories:
            fields = [memory.id, day(memory.created_at), memory.kind, memory.title + _state(memory), memory.snippet]
            print_line(
                "\t".join(one_line(field) for field in fields) + (f"\t{one_line(memory.why)}" if memory.why else "")
            )


def print_timeline(reply: Recalled) -> None:
    """Print what was found and what was saved beside it, oldest first; what was found is marked."""
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")
    for moment in reply.timeline:
        memory = moment.memory
        mark, style = ("▸", bold) if moment.is_hit else (" ", dim)
        print_line(
            f"{minute(memory.created_at)} {mark} {memory.id}  {style}{one_line(memory.title)}{_state(memory)}{plain}"
        )


def print_full(memories: Sequence[Memory]) -> None:
    """Print whole memories under their titles."""
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")
    for number, memory in enumerate(memories):
        facts = [memory.id, memory.kind, minute(memory.created_at)]
        facts += [f"project {shown_name(memory.project)}" if memory.project else "global"]
        facts += [f"tags {', '.join(map(shown_name, memory.tags))}"] if memory.tags else []
        facts += [f"purged {minute(memory.purged_at)}"] if memory.purged_at else []
        content = "" if memory.content is UNSET else without_control(memory.content)
        if memory.quote and memory.quote not in content:
            content += f"\n\nIt rests on: {without_control(memory.quote)}"
        title = one_line(memory.title)
        print_line(("\n" if number else "") + f"{bold}{title}{plain}\n{dim}{' · '.join(facts)}{plain}\n\n{content}")


def print_remarks(reply: Recalled) -> None:
    """Print to stderr what could not be found or done, and that there is more."""
    remarks = [*reply.notes, *reply.unknown]
    state = "already purged" if reply.action == "purge" else "not purged"
    remarks += [f"{memory_id}: {state}" for memory_id in reply.unchanged]
    if reply.total > len(reply.memories) and not reply.timeline:
        remarks.append(f"{len(reply.memories)} of {reply.total} shown; --limit shows more.")
    for remark in remarks:
        print_remark(remark)


def day(milliseconds: int) -> str:
    """Return the local date of Unix *milliseconds*."""
    return _local(milliseconds, "%Y-%m-%d")


def minute(milliseconds: int) -> str:
    """Return the local date and time of Unix *milliseconds*."""
    return _local(milliseconds, "%Y-%m-%d %H:%M")


def _local(milliseconds: int, form: str) -> str:
    try:
        return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC).astimezone().strftime(form)
    except (OverflowError, ValueError, OSError):
        return "undated"  # no calendar has it


def _state(memory: Memory) -> str:
    return " [purged]" if memory.purged_at else ""


def _print_table(reply: Recalled) -> None:
    from rich.console import Console  # noqa: PLC0415  only for a terminal
    from rich.table import Table  # noqa: PLC0415

    has_scores = any(memory.score is not None for memory in reply.memories)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("id", style="cyan", no_wrap=True)
    table.add_column("memory", ratio=1)
    table.add_column("kind", style="magenta", no_wrap=True)
    if has_scores:
        table.add_column("score", justify="right", no_wrap=True)
    table.add_column("saved", style="dim", no_wrap=True)
    for memory in reply.memories:
        cells: list[Any] = [memory.id, _cell(memory), memory.kind]
        if has_scores:
            cells.append("" if memory.score is None else f"{memory.score:.2f}")
        table.add_row(*cells, day(memory.created_at))
    Console(markup=False, emoji=False).print(table)  # names are no markup


def _cell(memory: Memory) -> Any:
    """Return title and snippet, with the matched words in bold."""
    from rich.text import Text  # noqa: PLC0415

    cell = Text(one_line(memory.title), style="strike" if memory.purged_at else "bold")
    if memory.snippet:
        cell.append("\n")
        for number, piece in enumerate(without_control(memory.snippet).split("**")):
            cell.append(piece, style="not bold yellow" if number % 2 else "not bold dim")
    if memory.why:
        cell.append(f"\n{one_line(memory.why)}", style="not bold italic")
    return cell
