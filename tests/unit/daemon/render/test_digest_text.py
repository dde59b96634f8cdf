"""Digests as text."""

import pytest

from palimp_daemon.features.memories.digest_material import Line, Material, Section
from palimp_daemon.render.digest_text import digest_text
from palimp_daemon.text.titles import beyond_title, title_from_text

NOON_MS = 1_763_726_400_000


def digest(*lines: tuple[str, str], tokens: int = 500) -> list[str]:
    """Return the lines of the only section of a digest of memories, each a title and what is beyond it."""
    section = Section("Decisions", [Line("m1rv0001", *line, NOON_MS, is_new=False) for line in lines], len(lines))
    material = Material("shop", [section], [], [], None, None, len(lines), 9)
    return [line for line in digest_text(material, "", tokens).splitlines() if line.startswith("- ")]


def test_a_line_says_what_its_title_does_not():
    """A title that was cut goes on; a whole one is explained."""
    cut, whole, alone = digest(
        ("We use trio because…", " of its nurseries"), ("Use ruff", "It is fast."), ("Plain", "")
    )

    assert cut == "- m1rv0001 2025-11-21 We use trio because of its nurseries"
    assert whole == "- m1rv0001 2025-11-21 Use ruff: It is fast."
    assert alone == "- m1rv0001 2025-11-21 Plain"


@pytest.mark.parametrize("text", ["https://example.org/" + "a" * 150, "读" * 60 + "取" * 60 + "。完", "b " * 80 + "c"])
def test_what_is_in_one_piece_stays_so_where_its_title_was_cut(text: str):
    title = title_from_text(text)
    assert title.endswith("…")
    [line] = digest((title, beyond_title(title, text) or ""))
    assert line == f"- m1rv0001 2025-11-21 {text}"


def test_what_narrows_a_memory_stands_with_its_title():
    line = Line("m1rv0001", "Use ruff", "It is fast.", NOON_MS, is_new=True, qualified="narrowed by m1rv0002")
    material = Material("shop", [Section("Decisions", [line], 1)], [], [], None, None, 1, 9)
    assert "+ m1rv0001 2025-11-21 (narrowed by m1rv0002) Use ruff: It is fast." in digest_text(material, "", 500)


def test_titles_come_before_texts():
    """Where not all fit."""
    assert digest(*[("Use ruff", "It is fast. " * 9)] * 9, tokens=150) == ["- m1rv0001 2025-11-21 Use ruff"] * 9
