"""Draws docs/images/scaling.svg from the two tables that `scaling.py` printed and benchmarks/results holds.

    python benchmarks/draw_scaling.py

Both axes are logarithmic, so that a straight line upwards is a power of what grows, and a flat one is no cost at all.
"""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from scaling import BY_MEMORIES, BY_SESSIONS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "benchmarks/results/2026-11-25.md"
TARGET = ROOT / "docs/images/scaling.svg"

PANEL, HEIGHT, MARGIN, GAP = 380, 260, 64, 30
"""Pixels."""
COLOURS = {"save p50": "#2b6cb0", "save p95": "#90cdf4", "recall p50": "#c05621", "recall p95": "#fbd38d"}

Points = Sequence[tuple[float, float]]


def main() -> None:
    """Read the tables, draw them side by side."""
    text = SOURCE.read_text(encoding="utf-8")
    panels = [
        _panel(_table(text, BY_MEMORIES), "memories in the store", MARGIN),
        _panel(_table(text, BY_SESSIONS), "sessions at work at once", MARGIN + PANEL + GAP + MARGIN),
    ]
    width, height = 2 * (PANEL + MARGIN) + GAP + MARGIN, HEIGHT + 2 * MARGIN
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        f' font-size="11" fill="#333"><title>What a save and a recall take, in milliseconds</title>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "".join(panels) + "</svg>\n",
        encoding="utf-8",
    )


def _table(text: str, title: str) -> dict[str, list[tuple[float, float]]]:
    """Return the lines of the table called *title*: for each column of times, what grows and the milliseconds."""
    flat = re.sub(r"\s*\n(?=[^┏])", "\n", text)
    start = flat.index(title.split(",", maxsplit=1)[0])
    lines = flat[start:].split("└")[0].splitlines()
    header = next(line for line in lines if line.startswith("┃"))
    columns = [cell.strip() for cell in header.strip("┃").split("┃")]
    lines = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
    return {
        name: [(_number(row[0]), _number(row[place])) for row in lines]
        for place, name in enumerate(columns)
        if name in COLOURS
    }


def _number(cell: str) -> float:
    return float(re.sub(r"[^\d.]", "", cell))


def _panel(lines: Mapping[str, Points], label: str, left: int) -> str:
    """Return one diagram, *left* pixels from the edge."""
    across = [x for points in lines.values() for x, _ in points]
    low, high = math.log10(min(across)), math.log10(max(across))
    top = math.ceil(math.log10(max(y for points in lines.values() for _, y in points)))
    bottom = math.floor(math.log10(min(y for points in lines.values() for _, y in points)))

    def at(x: float, y: float) -> tuple[float, float]:
        right = (math.log10(x) - low) / (high - low)
        up = (math.log10(y) - bottom) / (top - bottom)
        return round(left + right * PANEL, 1), round(MARGIN + (1 - up) * HEIGHT, 1)

    parts = [f'<text x="{left + PANEL / 2}" y="{HEIGHT + MARGIN + 34}" text-anchor="middle">{label}</text>\n']
    for power in range(bottom, top + 1):
        x, y = at(10**low, 10.0**power)
        parts.append(f'<line x1="{x}" y1="{y}" x2="{x + PANEL}" y2="{y}" stroke="#e2e8f0"/>')
        parts.append(f'<text x="{x - 6}" y="{y + 4}" text-anchor="end">{10.0**power:g} ms</text>\n')
    for value in dict.fromkeys(across):
        x, y = at(value, 10.0**bottom)
        parts.append(f'<text x="{x}" y="{y + 16}" text-anchor="middle">{value:,.0f}</text>\n')
    for number, (name, points) in enumerate(lines.items()):
        path = " ".join(f"{x},{y}" for x, y in (at(*point) for point in points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x}" cy="{y}" r="3" fill="{COLOURS[name]}"/>' for x, y in (at(*point) for point in points)
        ]
        where = f'x="{left + number * 96}" y="{MARGIN - 18}"'
        parts.append(f'\n<text {where} fill="{COLOURS[name]}" font-weight="bold">{name}</text>\n')
    return "".join(parts)


if __name__ == "__main__":
    main()
