"""Render rows of equal shape as a TOON table, text or JSON; up to two never as TOON."""

import json
from collections.abc import Container, Mapping, Sequence
from typing import Final

from palimp_daemon.render.toon_table import Cell, toon_table
from palimp_protocol.limits import LINE_CHARACTERS_MAX
from palimp_protocol.text import one_line

Row = Mapping[str, Cell]

TABLE_ROWS_MIN: Final = 3

SEPARATOR: Final = " · "
"""Separates a row's cells; a cell that contains it is quoted."""


def rows_as_text(name: str, rows: Sequence[Row], answer_format: str, cell_characters: int = LINE_CHARACTERS_MAX) -> str:
    """Return *rows* of *name*; *answer_format* is toon, text or json.

    Each cell is on one line, cut to *cell_characters*.
    """
    rows = [
        {key: one_line(cell, cell_characters) if isinstance(cell, str) else cell for key, cell in row.items()}
        for row in rows
    ]
    if answer_format == "json":
        return json.dumps({name: rows}, ensure_ascii=False)
    if answer_format == "toon" and len(rows) >= TABLE_ROWS_MIN:
        return toon_table(name, rows)
    return "\n".join(SEPARATOR.join(_field(key, value) for key, value in row.items() if value != "") for row in rows)


def telling_columns(rows: Sequence[Row], silent: Container[Cell] = ("",)) -> list[Row]:
    """Return *rows* without columns of only *silent* values."""
    used = [key for key in rows[0] if any(row[key] not in silent for row in rows)] if rows else []
    return [{key: row[key] for key in used} for row in rows]


def _field(key: str, value: str | float) -> str:
    if not isinstance(value, str):
        return f"{key} {value}"
    return json.dumps(value, ensure_ascii=False) if SEPARATOR in value else value
