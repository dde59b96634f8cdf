"""Tables for any terminal width: ids, times and numbers are never cut or broken.

If that leaves less than TEXT_COLUMNS_MIN for a text, rows are stacked. rich is imported for a terminal only.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from palimp_protocol.text import without_control

TEXT_COLUMNS_MIN: Final = 28
"""Least width of a table's texts: below, a sentence is a column of words."""

GAP: Final = 2
"""Columns between two columns."""


class Column(NamedTuple):
    """A column; *is_text* cells may be wrapped."""

    name: str
    style: str = ""
    is_number: bool = False
    is_text: bool = False
    links: str = ""
    """Name of the column that supplies its page links; empty: its own."""


Cell = Any
"""Text, or `rich.text.Text` with its own styles."""


def is_terminal() -> bool:
    """Tell whether a person looks at stdout."""
    return sys.stdout.isatty()


def has_colour() -> bool:
    """Tell whether stdout is a terminal without a wish for plain text (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    """Return the columns: COLUMNS, else the terminal's, else 80."""
    return _terminal_size().columns


def _terminal_size() -> os.terminal_size:
    return shutil.get_terminal_size((80, 24))


def console() -> Any:
    """Return stdout's terminal for rich, without unwanted escapes."""
    from rich.console import Console  # noqa: PLC0415  only for a terminal

    size = _terminal_size()
    plain: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    plain |= {"width": size.columns, "height": size.lines}  # both: else rich takes 80 columns where TERM is dumb
    return Console(**plain) if has_colour() else Console(color_system=None, **plain)


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
    """Print a table, or stacked rows if too wide."""
    if not rows:
        return
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    screen = console()
    cells = [[_cell(column, each) for column, each in zip(columns, row, strict=True)] for row in rows]
    widths = [
        0 if column.is_text else max([Text(column.name).cell_len, *(row[place].cell_len for row in cells)])
        for place, column in enumerate(columns)
    ]
    texts = sum(column.is_text for column in columns)
    left = screen.width - sum(widths) - GAP * (len(columns) - 1)
    if left < TEXT_COLUMNS_MIN * texts:
        _print_stacked(screen, columns, cells)
    else:
        _print_rows(screen, columns, cells, widths)


def _cell(column: Column, value: Cell) -> Any:
    from rich.style import Style  # noqa: PLC0415  only for a terminal
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    from palimp_shim.cli.page_links import link_of, links_in  # noqa: PLC0415  the same

    if column.is_text or isinstance(value, Text):
        cell = value if isinstance(value, Text) else Text(without_control(str(value)), style=column.style)
        for start, end, address in links_in(cell.plain):
            cell.stylize(Style(link=address), start, end)
        return cell
    text = " ".join(without_control(str(value)).split())
    link = link_of(column.links or column.name, text)
    return Text(text, style=Style.parse(column.style) + Style(link=link) if link else column.style)


def _print_rows(screen: Any, columns: Sequence[Column], rows: Sequence[Sequence[Any]], widths: Sequence[int]) -> None:
    from rich.table import Table  # noqa: PLC0415  only for a terminal
    from rich.text import Text  # noqa: PLC0415

    has_names = any(column.name for column in columns)
    table = Table(box=None, pad_edge=False, show_header=has_names, header_style="dim", padding=(0, GAP, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            Text(column.name),
            justify="right" if column.is_number else "left",
            no_wrap=not column.is_text,
            min_width=None if column.is_text else width,
            ratio=1 if column.is_text else None,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    screen.print(table)


def _print_stacked(screen: Any, columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> None:
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    for row in rows:
        filled = [(column, cell) for column, cell in zip(columns, row, strict=True) if cell.plain]
        shown = [
            Text(f"{column.name} ", style="dim") + cell if column.is_number else cell
            for column, cell in filled
            if not column.is_text
        ]
        for line in _side_by_side(shown, screen.width):
            _print_line(screen, line)
        for text in (cell for column, cell in filled if column.is_text):
            for line in text.wrap(screen, max(1, screen.width - GAP), overflow="fold"):
                line.rstrip()
                _print_line(screen, Text(" " * GAP) + line)


def _side_by_side(cells: Sequence[Any], width: int) -> list[Any]:
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    lines: list[Any] = []
    for cell in cells:
        if lines and lines[-1].cell_len + GAP + cell.cell_len <= width:
            lines[-1] += Text(" " * GAP) + cell
        else:
            lines.append(Text("  ") + cell if lines else cell)
    return lines


def _print_line(screen: Any, line: Any) -> None:
    screen.print(line, soft_wrap=True)


def print_labelled(label: Sequence[tuple[str, str]], said: str) -> None:
    """Print a *label* (texts with styles), then *said*, below if room is short.

    Words wider than the terminal stay whole, so that paths can be copied.
    """
    plain = "".join(text for text, _ in label)
    if not is_terminal():
        sys.stdout.write(f"{plain} {without_control(said)}\n")
        return
    from rich.text import Text  # noqa: PLC0415  only for a terminal

    screen = console()
    first = Text.assemble(*label)
    longest = max(Text(word).cell_len for word in said.split(" "))
    if screen.width - first.cell_len - 1 >= max(TEXT_COLUMNS_MIN, longest):
        indent = " " * (first.cell_len + 1)
        _print_wrapped(screen, first + Text(" "), without_control(said), indent)
        return
    if plain.strip():
        first.rstrip()
        _print_line(screen, first)
    _print_wrapped(screen, Text("  "), without_control(said), "  ")


def _print_wrapped(screen: Any, first: Any, said: str, indent: str) -> None:
    from rich.cells import cell_len  # noqa: PLC0415  only for a terminal
    from rich.text import Text  # noqa: PLC0415

    room = max(1, screen.width - len(indent))
    for line in said.split("\n"):
        row = ""
        for word in line.split(" "):
            if row.strip() and cell_len(f"{row} {word}") > room:
                _print_line(screen, first + Text(row))
                first, row = Text(indent), word
            else:
                row = f"{row} {word}" if row else word
        _print_line(screen, first + Text(row))
        first = Text(indent)
