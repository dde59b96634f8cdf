"""Plots as SVG: bars, and columns over time, labelled in words."""

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

BAR_WIDTH: Final = 100
BAR_HEIGHT: Final = 8

PLOT_WIDTH: Final = 240
"""Of all columns, at most."""

COLUMN_WIDTH: Final = 20
"""Of a column with the space beside it, at most."""

SPACE_SHARE: Final = 0.15
"""Share of COLUMN_WIDTH for the space."""

COLUMN_HEIGHT: Final = 60
"""Of the highest column."""

_RECT: Final = Markup('<rect class="part{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"></rect>')


def bar(parts: Mapping[str, float], most: float) -> Markup:
    """Return *parts* side by side; a total of *most* has full length."""
    shown = {name: value for name, value in parts.items() if value > 0}
    unit = BAR_WIDTH / max(most, sum(shown.values()), 0.001)
    rects, at = Markup(), 0.0
    for number, name in enumerate(parts):
        if name in shown:
            rects += _RECT.format(number, at, 0, shown[name] * unit, BAR_HEIGHT)
            at += shown[name] * unit
    label = ", ".join(f"{value:.2f} for {name}" for name, value in shown.items()) or "nothing"
    return Markup('<svg class="bar" role="img" aria-label="{}" viewBox="0 0 {} {}"><title>{}</title>{}</svg>').format(
        label, BAR_WIDTH, BAR_HEIGHT, label, rects
    )


def columns(
    name: str, values: Sequence[float], begins: str, step: str = "week", within: Sequence[float] = ()
) -> Markup:
    """Return a column per *step* from *begins* on; the label has the highest and last value.

    *within*, which are no higher, are drawn in front.
    """
    most = max(values, default=0)
    unit = COLUMN_HEIGHT / (most or 1)
    each_width = min(COLUMN_WIDTH, PLOT_WIDTH / max(len(values), 1))
    rects = Markup().join(
        _RECT.format(part, at * each_width, COLUMN_HEIGHT - each * unit, each_width * (1 - SPACE_SHARE), each * unit)
        for part, series in (((2, values), (0, within)) if within else ((0, values),))
        for at, each in enumerate(series)
    )
    last = values[-1] if values else 0
    label = f"{name}, by {step} from {begins} on: {last:,} in the last, {most:,} at most"
    width = max(len(values) * each_width, COLUMN_WIDTH)
    frame = Markup('<svg class="plot" role="img" aria-label="{}" viewBox="0 0 {} {}" preserveAspectRatio="xMinYMax">')
    return frame.format(label, width, COLUMN_HEIGHT) + Markup("<title>{}</title>{}</svg>").format(label, rects)
