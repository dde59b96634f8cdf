"""Output: tables and colour on a terminal, lines in a pipe, JSON on request."""

import datetime
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from palimp_protocol.history_text import cited_line, history_lines, link_line
from palimp_protocol.limits import ERROR_CHARACTERS_MAX, PATH_CHARACTERS_MAX, RECALL_ROWS_MAX
from palimp_protocol.messages.memory_messages import Memory, Recalled
from palimp_protocol.text import (
    heading_and_body,
    json_escaped,
    one_line,
    quote_text,
    shown_name,
    times,
    without_control,
)
from palimp_shim.cli.tables import Column, has_colour, is_terminal, print_table, terminal_width

REMARK_INDENT: Final = "        "
"""Indents further lines of a text that begins with our name."""

HIT: Final = "\x02"
"""Stands around matched words for a terminal, as no code has it (unlike `**`); in a pipe, nothing does."""

_COLOURS = re.compile(r"(\x1b\[(?:0|1|2|31|32|1;31)m)")


def print_json(reply: Struct | dict[str, Any] | None) -> None:
    """Print indented JSON in UTF-8, without terminal controls."""
    sys.stdout.flush()
    document = msgspec.json.format(msgspec.json.encode(reply), indent=2).decode()
    sys.stdout.buffer.write(json_escaped(document).encode() + b"\n")
    sys.stdout.buffer.flush()


def print_line(text: str, hanging: str = "") -> None:
    """Print a line of ours, without terminal controls except our colours.

    A terminal's further lines begin with *hanging*, or with the line's indent.
    """
    lines = _without_escapes(text).split("\n")
    if is_terminal():
        width = terminal_width()
        lines = [part for line in lines for part in _wrap(line, width, hanging)]
    sys.stdout.write("\n".join(map(_with_links, lines)) + "\n")


def as_wide_as_terminal(text: str) -> str:
    """Return *text* wrapped for the terminal."""
    width = terminal_width()
    return "\n".join(part for line in without_control(text).split("\n") for part in _wrap(line, width))


def print_text(text: str) -> None:
    """Print a stored text, without terminal controls."""
    sys.stdout.write("\n".join(map(_with_links, _without_escapes(text).split("\n"))) + "\n")


def _with_links(line: str) -> str:
    if not has_colour():
        return line
    from palimp_shim.cli.page_links import with_links  # noqa: PLC0415  only for a terminal

    return with_links(line)


def _without_escapes(text: str) -> str:
    pieces = _COLOURS.split(text) if has_colour() else [text]  # every second one is a colour
    return "".join(piece if n % 2 else without_control(piece) for n, piece in enumerate(pieces))


def _wrap(line: str, width: int, hanging: str = "") -> list[str]:
    if len(line) <= width and line.isascii():
        return [line]
    from rich.cells import cell_len  # noqa: PLC0415  only for a long line

    indent = line[: len(line) - len(line.lstrip(" "))]
    parts: list[str] = []
    row = ""
    for word in line[len(indent) :].split(" "):
        longer = f"{row} {word}" if row else indent + word
        if row.strip() and row != hanging and cell_len(_COLOURS.sub("", longer)) > width:
            parts.append(row)
            longer = (hanging or indent) + word
        row = longer
    return [*parts, row]


def print_remark(text: str, hint: str = "") -> None:
    """Print to stderr; *hint* is the remedy."""
    lines = [f"palimp: {one_line(text, ERROR_CHARACTERS_MAX)}"]
    lines += [f"{REMARK_INDENT}{one_line(line, ERROR_CHARACTERS_MAX)}" for line in hint.splitlines()]
    if sys.stderr.isatty():
        width = terminal_width()
        lines = [part for line in lines for part in _wrap(line, width, hanging=REMARK_INDENT)]
    sys.stderr.write("\n".join(lines) + "\n")


def print_notes(*notes: str) -> None:
    """Print each to stderr."""
    for note in notes:
        print_remark(note)


