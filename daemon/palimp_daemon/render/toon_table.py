"""Write a TOON table (toonformat.org, specification 4.4: 7.1 to 7.3, 9.3).

The official encoder takes any value apart, and needs 0.2 s to import; a property test compares both.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

Cell = str | float

_BARE: Final = re.compile(
    r"(?![ \t\-#]|(?:true|false|null)\Z|[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z)"
    r'[^,:"\\\[\]{}\x00-\x1f]+(?<![ \t])'
)
"""Strings that read as nothing else in a table; others are quoted."""

_ESCAPED: Final = str.maketrans(
    {chr(code): f"\\u{code:04x}" for code in range(32)}
    | {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


def toon_table(name: str, rows: Sequence[Mapping[str, Cell]]) -> str:
    """Return *rows*, at least one, with equal plain keys, as a table called *name*."""
    columns = list(rows[0])
    lines = ["  " + ",".join([_cell(row[column]) for column in columns]) for row in rows]
    return "\n".join([f"{name}[{len(rows)}]{{{','.join(columns)}}}:", *lines])


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return value if "," not in value and _BARE.fullmatch(value) else f'"{_escape(value)}"'
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    text = repr(value)
    return f"{Decimal(text):f}" if "e" in text else text


def _escape(value: str) -> str:
    # Most have nothing to escape, and to see that is much faster than to translate them.
    return value if value.isprintable() and '"' not in value and "\\" not in value else value.translate(_ESCAPED)
