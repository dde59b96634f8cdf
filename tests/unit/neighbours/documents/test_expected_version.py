"""Versions of documents, and what is said when one changed since it was read."""

from palimp_neighbours.documents.daemon.expected_version import (
    LINE_CHARACTERS,
    LINES_SHOWN,
    TEXT_CHARACTERS_REMEMBERED,
    TEXTS_MAX,
    ReadTexts,
    changed_since,
    version_of,
)


def test_the_texts_that_were_read_last_are_known_by_their_versions():
    read = ReadTexts()
    versions = [read.remember(f"text {number}") for number in range(TEXTS_MAX + 1)]
    assert read.text_of(versions[0]) is None
    assert read.text_of(versions[-1]) == f"text {TEXTS_MAX}"
    long = "x" * (TEXT_CHARACTERS_REMEMBERED + 1)
    assert read.text_of(read.remember(long)) is None
    assert read.remember(long) == version_of(long)


def test_the_lines_that_changed_are_named_few_and_short():
    before = "\n".join(["same", *(f"old {number} " + "y" * 500 for number in range(50))])
    told = changed_since("guide", before, "same\n\x1b[31mnew\u202e").text
    assert "50 lines gone" in told
    assert "1 line new" in told
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert len(told) < (LINES_SHOWN + 2) * (LINE_CHARACTERS * 2 + 20)


def test_without_the_text_that_was_read_only_the_change_is_told():
    assert changed_since("guide", None, "now").text == "'guide' was changed since it was read."
