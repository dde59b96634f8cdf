"""Titles, sections and pages of markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from palimp_daemon.text import markdown
from palimp_daemon.text.markdown import (
    PAGE_CHARACTERS,
    PASSAGE_CHARACTERS,
    pages_of,
    passages_of,
    sections_of,
    title_of,
)


def test_sections_go_from_heading_to_heading():
    """With the line on which each begins; a # in a code block is no heading."""
    text = "Intro\n# One\ntext\n```\n# not one\n```\n## Two ##\nmore\n"

    assert [(section.heading, section.line) for section in sections_of(text)] == [("", 1), ("One", 2), ("Two", 7)]
    assert "".join(section.text for section in sections_of(text)) == text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 'From front matter'\n---\n# Heading\n", "From front matter"),
        ("text\n\n## First heading\n", "First heading"),
        ("no heading", "otherwise"),
        ("", "otherwise"),
    ],
)
def test_the_title_of_a_document(text: str, title: str):
    """Front matter, else the first heading, else its slug."""
    assert title_of(text, "otherwise") == title


def test_a_long_document_is_paged_by_section():
    """A page begins with a heading where that is possible."""
    text = "".join(f"# Part {number}\n{'word ' * 900}\n" for number in range(12))

    pages = pages_of(text)

    assert len(pages) > 1
    assert all(page.startswith("# Part") for page in pages)
    assert "".join(pages) == text


@given(st.text(st.sampled_from("ab #\n`é"), max_size=400), st.integers(1, 200))
def test_pages_hold_everything_once(text: str, times: int):
    """Nothing is lost, doubled or too long."""
    text *= times

    pages = pages_of(text)

    assert "".join(pages) == text
    assert all(len(page) <= PAGE_CHARACTERS for page in pages)


def test_a_long_section_is_searched_in_parts_that_know_their_heading_and_line():
    """Short ones stay as they are; no word is cut."""
    long = "".join(f"line {number} " + "word " * 20 + "\n" for number in range(100))
    text = f"# Short\none\n# Long\n{long}"

    short, *parts = passages_of(text)

    assert (short.heading, short.line) == ("Short", 1)
    assert len(parts) > 1
    assert {part.heading for part in parts} == {"Long"}
    lines = text.split("\n")
    for part in parts:
        assert lines[part.line - 1] == part.text.split("\n")[0]
    assert "".join(part.text for part in (short, *parts)) == text


def test_a_line_that_is_longer_than_a_part_is_cut_behind_a_word():
    """Its parts are of one line."""
    parts = passages_of("abc defg " * 1000 + "\nnext")

    assert [part.line for part in parts] == [1, 1, 1]
    assert all(part.text.endswith(" ") for part in parts[:-1])
    assert all(len(part.text) <= PASSAGE_CHARACTERS for part in parts)


@given(st.text(st.sampled_from("ab #\n`é"), max_size=400), st.integers(1, 100))
def test_passages_hold_everything_once(text: str, times: int):
    """Nothing is lost, doubled or too long."""
    text *= times

    parts = passages_of(text)

    assert "".join(part.text for part in parts) == text
    assert all(len(part.text) <= PASSAGE_CHARACTERS for part in parts)


BLOCKS = st.sampled_from(
    [
        "# A heading\n",
        "## Another ##\n",
        "Setext\n======\n",
        "Two lines\nof setext\n---\n",
        "    # indented code\n",
        "```python\n# a comment\n```\n",
        "````\n```\n# still code\n````\n",
        "~~~ sh\n# comment\n```\n~~~\n",
        "```\nopen\n```js\n# still code\n```\n",
        "<!--\n# in a comment\n-->\n",
        "<div>\n# in html\n</div>\n\n",
        "- a list\n\n  # in a list\n",
        "> # in a quotation\n",
        "plain text\n",
        "\n",
        "***\n",
        "| a | b |\n|---|---|\n",
        "#no heading\n",
        "[ref]: /url\n===\n",
        "\\# no heading\n",
        "日本語\r\n===\r\n",
    ]
)


def _expected(text: str) -> list[tuple[str, int]]:
    """Return the headings of *text* as the whole parser of CommonMark finds them, at once."""
    tokens = MarkdownIt("commonmark").parse("\n".join(text.splitlines()) + "\n")
    return [
        (" ".join(tokens[number + 1].content.split()), token.map[0] + 1)
        for number, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


@pytest.mark.parametrize("window", [1, 40, 64_000])
@given(st.lists(BLOCKS, max_size=25).map("".join))
def test_headings_are_those_of_commonmark(window: int, text: str):
    """However small the windows are in which a long text is parsed; front matter aside."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markdown, "WINDOW_CHARACTERS", window)
        found = [(each.heading, each.line) for each in sections_of(text) if each.heading or each.line > 1]

    assert found == [each for each in _expected(text) if each[0] or each[1] > 1]
    assert "".join(each.text for each in sections_of(text)) == text


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Title\n=====\n\nPart\n---\ntext\n", ["Title", "Part"]),
        ("```\n```python\n# no heading\n```\n# One\n", ["One"]),
        ("~~~\n```\n# no heading\n~~~\n# One\n", ["One"]),
        ("````\n```\n# no heading\n````\n# One\n", ["One"]),
        ("<!--\n# no heading\n-->\n# One\n", ["One"]),
        ("---\ntitle: T\n# a comment\n---\n# One\n", ["One"]),
        ("a\n\n    # code\n\n# One\n", ["One"]),
    ],
)
def test_what_looks_like_a_heading_in_code_is_none(text: str, headings: list[str]):
    """By the rules of CommonMark for fences, indented code, HTML and setext headings."""
    assert [section.heading for section in sections_of(text) if section.heading] == headings


def test_a_long_code_block_is_code_to_its_end():
    """One that is longer than what is parsed at once."""
    code = "".join(f"# comment {number}\n" for number in range(40_000))

    found = [section.heading for section in sections_of(f"# One\n```sh\n{code}```\n# Two\n")]

    assert found == ["One", "Two"]