_ONE: Final = {"memories": "memory", "tokens": "token", "times": "time"}
"""Names of columns for a count of one."""


def print_rows(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, of_counts: bool = False) -> None:
    """Print a table on a terminal, else tabbed lines; *of_counts* puts columns' names behind numbers."""
    if is_terminal():
        print_table(columns, rows)
    else:
        units = [column.name if of_counts and column.is_number else "" for column in columns]
        for row in rows:
            print_line("\t".join(_with_unit(cell, unit) for cell, unit in zip(row, units, strict=True)))


def _with_unit(cell: str, unit: str) -> str:
    if not (cell and unit):
        return cell
    return f"{cell} {_ONE.get(unit, unit) if cell == '1' else unit}"


def styles() -> tuple[str, str, str]:
    """Return escapes of bold, dim and plain; empty without colour."""
    return ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")


def print_memories(reply: Recalled) -> None:
    """Print the rows of *reply*."""
    if is_terminal():
        _print_table(reply)
    else:
        for memory in reply.memories:
            snippet = "" if memory.line else memory.snippet
            fields = [memory.id, day(memory.created_at), memory.kind, _line(memory) + _state(memory), snippet]
            fields += ["; ".join(history)] if (history := _history(memory)) else []
            fields += [memory.path] if memory.path else []
            fields += [memory.stale] if memory.stale else []
            print_line(
                "\t".join(one_line(field) for field in fields) + (f"\t{one_line(memory.why)}" if memory.why else "")
            )


def print_timeline(reply: Recalled) -> None:
    """Print marked hits among neighbours, oldest first."""
    bold, dim, plain = styles()
    for moment in reply.timeline:
        memory = moment.memory
        mark, style = ("▸", bold) if moment.is_hit else (" ", dim)
        print_line(
            f"{minute(memory.created_at)} {mark} {memory.id}  {style}{_line(memory)}{_state(memory)}{plain}"
            + (f"  {one_line(memory.stale)}" if memory.stale else "")
        )


def still_true(overruled: int) -> str:
    """Return the question about an *overruled* rule."""
    return f"broken by your wish {times(overruled)}: still true?"


def print_full(memories: Sequence[Memory]) -> None:
    """Print whole memories under their titles."""
    bold, dim, plain = styles()
    for number, memory in enumerate(memories):
        facts = [memory.id, memory.kind, minute(memory.created_at)]
        facts += [f"project {shown_name(memory.project)}" if memory.project else "global"]
        facts += [f"tags {', '.join(map(shown_name, memory.tags))}"] if memory.tags else []
        if memory.client and memory.kind == "conversation":
            facts += [f"from {shown_name(memory.source)}", f"session {shown_name(memory.session)} of {memory.client}"]
        facts += [f"path {quote_text(memory.path, PATH_CHARACTERS_MAX)}"] if memory.path else []
        facts += [f"purged {minute(memory.purged_at)}"] if memory.purged_at else []
        facts += ["pinned"] if memory.is_pinned else []
        facts += ["muted"] if memory.is_muted else []
        facts += ["proposal"] if memory.is_proposal else []
        facts += ["for all projects, once you say yes"] if memory.waits_for_all else []
        facts += [still_true(memory.overruled)] if memory.overruled else []
        facts += [one_line(memory.stale)] if memory.stale else []
        content = "" if memory.content is UNSET else without_control(memory.content)
        if memory.quote and memory.quote not in content:
            label = "Author" if memory.kind == "commit" else "It rests on"
            content += f"\n\n{label}: {without_control(memory.quote)}"
        heading, body = heading_and_body(memory.title, content)
        print_line(("\n" if number else "") + f"{bold}{heading}{plain}\n{dim}{' · '.join(facts)}{plain}")
        if body:
            print_text(f"\n{body}")
        if memory.history is not None:
            print_line(f"\n{bold}History{plain}, the oldest first")
            for line in history_lines(memory.history, memory.id, day):
                print_line(f"{bold if line.startswith('▸') else dim}{line}{plain}")


