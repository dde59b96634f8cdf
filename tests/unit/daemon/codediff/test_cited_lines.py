"""The lines that a name means, and whether they are the same in a newer version."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.codediff.cited_lines import (
    Span,
    definitions_in,
    follow_lines,
    is_rewritten,
    same_definitions,
    segment_key,
    split_lines,
)

PYTHON = '''
import time

@cached
async def evict(
    entry,
    *,
    now,
) -> bool:
    """Tell whether it is too old.

Text that stands further out than the code.
    """
    if entry.age > 60:

        return True
    return False

class Cart:
    limit = 3

    def evict(self): return 1

    def keep(self):
        return 2
'''

OTHERS = {
    "TypeScript": "export async function evict(entry: Entry) {\n  return 1\n}\nfunction keep() {\n}\n",
    "Go": "func (c *Cart) evict(\n\tentry Entry,\n) error {\n\treturn nil\n}\n\nfunc keep() {}\n",
    "Rust": "pub(crate) fn evict(entry: &Entry) -> bool\n{\n    true\n}\n\nfn keep() {}\n",
    "Ruby": "def evict(entry)\n  1\nend\n\ndef keep\nend\n",
    "Java": "  public boolean evict(Entry entry) {\n    return true;\n  }\n\n  void keep() {\n  }\n",
    "constant": "EVICT_SECONDS = (\n    60\n    * 2\n)\nOTHER_ONE = 1\n",
}


def text_of(source: str, name: str, within: str = "") -> list[str]:
    lines = split_lines(source)
    return ["\n".join(lines[span.start : span.end]) for span in definitions_in(lines, name, within)]


def test_a_definition_goes_to_its_last_line_in_python():
    outer, inner = text_of(PYTHON, "evict")
    tree = ast.parse(PYTHON)
    function = next(node for node in tree.body if isinstance(node, ast.AsyncFunctionDef))
    assert outer == ast.get_source_segment(PYTHON, function)
    assert inner == "    def evict(self): return 1"
    assert text_of(PYTHON, "evict", "Cart") == [inner]
    assert text_of(PYTHON, "evict", "Other") == []
    assert text_of(PYTHON, "Cart")[0].endswith("return 2")
    assert text_of(PYTHON, "limit") == ["    limit = 3"]


@pytest.mark.parametrize("language", OTHERS)
def test_a_definition_goes_to_its_last_line_in_other_languages(language: str):
    source = OTHERS[language]
    name = "EVICT_SECONDS" if language == "constant" else "evict"
    (found,) = text_of(source, name)
    assert source.startswith(found)
    assert found.split("\n")[-1].strip() in ("}", ")", "end")
    assert "keep" not in found
    assert "OTHER" not in found


def test_a_definition_that_moved_or_was_indented_is_the_same():
    before = split_lines("def evict(entry):\n    return 1\n")
    after = split_lines("class Cart:\n    x = 1\n\n    def evict(entry):\n        return 1   \n")
    assert same_definitions(before, after, "evict")
    assert same_definitions(before, split_lines("def evict(entry):\n    return 2\n"), "evict") is False
    assert same_definitions(before, split_lines("def keep(entry):\n    return 1\n"), "evict") is None


def test_lines_are_followed_to_where_they_stand():
    before = [f"value_{n} = compute({n})" for n in range(30)]
    after = ["import os", *before[:10], "added = 1", *before[10:20], *before[21:]]
    assert follow_lines(before, after, Span(3, 4)) == Span(4, 5)
    assert follow_lines(before, after, Span(12, 15)) == Span(14, 17)
    assert follow_lines(before, after, Span(20, 21)) is None
    assert follow_lines(before, after, Span(9, 11)) is None  # something came between
    assert follow_lines(before, [*before[15:], *before[:15]], Span(2, 5)) == Span(17, 20)


@pytest.mark.parametrize("line", ["}", "", "return None", "pass"])
def test_a_line_that_stands_everywhere_is_followed_by_its_place(line: str):
    before = ["a = first(1)", line, "b = second(2)", line, "c = third(3)"]
    assert follow_lines(before, ["x = 0", *before], Span(3, 4)) == Span(4, 5)
    assert follow_lines(before, [*before[:3], "changed()", before[4]], Span(3, 4)) is None


def test_a_line_that_stands_everywhere_is_followed_in_a_long_file_too():
    before = [line for n in range(150) for line in (f"if first({n}):", "    return None")]
    after = [line if at not in (100, 102) else f"if other({at}):" for at, line in enumerate(before)]
    after = ["import os", *after, "last()"]
    assert follow_lines(before, after, Span(101, 102)) == Span(102, 103)


@given(st.lists(st.sampled_from(["a = one(1)", "b = two(2)", "}", "", "return x"]), max_size=12), st.data())
def test_lines_that_are_followed_are_the_same(before: list[str], data: st.DataObject):
    after = data.draw(st.lists(st.sampled_from([*before, "new = line(3)"]), max_size=12))
    start = data.draw(st.integers(0, len(before)))
    span = Span(start, data.draw(st.integers(start, len(before))))
    there = follow_lines(before, after, span)
    if there is not None:
        assert after[there.start : there.end] == before[span.start : span.end]
    if span.start < span.end:
        assert follow_lines(before, before, span) == span


@given(st.text(max_size=300), st.text(min_size=1, max_size=12))
def test_any_text_is_searched_for_any_name(text: str, name: str):
    lines = split_lines(text)
    for span in definitions_in(lines, name):
        assert 0 <= span.start < span.end <= len(lines)
        assert isinstance(segment_key(lines, span), str)


def test_a_file_is_rewritten_when_nearly_nothing_is_left():
    before = [f"value_{n} = compute({n})" for n in range(40)]
    assert not is_rewritten(before, before[:20])
    assert is_rewritten(before, [*before[:5], *(f"other_{n} = compute({n})" for n in range(40))])
    assert not is_rewritten(before[:4], [])
