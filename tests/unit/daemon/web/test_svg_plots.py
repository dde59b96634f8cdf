"""Plots say in words what they show, and stay inside their frame."""

import re

import pytest

from palimp_daemon.web.svg_plots import BAR_WIDTH, COLUMN_HEIGHT, PLOT_WIDTH, bar, columns


def rects(drawn: str) -> list[tuple[str, float, float, float, float]]:
    found = re.findall(r'<rect class="(part\d)" x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)">', drawn)
    return [(part, float(x), float(y), float(width), float(height)) for part, x, y, width, height in found]


def test_a_bar_has_its_parts_beside_each_other_as_long_as_what_they_add():
    drawn = bar({"words": 3.0, "meaning": 1.0}, 8.0)
    assert [(part, x, width) for part, x, _, width, _ in rects(drawn)] == [("part0", 0, 37.5), ("part1", 37.5, 12.5)]
    assert 'role="img" aria-label="3.00 for words, 1.00 for meaning"' in drawn


@pytest.mark.parametrize("parts", [{"words": 0.0, "meaning": -2.0}, {}])
def test_what_adds_nothing_is_not_drawn(parts: dict[str, float]):
    assert rects(bar(parts, 0.0)) == []


def test_no_bar_is_longer_than_its_frame():
    [*_, (_, x, _, width, _)] = rects(bar({"words": 3.0, "meaning": 3.0}, 1.0))
    assert x + width == BAR_WIDTH


def test_columns_are_as_high_as_their_values_and_the_highest_fills_the_frame():
    drawn = columns("tokens", [0, 500, 1_000], "2025-11-17")
    assert [height for *_, height in rects(drawn)] == [0, COLUMN_HEIGHT / 2, COLUMN_HEIGHT]
    assert "tokens, by week from 2025-11-17 on: 1,000 in the last, 1,000 at most" in drawn
    assert rects(columns("tokens", [], "2025-11-17")) == []


def test_many_columns_are_as_wide_as_the_frame_and_what_is_within_them_stands_in_front():
    drawn = columns("ms", [8.0] * 84, "2025-11-17", "day", within=[2.0] * 84)
    behind, front = rects(drawn)[:84], rects(drawn)[84:]
    assert {(part, height) for part, *_, height in behind} == {("part2", COLUMN_HEIGHT)}
    assert {(part, height) for part, *_, height in front} == {("part0", COLUMN_HEIGHT / 4)}
    assert max(x + width for _, x, _, width, _ in front) <= PLOT_WIDTH
    assert "ms, by day from" in drawn


def test_a_label_is_escaped():
    assert "<b>" not in bar({"<b>": 1.0}, 1.0)