def print_remarks(reply: Recalled) -> None:
    """Print to stderr everything not found or done."""
    remarks = [*reply.notes, *reply.unknown]
    state = "already purged" if reply.action == "purge" else "not purged"
    remarks += [f"{memory_id}: {state}" for memory_id in reply.unchanged]
    for remark in remarks:
        print_remark(remark)


def print_left_out(reply: Recalled, limit: int) -> None:
    """Print to stderr how many of all rows are shown, if *limit* cut them.

    If fewer are shown, others were left out for a reason, and a larger limit shows no more.
    """
    shown = len(reply.memories)
    if reply.detail != "timeline" and limit <= shown < reply.total:
        more = "; --limit shows more" if limit < RECALL_ROWS_MAX else ""
        print_remark(f"{shown} of {reply.total:,} shown{more}.")


def day(milliseconds: int) -> str:
    """Return the local date of Unix *milliseconds*."""
    return _local(milliseconds, "%Y-%m-%d")


def minute(milliseconds: int) -> str:
    """Return local date and time of Unix *milliseconds*."""
    return _local(milliseconds, "%Y-%m-%d %H:%M")


def _local(milliseconds: int, form: str) -> str:
    try:
        return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC).astimezone().strftime(form)
    except (OverflowError, ValueError, OSError):
        return "undated"  # no calendar has it


def _history(memory: Memory) -> list[str]:
    return [*(link_line(link, day) for link in memory.links), *(cited_line(cited, day) for cited in memory.cited)]


STATE_STYLES: Final = {"pinned": "cyan", "muted": "dim", "proposal": "yellow"}


def _line(memory: Memory) -> str:
    return one_line((memory.line or memory.title).replace(HIT, ""))


def _state(memory: Memory) -> str:
    author = f" [by {memory.author}]" if memory.author else ""
    return author + "".join(f" [{name}]" for name in _states(memory))


def _states(memory: Memory) -> list[str]:
    states = {
        "purged": memory.purged_at,
        "pinned": memory.is_pinned,
        "muted": memory.is_muted,
        "proposal": memory.is_proposal,
    }
    return [name for name, is_so in states.items() if is_so]


def _print_table(reply: Recalled) -> None:
    if not reply.memories:
        return
    # A score says nothing without its reasons, which stand below the text with --explain.
    columns = [Column("id", "cyan"), Column("memory", is_text=True), Column("kind", "magenta"), Column("saved", "dim")]
    print_table(columns, [[each.id, _cell(each), each.kind, day(each.created_at)] for each in reply.memories])


def _pieces(marked: str) -> Iterator[tuple[str, bool]]:
    for number, piece in enumerate(marked.split(HIT)):
        yield without_control(piece), bool(number % 2)


def _cell(memory: Memory) -> Any:
    cell = _as_rich_text(memory)
    for line in [one_line(memory.path, PATH_CHARACTERS_MAX)] * bool(memory.path) + _history(memory):
        cell.append(f"\n{line}", style="dim")
    if memory.stale:
        cell.append(f"\n{one_line(memory.stale)}", style="yellow")
    if memory.why:
        cell.append(f"\n{one_line(memory.why)}", style="italic")
    return cell


def _as_rich_text(memory: Memory) -> Any:
    from rich.text import Text  # noqa: PLC0415

    title = len(one_line(memory.title).rstrip("…"))
    text = Text(style="strike" if memory.purged_at else "")
    for piece, is_hit in _pieces(memory.line or memory.title):
        bold, rest = ("bold yellow", "yellow") if is_hit else ("bold", "dim")
        at = max(title - len(text.plain), 0)
        text.append(piece[:at], style=bold).append(piece[at:], style=rest)
    for name in _states(memory):
        if name != "purged":  # it is struck out
            text.append(f" [{name}]", style=STATE_STYLES[name])
    if memory.snippet and not memory.line:
        text.append("\n")
        for piece, is_hit in _pieces(memory.snippet):
            text.append(piece, style="yellow" if is_hit else "dim")
    return text
